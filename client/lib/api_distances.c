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

typedef struct DistancesCall
{
	const uint64_t *fingerprints;
	size_t		n;
	const uint64_t *q;
	int			words;
	uint16_t   *distances;
} DistancesCall;

static int
distances_body(Call *call, void *arg)
{
	DistancesCall *c = arg;

	for (size_t i = 0; i < c->n; i++)
	{
		if (i % FINGERPRINTS_AT_ONCE == 0)
			check_interrupts(&call->env);
		c->distances[i] = (uint16_t) hamming_between(c->fingerprints + i * (size_t) c->words, c->q,
													 c->words);
	}
	return PGSIMHASH_OK;
}

int
pgsimhash_distances(const uint64_t *fingerprints, size_t n, const uint64_t *q, int bits,
					uint16_t *distances)
{
	DistancesCall c = {fingerprints, n, q, PGSIMHASH_WORDS(bits), distances};

	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	return call_once(distances_body, &c);
}

typedef struct WithinCall
{
	const uint64_t *fingerprints;
	size_t		n;
	const uint64_t *q;
	int			words;
	int			radius;
	size_t	   *found;
	size_t	   *n_found;
} WithinCall;

static int
within_body(Call *call, void *arg)
{
	WithinCall *c = arg;
	uint16_t	hits[FINGERPRINTS_AT_ONCE];
	size_t		n_found = 0;

	for (size_t i = 0; i < c->n; i += FINGERPRINTS_AT_ONCE)
	{
		size_t		left = c->n - i;
		int			n = (int) (left < FINGERPRINTS_AT_ONCE ? left : FINGERPRINTS_AT_ONCE);
		int			n_hits = hamming_within(c->fingerprints + i * (size_t) c->words, n, c->q,
											c->words, c->radius, hits);

		check_interrupts(&call->env);
		for (int hit = 0; hit < n_hits; hit++)
			c->found[n_found++] = i + hits[hit];
	}
	*c->n_found = n_found;
	return PGSIMHASH_OK;
}

int
pgsimhash_within(const uint64_t *fingerprints, size_t n, const uint64_t *q, int bits,
				 int radius, size_t *found, size_t *n_found)
{
	WithinCall	c = {fingerprints, n, q, PGSIMHASH_WORDS(bits), radius, found, n_found};

	if (!is_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	if (radius < 0)
		c.n = 0;
	if (radius > bits)
		c.radius = bits;
	return call_once(within_body, &c);
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
