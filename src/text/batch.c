/*
 * Loops over batches of hashes; see batch.h.
 *
 * AVX-512 multiplies 64 bits by 64, which is what these loops mostly do; AVX2 and
 * NEON do not, and measured no better than the portable code.
 */
#include "../cpu.h"
#include "batch.h"
#include "text_features.h"
#include "token_hash.h"

#ifdef SIMHASH_X86
#include <immintrin.h>
#endif

const BatchKernel *simhash_batch_chosen = NULL;

/* ---------- portable ---------- */

static void
hash_tokens_scalar(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	size_t		i = 0;

	while (i < n)
	{
		/* Chinese comes in runs of 3 bytes */
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
	size_t		i;

	for (i = 0; i < n; i++)
		features[i] = feature_pair(tokens[i], tokens[i + 1]);
}

static size_t
ranks_scalar(const uint64_t *hashes, size_t n, uint64_t below, uint64_t *mixed)
{
	size_t		n_below = 0;
	size_t		i;

	for (i = 0; i < n; i++)
	{
		uint64_t	y = mix64(hashes[i]);

		mixed[n_below] = y;
		n_below += y << 6 < below;
	}
	return n_below;
}

static size_t
absent_scalar(uint64_t *hashes, size_t n, const uint64_t *slots, uint64_t factor,
			  int shift)
{
	size_t		n_absent = 0;
	size_t		i;

	for (i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];

		hashes[n_absent] = hash;
		n_absent += (slots[hash * factor >> shift] != hash) | (hash == 0);
	}
	return n_absent;
}

/* ---------- AVX-512 ---------- */

#ifdef SIMHASH_X86

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vbmi,bmi,popcnt")))

/* The lanes of the next 8, or of as many as are left */
#define LANES_LEFT(n) ((__mmask8) ((n) < 8 ? (1u << (n)) - 1 : 0xFF))

#define ALL_LANES(x) _mm512_set1_epi64((long long) (x))

AVX512 static inline __m512i
xor_shifted(__m512i x, __m512i y, unsigned int bits)
{
	return _mm512_xor_si512(x, _mm512_srli_epi64(y, bits));
}

AVX512 static inline __m512i
mix64_avx512(__m512i x)
{
	x = _mm512_mullo_epi64(xor_shifted(x, x, 30), ALL_LANES(MIX_MULTIPLIER_1));
	x = _mm512_mullo_epi64(xor_shifted(x, x, 27), ALL_LANES(MIX_MULTIPLIER_2));
	return xor_shifted(x, x, 31);
}

