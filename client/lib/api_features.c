/*-------------------------------------------------------------------------
 *
 * api_features.c
 *		Fingerprints of features that the caller has hashed.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "arguments.h"
#include "call.h"
#include "core/text/features/text_features.h"
#include "core/text/methods/minwise.h"
#include "core/text/methods/weighted_votes.h"

#define HASHES_AT_ONCE (1 << 16)	/* between checks for interrupts */

int
pgsimhash_feature(const char *feature, size_t length, uint64_t *hash)
{
	if (!utf8_is_valid(feature, length))
		return PGSIMHASH_INVALID_UTF8;
	*hash = core_hash_bytes(feature, length);
	return PGSIMHASH_OK;
}

typedef struct FeaturesCall
{
	const uint64_t *hashes;
	const double *weights;		/* or NULL */
	size_t		n;
	int			words;
	uint64_t   *fingerprint;
} FeaturesCall;

/* The number of hashes from this one on, but no more than come between two checks */
static size_t
hashes_at_once(const FeaturesCall *c, size_t first)
{
	return c->n - first < HASHES_AT_ONCE ? c->n - first : HASHES_AT_ONCE;
}

static bool
weights_are_finite(const double *weights, size_t n)
{
	for (size_t i = 0; weights != NULL && i < n; i++)
		if (!isfinite(weights[i]))
			return false;
	return true;
}

static int
minhash_body(Call *call, void *arg)
{
	FeaturesCall *c = arg;
	MinWise		min[MOST_WORDS];
	uint64_t	found[MOST_WORDS];

	core_minwise_init(min, c->words);
	for (size_t i = 0; i < c->n; i += HASHES_AT_ONCE)
	{
		core_minwise_add(min, c->words, c->hashes + i, hashes_at_once(c, i));
		check_interrupts(&call->env);
	}
	if (!core_minwise_result(min, c->words, found))
		return PGSIMHASH_NULL;
	return store_fingerprint(c->fingerprint, found, c->words);
}

int
pgsimhash_minhash_features(const uint64_t *hashes, size_t n, int bits,
						   uint64_t *fingerprint)
{
	FeaturesCall c = {hashes, NULL, n, bits / WORD_BITS, fingerprint};

	if (!is_text_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	return call_once(minhash_body, &c);
}

static int
simhash_body(Call *call, void *arg)
{
	FeaturesCall *c = arg;
	Tally		tallies[MOST_WORDS];
	uint64_t	found[MOST_WORDS];

	core_tally_init(tallies, c->words);
	for (size_t i = 0; i < c->n; i += HASHES_AT_ONCE)
	{
		size_t		n = hashes_at_once(c, i);

		if (c->weights == NULL)
			core_tally_add_units(tallies, c->words, c->hashes + i, n);
		else
			for (size_t k = i; k < i + n; k++)
				core_tally_add(tallies, c->words, c->hashes[k], c->weights[k], &call->env);
		check_interrupts(&call->env);
	}
	if (!core_tally_result(tallies, c->words, found))
		return PGSIMHASH_NULL;
	return store_fingerprint(c->fingerprint, found, c->words);
}

int
pgsimhash_simhash_features(const uint64_t *hashes, const double *weights, size_t n,
						   int bits, uint64_t *fingerprint)
{
	FeaturesCall c = {hashes, weights, n, bits / WORD_BITS, fingerprint};

	if (!is_text_width(bits) || !weights_are_finite(weights, n))
		return PGSIMHASH_INVALID_OPTION;
	return call_once(simhash_body, &c);
}

/* Each word of a hash votes on the word of the fingerprint at its place. */
static int
vote_body(Call *call, void *arg)
{
	FeaturesCall *c = arg;
	Tally		tallies[MOST_WORDS];
	uint64_t	found[MOST_WORDS];

	core_tally_init(tallies, c->words);
	for (size_t i = 0; i < c->n; i++)
	{
		if (i % HASHES_AT_ONCE == 0)
			check_interrupts(&call->env);
		for (int w = 0; w < c->words; w++)
			core_tally_add(&tallies[w], 1, c->hashes[i * (size_t) c->words + (size_t) w],
						   c->weights == NULL ? 1 : c->weights[i], &call->env);
	}
	if (!core_tally_result(tallies, c->words, found))
		return PGSIMHASH_NULL;
	return store_fingerprint(c->fingerprint, found, c->words);
}

int
pgsimhash_vote(const uint64_t *hashes, const double *weights, size_t n, int bits,
			   uint64_t *fingerprint)
{
	FeaturesCall c = {hashes, weights, n, PGSIMHASH_WORDS(bits), fingerprint};
	int			result;

	if (!is_width(bits) || !weights_are_finite(weights, n))
		return PGSIMHASH_INVALID_OPTION;
	result = call_once(vote_body, &c);
	/* a negative weight is a vote for the unused bits, too */
	if (result == PGSIMHASH_OK)
		fingerprint[c.words - 1] &= ~UINT64_C(0) << (c.words * WORD_BITS - bits);
	return result;
}

int
pgsimhash_signature_bits(const uint64_t *values, size_t n, uint64_t *fingerprint)
{
	if (n < 1 || n > MOST_BITS)
		return PGSIMHASH_INVALID_OPTION;
	for (size_t i = 0; i < n; i++)
	{
		if (i % WORD_BITS == 0)
			fingerprint[i / WORD_BITS] = 0;
		fingerprint[i / WORD_BITS] |= (values[i] & 1) << (WORD_BITS - 1 - i % WORD_BITS);
	}
	return PGSIMHASH_OK;
}
