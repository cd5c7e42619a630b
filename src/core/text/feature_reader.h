/*
 * The features of a text, one after another.
 *
 * With characters as tokens and a weight of 1, a feature that occurs again is another
 * feature, because the few characters of a short text repeat: 500 has 00 once, 5000 twice.
 */
#ifndef SIMHASH_FEATURE_READER_H
#define SIMHASH_FEATURE_READER_H

#include "counts.h"
#include "text_features.h"
#include "tokens.h"

#define FEATURE_BATCH (FEATURES_PER_TOKEN * TOKEN_BATCH)

typedef struct FeatureReader
{
	Tokenizer	tok;
	FeatureMaker maker;
	FeatureCounts counts;		/* if "numbered" */
	bool		numbered;
	bool		at_end;
} FeatureReader;

/* Are repeated features distinct with these options? */
static inline bool
numbers_features(const TextOptions *options)
{
	return options->tokens == TOKENS_CHARACTERS && options->weight == WEIGHT_ONCE;
}

static inline void
feature_reader_init(FeatureReader *reader, const char *utf8, size_t len,
					const TextOptions *options, const TextEnv *env)
{
	simhash_tokens_init(&reader->tok, utf8, len, options, NULL, env);
	simhash_features_init(&reader->maker, options->shingle);
	reader->numbered = numbers_features(options);
	if (reader->numbered)
		simhash_counts_init(&reader->counts, env);
	reader->at_end = false;
}

static inline void
feature_reader_free(FeatureReader *reader)
{
	if (reader->numbered)
		simhash_counts_free(&reader->counts);
}

/*
 * Store the next features, at most FEATURE_BATCH and possibly none.  Return false
 * after the last features.
 */
static inline bool
feature_reader_next(FeatureReader *reader, uint64_t *features, size_t *n)
{
	uint64_t	tokens[TOKEN_BATCH];
	size_t		n_tokens;

	if (simhash_tokens_next(&reader->tok, tokens, &n_tokens))
	{
		*n = simhash_make_features(&reader->maker, tokens, n_tokens, features);
		if (reader->numbered)
			simhash_counts_number(&reader->counts, features, *n);
		return true;
	}
	if (reader->at_end)
		return false;
	reader->at_end = true;
	*n = simhash_features_end(&reader->maker, features);
	return true;
}

#endif
