/*
 * Fuzz target: passages of a text of any bytes, with any options.
 *
 * Five bytes choose the options, the rest is the text.  Its keys are those of the
 * definition.  Each word is at its place.  The text's two halves have only passages
 * that are there, and two texts that contain the first half share a key.  The first change
 * between the halves is that of the definition.
 */
#include "../../src/core/changes/first_change.h"
#include "../../src/core/passages/align.h"
#include "../../src/core/passages/containment.h"
#include "../../src/core/passages/keys.h"
#include "../../src/core/text/mix.h"
#include "../../src/core/text/tokens/places.h"
#include "../unit/shared_keys.h"
#include "fuzz_env.h"

#define LONGEST_FOR_DEFINITION 4096

/* Every key is the smallest gram of a window, and every window has a key. */
static void
require_keys(const int64_t *keys, size_t n_keys, const WordList *list, size_t n, size_t words)
{
	size_t		w = words - n + 1;
	size_t		n_grams = list->n >= n ? list->n - n + 1 : 0;
	size_t		n_windows = n_grams == 0 ? 0 : n_grams < w ? 1 : n_grams - w + 1;
	uint64_t   *grams = calloc(n_grams + 1, sizeof(*grams));
	uint8_t    *seen = calloc(n_keys + 1, 1);

	for (size_t i = 0; i < n_grams; i++)
	{
		uint64_t	sum = 0;

		for (size_t j = 0; j < n; j++)
			sum = sum * MIX_FACTOR + list->words[i + j];
		grams[i] = n == 1 ? sum : mix64(sum);
	}
	for (size_t i = 0; i < n_windows; i++)
	{
		uint64_t	least = UINT64_MAX;
		size_t		k = 0;

		for (size_t j = i; j < n_grams && j < i + w; j++)
			least = grams[j] < least ? grams[j] : least;
		while (k < n_keys && keys[k] != (int64_t) least)
			k++;
		REQUIRE(k < n_keys);
		seen[k] = 1;
	}
	for (size_t k = 0; k < n_keys; k++)
		REQUIRE(seen[k]);
	free(seen);
	free(grams);
}

static void
require_places(const char *text, size_t size, const TextOptions *options,
			   const Env *env, const WordList *list)
{
	WordPlace  *places = calloc(list->n + 1, sizeof(*places));

	for (size_t i = 0; i <= list->n; i++)
	{
		places[i].word = i;
		places[i].end = SIZE_MAX;
	}
	core_word_places(text, size, options, env, places, list->n + 1);
	REQUIRE(places[list->n].end == SIZE_MAX);
	for (size_t i = 0; i < list->n; i++)
	{
		WordPlace	p = places[i];
		WordList	alone;
		char		dotted[65];
		char	   *copy;
		int			found = 0;

		REQUIRE(p.start < p.end && p.end <= size);
		REQUIRE(i == 0 || (p.start >= places[i - 1].start && p.end >= places[i - 1].end));

		/* see test_places of passages_test.c */
		if (p.end - p.start > 64 || (p.end - p.start >= 2 && memcmp(text + p.start, "\xCD\x85", 2) == 0))
			continue;
		/* marks behind white space are not what they are behind a sign */
		memcpy(dotted + 1, text + p.start, p.end - p.start);
		for (int k = 0; k < 2; k++)
		{
			dotted[0] = " ."[k];
			copy = exact_copy(dotted, p.end - p.start + 1);
			core_read_words(copy, p.end - p.start + 1, options, env, &alone);
			for (size_t j = 0; j < alone.n; j++)
				found |= alone.words[j] == list->words[i];
			free(alone.words);
			free(copy);
		}
		REQUIRE(found);
	}
	for (size_t i = 0; i < list->n; i += 1 + i / 2)
	{
		WordPlace	alone;

		alone.word = i;
		core_word_places(text, size, options, env, &alone, 1);
		REQUIRE(alone.start == places[i].start && alone.end == places[i].end &&
				alone.is_number == places[i].is_number);
	}
	free(places);
}

/*
 * The value of a reading: words that are equal are skipped, and of words that differ also numbers,
 * unless the reading counts them.
 */
static uint64_t
value_of_reading(const ReadText *a, const ReadText *b, bool numbers)
{
	const ReadText *texts[2] = {a, b};
	size_t		at[2] = {0, 0};
	uint64_t	value = 0;

	for (;;)
	{
		bool		skip[2];

		for (int i = 0; i < 2; i++)
			skip[i] = !numbers && at[i] < texts[i]->list.n && has_only_digits(texts[i], at[i]);
		if (at[0] < a->list.n && at[1] < b->list.n && a->list.words[at[0]] == b->list.words[at[1]])
			skip[0] = skip[1] = true;
		if (!skip[0] && !skip[1])
			break;
		at[0] += skip[0];
		at[1] += skip[1];
	}
	for (int i = 0; i < 2; i++)
	{
		int64_t		more = 0;

		for (int j = 0; j < 2; j++)
			for (size_t k = 0; k < texts[j]->list.n && at[i] < texts[i]->list.n; k++)
				more += texts[j]->list.words[k] == texts[i]->list.words[at[i]] ? (j == i ? 1 : -1) : 0;
		if (more > (int64_t) value)
			value = (uint64_t) more;
	}
	return value;
}

