/*-------------------------------------------------------------------------
 *
 * shape.c
 *		The width of an index's fingerprints, and their form in the index.
 *
 * The build of an index fixes its width, and notes it in the metapage.
 *
 * The index stores the bits of a wide fingerprint in the order of a fixed permutation
 * (core/permutation.h), because neighbouring bits of image hashes agree too often.  A
 * permutation changes no distance.  This file permutes the values and the queries.  The
 * other files of this folder see only permuted fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/index.h"
#include "catalog/pg_type.h"
#include "core/permutation.h"
#include "fingerprint/width.h"
#include "index/strategy.h"
#include "options.h"
#include "planner/kind.h"
#include "server/catalog.h"
#include "shape.h"
#include "simhash.h"
#include "tag.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

StaticAssertDecl(BITS_STEP == BB_BLOCK_BITS, "a fingerprint consists of blocks");
StaticAssertDecl(BB_MAX_TREES <= PG_UINT8_MAX, "trees are numbered in 8 bits");

/* The number of the permutation of bits in the metapage; 0 means no permutation. */
uint16
bb_permutation_number(BBShape shape)
{
	return bb_is_wide(shape) ? 1 : 0;
}

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

/* ----------
 * The shape of an index
 * ----------
 */

/* The number of columns before the fingerprint */
static int
leading_columns(Relation index)
{
	return IndexRelationGetNumberOfKeyAttributes(index) - 1;
}

/*
 * The type of the stored fingerprints; the base type if they are of a domain.  *typmod is its
 * modifier, or -1.
 */
static Oid
stored_type(Relation index, int32 *typmod)
{
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(index),
											 leading_columns(index));

	*typmod = column->atttypmod;
	return getBaseTypeAndTypmod(column->atttypid, typmod);
}

/* The kind of an index's values, from the catalog */
BBValueKind
bb_kind(Relation index)
{
	int32		typmod;
	Oid			stored = stored_type(index, &typmod);
	Oid			type = index->rd_opcintype[leading_columns(index)];

	if (stored == BITOID || stored == VARBITOID)
		return type == BITOID || type == VARBITOID ? BB_BIT : BB_BIT_BALL;
	return type == stored ? BB_SIMHASH : BB_SIMHASH_BALL;
}

/* The shape of an index whose metapage says that a fingerprint has so many blocks */
BBShape
bb_shape_of_blocks(Relation index, uint16 blocks)
{
	BBShape		shape;

	shape.blocks = blocks;
	shape.words = (blocks + BB_WINDOW_BLOCKS - 1) / BB_WINDOW_BLOCKS;
	shape.kind = bb_kind(index);
	shape.leading = leading_columns(index);
	return shape;
}

/*
 * Raises an error unless the last column is the only fingerprint.  The operator class of a
 * leading column has a hash function (tag.h).  Searches trust that the class is valid, so the
 * function also checks what users often get wrong in their own classes.
 */
static void
check_columns(Relation index)
{
	int			leading = leading_columns(index);
	Kind		kind;

	if (bb_is_leading(index, leading) ||
		!find_kind(own_schema(index->rd_amhandler), index->rd_opcintype[leading], &kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("last column of a bitblock index must be a fingerprint"),
				 errhint("Put a column of type simhash or bit last, or an expression such as minhash(body), or use another index method.")));
	for (int i = 0; i < leading; i++)
		if (!bb_is_leading(index, i))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("only the last column of a bitblock index can be a fingerprint"),
					 errdetail("Column %d of index \"%s\" is a fingerprint, or its operator class has no hash function.",
							   i + 1, RelationGetRelationName(index)),
					 errhint("Create an index for each fingerprint, with the fingerprint as its last column.")));
	for (int i = 0; i < leading; i++)
		if (!bb_leading_is_valid(index->rd_opfamily[i], index->rd_opcintype[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator class of column %d of index \"%s\" is not valid",
							i + 1, RelationGetRelationName(index)),
					 errdetail("An operator class for columns in front of the fingerprint needs an operator = as number %d and a hash function of one argument as support function %d, both for type %s.",
							   EQUAL_STRATEGY, BB_HASH_PROC,
							   format_type_be(index->rd_opcintype[i])),
					 errhint("The function amvalidate tells more.")));
}

