/*-------------------------------------------------------------------------
 *
 * read_64.h
 *		read_64 of token_kernels.h for AVX-512.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_READ_64_H
#define SIMHASH_READ_64_H

#include <stddef.h>
#include <stdint.h>

#include "../cpu.h"

#ifdef SIMHASH_X86
extern size_t simhash_read_64_avx512(const uint8_t *p, size_t len, uint8_t fold,
									 uint64_t *tokens, uint8_t *lengths,
									 size_t *n_tokens);
#endif

#endif
