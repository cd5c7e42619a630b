/*-------------------------------------------------------------------------
 *
 * api_distances.c
 *		Distances, keys for equal blocks, and the bound on a distance.
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"
#include "call.h"
#include "core/block_keys.h"
#include "core/hamming.h"
#include "core/near.h"
#include "core/text/methods/bound.h"

_Static_assert(PGSIMHASH_NEAR(64) == NEAR_BITS_OF_64, "one share of the bits");
_Static_assert(PGSIMHASH_CANDIDATES(64) == 2 * NEAR_BITS_OF_64, "that of candidate_distance");

#define FINGERPRINTS_AT_ONCE 4096

int
pgsimhash_distance(const uint64_t *a, const uint64_t *b, int bits)
{
	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	return hamming_between(a, b, PGSIMHASH_WORDS(bits));
}

int
pgsimhash_distances(const uint64_t *fingerprints, size_t n, const uint64_t *q, int bits,
					uint16_t *distances)
{
	size_t		words = PGSIMHASH_WORDS(bits);
	Call		call;

	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	for (size_t i = 0; i < n; i++)
	{
		if (i % FINGERPRINTS_AT_ONCE == 0)
			check_interrupts(&call.env);
		distances[i] = (uint16_t) hamming_between(fingerprints + i * words, q, (int) words);
	}
	return call_end(&call, PGSIMHASH_OK);
}

int
pgsimhash_within(const uint64_t *fingerprints, size_t n, const uint64_t *q, int bits,
				 int radius, size_t *found, size_t *n_found)
{
	size_t		words = PGSIMHASH_WORDS(bits);
	uint16_t	hits[FINGERPRINTS_AT_ONCE];
	Call		call;
	size_t		n_all;

	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	n_all = 0;
	for (size_t i = 0; radius >= 0 && i < n; i += FINGERPRINTS_AT_ONCE)
	{
		size_t		left = n - i < FINGERPRINTS_AT_ONCE ? n - i : FINGERPRINTS_AT_ONCE;
		int			n_hits = hamming_within(fingerprints + i * words, (int) left, q, (int) words,
											radius < bits ? radius : bits, hits);

		check_interrupts(&call.env);
		for (int hit = 0; hit < n_hits; hit++)
			found[n_all++] = i + hits[hit];
	}
	*n_found = n_all;
	return call_end(&call, PGSIMHASH_OK);
}

int
pgsimhash_block_keys(const uint64_t *fingerprint, int bits, int distance, int64_t *keys,
					 size_t *n_keys)
{
	uint8_t		bytes[MOST_BITS / 8];
	int64_t		n = block_key_count(bits, distance);

	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	for (int i = 0; i < PGSIMHASH_WORDS(bits) * 8; i++)
		bytes[i] = (uint8_t) (fingerprint[i / 8] >> (56 - i % 8 * 8));
	block_keys(bytes, bits, (int) n, keys);
	*n_keys = (size_t) n;
	return PGSIMHASH_OK;
}

int
pgsimhash_bound(double resemblance, int bits, double recall, int *bound)
{
	if (!is_text_width(bits) || !(resemblance >= 0 && resemblance <= 1) ||
		!(recall > 0 && recall <= 1))
		return PGSIMHASH_INVALID_OPTION;
	*bound = core_minwise_bound(resemblance, bits, recall);
	return PGSIMHASH_OK;
}
