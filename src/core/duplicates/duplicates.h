/*-------------------------------------------------------------------------
 *
 * duplicates.h
 *		Which of many texts are copies of others, and which are edited versions.
 *
 * A caller adds texts, finds the duplicates among them, and reads those one by one.  Texts are in
 * a temporary file; memory has some 60 bytes for each, and up to "memory" bytes besides.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DUPLICATES_H
#define SIMHASH_DUPLICATES_H

#include "../join/near_pairs.h"
#include "../text/text_env.h"

typedef struct DuplicateOptions
{
	bool		numbers;		/* see same_document.h */
	size_t		memory;
} DuplicateOptions;

typedef enum DuplicateKind
{
	DUPLICATE_NONE,				/* an original */
	DUPLICATE_COPY,				/* of a text that is no copy itself */
	DUPLICATE_REVISION			/* the same document as an original */
} DuplicateKind;

typedef struct Duplicate
{
	uint32_t	text;			/* the number of the text, from 0 on in the
								 * order of adding */
	uint32_t	original;
	DuplicateKind kind;
	int			distance;		/* of their fingerprints */
} Duplicate;

/* A text, and the number of other texts that are something to it. */
typedef struct TextCount
{
	uint32_t	text;
	uint32_t	n;
} TextCount;

typedef struct Duplicates Duplicates;

extern Duplicates *simhash_duplicates_begin(const DuplicateOptions *options, const JoinEnv *env,
											const TextEnv *text_env);

/* Before the first text: do titles have to share words? (same_title.h). */
extern void simhash_duplicates_set_titles(Duplicates *duplicates, bool titles);

/*
 * Add a text, in UTF-8, whose first title_len bytes are its title.  Return false if it has no
 * words: then it gets no number.  There are fewer than 2^32 - 1 texts.
 */
extern bool simhash_duplicates_add(Duplicates *duplicates, const char *utf8, size_t title_len,
								   size_t len);

/*
 * Find the duplicates.  "set" has the fingerprints of all texts, with their numbers as rows.
 * "order" has the numbers in the order in which texts are kept, and lives until the end; NULL:
 * the order of adding.
 *
 * Texts that are copies of each other, title and all, have the first one of them as their original,
 * whatever their distance.  The others are compared if they are within the distance.  Each belongs
 * to the first original that is the same document, unless they part at a slot (slots.h), or else is
 * an original itself.
 */
extern void simhash_duplicates_find(Duplicates *duplicates, FingerprintSet *set,
									const uint32_t *order, int distance,
									const PairsSource *source);

/* Get the next duplicate, in the order of keeping; false if there is none. */
extern bool simhash_duplicates_next(Duplicates *duplicates, Duplicate *duplicate);

/* About the text with the most siblings: how many texts near it are other documents? */
extern TextCount simhash_most_siblings(Duplicates *duplicates);

/* The original with the most edited versions. */
extern TextCount simhash_most_versions(const Duplicates *duplicates);

/*
 * How many originals differ in numbers only, that is, in words of digits, from an earlier text that
 * is within the distance?  Their titles are equal.  Without "numbers", slots (slots.h) tell them
 * apart.  The function can be called once.
 */
extern uint32_t simhash_count_number_siblings(Duplicates *duplicates);

extern void simhash_duplicates_end(Duplicates *duplicates);

#endif							/* SIMHASH_DUPLICATES_H */
