/*
 * The fingerprint of a text: tokens are made features, of which the distinct ones
 * vote, a batch at a time.
 */
#include "distinct.h"
#include "text_features.h"
#include "fingerprint.h"
#include "tokens.h"
#include "vote.h"

#define BYTES_PER_FEATURE 4		/* distinct ones, in a text of some pages */

bool
simhash_text(const char *utf8, size_t len, const TextEnv *env,
			 uint64_t *fingerprint)
{
	Tokenizer	tok;
	FeatureMaker maker;
	DistinctSet set;
	Vote		vote;
	uint64_t	tokens[TOKEN_BATCH];
	uint64_t	features[FEATURES_PER_TOKEN * TOKEN_BATCH];
	size_t		n;

	simhash_tokens_init(&tok, utf8, len, env);
	features_init(&maker);
	simhash_distinct_init(&set, env, len / BYTES_PER_FEATURE);
	simhash_vote_init(&vote);
	while (simhash_tokens_next(&tok, tokens, &n))
	{
		n = simhash_features(&maker, tokens, n, features);
		n = simhash_distinct_add(&set, features, n);
		simhash_vote_add(&vote, features, n);
	}
	simhash_distinct_free(&set);
	*fingerprint = simhash_vote_result(&vote);
	return vote.n > 0;
}
