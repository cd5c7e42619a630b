/*-------------------------------------------------------------------------
 *
 * radix.c
 *		Sorting of words of fingerprints by counting: as numbers, and by a
 *		block of bits.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "radix.h"

#define DIGIT_BITS		11
#define DIGIT_VALUES	(1 << DIGIT_BITS)
#define FP_DIGITS		((64 + DIGIT_BITS - 1) / DIGIT_BITS)

void
core_block_key_init(BlockKey *key, uint64_t mask)
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
			uint32_t	number = 0;

			bits = 0;
			for (int bit = 0; bit < 8; bit++)
				if ((byte >> bit & 1) != 0)
					number |= (uint32_t) (value >> bit & 1) << bits++;
			key->bits[key->nbytes][value] = number << below;
		}
		key->shifts[key->nbytes++] = shift;
		below += bits;
	}
}

/* counts[v] becomes the number of fingerprints with value v; counts[values] is 0. */
static void
count_block_values(const BlockKey *key, size_t values, const uint64_t *fps, size_t n,
				   uint32_t *counts, const Env *env)
{
	memset(counts, 0, (values + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
	{
		tick(env, i);
		counts[core_block_value(key, fps[i])]++;
	}
}

void
core_sort_by_block(const BlockKey *key, int block_bits,
				   const uint64_t *fps, size_t n,
				   uint64_t *sorted_fps, uint32_t *sorted_rows,
				   uint32_t *starts, const Env *env)
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
		uint32_t	to = starts[core_block_value(key, fps[i])]++;

		tick(env, i);
		sorted_fps[to] = fps[i];
		sorted_rows[to] = (uint32_t) i;
	}
	/* starts[v] is now the start of value v + 1 */
	memmove(starts + 1, starts, values * sizeof(uint32_t));
	starts[0] = 0;
}

void
core_sort_in_place_by_block(const BlockKey *key, int block_bits,
							uint64_t *fps, uint32_t *rows, size_t n,
							uint32_t *starts, const Env *env)
{
	size_t		values = (size_t) 1 << block_bits;
	uint32_t	sum = 0;

	count_block_values(key, values, fps, n, starts, env);

	/*
	 * starts[v] is first the end of value v, and moves down to its start as
	 * fingerprints are put in place
	 */
	for (size_t v = 0; v <= values; v++)
		starts[v] = sum += starts[v];
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	fp = fps[i];
		uint32_t	row = rows[i];
		uint32_t	value = core_block_value(key, fp);

		tick(env, i);
		/* fingerprints of this value from starts[value] on are in place */
		if (i >= starts[value])
			continue;
		for (;;)
		{
			uint32_t	to = --starts[value];
			uint64_t	next_fp = fps[to];
			uint32_t	next_row = rows[to];

			fps[to] = fp;
			rows[to] = row;
			if (to == i)
				break;
			fp = next_fp;
			row = next_row;
			value = core_block_value(key, fp);
		}
	}
}

/* The number of fingerprints with each value of each digit, least significant first. */
typedef uint32_t DigitCounts[FP_DIGITS][DIGIT_VALUES];

static inline uint32_t
digit_at(uint64_t fp, int shift)
{
	return fp >> shift & (DIGIT_VALUES - 1);
}

static void
count_digits(const uint64_t *fps, size_t n, DigitCounts counts, const Env *env)
{
	memset(counts, 0, sizeof(DigitCounts));
	for (size_t i = 0; i < n; i++)
	{
		tick(env, i);
		for (int digit = 0; digit < FP_DIGITS; digit++)
			counts[digit][digit_at(fps[i], digit * DIGIT_BITS)]++;
	}
}

/* Fingerprints and the row of each. */
typedef struct FpsOfRows
{
	uint64_t   *fps;
	uint32_t   *rows;
} FpsOfRows;

/*
 * Copy fingerprints in the order of one digit.  Fingerprints with equal digits keep their order.
 * The counts of the digit's values become places.
 */
static void
sort_by_digit(FpsOfRows from, FpsOfRows to, size_t n, int shift, uint32_t *counts,
			  const Env *env)
{
	uint32_t	sum = 0;

	for (int value = 0; value < DIGIT_VALUES; value++)
	{
		uint32_t	count = counts[value];

		counts[value] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	place = counts[digit_at(from.fps[i], shift)]++;

		tick(env, i);
		to.fps[place] = from.fps[i];
		to.rows[place] = from.rows[i];
	}
}

void
core_sort_fps(uint64_t *fps, uint32_t *rows, size_t n, const Env *env)
{
	FpsOfRows	from = {fps, rows};
	FpsOfRows	to;
	uint32_t	(*counts)[DIGIT_VALUES];
	size_t		i = 1;

	while (i < n && fps[i - 1] <= fps[i])
		i++;
	if (i >= n)
		return;
	counts = env_alloc(env, sizeof(DigitCounts));
	to.fps = env_alloc(env, n * sizeof(uint64_t));
	to.rows = env_alloc(env, n * sizeof(uint32_t));
	count_digits(fps, n, counts, env);
	for (int digit = 0; digit < FP_DIGITS; digit++)
	{
		int			shift = digit * DIGIT_BITS;
		FpsOfRows	sorted = to;

		/* all fingerprints have the same digit */
		if (counts[digit][digit_at(fps[0], shift)] == n)
			continue;
		sort_by_digit(from, to, n, shift, counts[digit], env);
		to = from;
		from = sorted;
	}
	if (from.fps != fps)
	{
		memcpy(fps, from.fps, n * sizeof(uint64_t));
		memcpy(rows, from.rows, n * sizeof(uint32_t));
		to = from;
	}
	env_free(env, to.fps);
	env_free(env, to.rows);
	env_free(env, counts);
}
