/*-------------------------------------------------------------------------
 *
 * column_value.c
 *		Rows, values of the column and queries in the form that the index stores.
 *
 * The index stores the bits of a wide fingerprint in the order of a fixed permutation
 * (core/permutation.h).  This file permutes the values and the queries.  The other files
 * of this folder see only permuted fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "column_value.h"
#include "core/permutation.h"
#include "index/strategy.h"
#include "leading_hash.h"
#include "type/bit_value.h"
#include "utils/memutils.h"

/* The permutation of a width.  It stays in memory as long as the backend. */
static const BitPermutation *
permutation_of(BBShape shape)
{
	static BitPermutation *permutations[BB_MAX_BLOCKS + 1];

	if (permutations[shape.blocks] == NULL)
	{
		BitPermutation *permutation = MemoryContextAlloc(TopMemoryContext,
														 sizeof(BitPermutation));

		bit_permutation_init(permutation, bb_bits(shape));
		permutations[shape.blocks] = permutation;
	}
	return permutations[shape.blocks];
}

/* The fingerprint of a bit string that has the length of the shape. */
static void
fp_of_bits(BBShape shape, BitValue value, uint64 *fp)
{
	uint64		words[BB_MAX_WORDS];

	bit_value_words(value, words);
	if (bb_is_wide(shape))
		bit_permute(permutation_of(shape), words, fp);
	else
		fp[0] = words[0];
}

/*
 * Convert a value that is not NULL to the fingerprint that the index stores for it.  The
 * operand of an ORDER BY is converted in the same way.  fp has room for BB_MAX_WORDS
 * words.  Raises an error if a bit string does not have the index's length.  If the value
 * was stored out of line, a copy of it remains in the current memory context.
 */
void
bb_value_fp(BBShape shape, Datum value, uint64 *fp)
{
	bool		is_ball = bb_holds_balls(shape);
	BitValue	bits;

	if (!bb_is_bit(shape))
	{
		fp[0] = is_ball ? DatumGetSimhashBallP(value)->center : DatumGetSimhash(value);
		return;
	}
	bits = is_ball ? bit_ball_center(DatumGetBitBallP(value)) : DatumGetBitValue(value);
	if (bits.nbits != bb_bits(shape))
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				 errmsg("bit string length %d does not match type bit(%d)",
						bits.nbits, bb_bits(shape))));
	fp_of_bits(shape, bits, fp);
}

/* Read a row.  values and isnull are those of the index's columns. */
void
bb_read_row(Relation index, BBShape shape, const Datum *values, const bool *isnull,
			const ItemPointerData *tid, BBRow *row)
{
	row->tid = *tid;
	row->isnull = isnull[shape.leading];
	row->tag = bb_row_tag(index, shape, values, isnull);
	if (!row->isnull)
		bb_value_fp(shape, values[shape.leading], row->fp);
}

/*
 * The value of a fingerprint, allocated in the current memory context if it is a bit
 * string.  The index must not have balls.
 */
Datum
bb_fp_value(BBShape shape, const uint64 *fp)
{
	uint64		words[BB_MAX_WORDS];

	if (shape.kind == BB_SIMHASH)
		return SimhashGetDatum(fp[0]);
	if (bb_is_wide(shape))
		bit_unpermute(permutation_of(shape), fp, words);
	else
		words[0] = fp[0];
	return make_bit_value_of_words(words, bb_bits(shape));
}

/*
 * Set *ball to a ball that contains all rows that fulfil a condition.  With
 * OVERLAP_STRATEGY some rows in the ball do not fulfil it.  The center of an empty ball
 * is not set.
 *
 * If a bit string does not have the index's length, the ball is empty: no row fulfils the
 * condition, and a sequential scan would not raise an error.
 */
void
bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query, BBBall *ball)
{
	int			radius;
	BitValue	center;

	if (!bb_is_bit(shape))
	{
		SimhashBall wanted = strategy_ball(strategy, query);

		ball->center[0] = wanted.center;
		ball->radius = wanted.radius;
		return;
	}
	radius = strategy_radius(strategy, bb_bits(shape));
	if (radius == RADIUS_OF_OPERAND)
	{
		BitBall    *operand = DatumGetBitBallP(query);

		radius = operand->radius;
		center = bit_ball_center(operand);
	}
	else
		center = DatumGetBitValue(query);
	ball->radius = center.nbits == bb_bits(shape) ? radius : RADIUS_NONE;
	if (ball->radius > RADIUS_NONE)
		fp_of_bits(shape, center, ball->center);
}
