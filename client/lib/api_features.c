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

/* The number of hashes from this one on, but no more than come between two checks */
static size_t
hashes_at_once(size_t n, size_t first)
{
	return n - first < HASHES_AT_ONCE ? n - first : HASHES_AT_ONCE;
}

static bool
weights_are_finite(const double *weights, size_t n)
{
	for (size_t i = 0; weights != NULL && i < n; i++)
		if (!isfinite(weights[i]))
			return false;
	return true;
}

int
pgsimhash_minhash_features(const uint64_t *hashes, size_t n, int bits,
						   uint64_t *fingerprint)
{
	int			words = bits / WORD_BITS;
	MinWise		min[MOST_WORDS];
	uint64_t	found[MOST_WORDS];
	Call		call;

	if (!is_text_width(bits))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	core_minwise_init(min, words);
	for (size_t i = 0; i < n; i += HASHES_AT_ONCE)
	{
		core_minwise_add(min, words, hashes + i, hashes_at_once(n, i));
		check_interrupts(&call.env);
	}
	return call_end_fingerprint(&call, core_minwise_result(min, words, found), found, words,
								fingerprint);
}

int
pgsimhash_simhash_features(const uint64_t *hashes, const double *weights, size_t n,
						   int bits, uint64_t *fingerprint)
{
	int			words = bits / WORD_BITS;
	Tally		tallies[MOST_WORDS];
	uint64_t	found[MOST_WORDS];
	Call		call;

	if (!is_text_width(bits) || !weights_are_finite(weights, n))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	core_tally_init(tallies, words);
	for (size_t i = 0; i < n; i += HASHES_AT_ONCE)
	{
		size_t		end = i + hashes_at_once(n, i);

		if (weights == NULL)
			core_tally_add_units(tallies, words, hashes + i, end - i);
		else
			for (size_t k = i; k < end; k++)
				core_tally_add(tallies, words, hashes[k], weights[k], &call.env);
		check_interrupts(&call.env);
	}
	return call_end_fingerprint(&call, core_tally_result(tallies, words, found), found, words,
								fingerprint);
}

/* Each word of a hash votes on the word of the fingerprint at its place. */
int
pgsimhash_vote(const uint64_t *hashes, const double *weights, size_t n, int bits,
			   uint64_t *fingerprint)
{
	int			words = PGSIMHASH_WORDS(bits);
	Tally		tallies[MOST_WORDS];
	uint64_t	found[MOST_WORDS];
	Call		call;
	bool		is_found;

	if (!is_width(bits) || !weights_are_finite(weights, n))
		return PGSIMHASH_INVALID_OPTION;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	core_tally_init(tallies, words);
	for (size_t i = 0; i < n; i++)
	{
		if (i % HASHES_AT_ONCE == 0)
			check_interrupts(&call.env);
		for (int w = 0; w < words; w++)
			core_tally_add(&tallies[w], 1, hashes[i * (size_t) words + (size_t) w],
						   weights == NULL ? 1 : weights[i], &call.env);
	}
	is_found = core_tally_result(tallies, words, found);
	/* a negative weight is a vote for the unused bits, too */
	found[words - 1] &= ~UINT64_C(0) << (words * WORD_BITS - bits);
	return call_end_fingerprint(&call, is_found, found, words, fingerprint);
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
