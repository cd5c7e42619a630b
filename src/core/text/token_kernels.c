/*-------------------------------------------------------------------------
 *
 * token_kernels.c
 *		Loops over batches of hashes; see token_kernels.h.
 *
 * These loops mostly multiply 64 bits by 64.  AVX-512 has such a
 * multiplication.  AVX2 and NEON do not have it, and were not faster than the
 * portable code.
 *
 *-------------------------------------------------------------------------
 */
#include "../cpu.h"
#include "lanes_avx512.h"
#include "minwise_bins.h"
#include "read_64.h"
#include "token_hash.h"
#include "token_kernels.h"

const TokenKernel *simhash_token_kernel_chosen = NULL;

/* ---------- portable ---------- */

static void
hash_tokens_scalar(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	size_t		i = 0;

	while (i < n)
	{
		/* characters of 3 bytes (Chinese) often follow each other */
		for (; n - i >= 4 && load_le32(lengths + i) == 0x03030303; i += 4)
		{
			tokens[i] = token_hash_3(tokens[i]);
			tokens[i + 1] = token_hash_3(tokens[i + 1]);
			tokens[i + 2] = token_hash_3(tokens[i + 2]);
			tokens[i + 3] = token_hash_3(tokens[i + 3]);
		}
		if (i < n && lengths[i] > 0)
			tokens[i] = token_hash_1to8(tokens[i], lengths[i]);
		i++;
	}
}

static void
pairs_scalar(const uint64_t *tokens, size_t n, uint64_t *features)
{
	for (size_t i = 0; i < n; i++)
		features[i] = feature_pair(tokens[i], tokens[i + 1]);
}

static void
mix_scalar(const uint64_t *hashes, size_t n, uint64_t salt, uint64_t *mixed)
{
	for (size_t i = 0; i < n; i++)
		mixed[i] = mix64(hashes[i] ^ salt);
}

/* ---------- AVX-512 ---------- */

#ifdef SIMHASH_X86

/* token_hash_1to8 of 8 tokens */
CPU_AVX512 static inline __m512i
token_hash_avx512(__m512i bytes, __m512i length)
{
	const __m512i byte = ALL_LANES(0xFF);
	const __m512i eight_times = _mm512_slli_epi64(length, 3);
	const __mmask8 is_long = _mm512_cmpgt_epu64_mask(length, ALL_LANES(3));
	__m512i		h3;
	__m512i		h8;
	__m512i		h;

	/*
	 * the steps up to the first multiplication, for 1 to 3 bytes and for 4 to
	 * 8
	 */
	h3 = _mm512_srlv_epi64(bytes, _mm512_and_si512(_mm512_slli_epi64(length, 2),
												   ALL_LANES(~UINT64_C(7))));
	h3 = _mm512_slli_epi64(_mm512_and_si512(h3, byte), 24);
	h3 = _mm512_or_si512(h3, _mm512_slli_epi64(_mm512_and_si512(bytes, byte), 16));
	h3 = _mm512_or_si512(h3, _mm512_srlv_epi64(bytes, _mm512_sub_epi64(eight_times, ALL_LANES(8))));
	h3 = _mm512_or_si512(h3, _mm512_slli_epi64(length, 8));
	h3 = _mm512_xor_si512(h3, ALL_LANES(TOKEN_HASH_FLIP_1TO3));
	h3 = xor_shifted(h3, h3, 33);

	if (is_long == 0)
	{
		/* Chinese */
		h = _mm512_mullo_epi64(h3, ALL_LANES(TOKEN_HASH_PRIME_1TO3_1));
		h = _mm512_mullo_epi64(xor_shifted(h, h, 29), ALL_LANES(TOKEN_HASH_PRIME_1TO3_2));
		return xor_shifted(h, h, 32);
	}

	h8 = _mm512_srlv_epi64(bytes, _mm512_sub_epi64(eight_times, ALL_LANES(32)));
	h8 = _mm512_and_si512(h8, ALL_LANES(0xFFFFFFFF));
	h8 = _mm512_add_epi64(h8, _mm512_slli_epi64(bytes, 32));
	h8 = _mm512_xor_si512(h8, ALL_LANES(TOKEN_HASH_FLIP_4TO8));
	h8 = _mm512_xor_si512(h8, _mm512_xor_si512(_mm512_rol_epi64(h8, 49),
											   _mm512_rol_epi64(h8, 24)));

	/* the following steps differ in constants only */
	h = _mm512_mask_blend_epi64(is_long, h3, h8);
	h = _mm512_mullo_epi64(h, _mm512_mask_blend_epi64(is_long, ALL_LANES(TOKEN_HASH_PRIME_1TO3_1),
													  ALL_LANES(TOKEN_HASH_PRIME_4TO8)));
	h = _mm512_xor_si512(h, _mm512_mask_add_epi64(_mm512_srli_epi64(h, 29), is_long,
												  _mm512_srli_epi64(h, 35), length));
	h = _mm512_mullo_epi64(h, _mm512_mask_blend_epi64(is_long, ALL_LANES(TOKEN_HASH_PRIME_1TO3_2),
													  ALL_LANES(TOKEN_HASH_PRIME_4TO8)));
	return _mm512_xor_si512(h, _mm512_mask_blend_epi64(is_long, _mm512_srli_epi64(h, 32),
													   _mm512_srli_epi64(h, 28)));
}