static void
require_first_change(const char *a, size_t a_size, const char *b, size_t b_size, const Env *env)
{
	ReadText	in_a;
	ReadText	in_b;
	uint64_t	values[2];

	core_read_text(a, a_size, NO_NUMBERS, env, &in_a);
	core_read_text(b, b_size, NO_NUMBERS, env, &in_b);
	for (int numbers = 0; numbers < 2; numbers++)
		values[numbers] = value_of_reading(&in_a, &in_b, numbers == 1);
	core_release_text(&in_a, env);
	core_release_text(&in_b, env);
	if (values[0] > values[1])
		values[1] = values[0];
	for (int numbers = 0; numbers < 2; numbers++)
	{
		REQUIRE(core_first_change_of_texts(a, a_size, b, b_size, numbers == 1, env) == values[numbers]);
		REQUIRE(core_first_change_of_texts(b, b_size, a, a_size, numbers == 1, env) == values[numbers]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int flags = (unsigned int) take(&data, &size, 1);
	size_t		n = 1 + take(&data, &size, 1) % 12;
	size_t		words = n + take(&data, &size, 1) % 40;
	size_t		least = 1 + take(&data, &size, 1) % 30;
	size_t		gap = take(&data, &size, 1) % 70;
	TextOptions options = TEXT_OPTIONS_DEFAULT;
	Env			env = fuzz_env(1);
	char	   *text = exact_copy(data, size);
	size_t		half = size / 2;
	char	   *b = exact_copy(text + half, size - half);
	WordList	lists[3];
	int64_t    *keys[3];
	size_t		n_keys[3];
	Passage    *passages;
	size_t		n_passages;
	double		share = -1;

	options.shingle = (int) n;
	options.fold = (flags & 1) == 0;
	options.normalize = (flags & 2) == 0;
	core_read_words(text, size, &options, &env, &lists[0]);
	core_read_words(text, half, &options, &env, &lists[1]);
	core_read_words(b, size - half, &options, &env, &lists[2]);
	n_keys[0] = core_choose_keys(text, size, &options, (int) words, &env, &keys[0]);
	n_keys[1] = core_choose_keys(text, half, &options, (int) words, &env, &keys[1]);
	n_keys[2] = core_choose_keys(text, size, &options, (int) n, &env, &keys[2]);
	for (int i = 0; i < 3; i++)
		REQUIRE(ascend(keys[i], n_keys[i]));
	if (size <= LONGEST_FOR_DEFINITION)
	{
		require_keys(keys[0], n_keys[0], &lists[0], n, words);
		require_keys(keys[2], n_keys[2], &lists[0], n, n);
		require_places(text, size, &options, &env, &lists[0]);
	}
	/* with n words all grams are keys, and so the other keys are among them */
	REQUIRE(count_shared(keys[0], n_keys[0], keys[2], n_keys[2]) == n_keys[0]);

	/*
	 * the last word of the half, and what follows a mark, may continue behind
	 * it
	 */
	if (lists[1].n >= words && memcmp(lists[0].words, lists[1].words, words * sizeof(uint64_t)) == 0)
		REQUIRE(count_shared(keys[0], n_keys[0], keys[1], n_keys[1]) > 0);

	n_passages = core_align(&lists[1], &lists[2], least, gap, &env, &passages);
	for (size_t i = 0; i < n_passages; i++)
	{
		Passage		p = passages[i];

		REQUIRE(p.a_start < p.a_end && p.a_end <= lists[1].n);
		REQUIRE(p.b_start < p.b_end && p.b_end <= lists[2].n);
		REQUIRE(p.words >= least && p.words <= p.a_end - p.a_start && p.words <= p.b_end - p.b_start);
		REQUIRE(lists[1].words[p.a_start] == lists[2].words[p.b_start]);
		REQUIRE(lists[1].words[p.a_end - 1] == lists[2].words[p.b_end - 1]);
		REQUIRE(i == 0 || p.words <= passages[i - 1].words);
	}
	free(passages);
	n_passages = core_align(&lists[0], &lists[0], least, gap, &env, &passages);
	REQUIRE((n_passages > 0) == (lists[0].n >= least));
	if (n_passages > 0)
		REQUIRE(passages[0].words == lists[0].n);
	free(passages);

	require_first_change(text, half, b, size - half, &env);
	REQUIRE(core_containment_text(text, size, text, size, &options, &env, &share) == (lists[0].n > 0));
	REQUIRE(lists[0].n == 0 || share == (lists[0].n >= n ? 1 : 0));
	if (core_containment_text(text, half, b, size - half, &options, &env, &share))
		REQUIRE(share >= 0 && share <= 1);
	for (int i = 0; i < 3; i++)
	{
		free(keys[i]);
		free(lists[i].words);
	}
	free(b);
	free(text);
	return 0;
}
