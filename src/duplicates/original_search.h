/*-------------------------------------------------------------------------
 *
 * original_search.h
 *		The search for the original of a new row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ORIGINAL_SEARCH_H
#define SIMHASH_ORIGINAL_SEARCH_H

#include "original_target.h"

/* What the search for a new row depends on. */
typedef struct NewRow
{
	Datum		fingerprint;
	NullableDatum id;
	NullableDatum equal[MAX_COLUMNS];
	NullableDatum confirm[MAX_TEXT_COLUMNS];
} NewRow;

extern NullableDatum search_original(const Target *target, TriggerData *trigger_data,
									 const NewRow *row);

#endif							/* SIMHASH_ORIGINAL_SEARCH_H */
