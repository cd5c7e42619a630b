/*-------------------------------------------------------------------------
 *
 * document_file.h
 *		Ids and fingerprints of documents in files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DOCUMENT_FILE_H
#define SIMHASH_DOCUMENT_FILE_H

#include "postgres.h"

#include "core/store/fingerprint_set.h"
#include "utils/typcache.h"

#define IDS_BUFFER	1024

/* Documents.  Document i has the id number i, and the fingerprint in row i of the set. */
typedef struct DocumentFile
{
	const Env  *env;
	TypeCacheEntry *type;		/* of the ids */
	Oid			collation;
	FingerprintSet *set;
	JoinFile   *ids;			/* Datums, or values passed by reference */
	/* offsets in "ids", if values are passed by reference */
	JoinFile   *places;
	uint64		ids_size;
	size_t		nbuffered;		/* Datums or places that are not in a file yet */
	/* while reading, the document whose Datum or place is buffer[0] */
	uint64		first_read;
	size_t		nread;
	uint64		buffer[IDS_BUFFER];
} DocumentFile;

extern DocumentFile *document_file_begin(TypeCacheEntry *type, Oid collation, int nwords,
										 const Env *env);
extern void document_file_add(DocumentFile *documents, Datum id, const uint64 *fp);
extern Datum document_file_id(DocumentFile *documents, uint64 document);
extern DocumentFile *document_file_sort(DocumentFile *documents, size_t memory);

/* Compare two ids. */
static inline int
document_file_compare(const DocumentFile *documents, Datum a, Datum b)
{
	return DatumGetInt32(FunctionCall2Coll(&documents->type->cmp_proc_finfo,
										   documents->collation, a, b));
}

#endif							/* SIMHASH_DOCUMENT_FILE_H */
