/*-------------------------------------------------------------------------
 *
 * insert_wal.h
 *		The WAL record of an insertion into a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_INSERT_WAL_H
#define BITBLOCK_INSERT_WAL_H

#include "index/bitblock/store/tree.h"

/* An entry to be inserted. */
typedef struct BBInsertion
{
	int			tree;
	BBKey		key;
	const uint64 *fp;			/* of the row */
} BBInsertion;

extern void bb_append_logged(Relation index, const Buffer *buffers,
							 const BBInsertion *entries, int n);

#endif							/* BITBLOCK_INSERT_WAL_H */
