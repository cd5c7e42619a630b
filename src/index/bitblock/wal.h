/*-------------------------------------------------------------------------
 *
 * wal.h
 *		The WAL record of an insertion into a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WAL_H
#define BITBLOCK_WAL_H

#include "buffer.h"

/* An entry to be inserted */
typedef struct BBInsertion
{
	int			tree;
	BBKey		key;
	const uint64 *fp;			/* in the row tree of wide fingerprints; NULL
								 * in other trees */
} BBInsertion;

/* Append an entry to a leaf that has room, without WAL. */
static inline void
bb_append_insertion(Page page, const BBInsertion *entry)
{
	if (entry->fp == NULL)
		bb_append(page, entry->key, InvalidBlockNumber);
	else
		bb_append_row(page, entry->key, entry->fp);
}

extern void bb_append_logged(Relation index, const Buffer *buffers,
							 const BBInsertion *entries, int n);

#endif							/* BITBLOCK_WAL_H */
