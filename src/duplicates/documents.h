/*-------------------------------------------------------------------------
 *
 * documents.h
 *		Ids and fingerprints of many documents in memory, and what the functions
 *		that join them have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DOCUMENTS_H
#define SIMHASH_DOCUMENTS_H

#include "postgres.h"

#include "core/join/fingerprints.h"
#include "core/join/join_env.h"
#include "core/permutation.h"
#include "fmgr.h"
#include "funcapi.h"
#include "simhash.h"
#include "utils/typcache.h"

typedef struct Documents
{
	MemoryContext context;		/* of all that is allocated */
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	Datum	   *ids;
	bool		bit_strings;	/* fingerprints are of type bit, not simhash */
	int			nbits;			/* of each; of type bit 0 before the first one */
	int			nwords;
	BitPermutation *permutation;	/* of bits of type bit */
	uint64	   *words;			/* of the fingerprints, nwords each */
	size_t		n;				/* fewer than 2^32 - 1 */
	size_t		room;
	char	   *block;			/* where ids passed by reference are put next */
	size_t		block_left;
} Documents;

extern Documents *documents_from_arrays(FunctionCallInfo fcinfo);
extern Documents *documents_from_query(FunctionCallInfo fcinfo);
extern void documents_sort(Documents *documents);
extern FuncCallContext *begin_rows(FunctionCallInfo fcinfo);

static inline Fingerprints
documents_fingerprints(const Documents *documents)
{
	Fingerprints fps = {documents->words, documents->nwords, documents->n};

	return fps;
}

/* A distance as no more than all bits, and no less than finds nothing */
static inline int
documents_distance(const Documents *documents, int32 distance)
{
	return Max(RADIUS_NONE, Min(distance, documents->nbits));
}

/* Order of the ids of two documents, and among equal ids of the documents */
static inline int
documents_compare(const Documents *documents, uint32 a, uint32 b)
{
	int			order = DatumGetInt32(FunctionCall2Coll(&documents->type->cmp_proc_finfo,
														documents->collation,
														documents->ids[a],
														documents->ids[b]));

	return order != 0 ? order : (a > b) - (a < b);
}

/* Memory of the context, and its limit in bytes */
extern JoinEnv join_env(MemoryContext context);
extern size_t join_memory(void);

#endif							/* SIMHASH_DOCUMENTS_H */
