/*-------------------------------------------------------------------------
 *
 * stars.h
 *		Stars of some rows, for stars.c (rows in memory) and stored_stars.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STARS_H
#define SIMHASH_STARS_H

#include "collapse.h"
#include "groups.h"
#include "join.h"

/*
 * Bytes of memory for each row of a chunk: 8 for the collapsed rows, and 24 each for a row
 * and a keeper in the join: 8 for a word, 12 for the sorted word and its number, 4
 * for a counter.  PAIR_BYTES is for a pair and its copy during the sort.
 */
#define CHUNK_ROW_BYTES	56
#define PAIR_BYTES		24

/* The least number of rows of a chunk and of pairs, for any amount of memory */
#ifndef JOIN_TEST_SIZES
#define FEWEST			1024
#else
#define FEWEST			4
#endif

typedef struct Stars
{
	const JoinEnv *env;
	const Fingerprints *fps;
	WordPlan	words;
	uint32_t   *clusters;

	size_t		nkeepers;
	size_t		room;
	uint32_t   *keepers;	/* their rows, ascending */

	size_t		most_rows;		/* of a chunk */
	size_t		most_pairs;
} Stars;

extern void simhash_stars_limits(Stars *stars, size_t memory);
extern void simhash_find_keepers(Stars *stars, const FingerprintSet *set,
								const FingerprintSet *keepers);
extern size_t simhash_drop_members(const Stars *stars, uint32_t *rows, size_t n);
extern size_t simhash_find_stars(Stars *stars, uint32_t *rows, size_t n, size_t first,
								 size_t end);

#endif							/* SIMHASH_STARS_H */
