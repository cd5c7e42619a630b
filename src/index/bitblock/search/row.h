/*-------------------------------------------------------------------------
 *
 * row.h
 *		The fingerprint of a row, by its TID.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_ROW_H
#define BITBLOCK_ROW_H

#include "index/bitblock/store/tree.h"
#include "utils/snapshot.h"

/* The expected place of a row in the row tree: a hint that may be outdated. */
typedef struct BBRowPlace
{
	BlockNumber leaf;			/* or InvalidBlockNumber */
	int			entry;			/* expected number in the leaf */
} BBRowPlace;

/* Find the place of a row in the row tree, as a hint. */
extern void bb_locate_row(Relation index, BBShape shape, BBKey key, BBRowPlace *place);

/* Prefetch the row from memory to the processor's cache. */
extern void bb_prefetch_row(Relation index, BBShape shape, const BBRowPlace *place);

/* Copy the wide fingerprint of a row to fp; false if there is no such row. */
extern bool bb_find_row(Relation index, BBShape shape, Snapshot snapshot, BBKey key,
						const BBRowPlace *place, uint64 *fp);

/* Does the row tree have the row with that tag and fingerprint? */
extern bool bb_has_row(Relation index, BBShape shape, uint32 tag,
					   const ItemPointerData *tid, const uint64 *fp);

/* Does a tree whose entries have one word have that key? */
extern bool bb_has_entry(Relation index, int tree, BBKey key);

/* Pin the leaf of the row tree that has the row's entry. */
extern bool bb_pin_row(Relation index, BBShape shape, Snapshot snapshot, uint32 tag,
					   const ItemPointerData *tid, const uint64 *fp, Buffer *pin);

#endif							/* BITBLOCK_ROW_H */
