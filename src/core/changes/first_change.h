/*-------------------------------------------------------------------------
 *
 * first_change.h
 *		The first change between two texts: how often its word is repeated.
 *
 * A reading compares the words of two texts up to the first ones that differ, one in each text.
 * The value of the reading says how much more often one of these words occurs in its own text than
 * in the other text: it is the larger of the two numbers, and at least 0.  A text that has ended
 * has no such word.
 *
 * In a revision of a document the words that differ first are an edit, and the value is 0 or 1.  In
 * another document of the same template they are a name, which is repeated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FIRST_CHANGE_H
#define SIMHASH_FIRST_CHANGE_H

#include "read_text.h"

/*
 * Return the value of the reading that ignores numbers.  If "numbers" is true, return the larger
 * one of this value and that of the reading of all words.  Words are those of TEXT_OPTIONS_DEFAULT,
 * but the data of a URI are one word, and a number is one of numerals only, of any script, or a random
 * token (read_text.h).  So copies have the same words.  Time and memory are linear in the lengths of
 * the texts.
 */
extern uint64_t core_first_change_of_texts(const char *a, size_t a_len,
										   const char *b, size_t b_len,
										   bool numbers, const Env *env);

/* A reading: its value, and the number of equal words before the first change. */
typedef struct Reading
{
	uint64_t	value;
	size_t		n_equal;		/* up to SAME_BEGINNING */
} Reading;

#define SAME_BEGINNING 20

/*
 * Store the readings of two texts: that of all words, if "numbers" is true, and that without
 * numbers.  If both have the same first change, they count as one reading, whose n_equal does not
 * count numbers.  Return the number of readings, 1 or 2.
 */
extern int	core_read_both(const ReadText *a, const ReadText *b, bool numbers,
						   const Env *env, Reading *readings);

/* A place is known by up to PARTING_WORDS words before it. */
#define PARTING_WORDS 5

/* The places that are remembered: that of the first change, and those up to three words before it */
#define PARTING_PLACES 4

/* Words of which the last one is a footer */
#define FOOTER_SHARE 200

/*
 * Where two texts part in a reading: hashes of the words before the first change and before the
 * other places, and of the words that follow the first change in each text.
 */
typedef struct Parting
{
	/* Fewer at the beginning of the texts, one at a number, and none in a footer */
	size_t		n_places;

	uint64_t	contexts[PARTING_PLACES];
	uint64_t	follow[2];		/* two words, or the end of the text */
} Parting;

/*
 * Store where the texts part: in the reading of all words but random tokens, and in that without
 * numbers.  One of FOOTER_SHARE words at the end of both texts is a footer, in which they part at no
 * place.
 */
extern void core_partings(const ReadText *a, const ReadText *b, const Env *env,
						  Parting *partings);

#endif
