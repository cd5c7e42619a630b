/*
 * Containment; see containment.h.
 *
 * The table holds the grams of the text with fewer bytes.  If that text is a, then b
 * is read to mark the common grams.  Then a is read to count its words.
 */
#include "../text/counts.h"
#include "../text/feature_reader.h"
#include "containment.h"

#define COMMON UINT32_MAX		/* a count that no text reaches, because texts
								 * have less than 4 GB */

/* The grams of a text, a batch at a time */
typedef struct GramReader
{
	Tokenizer	tok;
	FeatureMaker maker;
} GramReader;

static void
reader_init(GramReader *reader, const char *utf8, size_t len,
			const TextOptions *options, const TextEnv *env)
{
	simhash_tokens_init(&reader->tok, utf8, len, options, NULL, env);
	simhash_features_init(&reader->maker, options->shingle);
}

/* Store the next grams and their number, and the number of words that were read */
static bool
reader_next(GramReader *reader, uint64_t *grams, size_t *n, size_t *n_words)
{
	uint64_t	tokens[TOKEN_BATCH];

	if (!simhash_tokens_next(&reader->tok, tokens, n_words))
		return false;
	*n = simhash_make_features(&reader->maker, tokens, *n_words, grams);
	return true;
}

static void
add_grams(FeatureCounts *counts, const char *utf8, size_t len,
		  const TextOptions *options)
{
	GramReader	reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		n;
	size_t		n_words;

	reader_init(&reader, utf8, len, options, counts->env);
	while (reader_next(&reader, grams, &n, &n_words))
		simhash_counts_add(counts, grams, n);
}

static void
mark_common(FeatureCounts *counts, const char *utf8, size_t len,
			const TextOptions *options)
{
	GramReader	reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		n;
	size_t		n_words;
	size_t		i;

	reader_init(&reader, utf8, len, options, counts->env);
	while (reader_next(&reader, grams, &n, &n_words))
	{
		for (i = 0; i < n; i++)
		{
			uint32_t   *count = simhash_counts_of(counts, grams[i]);

			if (*count != 0)
				*count = COMMON;
		}
	}
}

/* Count the words of a text, and those in a gram whose count is at least "least" */
static void
count_words(const FeatureCounts *counts, uint32_t least, const char *utf8,
			size_t len, const TextOptions *options, size_t *n_words,
			size_t *n_common)
{
	GramReader	reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		shingle = (size_t) options->shingle;
	size_t		gram = 0;		/* its number is that of its first word */
	size_t		counted = 0;	/* the words before this one are counted */
	size_t		n;
	size_t		n_read;
	size_t		i;

	*n_words = 0;
	*n_common = 0;
	reader_init(&reader, utf8, len, options, counts->env);
	while (reader_next(&reader, grams, &n, &n_read))
	{
		*n_words += n_read;
		for (i = 0; i < n; i++, gram++)
		{
			if (counts->n_keys == 0 || *simhash_counts_of(counts, grams[i]) < least)
				continue;
			*n_common += gram + shingle - (counted > gram ? counted : gram);
			counted = gram + shingle;
		}
	}
}

bool
simhash_containment_text(const char *a, size_t a_len, const char *b, size_t b_len,
						 const TextOptions *options, const TextEnv *env,
						 double *share)
{
	FeatureCounts counts;
	uint32_t	least = 1;
	size_t		n_words;
	size_t		n_common;

	simhash_counts_init(&counts, env);
	if (a_len < b_len)
	{
		add_grams(&counts, a, a_len, options);
		if (counts.n_keys > 0)
			mark_common(&counts, b, b_len, options);
		least = COMMON;
	}
	else
		add_grams(&counts, b, b_len, options);
	count_words(&counts, least, a, a_len, options, &n_words, &n_common);
	simhash_counts_free(&counts);
	if (n_words == 0)
		return false;
	*share = (double) n_common / (double) n_words;
	return true;
}
