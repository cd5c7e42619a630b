/*
 * Tests of the Hamming kernels: every kernel that this machine can run gives
 * the results of the definition.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/core/hamming.h"
#include "check.h"

#define MAX_N		300
#define MAX_WORDS	17

/* The definition, bit by bit */
static int
distance(const uint64_t *a, const uint64_t *b, int words)
{
	int			sum = 0;

	for (int w = 0; w < words; w++)
		for (int bit = 0; bit < 64; bit++)
			sum += (int) (((a[w] ^ b[w]) >> bit) & 1);
	return sum;
}

/* The number of cases in which the kernel is wrong */
static long
wrong_cases(hamming_within_function within)
{
	static uint64_t fps[MAX_N * MAX_WORDS + 1];
	static uint16_t hits[MAX_N];
	static uint16_t expected[MAX_N];
	long		wrong = 0;

	for (int words = 1; words <= MAX_WORDS; words++)
		for (int n = 0; n <= MAX_N; n += n < 70 ? 1 : 23)
			for (int radius = -1; radius <= 64 * words + 1; radius += words < 4 ? 1 : words * 2 - 1)
			{
				/*
				 * also at an address that is not a multiple of a register's
				 * size
				 */
				uint64_t   *first = fps + (n & 1);
				uint64_t	q[MAX_WORDS];
				int			count = 0;
				int			found;

				for (int w = 0; w < words; w++)
					q[w] = radius % 7 == 0 ? 0 : random64();
				for (int i = 0; i < n * words; i++)
				{
					first[i] = random64();
					if (i % 3 == 0)
						first[i] = q[i % words];
					else if (i % 3 == 1)
						first[i] = q[i % words] ^ (random64() & random64() & random64());
					if (i % 11 == 0)
						first[i] = ~q[i % words];
				}
				for (int i = 0; i < n; i++)
					if (distance(first + i * words, q, words) <= radius)
						expected[count++] = (uint16_t) i;
				found = within(first, n, q, words, radius, hits);
				if (found != count ||
					memcmp(hits, expected, (size_t) count * sizeof(uint16_t)) != 0)
					wrong++;
			}
	return wrong;
}

int
main(void)
{
	for (int i = 0; i <= hamming_nkernels; i++)
	{
		bool		chosen = i == hamming_nkernels;
		long		wrong;

		if (!chosen && !hamming_kernels[i].supported())
		{
			printf("# skipped: this machine cannot run the kernel %s\n",
				   hamming_kernels[i].name);
			continue;
		}
		wrong = wrong_cases(chosen ? hamming_within : hamming_kernels[i].within);
		check(wrong == 0, "kernel %s", chosen ? "chosen at run time" : hamming_kernels[i].name);
	}
	return end_tests();
}
