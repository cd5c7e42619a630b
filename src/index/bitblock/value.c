/*-------------------------------------------------------------------------
 *
 * value.c
 *		Rows, values of the column and queries in the form that the index stores.
 *
 * The index stores the bits of a wide fingerprint in the order of a fixed permutation
 * (core/permutation.h).  This file permutes the values and the queries.  The other files
 * of this folder see only permuted fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/permutation.h"
#include "index/strategy.h"
#include "simhash.h"
#include "tag.h"
#include "utils/memutils.h"
#include "value.h"

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

/* The fingerprint of a bit string that has the length of the shape */
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

/* The same.  Raises an error if the bit string has another length. */
static void
fp_of_checked_bits(BBShape shape, BitValue value, uint64 *fp)
{
	if (value.nbits != bb_bits(shape))
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				 errmsg("bit string length %d does not match type bit(%d)",
						value.nbits, bb_bits(shape))));
	fp_of_bits(shape, value, fp);
}

/* The same for a value of type bit or bit varying */
static void
fp_of_bit(BBShape shape, Datum value, uint64 *fp)
{
	BitValue	string = DatumGetBitValue(value);

	fp_of_checked_bits(shape, string, fp);
	bit_value_free_copy(string, value);
}

/* The same for the center of a ball */
static void
fp_of_bit_ball(BBShape shape, Datum value, uint64 *fp)
{
	BitBall    *ball = DatumGetBitBallP(value);

	fp_of_checked_bits(shape, bit_ball_string(ball), fp);
	if ((Pointer) ball != DatumGetPointer(value))
		pfree(ball);
}

/*
 * The fingerprint that the index stores for a value that is not NULL.  fp has room for
 * BB_MAX_WORDS words.  Raises an error if a bit string does not have the index's length.
 */
void
bb_value_fp(BBShape shape, Datum value, uint64 *fp)
{
	switch ((BBValueKind) shape.kind)
	{
		case BB_SIMHASH:
			fp[0] = DatumGetSimhash(value);
			break;
		case BB_SIMHASH_BALL:
			fp[0] = DatumGetSimhashBallP(value)->center;
			break;
		case BB_BIT:
			fp_of_bit(shape, value, fp);
			break;
		case BB_BIT_BALL:
			fp_of_bit_ball(shape, value, fp);
			break;
	}
}

/* Read a row.  values and isnull are those of the index's columns.  May leak a little memory. */
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
	return make_bit_string_of_words(words, bb_bits(shape));
}

/*
 * The ball of all fingerprints within a radius of a bit string.  The ball is empty if the bit
 * string has another length than the index: the condition is true for no row, and a sequential
 * scan raises no error.
 */
static void
ball_of_bits(BBShape shape, BitValue center, int radius, BBBall *ball)
{
	ball->radius = center.nbits == bb_bits(shape) ? radius : RADIUS_NONE;
	if (ball->radius > RADIUS_NONE)
		fp_of_bits(shape, center, ball->center);
}

/* The ball of a condition whose operand is a ball of bit strings */
static void
ball_of_bit_ball(BBShape shape, Datum query, BBBall *ball)
{
	BitBall    *wanted = DatumGetBitBallP(query);

	ball_of_bits(shape, bit_ball_string(wanted), wanted->radius, ball);
	if ((Pointer) wanted != DatumGetPointer(query))
		pfree(wanted);
}

/* The ball of a condition whose operand is a bit string */
static void
ball_of_bit(BBShape shape, Datum query, int radius, BBBall *ball)
{
	BitValue	center = DatumGetBitValue(query);

	ball_of_bits(shape, center, radius, ball);
	bit_value_free_copy(center, query);
}

/*
 * The ball that contains the rows of a condition.  With OVERLAP_STRATEGY some rows in the
 * ball do not fulfil the condition.  The center of an empty ball is not set.
 */
void
bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query, BBBall *ball)
{
	int			radius;

	if (shape.kind == BB_SIMHASH || shape.kind == BB_SIMHASH_BALL)
	{
		SimhashBall wanted = strategy_ball(strategy, query);

		ball->center[0] = wanted.center;
		ball->radius = wanted.radius;
		return;
	}
	radius = strategy_radius(strategy, bb_bits(shape));
	if (radius == RADIUS_OF_OPERAND)
		ball_of_bit_ball(shape, query, ball);
	else
		ball_of_bit(shape, query, radius, ball);
}

/*
 * The fingerprint from which an ORDER BY measures the distance.  Raises an error if a bit
 * string has another length than the index, as <-> does.
 */
void
bb_order_center(BBShape shape, Datum query, uint64 *center)
{
	if (shape.kind == BB_BIT)
		fp_of_bit(shape, query, center);
	else
		center[0] = DatumGetSimhash(query);
}
