/*-------------------------------------------------------------------------
 *
 * leading_hash.c
 *		The tag of a row, and of the rows that a scan reads.
 *
 * Tags are on disk, so they depend only on PostgreSQL's hash functions for hash indexes,
 * which are on disk too, and on mix64.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "core/text/mix.h"
#include "index/strategy.h"
#include "leading_columns.h"
#include "leading_hash.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

/* The hash value of NULL; other values have hash values below it */
#define NULL_HASH				(UINT64CONST(1) << 32)

/* Tests need unequal values with equal tags. */
#ifndef BB_TEST_TAG_BITS
#define TAG_BITS				32
#else
#define TAG_BITS				BB_TEST_TAG_BITS
#endif

/* Add the hash value of the next column to the state of a tag, which begins with 0. */
static inline uint64
add_hash(uint64 state, uint64 hash)
{
	return mix64(state + hash + MIX_FACTOR);
}

static inline uint32
tag_of(uint64 state)
{
	return (uint32) (state >> (64 - TAG_BITS));
}

static uint64
hash_of_value(Relation index, int column, FmgrInfo *function, Datum value)
{
	return DatumGetUInt32(FunctionCall1Coll(function, index->rd_indcollation[column],
											value));
}

/* The tag of a row.  values and isnull are those of the index's columns. */
uint32
bb_row_tag(Relation index, BBShape shape, const Datum *values, const bool *isnull)
{
	uint64		state = 0;

	if (!bb_is_tagged(shape))
		return BB_NO_TAG;
	for (int i = 0; i < shape.leading; i++)
		state = add_hash(state, isnull[i] ? NULL_HASH :
						 hash_of_value(index, i,
									   index_getprocinfo(index, i + 1, BB_HASH_PROC),
									   values[i]));
	return tag_of(state);
}

/*
 * The hash function for the operand of a condition.  The operand may have another type
 * than the column: bigint_column = 7.  The family has hash functions for both, which
 * agree.
 */
static FmgrInfo *
operand_hash(Relation index, const ScanKeyData *key, BBCrossHash *cross)
{
	int			column = key->sk_attno - 1;
	Oid			type = key->sk_subtype;
	Oid			function;

	if (!OidIsValid(type) || type == index->rd_opcintype[column])
		return index_getprocinfo(index, column + 1, BB_HASH_PROC);
	if (cross->type == type)
		return &cross->function;
	function = get_opfamily_proc(index->rd_opfamily[column], type, type, BB_HASH_PROC);
	if (!OidIsValid(function))
		elog(ERROR, "missing support function %d(%u,%u) in operator family %u",
			 BB_HASH_PROC, type, type, index->rd_opfamily[column]);
	fmgr_info_cxt(function, &cross->function, cross->context);
	cross->type = type;
	return &cross->function;
}

/* ----------
 * The scopes of a scan
 * ----------
 */

/* The only scope of an index without leading columns, and all rows of any index. */
static const uint32 no_tag = BB_NO_TAG;
const BBScopes bb_untagged = {.all = false,.n = 1,.tags = &no_tag};
const BBScopes bb_all_rows = {.all = true,.n = 1,.tags = &no_tag};

/* The hash values that a leading column may have. */
typedef struct Hashes
{
	bool		known;			/* is there a condition? */
	int			n;
	uint64	   *values;
} Hashes;

/* The hash values of the elements of an array.  NULL equals nothing, so it adds none. */
static Hashes
hashes_of_array(Relation index, const ScanKeyData *key, BBCrossHash *cross)
{
	FmgrInfo   *function = operand_hash(index, key, cross);
	ArrayType  *array = DatumGetArrayTypeP(key->sk_argument);
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Size		room = Max(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), 1);
	Hashes		hashes = {.known = true};
	Datum		value;
	bool		isnull;

	hashes.values = palloc_extended(room * sizeof(uint64), MCXT_ALLOC_HUGE);
	while (array_iterate(iterator, &value, &isnull))
		if (!isnull)
			hashes.values[hashes.n++] = hash_of_value(index, key->sk_attno - 1, function, value);
	array_free_iterator(iterator);
	return hashes;
}

