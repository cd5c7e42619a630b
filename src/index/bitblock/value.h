/*-------------------------------------------------------------------------
 *
 * value.h
 *		Values of the column and of queries as the fingerprints that the index stores.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_VALUE_H
#define BITBLOCK_VALUE_H

#include "access/stratnum.h"
#include "shape.h"

extern void bb_value_fp(BBShape shape, Datum value, uint64 *fp);
extern Datum bb_fp_value(BBShape shape, const uint64 *fp);
extern void bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query,
							  BBBall *ball);
extern void bb_order_center(BBShape shape, Datum query, uint64 *center);

#endif							/* BITBLOCK_VALUE_H */
