/*-------------------------------------------------------------------------
 *
 * review_pair.h
 *		A pair of the review page: what differs between a text and its keeper.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_REVIEW_PAIR_H
#define PGSIMHASH_REVIEW_PAIR_H

#include "pgsimhash.h"
#include "review.h"
#include "review_text.h"

/* The caller frees the changes. */
typedef struct Changes
{
	pgsimhash_change *changes;
	size_t		n;
	uint64_t	first_change;
	size_t		counts[PGSIMHASH_CHANGE_SIGNS + 1];
	size_t		words;			/* changes of words */
	size_t		times;			/* the most of a change of words */
	size_t		characters;		/* of changed words and numbers */

	/*
	 * The word that decides: the first one that differs, of the keeper if the
	 * keeper has one there.
	 */
	Part		word;
	bool		of_keeper;		/* is the word of the keeper? */
} Changes;

extern Changes find_changes(const ReviewText *keeper, const ReviewText *other);

/*
 * Store a key that is equal if two parts differ only in white space and case.  Return false if there is
 * nothing visible.
 */
extern bool key_of_part(Part part, unsigned char key[16]);

/* Append the JSON of a pair. */
extern void write_pair(Buffer *out, size_t pair, ReviewPair get, const char *class);

#endif
