/*-------------------------------------------------------------------------
 *
 * feature_reader.h
 *		The features of a text, one after another.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FEATURE_READER_H
#define SIMHASH_FEATURE_READER_H

#include "../tokens/tokens.h"
#include "repeats.h"
#include "text_features.h"

#define FEATURE_BATCH (FEATURES_PER_TOKEN * TOKEN_BATCH)

typedef struct FeatureReader
{
	Tokenizer	tok;
	FeatureMaker maker;
	Repeats		repeats;
	bool		at_end;			/* has the feature of a short text been read? */
} FeatureReader;

static inline void
feature_reader_init(FeatureReader *reader, const char *utf8, size_t len,
					const TextOptions *options, const Env *env)
{
	core_tokens_init(&reader->tok, utf8, len, options, NULL, env);
	core_features_init(&reader->maker, options->shingle);
	core_repeats_init(&reader->repeats, options, env);
	reader->at_end = false;
}

/* Begin to read grams.  A text that has fewer words than a gram has no features. */
static inline void
gram_reader_init(FeatureReader *reader, const char *utf8, size_t len,
				 const TextOptions *options, const Env *env)
{
	feature_reader_init(reader, utf8, len, options, env);
	reader->at_end = true;
}

static inline void
feature_reader_free(FeatureReader *reader)
{
	core_repeats_free(&reader->repeats);
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

	if (core_tokens_next(&reader->tok, tokens, &n_tokens))
	{
		*n = core_make_features(&reader->maker, tokens, n_tokens, features);
		core_number_repeats(&reader->repeats, tokens, n_tokens, features, *n);
		return true;
	}
	if (reader->at_end)
		return false;
	reader->at_end = true;
	*n = core_features_end(&reader->maker, features);
	return true;
}

#endif