/* token_hash_1to8 of 8 tokens */
AVX512 static inline __m512i
token_hash_avx512(__m512i bytes, __m512i length)
{
	const __m512i byte = ALL_LANES(0xFF);
	const __m512i eight_times = _mm512_slli_epi64(length, 3);
	const __mmask8 is_long = _mm512_cmpgt_epu64_mask(length, ALL_LANES(3));
	__m512i		h3;
	__m512i		h8;
	__m512i		h;

	/* up to the first multiplication, of up to 3 bytes and of 4 to 8 */
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

	/* from here on they differ in constants only */
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

/* token_hash_3 of 8 tokens; what is behind their 3 bytes does not count */
AVX512 static inline __m512i
token_hash_3_avx512(__m512i bytes)
{
	const __m512i byte = ALL_LANES(0xFF);
	__m512i		h;

	h = _mm512_slli_epi64(_mm512_and_si512(bytes, ALL_LANES(0xFFFF)), 16);
	h = _mm512_or_si512(h, _mm512_and_si512(_mm512_srli_epi64(bytes, 16), byte));
	h = _mm512_xor_si512(h, ALL_LANES(TOKEN_HASH_FLIP_1TO3 ^ 3 << 8));
	h = _mm512_mullo_epi64(h, ALL_LANES(TOKEN_HASH_PRIME_1TO3_1));
	h = _mm512_mullo_epi64(xor_shifted(h, h, 29), ALL_LANES(TOKEN_HASH_PRIME_1TO3_2));
	return xor_shifted(h, h, 32);
}

/*
 * Which kinds of character of 3 bytes their first, second and third byte leave
 * possible, each found by its low 6 bits
 */
enum
{
	HAN_E4 = 1 << 0,			/* U+4E00 to 4FFF */
	HAN_E5 = 1 << 1,			/* U+5000 to 9FFF */
	HAN = HAN_E4 | HAN_E5,
	DASH = 1 << 2,				/* U+2014 to 2016, 2018 to 201F, 2026 */
	STOP = 1 << 3,				/* U+3000 to 3003, 3008 to 3020 */
	WIDE = 1 << 4				/* U+FF01 to FF0F, FF1A to FF20 */
};

static const uint8_t kinds_by_byte[3][64] = {
	{
		[0x22] = DASH, [0x23] = STOP, [0x24] = HAN_E4,
		[0x25 ... 0x29] = HAN_E5, [0x2F] = WIDE
	},
	{
		[0x00] = HAN_E5 | DASH | STOP, [0x01 ... 0x37] = HAN_E5,
		[0x38 ... 0x3B] = HAN, [0x3C] = HAN | WIDE, [0x3D ... 0x3F] = HAN
	},
	{
		[0x00] = HAN | STOP, [0x01 ... 0x03] = HAN | STOP | WIDE,
		[0x04 ... 0x07] = HAN | WIDE, [0x08 ... 0x0F] = HAN | STOP | WIDE,
		[0x10 ... 0x13] = HAN | STOP, [0x14 ... 0x16] = HAN | STOP | DASH,
		[0x17] = HAN | STOP, [0x18 ... 0x19] = HAN | STOP | DASH,
		[0x1A ... 0x1F] = HAN | STOP | DASH | WIDE, [0x20] = HAN | STOP | WIDE,
		[0x21 ... 0x25] = HAN, [0x26] = HAN | DASH, [0x27 ... 0x3F] = HAN
	}
};

AVX512 static size_t
han_run_avx512(const uint8_t *p, size_t len, uint64_t *tokens, size_t room,
			   size_t *n_tokens)
{
	/* the next 3 bytes to each lane, and one that does not count */
	const __m512i threes = _mm512_set_epi32(0x302F2E2D, 0x2D2C2B2A, 0x2A292827, 0x27262524,
											0x24232221, 0x21201F1E, 0x1E1D1C1B, 0x1B1A1918,
											0x18171615, 0x15141312, 0x1211100F, 0x0F0E0D0C,
											0x0C0B0A09, 0x09080706, 0x06050403, 0x03020100);
	const __m512i first = _mm512_loadu_si512(kinds_by_byte[0]);
	const __m512i second = _mm512_loadu_si512(kinds_by_byte[1]);
	const __m512i third = _mm512_loadu_si512(kinds_by_byte[2]);
	const uint8_t *start = p;
	size_t		n = 0;
	bool		all = true;

	while (all && len >= 3 && room - n >= HAN_RUN_ROOM)
	{
		unsigned int lanes = len >= 48 ? 16 : (unsigned int) len / 3;
		__m512i		chars = _mm512_maskz_loadu_epi8((UINT64_C(1) << 3 * lanes) - 1, p);
		__m512i		kinds;
		__mmask16	of_three;
		__mmask16	known;
		__mmask16	han;
		unsigned int n_read;

		chars = _mm512_permutexvar_epi8(threes, chars);
		of_three = _mm512_cmpeq_epi32_mask(_mm512_and_si512(chars, _mm512_set1_epi32(0xC0C0E0)),
										   _mm512_set1_epi32(0x8080E0));
		kinds = _mm512_and_si512(_mm512_permutexvar_epi8(chars, first),
								 _mm512_srli_epi32(_mm512_permutexvar_epi8(chars, second), 8));
		kinds = _mm512_and_si512(kinds, _mm512_srli_epi32(_mm512_permutexvar_epi8(chars, third), 16));
		known = _mm512_mask_test_epi32_mask(of_three, kinds, _mm512_set1_epi32(0xFF));
		han = _mm512_mask_test_epi32_mask(of_three, kinds, _mm512_set1_epi32(HAN));

		/* if all are known the next place is, without waiting for which they are */
		all = known == 0xFFFF;
		n_read = 15;
		if (!all)
		{
			n_read = (unsigned int) __builtin_ctz(~(unsigned int) known);
			n_read -= n_read > 0 && (han >> (n_read - 1) & 1);
		}
		han &= (__mmask16) ((1u << n_read) - 1);
		chars = _mm512_maskz_compress_epi32(han, chars);
		_mm512_storeu_si512(tokens + n,
							token_hash_3_avx512(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(chars))));
		_mm512_storeu_si512(tokens + n + 8,
							token_hash_3_avx512(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(chars, 1))));
		n += (size_t) __builtin_popcount(han);
		p += 3 * n_read;
		len -= 3 * n_read;
	}
	*n_tokens = n;
	return (size_t) (p - start);
}

