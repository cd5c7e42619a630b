/*-------------------------------------------------------------------------
 *
 * from_array.h
 *		The votes of hashes in an array of bit.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FROM_ARRAY_H
#define SIMHASH_FROM_ARRAY_H

#include "postgres.h"

#include "core/text/methods/weighted_votes.h"
#include "utils/array.h"

/* The array of weights may be NULL. */
extern int32 tally_bit_array(Tally *tallies, ArrayType *features, ArrayType *weights);

#endif							/* SIMHASH_FROM_ARRAY_H */
