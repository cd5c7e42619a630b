/*-------------------------------------------------------------------------
 *
 * tag.c
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
#include "leading.h"
#include "tag.h"
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
hash_of(Relation index, int column, FmgrInfo *function, Datum value)
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
						 hash_of(index, i,
								 index_getprocinfo(index, i + 1, BB_HASH_PROC),
								 values[i]));
	return tag_of(state);
}

/*
 * The hash function for the operand of a condition.  The operand may have another type than
 * the column: bigint_column = 7.  The family has hash functions for both, which agree.
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

/*
 * Find the rows that fulfil the conditions on the leading columns, and perhaps others.
 * Returns false if no row does, because a condition compares with NULL.  "cross" has an
 * element for each leading column, which the caller keeps from scan to scan.
 */
bool
bb_scan_scope(Relation index, BBShape shape, const ScanKeyData *keys, int nkeys,
			  BBCrossHash *cross, BBScope *scope)
{
	uint64		state = 0;
	uint64		hashes[INDEX_MAX_KEYS];
	bool		known[INDEX_MAX_KEYS] = {false};

	scope->all = false;
	scope->tag = BB_NO_TAG;
	if (!bb_is_tagged(shape))
		return true;
	for (int i = 0; i < nkeys; i++)
	{
		const ScanKeyData *key = &keys[i];
		int			column = key->sk_attno - 1;

		if (column >= shape.leading || (key->sk_flags & SK_SEARCHNOTNULL))
			continue;
		if (key->sk_flags & SK_SEARCHNULL)
			hashes[column] = NULL_HASH;
		else if (key->sk_flags & SK_ISNULL)
			return false;
		else if (key->sk_strategy == EQUAL_STRATEGY)
			hashes[column] = hash_of(index, column,
									 operand_hash(index, key, &cross[column]),
									 key->sk_argument);
		else
			elog(ERROR, "unrecognized strategy number: %d", key->sk_strategy);
		known[column] = true;
	}
	for (int i = 0; i < shape.leading; i++)
	{
		if (!known[i])
		{
			scope->all = true;
			return true;
		}
		state = add_hash(state, hashes[i]);
	}
	scope->tag = tag_of(state);
	return true;
}
