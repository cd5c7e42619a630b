/*-------------------------------------------------------------------------
 *
 * weighted_votes.c
 *		The vote with weights; see weighted_votes.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "../bits.h"
#include "../bytes.h"
#include "../kernels/token_kernels.h"
#include "salts.h"
#include "weighted_votes.h"

#define LANES WORD_BITS
#define LIMB_MASK UINT64_C(0xFFFFFFFF)

/* Digits are carried before one could hold more than this many times 2^32. */
#define MOST_PENDING (UINT32_C(1) << 30)

#define UNITS_AT_ONCE 512		/* hashes mixed at a time */

void
core_tally_init(Tally *tallies, int words)
{
	for (int r = 0; r < words; r++)
	{
		core_vote_init(&tallies[r].units);
		tallies[r].first_limb = 0;
		tallies[r].n_limbs = 0;
		tallies[r].pending = 0;
		tallies[r].sums = NULL;
	}
}

void
core_tally_free(Tally *tallies, int words, const Env *env)
{
	for (int r = 0; r < words; r++)
	{
		env_free(env, tallies[r].sums);
		tallies[r].sums = NULL;
	}
}

void
core_tally_add_units_wide(Tally *tallies, int words, const uint64_t *hashes,
						  size_t n)
{
	uint64_t	mixed[UNITS_AT_ONCE];

	while (n > 0)
	{
		size_t		part = n < UNITS_AT_ONCE ? n : UNITS_AT_ONCE;

		for (int r = 1; r < words; r++)
		{
			core_token_kernel()->mix(hashes, part, word_salt(r), mixed);
			core_vote_add(&tallies[r].units, mixed, part);
		}
		hashes += part;
		n -= part;
	}
}

/* Make the digits limbs first to last exist. */
static void
reach(Tally *tally, int first, int last, const Env *env)
{
	size_t		limb_size = LANES * sizeof(*tally->sums);
	int			end = last + 1;
	int			before;

	if (tally->n_limbs == 0)
		tally->first_limb = first;
	else
	{
		int			old_end = tally->first_limb + tally->n_limbs;

		if (first >= tally->first_limb && end <= old_end)
			return;
		if (first > tally->first_limb)
			first = tally->first_limb;
		if (end < old_end)
			end = old_end;
	}
	before = tally->first_limb - first;
	tally->sums = env_resize(env, tally->sums,
							 (size_t) (end - first) * limb_size);
	memmove(tally->sums + before * LANES, tally->sums,
			(size_t) tally->n_limbs * limb_size);
	memset(tally->sums, 0, (size_t) before * limb_size);
	memset(tally->sums + (before + tally->n_limbs) * LANES, 0,
		   (size_t) (end - first - before - tally->n_limbs) * limb_size);
	tally->first_limb = first;
	tally->n_limbs = end - first;
}

/* Make all digits except the last less than 2^32. */
static void
carry(Tally *tally, const Env *env)
{
	int			last = tally->first_limb + tally->n_limbs - 1;
	bool		overflows = false;

	for (int i = 0; i < LANES; i++)
	{
		int64_t		top = tally->sums[(tally->n_limbs - 1) * LANES + i];

		if (top >= INT64_C(1) << 32 || top <= -(INT64_C(1) << 32))
			overflows = true;
	}
	if (overflows)
		reach(tally, tally->first_limb, last + 1, env);
	for (int i = 0; i < (tally->n_limbs - 1) * LANES; i++)
	{
		int64_t		low = (int64_t) ((uint64_t) tally->sums[i] & LIMB_MASK);

		tally->sums[i + LANES] += (tally->sums[i] - low) / (INT64_C(1) << 32);
		tally->sums[i] = low;
	}
	tally->pending = 2;
}

static inline void
add_to_limb(int64_t *sums, uint64_t hash, int64_t digit)
{
	for (int b = 0; b < LANES; b++)
	{
		int64_t		mask = (int64_t) (hash >> b & 1) - 1;	/* 0 if set, else -1 */

		sums[b] += (digit ^ mask) - mask;
	}
}

