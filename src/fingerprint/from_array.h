/*-------------------------------------------------------------------------
 *
 * from_array.h
 *		The votes of features in an array.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FROM_ARRAY_H
#define SIMHASH_FROM_ARRAY_H

#include "postgres.h"

#include "core/text/tally.h"
#include "utils/array.h"
#include "width.h"

/* The array of weights may be NULL. */
extern void tally_array(Tally *tallies, int words, ArrayType *features,
						ArrayType *weights);
extern int32 tally_bit_array(Tally *tallies, ArrayType *features, ArrayType *weights);

#endif							/* SIMHASH_FROM_ARRAY_H */
