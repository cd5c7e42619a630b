/*-------------------------------------------------------------------------
 *
 * candidates.h
 *		Which texts of a large component are compared with which earlier ones.
 *
 * Thousands of texts of one template are near each other.  A revision shares with its original not
 * only the words of the template, but also those that few other texts have, or repeat as often, such
 * as a name.  A word counts once more if it occurs twice, four times, and so on.  The
 * RAREST_WORDS rarest words of each text, and the pairs of these, are its keys, and texts that share
 * a key are compared: with all others, if at most FEW_TEXTS have the key, or else with the first
 * FIRST_TEXTS of these.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CANDIDATES_H
#define SIMHASH_CANDIDATES_H

#include "../env.h"
#include "../text/mix.h"
#include "../text/tokens/words.h"

#define RAREST_WORDS	6

/* A power of 2 */
#ifndef JOIN_TEST_SIZES
#define FEW_TEXTS		64
#define FIRST_TEXTS		4
#else
#define FEW_TEXTS		4
#define FIRST_TEXTS		2
#endif

typedef struct Candidates Candidates;

/*
 * Begin with n texts, which are numbered in the order of keeping.  The first n_known of them have no
 * candidates.  A sort takes about "memory" bytes.
 */
extern Candidates *core_candidates_begin(uint32_t n, uint32_t n_known, size_t memory, const Env *env);

/* What stands for a word that a text has at least "times" times, a power of 2 */
static inline uint64_t
core_repeated_word(uint64_t word, uint32_t times)
{
	return times == 1 ? word : mix64(word + times);
}

/* Add the words of a text. */
extern void core_candidates_add(Candidates *candidates, uint32_t text, const WordList *words);

/*
 * Find the candidates among the texts that are not left out.  Call this function once.  Words are
 * ordered by the number of these texts that have them, rounded down to a power of 2, and then by
 * their hashes.  A word that only one text has is not a key.
 */
extern void core_candidates_find(Candidates *candidates, const uint8_t *left_out);

/* Does a text have a word or a key that at most FEW_TEXTS texts have? */
extern bool core_candidates_rare(const Candidates *candidates, uint32_t text);

/* Read the pairs from the first one on. */
extern void core_candidates_rewind(Candidates *candidates);

/*
 * Set *earlier to the texts with which a text is compared, in ascending order, and return their
 * number.  Ask for texts in ascending order.
 */
extern size_t core_candidates_of(Candidates *candidates, uint32_t text, const uint32_t **earlier);

/* Free the memory, and remove the files. */
extern void core_candidates_end(Candidates *candidates);

#endif							/* SIMHASH_CANDIDATES_H */