/* Add the vote of a hash with a weight other than 0 and 1. */
static void
add_weighted(Tally *tally, uint64_t hash, double weight, const Env *env)
{
	uint64_t	bits;
	uint64_t	mantissa;
	uint64_t	high;
	int64_t		digits[3];
	int			exponent;
	int			limb;
	int			shift;
	int			n;
	int			i;

	/* weight is mantissa * 2^(exponent - 1088), the mantissa odd */
	memcpy(&bits, &weight, sizeof(bits));
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	exponent = (int) (bits >> 52 & 0x7FF);
	if (exponent > 0)
		mantissa |= UINT64_C(1) << 52;
	else
		exponent = 1;
	exponent += TALLY_UNIT_LIMB * TALLY_LIMB_BITS - 1075;
	i = lowest_bit(mantissa);
	mantissa >>= i;
	exponent += i;

	limb = exponent / TALLY_LIMB_BITS;
	shift = exponent % TALLY_LIMB_BITS;
	high = mantissa >> (TALLY_LIMB_BITS - shift);
	digits[0] = (int64_t) (mantissa << shift & LIMB_MASK);
	digits[1] = (int64_t) (high & LIMB_MASK);
	digits[2] = (int64_t) (high >> TALLY_LIMB_BITS);
	n = digits[2] != 0 ? 3 : digits[1] != 0 ? 2 : 1;

	if (tally->pending >= MOST_PENDING)
		carry(tally, env);
	reach(tally, limb, limb + n - 1, env);
	tally->pending++;
	for (i = 0; i < n; i++)
		add_to_limb(tally->sums + (limb - tally->first_limb + i) * LANES, hash,
					weight < 0 ? -digits[i] : digits[i]);
}

void
core_tally_add(Tally *tallies, int words, uint64_t hash, double weight,
			   const Env *env)
{
	if (weight == 1)
		core_tally_add_units(tallies, words, &hash, 1);
	else if (weight != 0)
	{
		for (int r = 0; r < words; r++)
			add_weighted(&tallies[r], word_vote(r, hash), weight, env);
	}
}

static void
combine_word(Tally *tally, Tally *other, const Env *env)
{
	int64_t    *sums;

	core_vote_combine(&tally->units, &other->units);
	if (other->n_limbs == 0)
		return;
	if (tally->n_limbs > 0 && tally->pending > MOST_PENDING / 2)
		carry(tally, env);
	if (other->pending > MOST_PENDING / 2)
		carry(other, env);
	reach(tally, other->first_limb, other->first_limb + other->n_limbs - 1, env);
	sums = tally->sums + (other->first_limb - tally->first_limb) * LANES;
	for (int i = 0; i < other->n_limbs * LANES; i++)
		sums[i] += other->sums[i];
	tally->pending += other->pending;
}

void
core_tally_combine(Tally *tallies, Tally *others, int words, const Env *env)
{
	for (int r = 0; r < words; r++)
		combine_word(&tallies[r], &others[r], env);
}

/*
 * Go through the digits of a bit's sum from the lowest, or of its negative if
 * negate is set.  Return the rest above the highest digit: the sum is negative if
 * the rest is negative.
 */
static int64_t
digits_of(const Tally *tally, int bit, bool negate, uint32_t *digits)
{
	int64_t		rest = 0;

	for (int limb = 0; limb < TALLY_LIMBS; limb++)
	{
		int			i = limb - tally->first_limb;
		int64_t		digit = 0;

		if (i >= 0 && i < tally->n_limbs)
			digit = tally->sums[i * LANES + bit];
		if (limb == TALLY_UNIT_LIMB)
			digit += 2 * (int64_t) core_vote_count(&tally->units, bit) -
				(int64_t) tally->units.n;
		rest += negate ? -digit : digit;
		digits[limb] = (uint32_t) ((uint64_t) rest & LIMB_MASK);
		rest = (rest - (int64_t) digits[limb]) / (INT64_C(1) << 32);
	}
	return rest;
}

static bool
word_result(const Tally *tally, uint64_t *word)
{
	uint32_t	digits[TALLY_LIMBS];

	if (tally->n_limbs == 0)
	{
		*word = core_vote_result(&tally->units);
		return tally->units.n > 0;
	}
	*word = 0;
	for (int bit = 0; bit < LANES; bit++)
	{
		int64_t		rest = digits_of(tally, bit, false, digits);
		uint32_t	any = 0;

		for (int i = 0; i < TALLY_LIMBS; i++)
			any |= digits[i];
		if (rest > 0 || (rest == 0 && any != 0))
			*word |= UINT64_C(1) << bit;
	}
	return true;
}

