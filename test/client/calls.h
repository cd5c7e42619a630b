/*
 * One call of every function, with any bytes and options, and a digest of all results.
 */
#ifndef CLIENT_CALLS_H
#define CLIENT_CALLS_H

#include "test.h"

/* FNV-1a */
static inline void
digest(uint64_t *sum, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*sum = (*sum ^ ((const unsigned char *) bytes)[i]) * UINT64_C(1099511628211);
}

/* Did a call run out of memory?  Its result belongs to the digest. */
static inline bool
no_memory(uint64_t *sum, int result)
{
	digest(sum, &result, sizeof(result));
	return result == PGSIMHASH_NO_MEMORY;
}

/* Fingerprints of a text */
static inline bool
call_texts(uint64_t *sum, const char *a, size_t n, const pgsimhash_options *options, int bits)
{
	uint64_t	words[PGSIMHASH_MOST_WORDS] = {0};
	bool		failed = false;

	failed |= no_memory(sum, pgsimhash_minhash(a, n, bits, options, words));
	digest(sum, words, sizeof(words));
	failed |= no_memory(sum, pgsimhash_simhash(a, n, bits, options, words));
	digest(sum, words, sizeof(words));
	return failed;
}

/* Duplicates among pieces of a text, and the key of it */
static inline bool
call_duplicates(uint64_t *sum, const char *a, size_t n, int choice)
{
	pgsimhash_duplicates *d = NULL;
	pgsimhash_duplicate found[4];
	unsigned char key[16] = {0};
	size_t		n_found = 1;
	size_t		n_by_numbers = 0;
	bool		failed = no_memory(sum, pgsimhash_copy_key(a, n, key));
	int			result;

	digest(sum, key, sizeof(key));
	result = pgsimhash_duplicates_begin(choice & 1, choice >> 1 & 1, choice % 40, choice & 4 ? 1 : 0, &d);
	failed |= no_memory(sum, result);
	for (int i = 0; i < 7 && result == PGSIMHASH_OK; i++)
	{
		size_t		start = n / 7 * (size_t) (i % 3);
		size_t		length = (n - start) / (size_t) (1 + i % 2);

		result = pgsimhash_duplicates_add(d, a, n / 9 * (size_t) (i % 2), a + start, length, NULL);
		failed |= no_memory(sum, result);
		if (result == PGSIMHASH_INVALID_UTF8)
			result = PGSIMHASH_OK;
	}
	if (result == PGSIMHASH_OK)
	{
		result = pgsimhash_duplicates_find(d, (size_t) choice / 32, NULL, 2, &n_by_numbers, NULL);
		failed |= no_memory(sum, result);
		digest(sum, &n_by_numbers, sizeof(n_by_numbers));
	}
	while (result == PGSIMHASH_OK && n_found > 0)
	{
		result = pgsimhash_duplicates_next(d, found, 4, &n_found);
		failed |= no_memory(sum, result);
		if (result == PGSIMHASH_OK)
			digest(sum, found, n_found * sizeof(*found));
	}
	pgsimhash_duplicates_end(d);
	return failed;
}

/* Comparisons of a text's beginning with its end */
static inline bool
call_comparisons(uint64_t *sum, const char *a, size_t n, const pgsimhash_options *options)
{
	const pgsimhash_options forms = {.no_fold = options->no_fold,.no_normalization = options->no_normalization};
	const char *b = a + n / 3;
	int64_t    *keys = NULL;
	const pgsimhash_options cases = {.no_fold = options->no_fold};
	pgsimhash_passage *passages = NULL;
	pgsimhash_change *changes = NULL;
	size_t		n_found = 0;
	uint64_t	value = 0;
	int			same = 0;
	double		share = 0;
	bool		failed = false;

	failed |= no_memory(sum, pgsimhash_resemblance(a, n / 2, b, n - n / 3, options, &share));
	digest(sum, &share, sizeof(share));
	failed |= no_memory(sum, pgsimhash_containment(a, n / 2, b, n - n / 3, 3, &forms, &share));
	digest(sum, &share, sizeof(share));
	failed |= no_memory(sum, pgsimhash_passage_keys(a, n, 8, 3, &forms, &keys, &n_found));
	digest(sum, keys, keys == NULL ? 0 : n_found * sizeof(*keys));
	pgsimhash_free(keys);
	failed |= no_memory(sum, pgsimhash_passages(a, n / 2, b, n - n / 3, 4, 3, &forms, &passages, &n_found));
	digest(sum, passages, passages == NULL ? 0 : n_found * sizeof(*passages));
	for (size_t i = 0; passages != NULL && i < n_found; i++)
		if (passages[i].a.byte + passages[i].a.bytes > n / 2 ||
			passages[i].b.byte + passages[i].b.bytes > n - n / 3)
			abort();
	pgsimhash_free(passages);
	for (int numbers = 0; numbers < 2; numbers++)
	{
		failed |= no_memory(sum, pgsimhash_first_change(a, n / 2, b, n - n / 3, numbers, &value));
		digest(sum, &value, sizeof(value));
		failed |= no_memory(sum, pgsimhash_same_document(a, n / 2, b, n - n / 3, numbers, &same));
		digest(sum, &same, sizeof(same));
	}
	failed |= no_memory(sum, pgsimhash_changes(a, n / 2, b, n - n / 3, &cases, &changes, &n_found));
	for (size_t i = 0; changes != NULL && i < n_found; i++)
	{
		digest(sum, &changes[i].a, sizeof(changes[i].a));
		digest(sum, &changes[i].b, sizeof(changes[i].b));
		digest(sum, &changes[i].times, sizeof(changes[i].times));
		if (changes[i].a.byte + changes[i].a.bytes > n / 2 ||
			changes[i].b.byte + changes[i].b.bytes > n - n / 3)
			abort();
	}
	pgsimhash_free(changes);
	return failed;
}

