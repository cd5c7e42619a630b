/*
 * shared_keys.h
 *		Keys of passages: their order, and how many two texts share.
 */
#ifndef SIMHASH_SHARED_KEYS_H
#define SIMHASH_SHARED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of keys that two arrays have in common.  Both are in ascending order. */
static size_t
count_shared(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b)
{
	size_t		shared = 0;

	for (size_t i = 0, j = 0; i < n_a && j < n_b;)
	{
		int64_t		difference = (a[i] > b[j]) - (a[i] < b[j]);

		shared += difference == 0;
		i += difference <= 0;
		j += difference >= 0;
	}
	return shared;
}

static bool
ascend(const int64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		if (keys[i - 1] >= keys[i])
			return false;
	}
	return true;
}

#endif
