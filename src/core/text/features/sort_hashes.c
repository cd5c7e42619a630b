/*-------------------------------------------------------------------------
 *
 * sort_hashes.c
 *		Sorting of hashes; see sort_hashes.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "sort_hashes.h"

#define FEW_HASHES 24

/*
 * Divide n hashes by the byte at a shift, and more than FEW_HASHES with the same byte by the next
 * one.
 */
static void
divide_hashes(uint64_t *hashes, uint64_t *scratch, size_t n, int shift, const Env *env)
{
	size_t		ends[257] = {0};

	for (size_t i = 0; i < n; i++)
	{
		ends[(hashes[i] >> shift & 0xFF) + 1]++;
		tick(env, i);
	}
	for (int byte = 1; byte <= 256; byte++)
		ends[byte] += ends[byte - 1];
	for (size_t i = 0; i < n; i++)
		scratch[ends[hashes[i] >> shift & 0xFF]++] = hashes[i];
	memcpy(hashes, scratch, n * sizeof(uint64_t));
	if (shift == 0)
		return;
	for (size_t start = 0, byte = 0; byte < 256; start = ends[byte++])
		if (ends[byte] - start > FEW_HASHES)
			divide_hashes(hashes + start, scratch, ends[byte] - start, shift - 8, env);
}

void
core_sort_hashes(uint64_t *hashes, size_t n, const Env *env)
{
	if (n > FEW_HASHES)
	{
		uint64_t   *scratch = env_alloc(env, n * sizeof(uint64_t));

		divide_hashes(hashes, scratch, n, 56, env);
		env_free(env, scratch);
	}
	/* now each is at most FEW_HASHES places away from its own */
	for (size_t i = 1; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		place = i;

		for (; place > 0 && hashes[place - 1] > hash; place--)
			hashes[place] = hashes[place - 1];
		hashes[place] = hash;
		tick(env, i);
	}
}
