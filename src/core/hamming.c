/*-------------------------------------------------------------------------
 *
 * hamming.c
 *		The Hamming distances of many fingerprints to one.
 *
 * The scalar kernel always exists and compares fingerprints of any width.
 * The kernels of x86-64 compare fingerprints of any width in groups, whose size
 * depends on the width of a register.  For fingerprints of several words they
 * count the set bits of each word, and then add the counts of each
 * fingerprint's words.  The scalar kernel compares the fingerprints that do not
 * fill a group.  The kernel of arm64 handles fingerprints of one word, and
 * leaves wider fingerprints to the scalar kernel.
 *
 * The first call chooses the kernel, by the registers that the processor has
 * and the operating system saves.  This file is independent of the server.
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

/*
 * The number of set bits of each word.  Mula's method: look up the bits of each nibble
 * in a table, and sum them by SAD.
 */
__attribute__((target("avx2")))
static inline __m256i
weights_avx2(__m256i x)
{
	const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3,
										   1, 2, 2, 3, 2, 3, 3, 4,
										   0, 1, 1, 2, 1, 2, 2, 3,
										   1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(0x0f);
	__m256i		bytes;

	bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
							_mm256_shuffle_epi8(table,
												_mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
	return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

/* The sums of two neighbours: a0 + a1, b0 + b1, a2 + a3, b2 + b3 */
__attribute__((target("avx2")))
static inline __m256i
add_neighbours_avx2(__m256i a, __m256i b)
{
	return _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

/* The distances of four fingerprints of two words */
__attribute__((target("avx2")))
static inline __m256i
distances_of_2_avx2(const uint64_t *fps, const uint64_t *q)
{
	__m256i		query = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) q));
	__m256i		a = _mm256_loadu_si256((const __m256i *) fps);
	__m256i		b = _mm256_loadu_si256((const __m256i *) fps + 1);

	a = weights_avx2(_mm256_xor_si256(a, query));
	b = weights_avx2(_mm256_xor_si256(b, query));
	return _mm256_permute4x64_epi64(add_neighbours_avx2(a, b), _MM_SHUFFLE(3, 1, 2, 0));
}

/*
 * The bits in which one fingerprint differs from q, as four sums: of words 0, 4, 8...,
 * of words 1, 5, 9... and so on.
 */
__attribute__((target("avx2")))
static inline __m256i
sums_avx2(const uint64_t *fp, const uint64_t *q, int words)
{
	__m256i		sums = _mm256_setzero_si256();
	int			w = 0;

	for (; w + 4 <= words; w += 4)
		sums = _mm256_add_epi64(sums,
								weights_avx2(_mm256_xor_si256(_mm256_loadu_si256((const __m256i *) (fp + w)),
															  _mm256_loadu_si256((const __m256i *) (q + w)))));
	if (w < words)
	{
		__m256i		in = _mm256_cmpgt_epi64(_mm256_set1_epi64x(words - w),
											_mm256_setr_epi64x(0, 1, 2, 3));

		sums = _mm256_add_epi64(sums,
								weights_avx2(_mm256_xor_si256(_mm256_maskload_epi64((const long long *) (fp + w), in),
															  _mm256_maskload_epi64((const long long *) (q + w), in))));
	}
	return sums;
}

/* The distances of four fingerprints */
__attribute__((target("avx2")))
static inline __m256i
distances_avx2(const uint64_t *fps, const uint64_t *q, int words)
{
	__m256i		ab = add_neighbours_avx2(sums_avx2(fps, q, words),
										 sums_avx2(fps + words, q, words));
	__m256i		cd = add_neighbours_avx2(sums_avx2(fps + 2 * words, q, words),
										 sums_avx2(fps + 3 * words, q, words));

	return _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20),
							_mm256_permute2x128_si256(ab, cd, 0x31));
}

/* If "words" is a constant, the compiler unrolls the loops over words. */
__attribute__((target("avx2"), always_inline))
static inline int
within_words_avx2(const uint64_t *fps, int n, const uint64_t *q, int words,
				  int radius, uint16_t *hits)
{
	const __m256i limit = _mm256_set1_epi64x(radius);
	int			found = 0;
	int			i = 0;

	for (; i + 4 <= n; i += 4, fps += 4 * words)
	{
		__m256i		distances;
		__m256i		far;

		if (words == 1)
			distances = weights_avx2(_mm256_xor_si256(_mm256_loadu_si256((const __m256i *) fps),
													  _mm256_set1_epi64x((long long) *q)));
		else if (words == 2)
			distances = distances_of_2_avx2(fps, q);
		else
			distances = distances_avx2(fps, q, words);
		far = _mm256_cmpgt_epi64(distances, limit);
		found = append_hits(~_mm256_movemask_pd(_mm256_castsi256_pd(far)) & 0x0f, i, hits, found);
	}
	return within_scalar_from(i, found, fps - (size_t) i * words, n, q, words, radius, hits);
}

__attribute__((target("avx2")))
static int
within_avx2(const uint64_t *fps, int n, const uint64_t *q, int words,
			int radius, uint16_t *hits)
{
	switch (words)
	{
		case 1:
			return within_words_avx2(fps, n, q, 1, radius, hits);
		case 2:
			return within_words_avx2(fps, n, q, 2, radius, hits);
		case 4:
			return within_words_avx2(fps, n, q, 4, radius, hits);
		default:
			return within_words_avx2(fps, n, q, words, radius, hits);
	}
}

#define TARGET_AVX512 __attribute__((target("avx512f,avx512vpopcntdq")))

