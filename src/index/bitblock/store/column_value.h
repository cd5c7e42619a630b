/*-------------------------------------------------------------------------
 *
 * column_value.h
 *		Rows, values of the column and queries in the form that the index stores.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_COLUMN_VALUE_H
#define BITBLOCK_COLUMN_VALUE_H

#include "access/stratnum.h"
#include "shape.h"

/* What the index stores of a row of the table. */
typedef struct BBRow
{
	ItemPointerData tid;
	bool		isnull;			/* is there no fingerprint? */
	uint32		tag;
	uint64		fp[BB_MAX_WORDS];
} BBRow;

extern void bb_value_fp(BBShape shape, Datum value, uint64 *fp);
extern void bb_read_row(Relation index, BBShape shape, const Datum *values, const bool *isnull,
						const ItemPointerData *tid, BBRow *row);
extern Datum bb_fp_value(BBShape shape, const uint64 *fp);
extern void bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query,
							  BBBall *ball);

#endif							/* BITBLOCK_COLUMN_VALUE_H */
