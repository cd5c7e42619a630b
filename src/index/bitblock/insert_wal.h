/*-------------------------------------------------------------------------
 *
 * insert_wal.h
 *		The WAL record of an insertion into a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_INSERT_WAL_H
#define BITBLOCK_INSERT_WAL_H

#include "index/bitblock/store/read_ahead.h"

extern void bb_append_logged(Relation index, const Buffer *buffers,
							 const BBPath *entries, const uint64 *fp, int n);

#endif							/* BITBLOCK_INSERT_WAL_H */
