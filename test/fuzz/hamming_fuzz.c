/*
 * Fuzz target: every Hamming kernel that this machine can run finds the same
 * fingerprints, and touches no byte beyond its arrays.
 *
 * The input is the radius, a number of words, the query, and fingerprints.
 */
#include "../../src/core/hamming.h"
#include "fuzz.h"

#define MOST_WORDS 3

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int			radius = (int) (int8_t) take(&data, &size, 1);
	int			words = (int) (take(&data, &size, 1) % MOST_WORDS) + 1;
	uint64_t	query[MOST_WORDS];
	uint64_t   *q;
	uint64_t   *fps;
	uint16_t   *expected;
	int			n_expected;
	size_t		bytes;
	int			n;

	for (int w = 0; w < words; w++)
		query[w] = take(&data, &size, 8);
	q = exact_copy(query, (size_t) words * sizeof(*q));
	bytes = size - size % ((size_t) words * sizeof(*fps));
	n = (int) (bytes / ((size_t) words * sizeof(*fps)));
	if (n > 65536)
		n = 65536;
	fps = exact_copy(data, bytes);

	expected = malloc((size_t) n * sizeof(*expected) + 1);
	n_expected = hamming_kernels[hamming_nkernels - 1].within(fps, n, q, words, radius,
															  expected);
	for (int i = 0, hit = 0; i < n; i++)
	{
		int			distance = 0;

		for (int w = 0; w < words; w++)
			for (uint64_t x = fps[i * words + w] ^ q[w]; x != 0; x &= x - 1)
				distance++;
		if (hit < n_expected && expected[hit] == i)
			hit++;
		REQUIRE((hit > 0 && expected[hit - 1] == i) == (distance <= radius));
	}
	for (int k = 0; k < hamming_nkernels; k++)
	{
		uint16_t   *hits;

		if (!hamming_kernels[k].supported())
			continue;
		hits = malloc((size_t) n * sizeof(*hits) + 1);
		REQUIRE(hamming_kernels[k].within(fps, n, q, words, radius, hits) == n_expected);
		REQUIRE(memcmp(hits, expected, (size_t) n_expected * sizeof(*hits)) == 0);
		free(hits);
	}
	free(expected);
	free(fps);
	free(q);
	return 0;
}
