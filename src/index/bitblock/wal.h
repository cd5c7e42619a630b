/*-------------------------------------------------------------------------
 *
 * wal.h
 *		The WAL record of an insertion into a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WAL_H
#define BITBLOCK_WAL_H

#include "access/generic_xlog.h"
#include "buffer.h"

extern void bb_append_logged(Relation index, const Buffer *buffers,
							 const BBKey *keys, int n);

#endif							/* BITBLOCK_WAL_H */
