/*-------------------------------------------------------------------------
 *
 * minwise_bins.c
 *		The bins of a word; see minwise_bins.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../cpu.h"
#include "bits.h"
#include "lanes_avx512.h"
#include "minwise_bins.h"
#include "mix.h"

/* A bin and its rank. */
static inline void
keep_smallest(uint64_t *bins, uint64_t mixed)
{
	uint64_t   *bin = &bins[mixed >> 58];
	uint64_t	rank = mixed << 6;

	/* always store, because a branch would be hard to predict */
	*bin = rank < *bin ? rank : *bin;
}

/* The next p of step 2. */
static inline unsigned int
next_place(unsigned int p)
{
	return p << 1 ^ (p >> 5) * 0x43;
}

/* ---------- portable ---------- */

#define RANKS_AT_ONCE 512		/* hashes between two looks at the largest
								 * rank */

/* The limit for a rank, times 64: larger ranks change no bin. */
static uint64_t
largest(const uint64_t *bins)
{
	uint64_t	most = 0;

	for (int b = 0; b < MINWISE_BINS; b++)
		most = bins[b] > most ? bins[b] : most;
	return most;
}

/* Add at most RANKS_AT_ONCE hashes. */
static void
add_ranks_below(uint64_t *bins, const uint64_t *hashes, size_t n, uint64_t salt,
				uint64_t limit)
{
	uint64_t	mixed[RANKS_AT_ONCE];
	size_t		n_below = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	y = mix64(hashes[i] ^ salt);

		mixed[n_below] = y;
		n_below += y << 6 < limit;
	}
	for (size_t i = 0; i < n_below; i++)
		keep_smallest(bins, mixed[i]);
}

void
simhash_add_to_bins_scalar(uint64_t *bins, const uint64_t *hashes, size_t n,
						   uint64_t salt)
{
	while (n > 0)
	{
		size_t		part = n < RANKS_AT_ONCE ? n : RANKS_AT_ONCE;

		add_ranks_below(bins, hashes, part, salt,
						part < MINWISE_BINS ? MINWISE_EMPTY : largest(bins));
		hashes += part;
		n -= part;
	}
}

/* Bit b of the result is bit b ^ p of bits. */
static inline uint64_t
exclusive_or_places(uint64_t bits, unsigned int p)
{
	static const uint64_t lower[] = {
		UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
		UINT64_C(0x0F0F0F0F0F0F0F0F), UINT64_C(0x00FF00FF00FF00FF),
		UINT64_C(0x0000FFFF0000FFFF), UINT64_C(0x00000000FFFFFFFF)
	};

	for (int i = 0; i < 6; i++)
	{
		if ((p >> i & 1) != 0)
			bits = (bits & lower[i]) << (1 << i) | (bits >> (1 << i) & lower[i]);
	}
	return bits;
}

uint64_t
simhash_bits_of_bins_scalar(const uint64_t *bins)
{
	uint64_t	ranks[MINWISE_BINS];
	uint64_t	filled = 0;
	uint64_t	bits = 0;
	unsigned int p = 1;
	unsigned int b;

	for (b = 0; b < MINWISE_BINS; b++)
	{
		ranks[b] = bins[b];
		filled |= (uint64_t) (ranks[b] != MINWISE_EMPTY) << b;
	}

	/* the same p for all bins that are still empty */
	for (uint64_t empty = ~filled; empty != 0; p = next_place(p))
	{
		uint64_t	fill = empty & exclusive_or_places(filled, p);

		empty ^= fill;
		for (; fill != 0; fill &= fill - 1)
		{
			b = (unsigned int) lowest_bit(fill);
			ranks[b] = bins[b ^ p];
		}
	}
	for (b = 0; b < MINWISE_BINS; b++)
		bits |= (mix64(ranks[b] + b * MIX_FACTOR) & 1) << b;
	return bits;
}

/* ---------- AVX-512 ---------- */

#ifdef SIMHASH_X86

#define LANES 8					/* bins in a register */
#define REGISTERS (MINWISE_BINS / LANES)

#define MIXED_AT_ONCE 256		/* hashes between two looks at the bins */

/* The highest byte of each bin */
CPU_AVX512 static inline __m512i
high_bytes(const uint64_t *bins)
{
	static const uint8_t highest[16] = {
		7, 15, 23, 31, 39, 47, 55, 63, 71, 79, 87, 95, 103, 111, 119, 127
	};
	const __m512i places = _mm512_maskz_loadu_epi8(0xFFFF, highest);
	__m512i		quarters[4];

	for (int i = 0; i < 4; i++)
	{
		__m512i		first = _mm512_loadu_si512(bins + 2 * i * LANES);
		__m512i		second = _mm512_loadu_si512(bins + (2 * i + 1) * LANES);

		quarters[i] = _mm512_permutex2var_epi8(first, places, second);
	}
	quarters[0] = _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[1]), 1);
	quarters[0] = _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[2]), 2);
	return _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[3]), 3);
}