/* The sums of two neighbours: a0 + a1, b0 + b1, a2 + a3, b2 + b3... */
TARGET_AVX512
static inline __m512i
add_neighbours_avx512(__m512i a, __m512i b)
{
	return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

/* The sums of two neighbouring quarters: a0 + a1, a2 + a3, b0 + b1, b2 + b3 */
TARGET_AVX512
static inline __m512i
add_quarters_avx512(__m512i a, __m512i b)
{
	return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
}

/* The number of bits in which each of eight words differs from the query's word */
TARGET_AVX512
static inline __m512i
weights_avx512(const uint64_t *words, __m512i query)
{
	return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(words), query));
}

/* The distances of eight fingerprints of two words */
TARGET_AVX512
static inline __m512i
distances_of_2_avx512(const uint64_t *fps, const uint64_t *q)
{
	__m512i		query = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) q));

	return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
									add_neighbours_avx512(weights_avx512(fps, query),
														  weights_avx512(fps + 8, query)));
}

/* The distances of eight fingerprints of four words */
TARGET_AVX512
static inline __m512i
distances_of_4_avx512(const uint64_t *fps, const uint64_t *q)
{
	__m512i		query = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *) q));
	__m512i		ab = add_neighbours_avx512(weights_avx512(fps, query),
										   weights_avx512(fps + 8, query));
	__m512i		cd = add_neighbours_avx512(weights_avx512(fps + 16, query),
										   weights_avx512(fps + 24, query));

	return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 1, 3, 4, 6, 5, 7),
									add_quarters_avx512(ab, cd));
}

/*
 * The bits in which one fingerprint differs from q, as eight sums: of words 0, 8..., of
 * words 1, 9... and so on.
 */
TARGET_AVX512
static inline __m512i
sums_avx512(const uint64_t *fp, const uint64_t *q, int words)
{
	__m512i		sums = _mm512_setzero_si512();

	for (int w = 0; w < words; w += 8)
	{
		__mmask8	in = (__mmask8) (words - w >= 8 ? 0xff : (1u << (words - w)) - 1);
		__m512i		x = _mm512_xor_si512(_mm512_maskz_loadu_epi64(in, fp + w),
										 _mm512_maskz_loadu_epi64(in, q + w));

		sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(x));
	}
	return sums;
}

/* The distances of eight fingerprints */
TARGET_AVX512
static inline __m512i
distances_avx512(const uint64_t *fps, const uint64_t *q, int words)
{
	__m512i		pairs[4];

	for (int i = 0; i < 4; i++)
		pairs[i] = add_neighbours_avx512(sums_avx512(fps + 2 * i * words, q, words),
										 sums_avx512(fps + (2 * i + 1) * words, q, words));
	return add_quarters_avx512(add_quarters_avx512(pairs[0], pairs[1]),
							   add_quarters_avx512(pairs[2], pairs[3]));
}

/*
 * Fingerprints of one word, two registers at a time.  A mask leaves out the words behind
 * the last fingerprint.
 */
TARGET_AVX512
static int
within_1_avx512(const uint64_t *fps, int n, const uint64_t *q, int radius, uint16_t *hits)
{
	const __m512i query = _mm512_set1_epi64((long long) *q);
	const __m512i limit = _mm512_set1_epi64(radius);
	int			found = 0;
	int			i = 0;

	for (; i + 16 <= n; i += 16)
	{
		unsigned int mask;

		mask = (unsigned int) _mm512_cmple_epi64_mask(weights_avx512(fps + i, query), limit) |
			((unsigned int) _mm512_cmple_epi64_mask(weights_avx512(fps + i + 8, query), limit) << 8);
		found = append_hits(mask, i, hits, found);
	}
	for (; i < n; i += 8)
	{
		__mmask8	in = (__mmask8) (n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
		__m512i		a = _mm512_maskz_loadu_epi64(in, fps + i);

		a = _mm512_popcnt_epi64(_mm512_xor_si512(a, query));
		found = append_hits(_mm512_mask_cmple_epi64_mask(in, a, limit), i, hits, found);
	}
	return found;
}

/* If "words" is a constant, the compiler unrolls the loops over words. */
__attribute__((target("avx512f,avx512vpopcntdq"), always_inline))
static inline int
within_words_avx512(const uint64_t *fps, int n, const uint64_t *q, int words,
					int radius, uint16_t *hits)
{
	const __m512i limit = _mm512_set1_epi64(radius);
	int			found = 0;
	int			i = 0;

	for (; i + 8 <= n; i += 8, fps += 8 * words)
	{
		__m512i		distances = words == 2 ? distances_of_2_avx512(fps, q) :
			words == 4 ? distances_of_4_avx512(fps, q) : distances_avx512(fps, q, words);

		found = append_hits(_mm512_cmple_epi64_mask(distances, limit), i, hits, found);
	}
	return within_scalar_from(i, found, fps - (size_t) i * words, n, q, words, radius, hits);
}

TARGET_AVX512
static int
within_avx512(const uint64_t *fps, int n, const uint64_t *q, int words,
			  int radius, uint16_t *hits)
{
	switch (words)
	{
		case 1:
			return within_1_avx512(fps, n, q, radius, hits);
		case 2:
			return within_words_avx512(fps, n, q, 2, radius, hits);
		case 4:
			return within_words_avx512(fps, n, q, 4, radius, hits);
		case 8:
			return within_words_avx512(fps, n, q, 8, radius, hits);
		case 16:
			return within_words_avx512(fps, n, q, 16, radius, hits);
		default:
			return within_words_avx512(fps, n, q, words, radius, hits);
	}
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

	if (words == 1)
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
	return within_scalar_from(i, found, fps, n, q, words, radius, hits);
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
