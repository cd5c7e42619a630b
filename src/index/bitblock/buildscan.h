/*-------------------------------------------------------------------------
 *
 * buildscan.h
 *		Reading the rows of a new bitblock index from the table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILDSCAN_H
#define BITBLOCK_BUILDSCAN_H

#include "access/tableam.h"
#include "nodes/execnodes.h"
#include "shape.h"

/* Takes a row; fp is NULL if the row has no fingerprint. */
typedef void (*BBTakeRow) (void *arg, uint32 tag, const ItemPointerData *tid,
						   const uint64 *fp);

extern double bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
						   TableScanDesc scan, BBTakeRow take, void *arg);

#endif							/* BITBLOCK_BUILDSCAN_H */
