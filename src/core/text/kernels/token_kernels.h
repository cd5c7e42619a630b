/*-------------------------------------------------------------------------
 *
 * token_kernels.h
 *		Loops over many tokens or hashes at once, in plain C and for wide registers. The
 *		registers of the machine decide which of them run.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TOKEN_KERNELS_H
#define SIMHASH_TOKEN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_TOKENS_OF_64 32	/* most tokens in a block of 64 bytes */

typedef struct TokenKernel
{
	const char *name;
	bool		(*supported) (void);

	/*
	 * NULL, or a function that reads the first 64 of len > 0 bytes, up to the
	 * first character that needs the normaliser, or sign + or # that may
	 * belong to the word before it.  No token is open before the call.  The
	 * function stores the words (see tokens.h) that end in these bytes as
	 * hash_tokens takes them, and their number.  It applies "fold" by OR to
	 * each byte of ASCII in a word.  It returns the number of finished bytes:
	 * they end before a word that may continue.  The arrays have
	 * MOST_TOKENS_OF_64 places.
	 */
	size_t		(*read_64) (const uint8_t *p, size_t len, uint8_t fold,
							uint64_t *tokens, uint8_t *lengths, size_t *n_tokens);

	/*
	 * Turn bytes into tokens, in place.  A token of 1 to 8 bytes is given as
	 * token_hash_1to8 takes it, with its length.  A length of 0 means that
	 * the element is a hash already.
	 */
	void		(*hash_tokens) (uint64_t *tokens, const uint8_t *lengths, size_t n);

	/* Store the features of the n pairs of adjacent tokens among n + 1 tokens */
	void		(*pairs) (const uint64_t *tokens, size_t n, uint64_t *features);

	/* Store mix64 of the hashes, each combined with salt by exclusive or */
	void		(*mix) (const uint64_t *hashes, size_t n, uint64_t salt,
						uint64_t *mixed);

	/* See minwise_bins.h */
	void		(*add_to_bins) (uint64_t *bins, const uint64_t *hashes, size_t n,
								uint64_t salt);
	uint64_t	(*bits_of_bins) (const uint64_t *bins);
} TokenKernel;

/* All compiled kernels, the best first.  The last kernel runs everywhere. */
extern const TokenKernel core_token_kernels[];
extern const int core_n_token_kernels;

/* The kernel for this machine.  Tests may set another. */
extern const TokenKernel *core_token_kernel_chosen;

/* Choose the best kernel that this machine supports. */
extern const TokenKernel *core_choose_token_kernel(void);

static inline const TokenKernel *
core_token_kernel(void)
{
	return core_token_kernel_chosen != NULL ? core_token_kernel_chosen :
		core_choose_token_kernel();
}

#endif