bool
core_tally_result(const Tally *tallies, int words, uint64_t *fingerprint)
{
	bool		found = false;

	for (int r = 0; r < words; r++)
		found = word_result(&tallies[r], &fingerprint[r]);
	return found;
}

double
core_tally_sum(const Tally *tally, int bit)
{
	uint32_t	digits[TALLY_LIMBS];
	int64_t		rest = digits_of(tally, bit, false, digits);
	bool		negative = rest < 0;
	double		sum;

	if (negative)
		rest = digits_of(tally, bit, true, digits);
	sum = ldexp((double) rest, TALLY_LIMB_BITS * (TALLY_LIMBS - TALLY_UNIT_LIMB));
	for (int i = TALLY_LIMBS - 1; i >= 0; i--)
		sum += ldexp((double) digits[i], TALLY_LIMB_BITS * (i - TALLY_UNIT_LIMB));
	return negative ? -sum : sum;
}

/* ---------- The state as bytes ---------- */

#define HEADER_SIZE (8 + 8 * VOTE_PLANES + 3 * 4)
#define LIMB_SIZE (LANES * 8)

size_t
core_tally_size(const Tally *tallies, int words)
{
	size_t		size = 0;

	for (int r = 0; r < words; r++)
		size += HEADER_SIZE + (size_t) tallies[r].n_limbs * LIMB_SIZE;
	return size;
}

/* Return the place behind the bytes. */
static uint8_t *
write_word(const Tally *tally, uint8_t *bytes)
{
	bytes = store_be(bytes, tally->units.n, 8);
	for (int i = 0; i < VOTE_PLANES; i++)
		bytes = store_be(bytes, tally->units.planes[i], 8);
	bytes = store_be(bytes, (uint32_t) tally->first_limb, 4);
	bytes = store_be(bytes, (uint32_t) tally->n_limbs, 4);
	bytes = store_be(bytes, tally->pending, 4);
	for (int i = 0; i < tally->n_limbs * LANES; i++)
		bytes = store_be(bytes, (uint64_t) tally->sums[i], 8);
	return bytes;
}

void
core_tally_write(const Tally *tallies, int words, uint8_t *bytes)
{
	for (int r = 0; r < words; r++)
		bytes = write_word(&tallies[r], bytes);
}

/* Return the number of bytes read, or 0 if they are not those of a state. */
static size_t
read_word(Tally *tally, const uint8_t *bytes, size_t size, const Env *env)
{
	Vote		units;
	uint64_t	first_limb;
	uint64_t	n_limbs;
	uint64_t	pending;
	int64_t		most;

	if (size < HEADER_SIZE)
		return 0;
	units.n = load_be(bytes, 8);
	for (size_t i = 0; i < VOTE_PLANES; i++)
		units.planes[i] = load_be(bytes + 8 + 8 * i, 8);
	bytes += 8 + 8 * VOTE_PLANES;
	first_limb = load_be(bytes, 4);
	n_limbs = load_be(bytes + 4, 4);
	pending = load_be(bytes + 8, 4);
	bytes += 3 * 4;
	if (!core_vote_is_valid(&units) || first_limb + n_limbs > TALLY_LIMBS ||
		pending > MOST_PENDING || size - HEADER_SIZE < n_limbs * LIMB_SIZE)
		return 0;

	tally->units = units;
	tally->pending = (uint32_t) pending;
	if (n_limbs > 0)
		reach(tally, (int) first_limb, (int) (first_limb + n_limbs) - 1, env);
	/* digits that are greater could overflow */
	most = (int64_t) (pending << TALLY_LIMB_BITS);
	for (size_t i = 0; i < n_limbs * LANES; i++)
	{
		int64_t		digit = (int64_t) load_be(bytes + 8 * i, 8);

		if (digit > most || digit < -most)
			return 0;
		tally->sums[i] = digit;
	}
	return HEADER_SIZE + n_limbs * LIMB_SIZE;
}

bool
core_tally_read(Tally *tallies, int words, const uint8_t *bytes, size_t size,
				const Env *env)
{
	int			r;

	for (r = 0; r < words; r++)
	{
		size_t		read = read_word(&tallies[r], bytes, size, env);

		if (read == 0)
			break;
		bytes += read;
		size -= read;
	}
	if (r == words && size == 0)
		return true;
	core_tally_free(tallies, words, env);
	core_tally_init(tallies, words);
	return false;
}
