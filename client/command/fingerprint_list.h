/*-------------------------------------------------------------------------
 *
 * fingerprint_list.h
 *		Ids and fingerprints, as the commands minhash and simhash and COPY write them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_FINGERPRINT_LIST_H
#define PGSIMHASH_FINGERPRINT_LIST_H

#include <stdbool.h>

#include "buffer.h"
#include "pgsimhash.h"

/* All fingerprints have the same number of bits. */
typedef struct FingerprintList
{
	bool		is_bigint;		/* the written form */
	bool		on_disk;		/* is the list in temporary files? */
	int			bits;			/* 0 before the first fingerprint */
	size_t		n;
	Buffer		words;
	Buffer		ids;			/* their bytes, */
	Buffer		id_ends;		/* and the size_t places of their ends */
} FingerprintList;

/* Read lines of an id, a tab and a fingerprint.  NULLs are left out. */
extern void list_read(FingerprintList *list, char **paths, int n_paths);
extern void list_free(FingerprintList *list);

extern const uint64_t *list_words(const FingerprintList *list);
extern void append_id(Buffer *out, const FingerprintList *list, size_t i);

#endif
