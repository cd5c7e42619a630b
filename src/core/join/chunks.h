/*-------------------------------------------------------------------------
 *
 * chunks.h
 *		A set of fingerprints, or its parts, in chunks of which two fit in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CHUNKS_H
#define SIMHASH_CHUNKS_H

#include "fingerprint_set.h"

typedef struct Chunk
{
	uint32_t	part;
	uint32_t	n;
	uint64_t	first;			/* in the part */
} Chunk;

typedef struct Chunks
{
	FingerprintSet *set;
	const Parts *parts;			/* NULL: the set is the only part */
	size_t		room;			/* fingerprints of a chunk */
	Chunk	   *chunks;
	size_t		n;
	uint64_t   *words;			/* of the chunks in memory, or NULL */
	uint32_t   *rows;
	size_t		loaded;			/* number of the first chunk in memory, plus 1 */
} Chunks;

/* Cut n fingerprints of a part into chunks of about equal size, with at most "room" each. */
extern void core_chunks_add(Chunks *chunks, uint32_t part, uint64_t n, size_t room);

/* Read chunk a, unless it is in memory, and behind it chunk b, unless it is the same. */
extern void core_chunks_load(Chunks *chunks, size_t a, size_t b);

/* Forget all chunks. */
extern void core_chunks_clear(Chunks *chunks);

/* Free the memory of the fingerprints. */
extern void core_chunks_unload(Chunks *chunks);

#endif							/* SIMHASH_CHUNKS_H */
