/*-------------------------------------------------------------------------
 *
 * passage_places.h
 *		Places of passages: from which byte to which byte of the two texts a passage reaches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PASSAGE_PLACES_H
#define SIMHASH_PASSAGE_PLACES_H

#include <stdbool.h>

#include "../text/tokens/places.h"
#include "align.h"

/* The places of the first and last words of passages in one text, ascending. */
typedef struct PassagePlaces
{
	WordPlace  *words;
	size_t		n;
} PassagePlaces;

/*
 * Find the places of n > 0 passages in text a, or else in text b.  The caller releases
 * places->words.
 */
extern void core_passage_places(const char *utf8, size_t len,
								const TextOptions *options, const Env *env,
								const Passage *passages, size_t n, bool in_a,
								PassagePlaces *places);

/* The place of a word that is the first or the last of a passage. */
extern const WordPlace *core_place_of_word(const PassagePlaces *places, size_t word);

#endif
