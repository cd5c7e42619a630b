/*-------------------------------------------------------------------------
 *
 * text_options.h
 *		The options of a fingerprint: the features of a text, and their weights.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_OPTIONS_H
#define SIMHASH_TEXT_OPTIONS_H

#include <stdbool.h>

/* The kinds of tokens; see tokens.h. */
typedef enum TokenKind
{
	TOKENS_WORDS,
	TOKENS_DICTIONARY_WORDS,
	TOKENS_CHARACTERS
} TokenKind;

/* The weight of a feature that occurs f times: 1, f or 1 + log2 f. */
typedef enum FeatureWeight
{
	WEIGHT_ONCE,
	WEIGHT_FREQUENCY,
	WEIGHT_LOGARITHM
} FeatureWeight;

/*
 * What is folded: case, and what writers may leave out or write in two ways.  The latter
 * needs normalisation.
 */
typedef enum TextFold
{
	FOLD_NOTHING,
	FOLD_ALL
} TextFold;

#define SINGLES_AND_PAIRS 0		/* as shingle: every token and every two */
#define LONGEST_SHINGLE 1000

typedef struct TextOptions
{
	TokenKind	tokens;
	int			shingle;		/* adjacent tokens of a feature */
	FeatureWeight weight;
	TextFold	fold;
	bool		normalize;
} TextOptions;

/* The options of simhash(text), which must never change */
#define TEXT_OPTIONS_DEFAULT \
	{TOKENS_WORDS, SINGLES_AND_PAIRS, WEIGHT_ONCE, FOLD_ALL, true}

#endif
