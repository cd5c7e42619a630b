/*-------------------------------------------------------------------------
 *
 * stored_documents.h
 *		Ids and fingerprints of documents in temporary files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STORED_DOCUMENTS_H
#define SIMHASH_STORED_DOCUMENTS_H

#include "postgres.h"

#include "core/join/stored.h"
#include "utils/typcache.h"

#define STORED_IDS_BUFFER	1024

/* Document i has the id i and, in the set, the row i. */
typedef struct StoredDocuments
{
	const JoinEnv *env;
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	StoredSet  *set;
	JoinFile   *ids;			/* Datums, or values passed by reference */
	JoinFile   *places;			/* in "ids", if values are passed by reference */
	uint64		ids_size;
	size_t		nbuffered;		/* Datums or places that are in no file yet */
	uint64		first_read;		/* or the document of the first that has been read */
	size_t		nread;
	uint64		buffer[STORED_IDS_BUFFER];
} StoredDocuments;

extern StoredDocuments *stored_documents_begin(TypeCacheEntry *type, Oid collation, int nwords,
											   const JoinEnv *env);
extern void stored_documents_add(StoredDocuments *stored, Datum id, const uint64 *fp);
extern Datum stored_documents_id(StoredDocuments *stored, uint64 document);
extern void stored_documents_end(StoredDocuments *stored);
extern StoredDocuments *stored_documents_sort(StoredDocuments *stored, size_t memory);

#endif							/* SIMHASH_STORED_DOCUMENTS_H */
