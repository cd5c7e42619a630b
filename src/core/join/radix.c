/*-------------------------------------------------------------------------
 *
 * radix.c
 *		Sorting of fingerprints, by counting: as numbers and by a block of bits.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "radix.h"

#define DIGIT_BITS		11
#define DIGITS			(1 << DIGIT_BITS)
#define PASSES			((64 + DIGIT_BITS - 1) / DIGIT_BITS)

/* Fingerprints that are sorted faster by insertion than by counting */
#define FEW				64

void
simhash_block_key_init(BlockKey *key, uint64_t mask)
{
	int			below = 0;		/* bits of the mask in lower bytes */

	key->nbytes = 0;
	for (int shift = 0; shift < 64; shift += 8)
	{
		unsigned int byte = mask >> shift & 0xff;
		int			bits = 0;

		if (byte == 0)
			continue;
		for (unsigned int value = 0; value < 256; value++)
		{
			uint32_t	part = 0;

			bits = 0;
			for (int bit = 0; bit < 8; bit++)
				if ((byte >> bit & 1) != 0)
					part |= (uint32_t) (value >> bit & 1) << bits++;
			key->parts[key->nbytes][value] = part << below;
		}
		key->shifts[key->nbytes++] = shift;
		below += bits;
	}
}

/* counts[v] becomes the number of fingerprints with value v; counts[values] is 0. */
static void
count_block_values(const BlockKey *key, size_t values, const uint64_t *fps, size_t n,
				   uint32_t *counts, const JoinEnv *env)
{
	memset(counts, 0, (values + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
	{
		if (i % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1)
			join_check_interrupts(env);
		counts[simhash_block_value(key, fps[i])]++;
	}
}

/*
 * Fingerprints in the order of a block, with their numbers as tags.  Those with value v
 * are from starts[v] to starts[v + 1], so that "starts" has one more than there are
 * values.
 */
void
simhash_sort_by_block(const BlockKey *key, int block_bits,
					  const uint64_t *fps, size_t n,
					  uint64_t *sorted_fps, uint32_t *sorted_tags,
					  uint32_t *starts, const JoinEnv *env)
{
	size_t		values = (size_t) 1 << block_bits;
	uint32_t	sum = 0;

	count_block_values(key, values, fps, n, starts, env);
	for (size_t v = 0; v <= values; v++)
	{
		uint32_t	count = starts[v];

		starts[v] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	to = starts[simhash_block_value(key, fps[i])]++;

		if (i % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1)
			join_check_interrupts(env);
		sorted_fps[to] = fps[i];
		sorted_tags[to] = (uint32_t) i;
	}
	/* each start has moved to the next */
	memmove(starts + 1, starts, values * sizeof(uint32_t));
	starts[0] = 0;
}

/*
 * The same without a copy of the fingerprints and their tags: they change places, and
 * those of a value are in no order.
 */
void
simhash_sort_in_place_by_block(const BlockKey *key, int block_bits,
							   uint64_t *fps, uint32_t *tags, size_t n,
							   uint32_t *starts, const JoinEnv *env)
{
	size_t		values = (size_t) 1 << block_bits;
	uint32_t	sum = 0;

	count_block_values(key, values, fps, n, starts, env);
	/* for now each is its value's end, from which places are taken downwards */
	for (size_t v = 0; v <= values; v++)
		starts[v] = sum += starts[v];
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	fp = fps[i];
		uint32_t	tag = tags[i];
		uint32_t	value = simhash_block_value(key, fp);

		if (i % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1)
			join_check_interrupts(env);
		/* what has got its place is not below the places that are left */
		if (i >= starts[value])
			continue;
		for (;;)
		{
			uint32_t	to = --starts[value];
			uint64_t	next_fp = fps[to];
			uint32_t	next_tag = tags[to];

			fps[to] = fp;
			tags[to] = tag;
			if (to == i)
				break;
			fp = next_fp;
			tag = next_tag;
			value = simhash_block_value(key, fp);
		}
	}
}

/* What simhash_sort_fps does, for a few */
static void
sort_few_fps(uint64_t *fps, uint32_t *tags, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		uint64_t	fp = fps[i];
		uint32_t	tag = tags[i];
		size_t		place = i;

		for (; place > 0 && fps[place - 1] > fp; place--)
		{
			fps[place] = fps[place - 1];
			tags[place] = tags[place - 1];
		}
		fps[place] = fp;
		tags[place] = tag;
	}
}

/* Fingerprints and their tags in ascending order; equal ones stay in theirs. */
void
simhash_sort_fps(uint64_t *fps, uint32_t *tags, size_t n, const JoinEnv *env)
{
	uint32_t	(*counts)[DIGITS];
	uint64_t   *from = fps;
	uint32_t   *from_tags = tags;
	uint64_t   *to;
	uint32_t   *to_tags;
	size_t		i = 1;

	while (i < n && fps[i - 1] <= fps[i])
		i++;
	if (i >= n)
		return;
	if (n <= FEW)
	{
		sort_few_fps(fps, tags, n);
		return;
	}

	counts = join_alloc(env, sizeof(*counts) * PASSES);
	memset(counts, 0, sizeof(*counts) * PASSES);
	to = join_alloc(env, n * sizeof(uint64_t));
	to_tags = join_alloc(env, n * sizeof(uint32_t));
	for (i = 0; i < n; i++)
	{
		if (i % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1)
			join_check_interrupts(env);
		for (int pass = 0; pass < PASSES; pass++)
			counts[pass][fps[i] >> pass * DIGIT_BITS & (DIGITS - 1)]++;
	}
	for (int pass = 0; pass < PASSES; pass++)
	{
		int			shift = pass * DIGIT_BITS;
		uint32_t   *positions = counts[pass];
		uint32_t	sum = 0;
		uint64_t   *swap = to;
		uint32_t   *swap_tags = to_tags;

		/* all have the same digit */
		if (positions[fps[0] >> shift & (DIGITS - 1)] == n)
			continue;
		for (int digit = 0; digit < DIGITS; digit++)
		{
			uint32_t	count = positions[digit];

			positions[digit] = sum;
			sum += count;
		}
		for (i = 0; i < n; i++)
		{
			uint32_t	place = positions[from[i] >> shift & (DIGITS - 1)]++;

			if (i % ROWS_BETWEEN_CHECKS == ROWS_BETWEEN_CHECKS - 1)
				join_check_interrupts(env);
			to[place] = from[i];
			to_tags[place] = from_tags[i];
		}
		to = from;
		to_tags = from_tags;
		from = swap;
		from_tags = swap_tags;
	}
	if (from != fps)
	{
		memcpy(fps, from, n * sizeof(uint64_t));
		memcpy(tags, from_tags, n * sizeof(uint32_t));
		to = from;
		to_tags = from_tags;
	}
	join_free(env, to);
	join_free(env, to_tags);
	join_free(env, counts);
}