/*
 * The length of the column's type counts.  Report a parameter "bits" that contradicts the type: an
 * error for a new index.  An index that is built again was right until ALTER INDEX changed the
 * parameter, so REINDEX, VACUUM FULL or TRUNCATE must not fail.  (PostgreSQL asks no access method
 * whether a parameter fits an existing index.)
 */
static void
check_parameter(Relation index, int bits, const char *type)
{
	int			parameter = bb_bits_parameter(index);

	if (parameter != 0 && parameter != bits)
		ereport(ReindexIsProcessingIndex(RelationGetRelid(index)) ? WARNING : ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"bits\" must be %d for an index of type %s", bits, type),
				 errhint("The type says the number of bits. Leave out the parameter, or remove it: ALTER INDEX ... RESET (bits).")));
}

/*
 * The number of bits of the fingerprints of a new index: the length of the column's type, or the
 * storage parameter "bits" if the type has no length.  Returns 0 if both are missing.
 */
static int
bits_of_definition(Relation index)
{
	BBValueKind kind = bb_kind(index);
	int32		typmod;

	if (kind != BB_BIT && kind != BB_BIT_BALL)
	{
		check_parameter(index, SIMHASH_BITS, "simhash");
		return SIMHASH_BITS;
	}
	if (stored_type(index, &typmod) == BITOID && typmod > 0)
	{
		check_parameter(index, typmod, format_type_with_typemod(BITOID, typmod));
		return typmod;
	}
	return bb_bits_parameter(index);
}

/*
 * The shape of a new index.  Raises an error unless the last column is the only fingerprint, or if
 * the index does not support the width.  If the definition of the index does not say the width, the
 * first value does: "first_bits" returns its number of bits, or 0 if there is no value.
 */
BBShape
bb_shape_to_build(Relation index, int (*first_bits) (BBShape shape, void *arg), void *arg)
{
	int			bits;

	check_columns(index);
	bits = bits_of_definition(index);
	if (bits == 0)
		bits = first_bits(bb_shape_of_blocks(index, 0), arg);
	if (bits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("length of the bit strings in index \"%s\" is unknown",
						RelationGetRelationName(index)),
				 errdetail("The type of the indexed value does not say how many bits the value has, and the table has no value yet."),
				 errhint("Set the storage parameter \"bits\": CREATE INDEX ... WITH (bits = 256), or ALTER INDEX ... SET (bits = 256).")));
	check_width(bits, BB_BLOCK_BITS);
	return bb_shape_of_blocks(index, bits / BB_BLOCK_BITS);
}

/* The number of bits of a value of type bit, bit varying or bit_ball that is not NULL */
int
bb_value_bits(BBShape shape, Datum value)
{
	if (shape.kind == BB_BIT_BALL)
		return DatumGetBitBallP(value)->nbits;
	return DatumGetBitValue(value).nbits;
}

/* ----------
 * Values
 * ----------
 */

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
 * The ball of all fingerprints within a radius of a bit string.  The ball is empty if the bit string has
 * another length than the index: the condition is true for no row, and a sequential scan raises no error.
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
			ball_of_bit_ball(shape, query, ball);
			break;
		case NEAR_STRATEGY:
		case EQUAL_STRATEGY:
			ball_of_bit(shape, query, strategy == NEAR_STRATEGY ? near_distance(bb_bits(shape)) : 0, ball);
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
}

/*
 * The fingerprint from which an ORDER BY measures the distance.  Raises an error if a bit string has
 * another length than the index, as <-> does.
 */
void
bb_order_center(BBShape shape, Datum query, uint64 *center)
{
	if (shape.kind == BB_BIT)
		fp_of_bit(shape, query, center);
	else
		center[0] = DatumGetSimhash(query);
}
