/*-------------------------------------------------------------------------
 *
 * documents.h
 *		Ids and fingerprints of many documents in memory, for the functions that
 *		join documents.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DOCUMENTS_H
#define SIMHASH_DOCUMENTS_H

#include "postgres.h"

#include "core/join/fingerprints.h"
#include "core/permutation.h"
#include "fmgr.h"
#include "funcapi.h"
#include "server/server_join.h"
#include "simhash.h"
#include "stored_documents.h"

/*
 * Documents are in memory, or, if they and their join do not fit, in temporary files: then
 * there are neither ids nor words.
 */
typedef struct Documents
{
	MemoryContext context;		/* of all memory */
	MemoryContext id_context;	/* of ids passed by reference */
	JoinEnv		env;
	TempFiles  *files;
	StoredDocuments *stored;	/* NULL: in memory */
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	Datum	   *ids;
	bool		bit_strings;	/* fingerprints are of type bit, not simhash */
	int			nbits;			/* of each; 0 before the first bit string */
	int			nwords;			/* of each */
	BitPermutation *permutation;	/* of the bits of bit strings */
	uint64	   *words;			/* of all fingerprints, one after the other */
	size_t		n;				/* fewer than 2^32 - 1 */
	size_t		room;			/* number of documents */
	char	   *block;			/* place of the next id passed by reference */
	size_t		block_left;		/* bytes left there */
	size_t		blocks;			/* bytes of all ids passed by reference */
} Documents;

extern Documents *documents_from_arrays(FunctionCallInfo fcinfo);
extern Documents *documents_from_query(FunctionCallInfo fcinfo);
extern void documents_sort(Documents *documents);

static inline Fingerprints
documents_fingerprints(const Documents *documents)
{
	Fingerprints fps = {documents->words, documents->nwords, documents->n};

	return fps;
}

/*
 * The distance in argument 2 of a function, at most the number of bits and at least -1, which
 * finds no pair.  NULL stands for near-duplicates.
 */
static inline int
documents_distance(const Documents *documents, FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		return near_distance(documents->nbits);
	return Max(RADIUS_NONE, Min(PG_GETARG_INT32(2), documents->nbits));
}

static inline int
documents_compare_ids(const Documents *documents, Datum a, Datum b)
{
	return DatumGetInt32(FunctionCall2Coll(&documents->type->cmp_proc_finfo,
										   documents->collation, a, b));
}

/* Compare two documents by their ids, and documents with equal ids by their numbers. */
static inline int
documents_compare(const Documents *documents, uint32 a, uint32 b)
{
	int			order = documents_compare_ids(documents, documents->ids[a], documents->ids[b]);

	return order != 0 ? order : (a > b) - (a < b);
}

/* What the join may use beside documents in memory */
extern size_t documents_memory_left(const Documents *documents);

#endif							/* SIMHASH_DOCUMENTS_H */
