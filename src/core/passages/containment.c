/*-------------------------------------------------------------------------
 *
 * containment.c
 *		Containment; see containment.h.
 *
 * The table holds the grams of the text with fewer bytes.  If that text is a, then b
 * is read to mark the common grams.  Then a is read to count its words.
 *
 * Most grams of the longer text are not in the table.  A filter with a bit for each
 * value of their first bits answers most of these lookups.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/counts.h"
#include "../text/features/feature_reader.h"
#include "containment.h"

/* No text has this many of a gram, because texts have less than 4 GB. */
#define COMMON UINT32_MAX

#define FILTER_BITS_PER_GRAM 8

/* The distinct grams of the shorter text. */
typedef struct GramTable
{
	FeatureCounts counts;
	uint64_t   *filter;
	int			shift;			/* 64 - log2 of the filter's bits */
} GramTable;

static void
make_filter(GramTable *table)
{
	const FeatureCounts *counts = &table->counts;
	const Env  *env = counts->env;
	size_t		n_bits = 64;

	table->shift = 58;
	for (; n_bits < FILTER_BITS_PER_GRAM * counts->n_keys; n_bits *= 2)
		table->shift--;
	table->filter = env_alloc(env, n_bits / 8);
	memset(table->filter, 0, n_bits / 8);
	for (size_t i = 0; i < counts->n_slots; i++)
	{
		size_t		bit;

		tick(env, i);
		if (counts->counts[i] == 0)
			continue;
		bit = (size_t) (counts->keys[i] >> table->shift);
		table->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

static void
make_gram_table(GramTable *table, const char *utf8, size_t len,
				const TextOptions *options, const Env *env)
{
	FeatureReader reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		n;

	core_counts_init(&table->counts, env);
	gram_reader_init(&reader, utf8, len, options, env);
	while (feature_reader_next(&reader, grams, &n))
		core_counts_add(&table->counts, grams, n);
	make_filter(table);
}

/* The count of a gram, or NULL if the table does not have the gram. */
static inline uint32_t *
find_gram(const GramTable *table, uint64_t gram)
{
	size_t		bit = (size_t) (gram >> table->shift);
	uint32_t   *count;

	if ((table->filter[bit / 64] >> bit % 64 & 1) == 0)
		return NULL;
	count = core_counts_of(&table->counts, gram);
	return *count != 0 ? count : NULL;
}

static void
mark_common(GramTable *table, const char *utf8, size_t len,
			const TextOptions *options)
{
	FeatureReader reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		n;

	gram_reader_init(&reader, utf8, len, options, table->counts.env);
	while (feature_reader_next(&reader, grams, &n))
	{
		for (size_t i = 0; i < n; i++)
		{
			uint32_t   *count = find_gram(table, grams[i]);

			if (count != NULL)
				*count = COMMON;
		}
	}
}

/* Count the words of a text, and those in a gram whose count is at least "least". */
static void
count_words(const GramTable *table, uint32_t least, const char *utf8,
			size_t len, const TextOptions *options, size_t *n_words,
			size_t *n_common)
{
	FeatureReader reader;
	uint64_t	grams[FEATURE_BATCH];
	size_t		shingle = (size_t) options->shingle;
	size_t		gram = 0;		/* its number is that of its first word */
	size_t		counted = 0;	/* the words before this one are counted */
	size_t		n;

	*n_common = 0;
	gram_reader_init(&reader, utf8, len, options, table->counts.env);
	while (feature_reader_next(&reader, grams, &n))
	{
		for (size_t i = 0; i < n; i++, gram++)
		{
			const uint32_t *count = find_gram(table, grams[i]);

			if (count == NULL || *count < least)
				continue;
			*n_common += gram + shingle - (counted > gram ? counted : gram);
			counted = gram + shingle;
		}
	}
	*n_words = reader.maker.seen;
}

bool
core_containment_text(const char *a, size_t a_len, const char *b, size_t b_len,
					  const TextOptions *options, const Env *env,
					  double *share)
{
	GramTable	table;
	uint32_t	least = 1;
	size_t		n_words;
	size_t		n_common;

	if (a_len < b_len)
	{
		make_gram_table(&table, a, a_len, options, env);
		mark_common(&table, b, b_len, options);
		least = COMMON;
	}
	else
		make_gram_table(&table, b, b_len, options, env);
	count_words(&table, least, a, a_len, options, &n_words, &n_common);
	env_free(env, table.filter);
	core_counts_free(&table.counts);
	if (n_words == 0)
		return false;
	*share = (double) n_common / (double) n_words;
	return true;
}
