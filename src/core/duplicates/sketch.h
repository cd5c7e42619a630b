/*-------------------------------------------------------------------------
 *
 * sketch.h
 *		Sketches of texts, by which most pairs of texts of one template are told apart.
 *
 * Thousands of texts of one template are near each other, and have millions of pairs.  A sketch has
 * what decides most of these pairs by the rule of core/changes/same_document.h: the first words, how
 * often they occur, and which numbers and words the text has.  What a sketch does not decide,
 * the texts do.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SKETCH_H
#define SIMHASH_SKETCH_H

#include "../changes/same_document.h"

/* The rule is stricter if one of these words differs. */
#define FIRST_WORDS		SAME_BEGINNING

#define WORDS_BITS		2048
#define NUMBERS_BITS	1024

/* Sets of bits are Bloom filters: a number or a word of the text has all of its bits set. */
typedef struct Sketch
{
	uint64_t	numbers[NUMBERS_BITS / 64]; /* the bits of all numbers */
	uint64_t	title;			/* the bits of all words of the title */
	uint32_t	title_words;	/* distinct ones */
	uint8_t		n_first;
	bool		is_short;		/* see SHORT_DOCUMENT */
	bool		again[FIRST_WORDS]; /* does the word occur more than once? */
	uint64_t	first[FIRST_WORDS]; /* the first words other than numbers */
	uint64_t	words[WORDS_BITS / 64]; /* the bits of all words */
} Sketch;

/* Store the sketch of a text that is read.  The first title_len bytes are its title. */
extern void core_sketch(const ReadText *text, size_t title_len, const Env *env,
						Sketch *sketch);

/*
 * Do the sketches tell that two texts are not the same document?  False means that they do not
 * tell.  "numbers" is that of the rule.  "titles": titles are compared.
 */
extern bool core_sketches_differ(const Sketch *a, const Sketch *b, bool numbers, bool titles);

#endif							/* SIMHASH_SKETCH_H */
