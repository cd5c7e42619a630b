/*-------------------------------------------------------------------------
 *
 * first_change.h
 *		The first change between two texts: how often its word comes again.
 *
 * A reading takes the first words that differ, one of each text.  Its value is how much
 * more often such a word occurs in its own text than in the other text: the larger
 * number of the two, and at least 0.  A text that has ended has no word there.
 *
 * In a revision of a document the words that differ first are an edit, and the value
 * is 0 or 1.  In another document of the same template they are a name, which comes
 * again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FIRST_CHANGE_H
#define SIMHASH_FIRST_CHANGE_H

#include "../text/text_env.h"
#include "../text/text_options.h"
#include "../text/words.h"

/*
 * The value of the reading that leaves out numbers.  With "numbers" it is the larger one
 * of this reading and of that with all words.  Words are those of TEXT_OPTIONS_DEFAULT,
 * but only case is folded (FOLD_CASE).  A number is a word of decimal digits only, of any
 * script.  Time and memory are linear in the lengths of
 * the texts.
 */
extern uint64_t simhash_first_change_of_texts(const char *a, size_t a_len,
											  const char *b, size_t b_len,
											  bool numbers, const TextEnv *env);

/* How words are read. */
extern const TextOptions simhash_words_of_changes;

/* A text whose words are read, for comparisons with several texts. */
typedef struct ReadText
{
	const char *utf8;
	size_t		len;
	WordList	list;			/* the caller releases the words */
} ReadText;

extern void simhash_read_text(const char *utf8, size_t len, const TextEnv *env,
							  ReadText *text);

/* A reading: its value, and the number of equal words before the first change. */
typedef struct Reading
{
	uint64_t	value;
	size_t		n_equal;		/* up to SAME_BEGINNING */
} Reading;

#define SAME_BEGINNING 20

/*
 * Store the readings of two texts: that with all words, if "numbers" is set, and that without
 * numbers.  Readings with the same first change are one, whose equal words are those without
 * numbers.  Return the number of readings, 1 or 2.
 */
extern int	simhash_read_both(const ReadText *a, const ReadText *b, bool numbers,
							  const TextEnv *env, Reading *readings);

/* The same as simhash_first_change_of_texts. */
extern uint64_t simhash_first_change_of_read(const ReadText *a, const ReadText *b,
											 bool numbers, const TextEnv *env);

#endif
