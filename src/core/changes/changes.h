/*-------------------------------------------------------------------------
 *
 * changes.h
 *		Changes: all that differs between two texts but white space and case, in order.
 *
 * Matched words (see match.h) divide both texts.  What stands between two matched words of one
 * text is compared with what stands between them in the other one, and so are the matched
 * words.
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
	CHANGE_NUMBER,				/* words of ASCII digits alone */
	CHANGE_FORM,				/* equal words, written otherwise */
	CHANGE_PUNCTUATION,			/* see punctuation.h */
	CHANGE_SIGNS,				/* anything else between words */
	CHANGE_KINDS
} ChangeKind;

/* The names of the kinds. */
extern const char *const simhash_change_names[CHANGE_KINDS];

/*
 * A place where nothing stands is behind the last character before it other than white space.
 * Otherwise neither the first nor the last character is white space.
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
 * releases *changes, which is never NULL.  Replacing each change's text of a by that of b gives
 * b but for white space and, if case is folded, case.  There is no change if and only if that
 * is all that differs.
 *
 * The time is near-linear.
 */
extern size_t simhash_changes_of_texts(const char *a, size_t a_len, const char *b, size_t b_len,
									   bool fold, const TextEnv *env, Change **changes);

#endif
