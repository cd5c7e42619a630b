/*-------------------------------------------------------------------------
 *
 * leading_hash.h
 *		Tags: the columns in front of the fingerprint, as 32 bits.
 *
 * An index on (tenant, lang, fp) keeps the rows of each tenant and language together.
 * The tag of a row is a hash of the values of its leading columns, and comes first in the
 * order of every tree.  Equal values have equal tags.  Unequal values may have equal
 * tags, so the executor rechecks each row that a scan of such an index returns.  NULL is
 * a value of its own here, because conditions may ask for it (IS NULL).
 *
 * All entries of an index without leading columns have tag 0.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_LEADING_HASH_H
#define BITBLOCK_LEADING_HASH_H

#include "postgres.h"

#include "access/skey.h"
#include "shape.h"

#define BB_NO_TAG				0

/* The rows that a scan or a search reads, as n scopes.  A scope is the rows with one tag. */
typedef struct BBScopes
{
	/* if true, the only scope is all rows, and its tag means nothing */
	bool		all;
	int			n;
	const uint32 *tags;			/* ascending */
} BBScopes;

/* n of the scopes, from number "first" on */
static inline BBScopes
bb_part_of_scopes(const BBScopes *scopes, int first, int n)
{
	BBScopes	part = {.all = scopes->all,.n = n,.tags = scopes->tags + first};

	return part;
}

/* The hash function of a leading column for values of another type than the column's. */
typedef struct BBCrossHash
{
	MemoryContext context;		/* where this struct is */
	Oid			type;			/* InvalidOid: none yet */
	FmgrInfo	function;
} BBCrossHash;

/* The only scope of an index without leading columns */
extern const BBScopes bb_untagged;

/* All rows of any index */
extern const BBScopes bb_all_rows;

/* Return the tag of a row. */
extern uint32 bb_row_tag(Relation index, BBShape shape, const Datum *values,
						 const bool *isnull);

/* Find scopes that contain all rows that fulfil the conditions. */
extern void bb_scan_scopes(Relation index, BBShape shape, const ScanKeyData *keys,
						   int nkeys, BBCrossHash *cross, BBScopes *scopes);

#endif							/* BITBLOCK_LEADING_HASH_H */
