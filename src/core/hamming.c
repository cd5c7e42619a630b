/*-------------------------------------------------------------------------
 *
 * hamming.c
 *		The Hamming distances of many fingerprints to one.
 *
 * The scalar kernel always exists and compares fingerprints of any width.  The other
 * kernels compare fingerprints of one word in groups of their register's width, and
 * fingerprints of several words one after the other.  The first call chooses the kernel,
 * by the registers that the processor has and the operating system saves.  This file is
 * independent of the server.
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "cpu.h"
#include "hamming.h"

#ifdef SIMHASH_X86
#include <immintrin.h>
#endif

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#define HAMMING_NEON
#include <arm_neon.h>
#endif

static int	choose(const uint64_t *fps, int n, const uint64_t *q, int words,
				   int radius, uint16_t *hits);

hamming_within_function hamming_within = choose;

/* ----------
 * Scalar
 * ----------
 */

/*
 * Compare the fingerprints from number "from" on.  found is the number of hits so
 * far.
 */
static inline int
within_scalar_from(int from, int found, const uint64_t *fps, int n,
				   const uint64_t *q, int words, int radius, uint16_t *hits)
{
	for (int i = from; i < n; i++)
	{
		hits[found] = (uint16_t) i;
		found += hamming_between(fps + (size_t) i * words, q, words) <= radius;
	}
	return found;
}

static int
within_scalar(const uint64_t *fps, int n, const uint64_t *q, int words,
			  int radius, uint16_t *hits)
{
	if (words == 1)
		return within_scalar_from(0, 0, fps, n, q, 1, radius, hits);
	return within_scalar_from(0, 0, fps, n, q, words, radius, hits);
}

/* ----------
 * Fingerprints of several words
 * ----------
 */

#if defined(SIMHASH_X86) || defined(HAMMING_NEON)

/* The processors of the callers have an instruction that counts the bits of a word. */
__attribute__((always_inline))
static inline int
within_of_width(const uint64_t *fps, int n, const uint64_t *q, int words, int radius,
				uint16_t *hits)
{
	int			found = 0;

	for (int i = 0; i < n; i++)
	{
		int			distance = 0;

		for (int w = 0; w < words; w++)
			distance += __builtin_popcountll(fps[(size_t) i * words + w] ^ q[w]);
		hits[found] = (uint16_t) i;
		found += distance <= radius;
	}
	return found;
}

/* The same, with loops of known length for the usual widths */
__attribute__((always_inline))
static inline int
within_words(const uint64_t *fps, int n, const uint64_t *q, int words, int radius,
			 uint16_t *hits)
{
	switch (words)
	{
		case 2:
			return within_of_width(fps, n, q, 2, radius, hits);
		case 4:
			return within_of_width(fps, n, q, 4, radius, hits);
		case 8:
			return within_of_width(fps, n, q, 8, radius, hits);
		case 16:
			return within_of_width(fps, n, q, 16, radius, hits);
		default:
			return within_of_width(fps, n, q, words, radius, hits);
	}
}

#endif

/* ----------
 * x86-64
 * ----------
 */

#ifdef SIMHASH_X86

static inline int
append_hits(unsigned int mask, int base, uint16_t *hits, int found)
{
	while (mask != 0)
	{
		hits[found++] = (uint16_t) (base + __builtin_ctz(mask));
		mask &= mask - 1;
	}
	return found;
}

/* Mula's method: look up the bits of each nibble in a table, and sum them by SAD */
__attribute__((target("avx2,popcnt")))
static int
within_avx2(const uint64_t *fps, int n, const uint64_t *q, int words,
			int radius, uint16_t *hits)
{
	int			found = 0;
	int			i = 0;

	if (words > 1)
		return within_words(fps, n, q, words, radius, hits);
	else
	{
		const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3,
											   1, 2, 2, 3, 2, 3, 3, 4,
											   0, 1, 1, 2, 1, 2, 2, 3,
											   1, 2, 2, 3, 2, 3, 3, 4);
		const __m256i low = _mm256_set1_epi8(0x0f);
		const __m256i zero = _mm256_setzero_si256();
		const __m256i query = _mm256_set1_epi64x((long long) *q);
		const __m256i limit = _mm256_set1_epi64x(radius);

		for (; i + 4 <= n; i += 4)
		{
			__m256i		x = _mm256_loadu_si256((const __m256i *) (fps + i));
			__m256i		bytes;
			__m256i		far;
			unsigned int mask;

			x = _mm256_xor_si256(x, query);
			bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table,
														_mm256_and_si256(x, low)),
									_mm256_shuffle_epi8(table,
														_mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
			far = _mm256_cmpgt_epi64(_mm256_sad_epu8(bytes, zero), limit);
			mask = ~_mm256_movemask_pd(_mm256_castsi256_pd(far)) & 0x0f;
			found = append_hits(mask, i, hits, found);
		}
	}
	return within_scalar_from(i, found, fps, n, q, 1, radius, hits);
}

