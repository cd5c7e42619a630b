/*-------------------------------------------------------------------------
 *
 * read_text.h
 *		Texts whose words and numbers have been read, to be compared with several texts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_READ_TEXT_H
#define SIMHASH_READ_TEXT_H

#include "../env.h"
#include "../text/text_options.h"
#include "../text/tokens/words.h"

/* The options with which words are read. */
extern const TextOptions core_words_of_changes;

/*
 * A text.  All words in the data of a URI (links.h) are one word: a picture in two texts does not
 * make them versions of a document.  A number is a word with a digit, or Chinese numerals, but not in
 * a link (links.h).  Numbers with different signs before them or units after them (signs.h) are
 * different: -500 and 500, 20 % and 20 $.
 */
typedef struct ReadText
{
	const char *utf8;
	size_t		len;
	WordList	list;
	uint64_t   *numbers;		/* hashes */
	size_t		n_numbers;

	/*
	 * The words of numerals only, of any script but not in data, and the
	 * random tokens, in ascending order.
	 */
	uint32_t   *digits;

	size_t		n_digits;

	/* The random tokens: words of 9 characters or more, 4 of them digits, such as 4139vOLW7 */
	uint32_t   *tokens;

	size_t		n_tokens;
} ReadText;

/* What is read of the numbers of a text */
typedef enum NumbersToRead
{
	NO_NUMBERS,
	NUMBERS,					/* in their order */
	SORTED_NUMBERS				/* in ascending order, to compare them */
} NumbersToRead;

/* Read a text, which core_release_text releases.  The bytes remain those of the caller. */
extern void core_read_text(const char *utf8, size_t len, NumbersToRead numbers,
						   const Env *env, ReadText *text);

/* Release the memory of a text that has been read. */
extern void core_release_text(ReadText *text, const Env *env);

/* Does each text have a number that the other one lacks, or has less often?  They are sorted. */
extern bool core_numbers_replaced(const ReadText *a, const ReadText *b, const Env *env);

/* Is a word one of n in ascending order? */
static inline bool
is_among(size_t word, const uint32_t *words, size_t n)
{
	size_t		low = 0;
	size_t		high = n;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (words[middle] < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && words[low] == word;
}

/* Does a word have digits only, or is it a random token? */
static inline bool
has_only_digits(const ReadText *text, size_t word)
{
	return is_among(word, text->digits, text->n_digits);
}

static inline bool
is_random_token(const ReadText *text, size_t word)
{
	return is_among(word, text->tokens, text->n_tokens);
}

/* The place of the next word that counts, from a place on: if "numbers" is false, one with a letter */
static inline size_t
next_word(const ReadText *text, size_t place, bool numbers, const Env *env)
{
	while (!numbers && place < text->list.n && has_only_digits(text, place))
		tick(env, place++);
	return place;
}

#endif