CPU_AVX512 static void
hash_tokens_avx512(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		bytes = _mm512_maskz_loadu_epi64(lanes, tokens + i);
		uint64_t	eight = 0;
		__m512i		length;

		if (n - i >= 8)
			memcpy(&eight, lengths + i, 8);
		else
			memcpy(&eight, lengths + i, n - i);
		if (eight == 0)
			continue;
		length = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long) eight));
		/* store nothing for a length of 0 */
		lanes &= _mm512_test_epi64_mask(length, length);
		_mm512_mask_storeu_epi64(tokens + i, lanes, token_hash_avx512(bytes, length));
	}
}

CPU_AVX512 static void
pairs_avx512(const uint64_t *tokens, size_t n, uint64_t *features)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		first = _mm512_maskz_loadu_epi64(lanes, tokens + i);
		__m512i		second = _mm512_maskz_loadu_epi64(lanes, tokens + i + 1);
		__m512i		x = _mm512_mullo_epi64(first, ALL_LANES(MIX_FACTOR));

		_mm512_mask_storeu_epi64(features + i, lanes,
								 mix64_avx512(_mm512_add_epi64(x, second)));
	}
}

CPU_AVX512 static void
mix_avx512(const uint64_t *hashes, size_t n, uint64_t salt, uint64_t *mixed)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		hash = _mm512_maskz_loadu_epi64(lanes, hashes + i);

		_mm512_mask_storeu_epi64(mixed + i, lanes,
								 mix64_avx512(_mm512_xor_si512(hash, ALL_LANES(salt))));
	}
}

#endif							/* SIMHASH_X86 */

const TokenKernel simhash_token_kernels[] = {
#ifdef SIMHASH_X86
	{"avx512", cpu_has_avx512, simhash_read_64_avx512, hash_tokens_avx512,
	pairs_avx512, mix_avx512, simhash_add_to_bins_avx512, simhash_bits_of_bins_avx512},
#endif
	{"scalar", cpu_always, NULL, hash_tokens_scalar, pairs_scalar, mix_scalar,
	simhash_add_to_bins_scalar, simhash_bits_of_bins_scalar}
};
const int	simhash_n_token_kernels =
sizeof(simhash_token_kernels) / sizeof(simhash_token_kernels[0]);

const TokenKernel *
simhash_choose_token_kernel(void)
{
	const TokenKernel *kernel = simhash_token_kernels;

	while (!kernel->supported())
		kernel++;
	simhash_token_kernel_chosen = kernel;
	return kernel;
}
