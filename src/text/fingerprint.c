/*
 * The fingerprints of a text: tokens are made features, a batch at a time, of which
 * the distinct ones vote, or the smallest are kept.
 */
#include "distinct.h"
#include "fingerprint.h"
#include "minwise.h"
#include "text_features.h"
#include "tokens.h"
#include "vote.h"

#define BYTES_PER_FEATURE 4		/* distinct ones, in a text of some pages */
#define FEATURE_BATCH (FEATURES_PER_TOKEN * TOKEN_BATCH)

/* The features of a text, one after another */
typedef struct FeatureReader
{
	Tokenizer	tok;
	FeatureMaker maker;
} FeatureReader;

static void
reader_init(FeatureReader *reader, const char *utf8, size_t len,
			const TextEnv *env)
{
	simhash_tokens_init(&reader->tok, utf8, len, env);
	features_init(&reader->maker);
}

/*
 * Store the next features, at most FEATURE_BATCH of them and possibly none; false
 * at the end of the text.
 */
static inline bool
reader_next(FeatureReader *reader, uint64_t *features, size_t *n)
{
	uint64_t	tokens[TOKEN_BATCH];
	size_t		n_tokens;

	if (!simhash_tokens_next(&reader->tok, tokens, &n_tokens))
		return false;
	*n = simhash_features(&reader->maker, tokens, n_tokens, features);
	return true;
}

bool
simhash_text(const char *utf8, size_t len, const TextEnv *env,
			 uint64_t *fingerprint)
{
	FeatureReader reader;
	DistinctSet set;
	Vote		vote;
	uint64_t	features[FEATURE_BATCH];
	size_t		n;

	reader_init(&reader, utf8, len, env);
	simhash_distinct_init(&set, env, len / BYTES_PER_FEATURE);
	simhash_vote_init(&vote);
	while (reader_next(&reader, features, &n))
	{
		n = simhash_distinct_add(&set, features, n);
		simhash_vote_add(&vote, features, n);
	}
	simhash_distinct_free(&set);
	*fingerprint = simhash_vote_result(&vote);
	return vote.n > 0;
}

bool
simhash_minwise_text(const char *utf8, size_t len, const TextEnv *env,
					 uint64_t *fingerprint)
{
	FeatureReader reader;
	MinWise		min;
	uint64_t	features[FEATURE_BATCH];
	size_t		n;

	reader_init(&reader, utf8, len, env);
	simhash_minwise_init(&min);
	while (reader_next(&reader, features, &n))
		simhash_minwise_add(&min, features, n);
	return simhash_minwise_result(&min, fingerprint);
}
