/*
 * Tokens: cuts normalised text into words, or characters, and hashes them.
 *
 * A word is a maximal run of letters, digits and combining marks, with two
 * exceptions.  A Chinese or Japanese character with its marks is a word.  In
 * scripts written without spaces (Thai, Lao, Khmer, Burmese) every three
 * adjacent letters with their marks are a word; these words overlap.
 *
 * Dictionary words are maximal runs of any letters, digits and marks that no
 * boundary of dictionary.h cuts.
 *
 * A character is a letter or digit with its marks.  A Hangul syllable is
 * decomposed, and so is two or three characters.
 */
#ifndef SIMHASH_TOKENS_H
#define SIMHASH_TOKENS_H

#include "normalize.h"
#include "text_options.h"
#include "token_hash.h"

#define TOKEN_BATCH 512			/* most tokens that come at a time */

/* A token being put together: its last bytes, the rest already hashed. */
typedef struct TokenBuilder
{
	size_t		length;
	bool		streaming;		/* is there anything in state? */
	uint8_t		bytes[256];
	XXH3_state_t state;
} TokenBuilder;

/*
 * Somebody who wants to see the tokens, not only their hashes: gets the bytes of
 * each when it is complete, in the order of the hashes.
 */
typedef struct TokenListener
{
	void		(*token) (void *arg, const uint8_t *bytes, size_t len);
	void	   *arg;
} TokenListener;

/* The bytes of a long token, for a listener; memory from the environment */
typedef struct TokenBytes
{
	uint8_t    *bytes;
	size_t		length;
	size_t		room;
} TokenBytes;

typedef struct Tokenizer
{
	Normalizer	norm;			/* its end may be a boundary within the text */
	const uint8_t *text;
	const uint8_t *end;
	TokenKind	kinds;
	uint64_t	ascii_fold;		/* what makes 8 ASCII letters lower case */
	const TokenListener *listener;	/* or NULL */

	/*
	 * The open token or, in a script without spaces, stretch of tokens: its
	 * kind, or CHAR_SEPARATOR if none is open.
	 */
	int			kind;

	/*
	 * In a script without spaces, the letters of the stretch so far.  Letter
	 * i starts the token in builder i % 3; elsewhere builder 0 is used.
	 */
	size_t		letters;
	TokenBuilder builders[3];
	TokenBytes	spilled[3];		/* of each builder, if there is a listener */
} Tokenizer;

/* listener: NULL, or who gets the tokens while simhash_tokens_next runs. */
extern void simhash_tokens_init(Tokenizer *tok, const char *utf8, size_t len,
								const TextOptions *options,
								const TokenListener *listener,
								const TextEnv *env);

/* Needed only with a listener. */
extern void simhash_tokens_free(Tokenizer *tok);

/*
 * Store the hashes of the next tokens, at most TOKEN_BATCH of them and possibly
 * none; false at the end of the text.
 */
extern bool simhash_tokens_next(Tokenizer *tok, uint64_t *hashes, size_t *n);

#endif
