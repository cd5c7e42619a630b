/*-------------------------------------------------------------------------
 *
 * text_features.c
 *		Features of a sequence of tokens; see text_features.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../kernels/token_hash.h"
#include "../kernels/token_kernels.h"
#include "text_features.h"

uint64_t
core_hash_bytes(const void *bytes, size_t len)
{
	return XXH3_64bits(bytes, len);
}

void
core_features_init(FeatureMaker *maker, int shingle)
{
	maker->shingle = shingle;
	maker->seen = 0;
	maker->sum = 0;
	maker->leaving = 1;
	for (int i = 0; i < shingle; i++)
		maker->leaving *= MIX_FACTOR;
}

static size_t
singles_and_pairs(FeatureMaker *maker, const uint64_t *tokens, size_t n,
				  uint64_t *features)
{
	size_t		n_features = n;

	memcpy(features, tokens, n * sizeof(*tokens));
	if (maker->seen > 0)
		features[n_features++] = feature_pair(maker->ring[0], tokens[0]);
	core_token_kernel()->pairs(tokens, n - 1, features + n_features);
	n_features += n - 1;
	maker->ring[0] = tokens[n - 1];
	maker->seen += n;
	return n_features;
}

size_t
core_make_features(FeatureMaker *maker, const uint64_t *tokens, size_t n,
				   uint64_t *features)
{
	size_t		shingle = (size_t) maker->shingle;
	size_t		n_features = 0;
	size_t		at;

	if (n == 0)
		return 0;
	if (maker->shingle == SINGLES_AND_PAIRS)
		return singles_and_pairs(maker, tokens, n, features);
	if (shingle == 1)
	{
		memcpy(features, tokens, n * sizeof(*tokens));
		maker->seen += n;
		return n;
	}
	at = maker->seen % shingle;
	for (size_t i = 0; i < n; i++)
	{
		maker->sum = maker->sum * MIX_FACTOR + tokens[i];
		if (maker->seen >= shingle)
			maker->sum -= maker->ring[at] * maker->leaving;
		maker->ring[at] = tokens[i];
		if (++at == shingle)
			at = 0;
		if (++maker->seen >= shingle)
			features[n_features++] = mix64(maker->sum);
	}
	return n_features;
}

size_t
core_features_end(FeatureMaker *maker, uint64_t *feature)
{
	if (maker->seen == 0 || maker->shingle <= 1 ||
		maker->seen >= (size_t) maker->shingle)
		return 0;
	*feature = maker->seen == 1 ? maker->sum : mix64(maker->sum);
	return 1;
}
