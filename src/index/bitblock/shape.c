/*-------------------------------------------------------------------------
 *
 * shape.c
 *		The width of an index's fingerprints, and their form in the index.
 *
 * The width of an index is fixed when the index is built.  The metapage notes it.
 *
 * The bits of a wide fingerprint stand in the index in the order of a fixed permutation
 * (core/permutation.h), because neighbouring bits of image hashes agree too often for
 * blocks of neighbours.  A permutation changes no distance.  Everything in this folder
 * works on permuted fingerprints, queries included.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/permutation.h"
#include "index/strategy.h"
#include "options.h"
#include "shape.h"
#include "simhash.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

StaticAssertDecl(BB_MAX_BITS <= PERMUTATION_BITS, "the permutation has all bits");
StaticAssertDecl(BB_MAX_TREES <= PG_UINT8_MAX, "trees are numbered in 8 bits");

/* The number of the permutation of bits, as the metapage has it; 0 is none. */
uint16
bb_permutation_number(BBShape shape)
{
	return bb_is_wide(shape) ? 1 : 0;
}

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

/* ----------
 * The shape of an index
 * ----------
 */

/* The base type of the stored values, which may be a domain, and its modifier or -1 */
static Oid
stored_type(Relation index, int32 *typmod)
{
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(index), 0);

	*typmod = column->atttypmod;
	return getBaseTypeAndTypmod(column->atttypid, typmod);
}

/* What values an index is of, by the catalog */
BBValueKind
bb_kind(Relation index)
{
	int32		typmod;
	Oid			stored = stored_type(index, &typmod);
	Oid			type = index->rd_opcintype[0];

	if (stored == BITOID || stored == VARBITOID)
		return type == BITOID || type == VARBITOID ? BB_BIT : BB_BIT_BALL;
	return type == stored ? BB_SIMHASH : BB_SIMHASH_BALL;
}

/* The shape of an index whose metapage has that number of blocks */
BBShape
bb_shape_of_blocks(Relation index, uint16 blocks)
{
	BBShape		shape;

	shape.blocks = blocks;
	shape.words = (blocks + BB_WINDOW_BLOCKS - 1) / BB_WINDOW_BLOCKS;
	shape.kind = bb_kind(index);
	return shape;
}

/*
 * The shape of an index that is to be built: its width is storage parameter "bits",
 * else the length of the column's type.
 */
BBShape
bb_shape_to_build(Relation index)
{
	int			bits = bb_bits_parameter(index);
	BBValueKind kind = bb_kind(index);
	bool		is_bit = kind == BB_BIT || kind == BB_BIT_BALL;

	if (!is_bit)
	{
		if (bits != 0 && bits != SIMHASH_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"bits\" must be %d for an index of type %s",
							SIMHASH_BITS, "simhash")));
		bits = SIMHASH_BITS;
	}
	else
	{
		int32		typmod;
		bool		is_fixed = stored_type(index, &typmod) == BITOID && typmod > 0;

		if (is_fixed && bits != 0 && bits != typmod)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"bits\" must be %d for an index of type bit(%d)",
							typmod, typmod)));
		if (!is_fixed && bits == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("length of the bit strings in index \"%s\" is unknown",
							RelationGetRelationName(index)),
					 errdetail("The index is on a value whose type does not say how many bits it has."),
					 errhint("Set the storage parameter \"bits\", for example WITH (bits = 256).")));
		if (is_fixed)
			bits = typmod;
	}
	if (bits < BB_MIN_BITS || bits > BB_MAX_BITS || bits % BB_BLOCK_BITS != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"bitblock\" does not support bit strings of %d bits",
						bits),
				 errdetail("The number of bits must be a multiple of %d from %d to %d.",
						   BB_BLOCK_BITS, BB_MIN_BITS, BB_MAX_BITS)));
	return bb_shape_of_blocks(index, bits / BB_BLOCK_BITS);
}

/* ----------
 * Values
 * ----------
 */

/* Raises an error unless a bit string has as many bits as the index's. */
static void
check_length(BBShape shape, int nbits)
{
	if (nbits != bb_bits(shape))
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				 errmsg("bit string length %d does not match type bit(%d)",
						nbits, bb_bits(shape))));
}

/* The fingerprint of a bit string, whose length must be that of the shape. */
static void
fp_of_bits(BBShape shape, BitValue value, uint64 *fp)
{
	uint64		words[BB_MAX_WORDS];

	check_length(shape, value.nbits);
	bit_value_words(value, words);
	if (bb_is_wide(shape))
		bit_permute(permutation_of(shape), words, fp);
	else
		fp[0] = words[0];
}

/* The same of a value of type bit or bit varying */
static void
fp_of_bit(BBShape shape, Datum value, uint64 *fp)
{
	BitValue	string = DatumGetBitValue(value);

	fp_of_bits(shape, string, fp);
	bit_value_free_copy(string, value);
}

/* Has a value of type bit or bit varying the length of the shape? */
static bool
has_length(BBShape shape, Datum value)
{
	BitValue	string = DatumGetBitValue(value);
	bool		result = string.nbits == bb_bits(shape);

	bit_value_free_copy(string, value);
	return result;
}

static void
fp_of_bit_ball(BBShape shape, Datum value, uint64 *fp, int *radius)
{
	BitBall    *ball = DatumGetBitBallP(value);

	fp_of_bits(shape, bit_ball_string(ball), fp);
	*radius = ball->radius;
	if ((Pointer) ball != DatumGetPointer(value))
		pfree(ball);
}

/* The fingerprint by which an indexed value, which is not NULL, is stored */
void
bb_value_fp(BBShape shape, Datum value, uint64 *fp)
{
	int			radius;

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
			fp_of_bit_ball(shape, value, fp, &radius);
			break;
	}
}

/* The value of a fingerprint, of a shape without balls */
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
 * The ball in which a condition's rows are.  With OVERLAP_STRATEGY not all rows in
 * the ball fulfil the condition.
 */
void
bb_condition_ball(BBShape shape, StrategyNumber strategy, Datum query, BBBall *ball)
{
	if (shape.kind == BB_SIMHASH || shape.kind == BB_SIMHASH_BALL)
	{
		SimhashBall wanted = strategy_ball(strategy, query);

		ball->center[0] = wanted.center;
		ball->radius = wanted.radius;
		return;
	}
	switch (strategy)
	{
		case WITHIN_STRATEGY:
		case OVERLAP_STRATEGY:
			fp_of_bit_ball(shape, query, ball->center, &ball->radius);
			break;
		case EQUAL_STRATEGY:
			/* a string of another length is an error to "<->", and unequal to "=" */
			ball->radius = has_length(shape, query) ? 0 : RADIUS_NONE;
			if (ball->radius == 0)
				fp_of_bit(shape, query, ball->center);
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
}

/* The center of an ORDER BY's distance */
void
bb_order_center(BBShape shape, Datum query, uint64 *center)
{
	if (shape.kind == BB_BIT)
		fp_of_bit(shape, query, center);
	else
		center[0] = DatumGetSimhash(query);
}
