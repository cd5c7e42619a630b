/*
 * Features of a sequence of tokens; see text_features.h.
 */
#include <string.h>

#include "text_features.h"

size_t
simhash_features(FeatureMaker *maker, const uint64_t *tokens, size_t n,
				 uint64_t *features)
{
	size_t		n_features = n;
	size_t		i;

	if (n == 0)
		return 0;
	memcpy(features, tokens, n * sizeof(*tokens));
	if (maker->has_last)
		features[n_features++] = feature_pair(maker->last, tokens[0]);
	for (i = 1; i < n; i++)
		features[n_features++] = feature_pair(tokens[i - 1], tokens[i]);
	maker->has_last = true;
	maker->last = tokens[n - 1];
	return n_features;
}
