/*-------------------------------------------------------------------------
 *
 * row.h
 *		The fingerprint of a row, by its TID.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_ROW_H
#define BITBLOCK_ROW_H

#include "buffer.h"

extern bool bb_find_row(Relation index, BBShape shape, const ItemPointerData *tid,
						uint64 *fp);
extern bool bb_has_row(Relation index, BBShape shape, const ItemPointerData *tid,
					   const uint64 *fp);
extern bool bb_has_entry(Relation index, int tree, BBKey key);
extern bool bb_pin_row(Relation index, BBShape shape, const ItemPointerData *tid,
					   const uint64 *fp, Buffer *pin);

#endif							/* BITBLOCK_ROW_H */
