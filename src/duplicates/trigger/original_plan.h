/*-------------------------------------------------------------------------
 *
 * original_plan.h
 *		The query for the originals near a new row, and its plans.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ORIGINAL_PLAN_H
#define SIMHASH_ORIGINAL_PLAN_H

#include "original_target.h"
#include "../rows/query.h"

/* Return a number of what a target searches, the same for equal queries. */
extern uint64 search_of_target(const Target *target);

/*
 * Pass the originals within the distance to a receiver, the nearest first, under the active
 * snapshot.  Their columns are the id, the texts and the distance.  SPI is connected.  "row" has
 * the values of the target's columns in the new row.
 */
extern void search_originals(const Target *target, const NullableDatum *row, RowReceiver receiver);

#endif							/* SIMHASH_ORIGINAL_PLAN_H */
