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

/* Convert a value to the fingerprint that the index stores for it. */
extern void bb_value_fp(BBShape shape, Datum value, uint64 *fp);

/* Read a row from the values of the index's columns. */
extern void bb_read_row(Relation index, BBShape shape, const Datum *values, const bool *isnull,
						const ItemPointerData *tid, BBRow *row);

/* Return a fingerprint as a value of the column. */
extern Datum bb_fp_value(BBShape shape, const uint64 *fp);

/* Set *ball to a ball that contains all rows that fulfil a condition. */
extern void bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query,
							  BBBall *ball);

#endif							/* BITBLOCK_COLUMN_VALUE_H */