/* The hash values of the values that fulfil a condition on a leading column. */
static Hashes
hashes_of_condition(Relation index, const ScanKeyData *key, BBCrossHash *cross)
{
	Hashes		hashes = {.known = true};

	if ((key->sk_flags & SK_ISNULL) && !(key->sk_flags & SK_SEARCHNULL))
		return hashes;			/* a comparison with NULL */
	if (!(key->sk_flags & SK_SEARCHNULL) && key->sk_strategy != EQUAL_STRATEGY)
		elog(ERROR, "unrecognized strategy number: %d", key->sk_strategy);
	if (key->sk_flags & SK_SEARCHARRAY)
		return hashes_of_array(index, key, cross);
	hashes.n = 1;
	hashes.values = palloc(sizeof(uint64));
	hashes.values[0] = (key->sk_flags & SK_SEARCHNULL) ? NULL_HASH :
		hash_of_value(index, key->sk_attno - 1, operand_hash(index, key, cross), key->sk_argument);
	return hashes;
}

/*
 * Append to tags the tags of all combinations of hash values of the columns from "column"
 * on.  "state" is the state of a tag after the columns before them.
 */
static void
add_tags(const Hashes *hashes, int columns, int column, uint64 state, uint32 *tags, int *n)
{
	if (column == columns)
	{
		tags[(*n)++] = tag_of(state);
		return;
	}
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < hashes[column].n; i++)
		add_tags(hashes, columns, column + 1, add_hash(state, hashes[column].values[i]),
				 tags, n);
}

static int
compare_tags(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return (x > y) - (x < y);
}

/* Sort tags and remove duplicates.  Returns the number of the others. */
static int
sort_tags(uint32 *tags, int n)
{
	int			distinct = 0;

	if (n > 1)
		qsort(tags, n, sizeof(uint32), compare_tags);
	for (int i = 0; i < n; i++)
		if (i == 0 || tags[i] != tags[i - 1])
			tags[distinct++] = tags[i];
	return distinct;
}

/*
 * Find scopes that together contain all rows that fulfil the conditions on the leading
 * columns.  They may contain other rows too.  There is no scope if a condition compares
 * with NULL or with an empty array.  If there are more tags than work_mem can hold, the
 * only scope is all rows.  "cross" has an element for each leading column, which the
 * caller keeps from scan to scan.  The function allocates in the current memory context.
 */
void
bb_scan_scopes(Relation index, BBShape shape, const ScanKeyData *keys, int nkeys,
			   BBCrossHash *cross, BBScopes *scopes)
{
	Hashes		hashes[INDEX_MAX_KEYS] = {{false}};
	double		product = 1;
	uint32	   *tags;

	*scopes = bb_untagged;
	if (!bb_is_tagged(shape))
		return;
	for (int i = 0; i < nkeys; i++)
	{
		int			column = keys[i].sk_attno - 1;
		Hashes		found;

		if (column >= shape.leading || (keys[i].sk_flags & SK_SEARCHNOTNULL))
			continue;
		found = hashes_of_condition(index, &keys[i], &cross[column]);
		if (!hashes[column].known || found.n < hashes[column].n)
			hashes[column] = found;
	}
	for (int i = 0; i < shape.leading; i++)
	{
		scopes->all = scopes->all || !hashes[i].known;
		product *= hashes[i].known ? hashes[i].n : 1;
	}
	scopes->n = product > 0;
	scopes->all = scopes->all || product > Min(work_mem * 1024.0, MaxAllocSize) / sizeof(uint32);
	if (scopes->all || product == 0)
		return;
	tags = palloc((Size) product * sizeof(uint32));
	scopes->n = 0;
	add_tags(hashes, shape.leading, 0, 0, tags, &scopes->n);
	scopes->n = sort_tags(tags, scopes->n);
	scopes->tags = tags;
}
