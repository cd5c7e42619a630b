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
#include "server/server_join.h"
#include "simhash.h"

typedef struct Documents
{
	MemoryContext context;		/* of all memory */
	JoinEnv		env;
	TempFiles  *files;
	DocumentFile *file;			/* NULL before the first document */
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	bool		bit_strings;	/* fingerprints are of type bit, not simhash */
	int			nbits;			/* of each; 0 before the first bit string */
	BitPermutation *permutation;	/* of the bits of bit strings */
} Documents;

extern Documents *documents_of_args(FunctionCallInfo fcinfo);

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

#endif							/* SIMHASH_DOCUMENTS_H */
