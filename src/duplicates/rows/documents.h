/*-------------------------------------------------------------------------
 *
 * documents.h
 *		Ids and fingerprints of many documents, for the functions that join documents.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DOCUMENTS_H
#define SIMHASH_DOCUMENTS_H

#include "postgres.h"

#include "core/permutation.h"
#include "document_file.h"
#include "fmgr.h"
#include "funcapi.h"
#include "ids.h"
#include "server/server_env.h"
#include "simhash.h"

typedef struct Documents
{
	MemoryContext context;		/* of all memory */
	Env			env;
	TempFiles  *files;
	DocumentFile *file;			/* NULL before the first document */
	TypeCacheEntry *type;		/* of the ids */
	Oid			id_column;		/* what widened_id needs to know */
	Oid			collation;
	int			distance_arg;	/* number of the argument "distance" */
	bool		texts_decide;	/* are near documents only candidates? */
	bool		bit_strings;	/* fingerprints are of type bit, not simhash */
	int			nbits;			/* of each; 0 before the first bit string */
	BitPermutation *permutation;	/* of the bits of bit strings */
} Documents;

extern Documents *documents_begin(Oid id_type, Oid collation);
extern void documents_set_type(Documents *documents, Oid fingerprint_type);
extern void documents_add(Documents *documents, Datum id, Datum fp);
extern void documents_add_words(Documents *documents, Datum id, const uint64 *words);
extern void require_id(TupleTableSlot *slot);
extern void require_fingerprint(TupleDesc desc, Oid simhash_type, const char *hint);
extern bool is_fingerprint_type(Oid type, Oid simhash_type);
extern Documents *documents_of_args(FunctionCallInfo fcinfo, int most_args);

/*
 * Return the argument "distance", limited to the range from -1, which finds no pair, to
 * the number of bits.  NULL stands for the distance of near-duplicates, or of candidates
 * if their texts are compared.
 */
static inline int
documents_distance(const Documents *documents, FunctionCallInfo fcinfo)
{
	int			arg = documents->distance_arg;

	if (PG_ARGISNULL(arg))
		return documents->texts_decide ? candidate_distance(documents->nbits) :
			near_distance(documents->nbits);
	return Max(RADIUS_NONE, Min(PG_GETARG_INT32(arg), documents->nbits));
}

#endif							/* SIMHASH_DOCUMENTS_H */
