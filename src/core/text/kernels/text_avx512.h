/*-------------------------------------------------------------------------
 *
 * text_avx512.h
 *		The loops of token_kernels.h and minwise_bins.h for AVX-512.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_AVX512_H
#define SIMHASH_TEXT_AVX512_H

#include <stddef.h>
#include <stdint.h>

#include "../../cpu.h"

#ifdef SIMHASH_X86
/* Functions of the TokenKernel for AVX-512; see token_kernels.h. */
extern size_t core_read_64_avx512(const uint8_t *p, size_t len, uint8_t fold,
								  uint64_t *tokens, uint8_t *lengths,
								  size_t *n_tokens);
extern void core_hash_tokens_avx512(uint64_t *tokens, const uint8_t *lengths, size_t n);
extern void core_pairs_avx512(const uint64_t *tokens, size_t n, uint64_t *features);
extern void core_mix_avx512(const uint64_t *hashes, size_t n, uint64_t salt, uint64_t *mixed);

/*
 * One register has the highest bytes of all bins.  Hashes that are fewer than the bins are
 * added without reading these bytes: the bins are probably empty, and reading them would wait
 * for the stores before.
 */
extern void core_add_to_bins_avx512(uint64_t *bins, const uint64_t *hashes, size_t n,
									uint64_t salt);

/*
 * Bin b ^ p is in the register of bin b, or in another if p > 7, and then in the lane
 * of bin b ^ p % 8.
 */
extern uint64_t core_bits_of_bins_avx512(const uint64_t *bins);
#endif

#endif							/* SIMHASH_TEXT_AVX512_H */
