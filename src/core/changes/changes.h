/*-------------------------------------------------------------------------
 *
 * changes.h
 *		Changes: all differences between two texts except white space and case, in order.
 *
 * Matched words (see match.h) divide both texts.  The text between two matched words is compared
 * with the text between the same words in the other text, and the matched words are compared too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CHANGES_H
#define SIMHASH_CHANGES_H

#include "visible_characters.h"

typedef enum ChangeKind
{
	CHANGE_INSERT,				/* words */
	CHANGE_DELETE,
	CHANGE_REPLACE,
	CHANGE_NUMBER,				/* words of numerals alone */
	CHANGE_FORM,				/* equal words, written differently */
	CHANGE_PUNCTUATION,			/* see punctuation.h */
	CHANGE_SIGNS,				/* anything else between words */
	CHANGE_KINDS
} ChangeKind;

/* The names of the kinds. */
extern const char *const core_change_names[CHANGE_KINDS];

/*
 * An empty span is directly behind the last character before it that is not white space.  Other
 * spans neither begin nor end with white space.
 */
typedef struct Change
{
	Span		a;				/* in bytes */
	Span		b;
	ChangeKind	kind;
	size_t		times;			/* changes whose texts are copies of these */
} Change;

/*
 * Store the changes in *changes, and return their number.  The texts are UTF-8.  The caller
 * releases *changes, which is never NULL.  Replacing the text of each change in a by that in b
 * turns a into b, except for white space and, if case is folded, case.  There is no change if and
 * only if the texts differ only in these.
 *
 * The time is near-linear.
 */
extern size_t core_changes_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
									bool fold, const Env *env, Change **changes);

#endif
