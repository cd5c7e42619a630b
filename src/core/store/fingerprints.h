/*-------------------------------------------------------------------------
 *
 * fingerprints.h
 *		Fingerprints in memory, all of one width.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FINGERPRINTS_H
#define SIMHASH_FINGERPRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../text/mix.h"

/*
 * A fingerprint is nwords words, one after the other.  Unused bits of the last word are
 * the same in all fingerprints.
 */
typedef struct Fingerprints
{
	const uint64_t *words;
	int			nwords;
	size_t		n;				/* fewer than 2^32 */
} Fingerprints;

static inline const uint64_t *
fingerprint_of_row(const Fingerprints *fps, size_t row)
{
	return fps->words + row * (size_t) fps->nwords;
}

static inline uint64_t
hash_fingerprint(const uint64_t *fp, int nwords)
{
	uint64_t	hash = 0;

	for (int word = 0; word < nwords; word++)
		hash = mix64(hash + fp[word]);
	return hash;
}

static inline bool
same_fingerprint(const uint64_t *a, const uint64_t *b, int nwords)
{
	for (int word = 0; word < nwords; word++)
		if (a[word] != b[word])
			return false;
	return true;
}

#endif							/* SIMHASH_FINGERPRINTS_H */