/* Features, pairs and groups: the bytes are numbers */
static inline bool
call_numbers(uint64_t *sum, const char *a, size_t n)
{
	size_t		n_words = n / 8 & ~(size_t) 1;
	uint64_t   *words = malloc(n_words * 8 + 1);
	double	   *weights = malloc(n_words * 8 + 1);
	uint32_t   *groups = calloc(n_words + 1, 4);
	uint64_t	result[PGSIMHASH_MOST_WORDS] = {0};
	pgsimhash_pairs *pairs = NULL;
	pgsimhash_pair found[5] = {{0, 0, 0}};
	size_t		n_found = 0;
	int64_t		keys[9] = {0};
	bool		failed = false;

	memcpy(words, a, n_words * 8);
	for (size_t i = 0; i < n_words; i++)
		weights[i] = (double) (words[i] % 7) * .3 - .5;
	failed |= no_memory(sum, pgsimhash_simhash_features(words, weights, n_words, 128, result));
	failed |= no_memory(sum, pgsimhash_vote(words, weights, n_words / 2, 100, result));
	failed |= no_memory(sum, pgsimhash_minhash_features(words, n_words, 192, result));
	if (n_words > 0)
		no_memory(sum, pgsimhash_signature_bits(words, n_words < 1024 ? n_words : 1024, result));
	digest(sum, result, sizeof(result));
	if (n_words >= 2)
		no_memory(sum, pgsimhash_block_keys(words, 128, 8, keys, &n_found));
	digest(sum, keys, sizeof(keys));
	if (pgsimhash_pairs_begin(words, n_words / 2, 128, 20, n_words % 4, &pairs) != PGSIMHASH_OK)
		failed = true;
	else
		while (!no_memory(sum, pgsimhash_pairs_next(pairs, found, 5, &n_found)) && n_found > 0)
			digest(sum, found, n_found * sizeof(*found));
	pgsimhash_pairs_end(pairs);
	failed |= no_memory(sum, pgsimhash_groups(words, n_words / 2, 128, 20, PGSIMHASH_STAR, 0, groups));
	failed |= no_memory(sum, pgsimhash_groups(words, n_words, 64, 20, PGSIMHASH_COMPONENTS, 1, groups));
	digest(sum, groups, n_words * 4);
	if (n_words > 0)
	{
		pgsimhash_edge *edges = malloc(n_words * sizeof(pgsimhash_edge));

		for (size_t i = 0; i < n_words; i++)
		{
			edges[i].a = (uint32_t) (words[i] % n_words);
			edges[i].b = (uint32_t) (words[i] / n_words % n_words);
		}
		failed |= no_memory(sum, pgsimhash_stars(edges, n_words, n_words, groups));
		digest(sum, groups, n_words * 4);
		free(edges);
	}
	free(words);
	free(weights);
	free(groups);
	return failed;
}

/* Everything, with options that "choice" chooses.  Return whether a call had no memory. */
static inline bool
call_all(uint64_t *sum, const char *a, size_t n, unsigned choice)
{
	pgsimhash_options options = chosen_options(choice % N_CHOICES);
	char	   *copy = malloc(n);	/* of the exact size */
	bool		failed;

	if (n > 0)
		memcpy(copy, a, n);
	failed = call_texts(sum, copy, n, &options, (int) (choice % 16 + 1) * 64);
	failed |= call_comparisons(sum, copy, n, &options);
	failed |= call_duplicates(sum, copy, n, (int) (choice % 128));
	failed |= call_numbers(sum, copy, n);
	free(copy);
	return failed;
}

#endif
