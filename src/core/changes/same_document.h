/*-------------------------------------------------------------------------
 *
 * same_document.h
 *		Is a text the same document as another one: a copy, or an edited version?
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SAME_DOCUMENT_H
#define SIMHASH_SAME_DOCUMENT_H

#include "first_change.h"

/*
 * The texts are the same document if all of these hold:
 *
 * - In each reading of first_change.h the first change is at most 1, or at most 3 after
 *   SAME_BEGINNING equal words.  After as many equal words other than numbers it may be larger if at
 *   most 3 words of 100 are replaced, and no word is replaced by the same other word twice.  If it
 *   is 3, no word is replaced by the same other word three times.
 * - At most one of the texts begins with a name, that is, has a word among its first
 *   SAME_BEGINNING ones that it repeats and that the other one lacks.  Words of digits only do not
 *   count.
 * - With "numbers", no number is replaced, that is, at most one of the texts has a number that the
 *   other one lacks, or has less often (read_text.h).
 * - Without "numbers", at most one of the texts has many words of digits only that the other one
 *   lacks: more than 10% of the words of the shorter text, or more than 3% in more than 5 places.
 * - If one of the texts has fewer than SHORT_DOCUMENT words, no word is replaced, unless the texts
 *   differ by a typo alone (typo.h).  If it has fewer than 10, all words are the same, in the same
 *   order.  Without "numbers", words of digits only do not count.
 * - Few words are replaced, as counted by replacements.h: at most one, or one for every 40 words of
 *   the shorter text, and the shorter text has at least 70% of the words of the longer one.  Or the texts share at
 *   least 85% of their words and pairs of words, which is estimated.
 * - If more than 30% of the characters of each text are signs, at most 20% of all characters are signs
 * that the other text lacks, or has less often: drawings differ, whatever few words they have.
 *
 * A copy is the same document in any case.  A text without words is the same document only as its
 * copies.  The answer does not change if the texts are exchanged, or if a copy takes the place of a
 * text: the rule reads words that copies have in common, and only white space that does.  Time
 * and memory are linear in the lengths of the texts.
 */
extern bool core_same_document_of_texts(const char *a, size_t a_len, const char *b,
										size_t b_len, bool numbers, const Env *env);

#define SHORT_DOCUMENT 30

/* The first condition that two texts do not fulfil, in the order in which they are checked */
typedef enum DocumentDifference
{
	SAME_DOCUMENT,
	DIFFERENT_WITHOUT_WORDS,	/* a text has no words */
	DIFFERENT_NUMBER,			/* a number is replaced */
	DIFFERENT_FIRST_CHANGE,		/* the first change is a name */
	DIFFERENT_SHORT_TEXT,		/* a word of a short text is replaced */
	DIFFERENT_NAMES,			/* both texts begin with a name */
	DIFFERENT_WORDS,			/* too many words are replaced */
	DIFFERENT_SIGNS				/* the texts are different drawings */
} DocumentDifference;

extern DocumentDifference core_document_difference(const char *a, size_t a_len, const char *b,
												   size_t b_len, bool numbers, const Env *env);

/* Like core_same_document_of_texts, for texts whose words and numbers have been read. */
extern bool core_same_document_of_read(const ReadText *a, const ReadText *b, bool numbers,
									   const Env *env);

#endif
