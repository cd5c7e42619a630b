/*
 * Tokens: cuts normalised text into words and hashes them.
 *
 * A token is a maximal run of letters, digits and combining marks; but each
 * Chinese or Japanese character with its marks is one, and in scripts written
 * without spaces (Thai, Lao, Khmer, Burmese) every three adjacent letters with
 * their marks are, overlapping.
 */
#ifndef SIMHASH_TOKENS_H
#define SIMHASH_TOKENS_H

#include "normalize.h"
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

typedef struct Tokenizer
{
	Normalizer	norm;

	/*
	 * The open token or, in a script without spaces, stretch of tokens: its kind,
	 * or CHAR_SEPARATOR if none is open.
	 */
	int			kind;

	/*
	 * In a script without spaces, the letters of the stretch so far.  Letter i
	 * starts the token in builder i % 3; elsewhere builder 0 is used.
	 */
	size_t		letters;
	TokenBuilder builders[3];
} Tokenizer;

extern void simhash_tokens_init(Tokenizer *tok, const char *utf8, size_t len,
								const TextEnv *env);

/*
 * Store the hashes of the next tokens, at most TOKEN_BATCH of them and possibly
 * none; false at the end of the text.
 */
extern bool simhash_tokens_next(Tokenizer *tok, uint64_t *hashes, size_t *n);

#endif
