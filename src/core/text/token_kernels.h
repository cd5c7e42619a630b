/*
 * Loops over many tokens or hashes at once, plain and for wide registers.
 * The machine's registers decide once which of them run.
 */
#ifndef SIMHASH_TOKEN_KERNELS_H
#define SIMHASH_TOKEN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_TOKENS_OF_64 32	/* most tokens of a block of 64 bytes */

typedef struct TokenKernel
{
	const char *name;
	bool		(*supported) (void);

	/*
	 * NULL, or: read the first 64 of len > 0 bytes, where no token is open,
	 * up to what needs the normaliser.  Stores the words (see tokens.h) that
	 * end there as hash_tokens takes them, fold being or'ed to each byte of
	 * ASCII in them, and how many they are; returns how many bytes are done
	 * with, which ends at a word that may go on.  There must be
	 * MOST_TOKENS_OF_64 places for tokens and lengths.
	 */
	size_t		(*read_64) (const uint8_t *p, size_t len, uint8_t fold,
							uint64_t *tokens, uint8_t *lengths, size_t *n_tokens);

	/*
	 * Make tokens of their bytes, in place: a token of 1 to 8 bytes comes as
	 * token_hash_1to8 takes it, with its length; with a length of 0 it is a
	 * hash already.
	 */
	void		(*hash_tokens) (uint64_t *tokens, const uint8_t *lengths, size_t n);

	/* Store the features of the n pairs among n + 1 tokens. */
	void		(*pairs) (const uint64_t *tokens, size_t n, uint64_t *features);

	/*
	 * Store mix64 of those hashes where what is behind its top 6 bits is less
	 * than below, times 64; returns how many.  All n places may be written
	 * to.
	 */
	size_t		(*ranks) (const uint64_t *hashes, size_t n, uint64_t below,
						  uint64_t *mixed);

	/*
	 * Move those hashes that are 0 or not in their slot, number (hash *
	 * factor) >> shift, to the front; returns how many.  All n places may be
	 * written to.
	 */
	size_t		(*absent) (uint64_t *hashes, size_t n, const uint64_t *slots,
						   uint64_t factor, int shift);
} TokenKernel;

/* All that were compiled, best first; the last runs everywhere. */
extern const TokenKernel simhash_token_kernels[];
extern const int simhash_n_token_kernels;

/* The one for this machine; tests may set another. */
extern const TokenKernel *simhash_token_kernel_chosen;

extern const TokenKernel *simhash_choose_token_kernel(void);

static inline const TokenKernel *
simhash_token_kernel(void)
{
	return simhash_token_kernel_chosen != NULL ? simhash_token_kernel_chosen :
		simhash_choose_token_kernel();
}

#endif