AVX512 static void
hash_tokens_avx512(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i += 8)
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
		/* where it is 0 nothing is stored */
		lanes &= _mm512_test_epi64_mask(length, length);
		_mm512_mask_storeu_epi64(tokens + i, lanes, token_hash_avx512(bytes, length));
	}
}

AVX512 static void
pairs_avx512(const uint64_t *tokens, size_t n, uint64_t *features)
{
	size_t		i;

	for (i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		first = _mm512_maskz_loadu_epi64(lanes, tokens + i);
		__m512i		second = _mm512_maskz_loadu_epi64(lanes, tokens + i + 1);
		__m512i		x = _mm512_mullo_epi64(first, ALL_LANES(MIX_FACTOR));

		_mm512_mask_storeu_epi64(features + i, lanes,
								 mix64_avx512(_mm512_add_epi64(x, second)));
	}
}

/*
 * Store the chosen lanes of x one after another; returns how many.  Behind them, up
 * to the number of lanes, anything may be stored.  Not compressed into memory, which
 * some machines do slowly.
 */
AVX512 static inline size_t
store_chosen(uint64_t *to, __mmask8 chosen, __m512i x, __mmask8 lanes)
{
	x = _mm512_maskz_compress_epi64(chosen, x);
	if (lanes == 0xFF)
		_mm512_storeu_si512(to, x);
	else
		_mm512_mask_storeu_epi64(to, lanes, x);
	return (size_t) __builtin_popcount(chosen);
}

AVX512 static size_t
ranks_avx512(const uint64_t *hashes, size_t n, uint64_t below, uint64_t *mixed)
{
	size_t		n_below = 0;
	size_t		i;

	for (i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		y = mix64_avx512(_mm512_maskz_loadu_epi64(lanes, hashes + i));
		__mmask8	chosen = _mm512_mask_cmplt_epu64_mask(lanes, _mm512_slli_epi64(y, 6),
														  ALL_LANES(below));

		/* no branch on whether any is: that would wait for all of the above */
		n_below += store_chosen(mixed + n_below, chosen, y, lanes);
	}
	return n_below;
}

AVX512 static size_t
absent_avx512(uint64_t *hashes, size_t n, const uint64_t *slots, uint64_t factor,
			  int shift)
{
	size_t		n_absent = 0;
	size_t		i;

	for (i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		hash = _mm512_maskz_loadu_epi64(lanes, hashes + i);
		__m512i		slot = _mm512_srl_epi64(_mm512_mullo_epi64(hash, ALL_LANES(factor)),
											_mm_cvtsi32_si128(shift));
		__m512i		there = _mm512_i64gather_epi64(slot, slots, 8);
		__mmask8	chosen = _mm512_mask_cmpneq_epi64_mask(lanes, hash, there) |
			_mm512_mask_testn_epi64_mask(lanes, hash, hash);

		n_absent += store_chosen(hashes + n_absent, chosen, hash, lanes);
	}
	return n_absent;
}

#endif							/* SIMHASH_X86 */

const BatchKernel simhash_batch_kernels[] = {
#ifdef SIMHASH_X86
	{"avx512", cpu_has_avx512, han_run_avx512, hash_tokens_avx512, pairs_avx512,
	ranks_avx512, absent_avx512},
#endif
	{"scalar", cpu_always, NULL, hash_tokens_scalar, pairs_scalar, ranks_scalar,
	absent_scalar}
};
const int	simhash_n_batch_kernels =
	sizeof(simhash_batch_kernels) / sizeof(simhash_batch_kernels[0]);

const BatchKernel *
simhash_batch_choose(void)
{
	const BatchKernel *kernel = simhash_batch_kernels;

	while (!kernel->supported())
		kernel++;
	simhash_batch_chosen = kernel;
	return kernel;
}