__attribute__((target("avx512f,avx512vpopcntdq,popcnt")))
static int
within_avx512(const uint64_t *fps, int n, const uint64_t *q, int words,
			  int radius, uint16_t *hits)
{
	int			found = 0;
	int			i = 0;

	if (words > 1)
		return within_words(fps, n, q, words, radius, hits);
	else
	{
		const __m512i query = _mm512_set1_epi64((long long) *q);
		const __m512i limit = _mm512_set1_epi64(radius);

		for (; i + 16 <= n; i += 16)
		{
			__m512i		a = _mm512_loadu_si512(fps + i);
			__m512i		b = _mm512_loadu_si512(fps + i + 8);
			unsigned int mask;

			a = _mm512_popcnt_epi64(_mm512_xor_si512(a, query));
			b = _mm512_popcnt_epi64(_mm512_xor_si512(b, query));
			mask = (unsigned int) _mm512_cmple_epi64_mask(a, limit) |
				((unsigned int) _mm512_cmple_epi64_mask(b, limit) << 8);
			found = append_hits(mask, i, hits, found);
		}
		for (; i < n; i += 8)
		{
			__mmask8	in = (__mmask8) (n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
			__m512i		a = _mm512_maskz_loadu_epi64(in, fps + i);

			a = _mm512_popcnt_epi64(_mm512_xor_si512(a, query));
			found = append_hits(_mm512_mask_cmple_epi64_mask(in, a, limit), i, hits, found);
		}
	}
	return within_scalar_from(i, found, fps, n, q, 1, radius, hits);
}

#endif							/* SIMHASH_X86 */

/* ----------
 * arm64, where NEON is part of the architecture
 * ----------
 */

#ifdef HAMMING_NEON
static int
within_neon(const uint64_t *fps, int n, const uint64_t *q, int words,
			int radius, uint16_t *hits)
{
	int			found = 0;
	int			i = 0;

	if (words > 1)
		return within_words(fps, n, q, words, radius, hits);
	else
	{
		const uint8x16_t query = vreinterpretq_u8_u64(vdupq_n_u64(*q));

		for (; i + 2 <= n; i += 2)
		{
			uint8x16_t	x = vreinterpretq_u8_u64(vld1q_u64((const uint64_t *) (fps + i)));
			uint8x16_t	bytes = vcntq_u8(veorq_u8(x, query));

			hits[found] = (uint16_t) i;
			found += (int) vaddv_u8(vget_low_u8(bytes)) <= radius;
			hits[found] = (uint16_t) (i + 1);
			found += (int) vaddv_u8(vget_high_u8(bytes)) <= radius;
		}
	}
	return within_scalar_from(i, found, fps, n, q, 1, radius, hits);
}
#endif							/* HAMMING_NEON */

const HammingKernel hamming_kernels[] = {
#ifdef SIMHASH_X86
	{"avx512", within_avx512, cpu_has_avx512},
	{"avx2", within_avx2, cpu_has_avx2},
#endif
#ifdef HAMMING_NEON
	{"neon", within_neon, cpu_always},
#endif
	{"scalar", within_scalar, cpu_always}
};
const int	hamming_nkernels = sizeof(hamming_kernels) / sizeof(hamming_kernels[0]);

static int
choose(const uint64_t *fps, int n, const uint64_t *q, int words,
	   int radius, uint16_t *hits)
{
	int			i = 0;

	while (!hamming_kernels[i].supported())
		i++;
	hamming_within = hamming_kernels[i].within;
	return hamming_within(fps, n, q, words, radius, hits);
}
