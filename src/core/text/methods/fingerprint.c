/*-------------------------------------------------------------------------
 *
 * fingerprint.c
 *		The fingerprints of a text. Tokens become features, a batch at a time. In simhash the
 *		features vote. In minhash the bins keep the smallest features.
 *
 *-------------------------------------------------------------------------
 */
#include "../features/counts.h"
#include "../features/distinct_features.h"
#include "../features/feature_reader.h"
#include "fingerprint.h"
#include "minwise.h"
#include "salts.h"

#if FEATURE_BATCH > DISTINCT_BATCH
#error a batch of features is added to the set at once
#endif

#define BYTES_PER_FEATURE 4		/* distinct features of a text of some pages */

/* Let the features vote: each distinct one, or all of them. */
static void
tally_units(Tally *tallies, int words, FeatureReader *reader, bool distinct, size_t len,
			const Env *env)
{
	DistinctSet set;
	uint64_t	features[FEATURE_BATCH];
	size_t		n;

	core_distinct_init(&set, env, len / BYTES_PER_FEATURE);
	while (feature_reader_next(reader, features, &n))
	{
		if (distinct)
			n = core_distinct_add(&set, features, n);
		core_tally_add_units(tallies, words, features, n);
	}
	core_distinct_free(&set);
}

static void
tally_logarithms(Tally *tallies, int words, FeatureReader *reader,
				 const Env *env)
{
	FeatureCounts counts;
	uint64_t	features[FEATURE_BATCH];
	size_t		n;

	core_counts_init(&counts, env);
	while (feature_reader_next(reader, features, &n))
		core_counts_add(&counts, features, n);
	for (size_t i = 0; i < counts.n_slots; i++)
	{
		tick(env, i);
		if (counts.counts[i] != 0)
			core_tally_add(tallies, words, counts.keys[i],
						   core_feature_weight(WEIGHT_LOGARITHM, counts.counts[i]), env);
	}
	core_counts_free(&counts);
}

void
core_tally_text(Tally *tallies, int words, const char *utf8, size_t len,
				const TextOptions *options, const Env *env)
{
	FeatureReader reader;

	feature_reader_init(&reader, utf8, len, options, env);
	if (options->weight == WEIGHT_LOGARITHM)
		tally_logarithms(tallies, words, &reader, env);
	else
		tally_units(tallies, words, &reader, options->weight == WEIGHT_ONCE, len, env);
	feature_reader_free(&reader);
}

bool
core_of_text(const char *utf8, size_t len, const TextOptions *options,
			 const Env *env, int words, uint64_t *fingerprint)
{
	Tally		tallies[MOST_WORDS];
	bool		found;

	core_tally_init(tallies, words);
	core_tally_text(tallies, words, utf8, len, options, env);
	found = core_tally_result(tallies, words, fingerprint);
	core_tally_free(tallies, words, env);
	return found;
}

bool
core_minwise_text(const char *utf8, size_t len, const TextOptions *options,
				  const Env *env, int words, uint64_t *fingerprint)
{
	TextOptions once = *options;
	FeatureReader reader;
	MinWise		min[MOST_WORDS];
	uint64_t	features[FEATURE_BATCH];
	size_t		n;

	once.weight = WEIGHT_ONCE;
	feature_reader_init(&reader, utf8, len, &once, env);
	core_minwise_init(min, words);
	while (feature_reader_next(&reader, features, &n))
		core_minwise_add(min, words, features, n);
	feature_reader_free(&reader);
	return core_minwise_result(min, words, fingerprint);
}

/* Add a text's features to a set and return the number of new features. */
static size_t
add_features(DistinctSet *set, const char *utf8, size_t len,
			 const TextOptions *options, const Env *env)
{
	TextOptions once = *options;
	FeatureReader reader;
	uint64_t	features[FEATURE_BATCH];
	size_t		n_new = 0;
	size_t		n;

	once.weight = WEIGHT_ONCE;
	feature_reader_init(&reader, utf8, len, &once, env);
	while (feature_reader_next(&reader, features, &n))
		n_new += core_distinct_add(set, features, n);
	feature_reader_free(&reader);
	return n_new;
}

bool
core_resemblance_text(const char *a, size_t a_len, const char *b,
					  size_t b_len, const TextOptions *options,
					  const Env *env, double *resemblance)
{
	DistinctSet set;
	size_t		n_a;
	size_t		n_b;
	size_t		n_all;

	/*
	 * The resemblance is the number of common features divided by the number
	 * of features that a or b has, each counted once.  Count the features of
	 * b alone, and then those of a.  The set then has the features of a, so
	 * adding those of b again counts only the features that a lacks, which
	 * gives the number of all.  The common features are counted twice in n_a
	 * + n_b and once in n_all, so the difference is their number.
	 *
	 * This reads b twice, so that one set is enough at any time.
	 */
	core_distinct_init(&set, env, b_len / BYTES_PER_FEATURE);
	n_b = add_features(&set, b, b_len, options, env);
	core_distinct_free(&set);

	core_distinct_init(&set, env, a_len / BYTES_PER_FEATURE);
	n_a = add_features(&set, a, a_len, options, env);
	n_all = n_a + add_features(&set, b, b_len, options, env);
	core_distinct_free(&set);

	if (n_all == 0)
		return false;
	*resemblance = (double) (n_a + n_b - n_all) / (double) n_all;
	return true;
}