/*
 * Store the chosen lanes of x one after another and return their number.  The
 * function may overwrite the places behind them, up to the number of lanes.  It
 * does not compress into memory, which is slow on some machines.
 */
CPU_AVX512 static inline size_t
store_chosen(uint64_t *to, __mmask8 chosen, __m512i x, __mmask8 lanes)
{
	x = _mm512_maskz_compress_epi64(chosen, x);
	if (lanes == 0xFF)
		_mm512_storeu_si512(to, x);
	else
		_mm512_mask_storeu_epi64(to, lanes, x);
	return (size_t) __builtin_popcount(chosen);
}

/*
 * Take up to 8 hashes.  Store mix64 of a hash if the hash may lower its bin: if the highest
 * byte of its rank is at most the highest byte of the bin.  Return the number stored.
 */
CPU_AVX512 static inline size_t
store_small_ranks(uint64_t *to, __m512i hash, __m512i salt, __m512i limits, __mmask8 lanes)
{
	const __mmask64 lowest_bytes = UINT64_C(0x0101010101010101);
	__m512i		y = mix64_avx512(_mm512_xor_si512(hash, salt));
	__m512i		limit = _mm512_maskz_permutexvar_epi8(lowest_bytes,
													  _mm512_srli_epi64(y, 58), limits);
	__m512i		highest = _mm512_srli_epi64(_mm512_slli_epi64(y, 6), 56);

	return store_chosen(to, _mm512_mask_cmple_epu64_mask(lanes, highest, limit), y, lanes);
}

/*
 * One register has the highest bytes of all bins.  Hashes that are fewer than the bins are
 * added without reading these bytes: the bins are probably empty, and reading them would wait
 * for the stores before.
 */
CPU_AVX512 void
simhash_add_to_bins_avx512(uint64_t *bins, const uint64_t *hashes, size_t n,
						   uint64_t salt)
{
	const __m512i salts = ALL_LANES(salt);

	while (n > 0)
	{
		uint64_t	mixed[MIXED_AT_ONCE];
		size_t		part = n < MIXED_AT_ONCE ? n : MIXED_AT_ONCE;
		size_t		n_left = 0;
		__m512i		limits = part < MINWISE_BINS ? ALL_LANES(~UINT64_C(0)) : high_bytes(bins);
		size_t		i;

		for (i = 0; i + LANES <= part; i += LANES)
			n_left += store_small_ranks(mixed + n_left, _mm512_loadu_si512(hashes + i),
										salts, limits, 0xFF);
		if (i < part)
		{
			__mmask8	lanes = LANES_LEFT(part - i);

			n_left += store_small_ranks(mixed + n_left,
										_mm512_maskz_loadu_epi64(lanes, hashes + i),
										salts, limits, lanes);
		}
		for (i = 0; i < n_left; i++)
			keep_smallest(bins, mixed[i]);
		hashes += part;
		n -= part;
	}
}

/*
 * Bin b ^ p is in the register of bin b, or in another if p > 7, and then in the lane
 * of bin b ^ p % 8.
 */
CPU_AVX512 uint64_t
simhash_bits_of_bins_avx512(const uint64_t *bins)
{
	const __m512i empty = ALL_LANES(MINWISE_EMPTY);
	const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
	__m512i		ranks[REGISTERS];
	__m512i		places = ALL_LANES(0);
	unsigned int any = 0;
	uint64_t	bits = 0;

	for (int i = 0; i < REGISTERS; i++)
	{
		ranks[i] = _mm512_loadu_si512(bins + i * LANES);
		any |= _mm512_cmpeq_epi64_mask(ranks[i], empty);
	}
	for (unsigned int p = 1; any != 0; p = next_place(p))
	{
		__m512i		from = _mm512_xor_si512(lanes, ALL_LANES(p % LANES));

		any = 0;
		for (int i = 0; i < REGISTERS; i++)
		{
			__m512i		other = _mm512_loadu_si512(bins + (i ^ p / LANES) * LANES);
			__mmask8	to_fill = _mm512_cmpeq_epi64_mask(ranks[i], empty);

			/* an empty bin remains empty if the other is empty, too */
			ranks[i] = _mm512_mask_permutexvar_epi64(ranks[i], to_fill, from, other);
			any |= _mm512_cmpeq_epi64_mask(ranks[i], empty);
		}
	}
	places = _mm512_mullo_epi64(lanes, ALL_LANES(MIX_FACTOR));
	for (int i = 0; i < REGISTERS; i++)
	{
		__m512i		mixed = mix64_avx512(_mm512_add_epi64(ranks[i], places));

		bits |= (uint64_t) _mm512_test_epi64_mask(mixed, ALL_LANES(1)) << i * LANES;
		places = _mm512_add_epi64(places, ALL_LANES(LANES * MIX_FACTOR));
	}
	return bits;
}

#endif							/* SIMHASH_X86 */
