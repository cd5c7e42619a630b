/*-------------------------------------------------------------------------
 *
 * fingerprints.h
 *		Fingerprints in memory, all of one width.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FINGERPRINTS_H
#define SIMHASH_FINGERPRINTS_H

#include <stddef.h>
#include <stdint.h>

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

#endif							/* SIMHASH_FINGERPRINTS_H */
