/*
 * Tests of passages: keys, places of words, alignment and containment, against
 * simple definitions of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/core/passages/align.h"
#include "../../src/core/passages/containment.h"
#include "../../src/core/passages/keys.h"
#include "../../src/core/text/mix.h"
#include "../../src/core/text/tokens/places.h"
#include "../../src/core/text/tokens/tokens.h"
#include "shared_keys.h"
#include "texts.h"

/* ---------- keys ---------- */

static int
compare_numbers(const void *x, const void *y)
{
	int64_t		a = *(const int64_t *) x;
	int64_t		b = *(const int64_t *) y;

	return (a > b) - (a < b);
}

/* The keys by their definition */
static size_t
simple_keys(const uint64_t *words, size_t n_words, int words_option, int n, int64_t *keys)
{
	size_t		w = (size_t) (words_option - n + 1);
	size_t		n_grams = n_words >= (size_t) n ? n_words - (size_t) n + 1 : 0;
	size_t		n_windows = n_grams == 0 ? 0 : n_grams < w ? 1 : n_grams - w + 1;
	size_t		n_keys = 0;
	size_t		n_distinct = 0;

	for (size_t i = 0; i < n_windows; i++)
	{
		uint64_t	least = UINT64_MAX;

		for (size_t j = i; j < n_grams && j < i + w; j++)
		{
			uint64_t	sum = 0;

			for (int k = 0; k < n; k++)
				sum = sum * MIX_FACTOR + words[j + (size_t) k];
			if (n > 1)
				sum = mix64(sum);
			if (sum < least)
				least = sum;
		}
		keys[n_keys++] = (int64_t) least;
	}
	qsort(keys, n_keys, sizeof(*keys), compare_numbers);
	for (size_t i = 0; i < n_keys; i++)
	{
		if (i == 0 || keys[i] != keys[i - 1])
			keys[n_distinct++] = keys[i];
	}
	return n_distinct;
}

static void
test_keys(void)
{
	static const int choices[][2] = {{30, 8}, {8, 8}, {9, 8}, {30, 1}, {1, 1}, {40, 16},
	{12, 3}, {100, 8}, {1000, 1000}, {600, 5}};
	int			differ = 0;
	int			n_tests = 0;

	for (int round = 0; round < 1500; round++)
	{
		const int  *choice = choices[below(10)];
		TextOptions options = options_of(choice[1], below(2) == 0, below(2) == 0);
		String		s = {0};
		WordList	list;
		int64_t    *keys;
		int64_t    *expected;
		size_t		n;

		append(&s, "", 0);
		/* also texts of exactly n words, and near the length of a window */
		if (round % 2 == 0)
			append_words(&s, (size_t) choice[round / 2 % 2] + below(4) - (choice[1] > 1 ? 1 : 0), 50);
		else
			append_pieces(&s, below(N_SCRIPTS + 1), below(below(8) == 0 ? 3000 : 120));
		list = words_of(&s, &options);
		expected = malloc((list.n + 1) * sizeof(*expected));
		n = core_choose_keys(s.bytes, s.len, &options, choice[0], &env, &keys);
		if (n != simple_keys(list.words, list.n, choice[0], choice[1], expected) ||
			memcmp(keys, expected, n * sizeof(*keys)) != 0 ||
			(n == 0) != (list.n < (size_t) choice[1]) ||
			!ascend(keys, n))
			differ++;
		n_tests++;
		free(expected);
		env.release(NULL, keys);
		env.release(NULL, list.words);
		free(s.bytes);
	}
	check(differ == 0, "keys are those of the definition: %d of %d differ", differ, n_tests);
}

/*
 * Two texts of any script with "words" adjacent words in common have a key in common.
 * A text in which the passage lies, and the passage alone as a query with all grams,
 * have one in common, too.
 */
static void
test_guarantee(void)
{
	int			missed = 0;
	int			n_tests = 0;

	for (size_t script = 0; script <= N_SCRIPTS; script++)
	{
		for (int round = 0; round < 60; round++)
		{
			int			n = 1 + (int) below(9);
			int			words = n + (int) below(30);
			TextOptions options = options_of(n, true, true);
			String		passage = {0};
			String		texts[2] = {{0}, {0}};
			int64_t    *keys[3];
			size_t		n_keys[3];
			WordList	list;

			/* a word between separators on both sides, so that the words stay the same */
			append_string(&passage, ".a.");
			do
			{
				append_pieces(&passage, script, 1);
				list = words_of(&passage, &options);
				env.release(NULL, list.words);
			} while (list.n < (size_t) words && passage.len < 4000);
			append_string(&passage, ".a.");
			if (list.n < (size_t) words)
			{
				free(passage.bytes);
				continue;
			}
			for (int i = 0; i < 2; i++)
			{
				append_pieces(&texts[i], below(N_SCRIPTS + 1), below(60));
				append(&texts[i], passage.bytes, passage.len);
				append_pieces(&texts[i], below(N_SCRIPTS + 1), below(60));
				n_keys[i] = core_choose_keys(texts[i].bytes, texts[i].len, &options, words, &env, &keys[i]);
			}
			n_keys[2] = core_choose_keys(passage.bytes, passage.len, &options, n, &env, &keys[2]);
			for (int i = 0; i < 3; i++)
			{
				int			other = (i + 1) % 3;

				if (count_shared(keys[i], n_keys[i], keys[other], n_keys[other]) == 0)
					missed++;
				n_tests++;
			}
			for (int i = 0; i < 3; i++)
				env.release(NULL, keys[i]);
			free(passage.bytes);
			free(texts[0].bytes);
			free(texts[1].bytes);
		}
	}
	check(missed == 0 && n_tests > 2000, "the guarantee holds in all scripts: %d of %d pairs missed", missed, n_tests);
}

static void
test_key_memory(void)
{
	TextOptions options = options_of(8, true, true);
	String		s = {0};
	int64_t    *keys;
	size_t		n;

	for (int i = 0; i < 1000000; i++)
		append_string(&s, "word ");
	most_bytes = live_bytes;
	interrupts = 0;
	n = core_choose_keys(s.bytes, s.len, &options, 8, &env, &keys);
	check(n == 1 && most_bytes < 100000 && interrupts > 50,
		  "one word a million times: %zu key, %zu bytes, %ld checks", n, most_bytes, interrupts);
	env.release(NULL, keys);

	/* so many keys that duplicates are removed meanwhile */
	s.len = 0;
	for (int i = 0; i < 300000; i++)
	{
		char		word[32];

		append(&s, word, (size_t) snprintf(word, sizeof(word), "w%d ", i % 200000));
	}
	n = core_choose_keys(s.bytes, s.len, &options, 8, &env, &keys);
	check(n == 200000, "all grams of a long text are keys: %zu", n);
	env.release(NULL, keys);
	free(s.bytes);
}

/* ---------- places ---------- */

/* The words of the bytes at a place alone are, or at least contain, the word itself. */
static void
test_places(void)
{
	int			wrong = 0;
	size_t		n_tests = 0;
	size_t		exact = 0;

	for (size_t script = 0; script <= N_SCRIPTS; script++)
	{
		for (int round = 0; round < 40; round++)
		{
			TextOptions options = options_of(1, round % 2 == 0, round % 4 < 2);
			String		s = {0};
			WordList	list;
			WordPlace  *places;

			append(&s, "", 0);
			append_pieces(&s, script, below(150));
			if (round % 3 == 0)
			{
				append_words(&s, below(200), 100000);
				append_pieces(&s, script, below(20));
			}
			list = words_of(&s, &options);
			places = calloc(list.n + 1, sizeof(*places));
			for (size_t i = 0; i <= list.n; i++)
			{
				places[i].word = i;
				places[i].end = SIZE_MAX;
			}
			core_word_places(s.bytes, s.len, &options, &env, places, list.n + 1);

			/* there is no word after the last one */
			wrong += places[list.n].end != SIZE_MAX;
			for (size_t i = 0; i < list.n; i++)
			{
				WordPlace	p = places[i];
				String		part = {0};
				WordList	alone;
				bool		found = false;

				if (p.end > s.len || p.start >= p.end ||
					(i > 0 && (p.start < places[i - 1].start || p.end < places[i - 1].end)))
				{
					wrong++;
					continue;
				}

				/*
				 * marks at the beginning of a text, or behind a space, are no
				 * word, or not in the word
				 */
				append(&part, ".", 1);
				append(&part, s.bytes + p.start, p.end - p.start);
				alone = words_of(&part, &options);
				for (size_t j = 0; j < alone.n; j++)
					found = found || alone.words[j] == list.words[i];
				if (!found)
				{
					env.release(NULL, alone.words);
					part.bytes[0] = ' ';
					alone = words_of(&part, &options);
					for (size_t j = 0; j < alone.n; j++)
						found = found || alone.words[j] == list.words[i];
				}

				/*
				 * Folded, an ypogegrammeni behind a Chinese character begins
				 * a word.  Marks of that character may follow it in the text.  A
				 * circle is a zero only behind a numeral.
				 */
				wrong += !found && memcmp(part.bytes + 1, "\xCD\x85", 2) != 0 &&
					memcmp(part.bytes + 1, "○", 3) != 0;
				exact += found && alone.n == 1;
				n_tests++;
				env.release(NULL, alone.words);
				free(part.bytes);
			}
			/* the same if the places of few words are wanted */
			for (size_t i = below(60); i < list.n; i += below(60))
			{
				WordPlace	few[2];

				few[0].word = few[1].word = i;
				core_word_places(s.bytes, s.len, &options, &env, few, 2);
				wrong += few[0].start != places[i].start || few[0].end != places[i].end ||
					few[1].end != places[i].end || few[0].is_number != places[i].is_number;
			}
			free(places);
			env.release(NULL, list.words);
			free(s.bytes);
		}
	}
	check(wrong == 0 && n_tests > 20000, "places of words: %d of %zu are wrong", wrong, n_tests);
	check(exact > n_tests * 9 / 10, "%zu places are of one word alone", exact);
}

/* ---------- alignment ---------- */

/* Does a passage obey what align.h says of it? */
static bool
is_passage(const WordList *a, const WordList *b, const Passage *p, size_t least)
{
	size_t		n_a = p->a_end - p->a_start;
	size_t		n_b = p->b_end - p->b_start;

	return p->a_start < p->a_end && p->a_end <= a->n &&
		p->b_start < p->b_end && p->b_end <= b->n &&
		p->words >= least && p->words <= n_a && p->words <= n_b &&
		a->words[p->a_start] == b->words[p->b_start] &&
		a->words[p->a_end - 1] == b->words[p->b_end - 1];
}

static void
test_align(void)
{
	static const size_t vocabularies[] = {1, 2, 3, 10, 100, 10000};
	TextOptions options = options_of(1, true, true);
	int			wrong = 0;
	int			missed = 0;
	int			unlike = 0;

	for (int round = 0; round < 3000; round++)
	{
		size_t		vocabulary = vocabularies[below(6)];
		size_t		least = 1 + below(25);
		size_t		gap = below(20);
		String		passage = {0};
		String		texts[2] = {{0}, {0}};
		WordList	lists[2];
		Passage    *passages;
		Passage    *mirrored;
		size_t		place[2];
		size_t		length = below(60);
		bool		found = length < least;
		size_t		n;
		size_t		n_mirrored;

		append(&passage, "", 0);
		append_words(&passage, length, vocabulary);
		for (int t = 0; t < 2; t++)
		{
			append(&texts[t], "", 0);
			place[t] = below(100);
			append_words(&texts[t], place[t], vocabulary);
			append(&texts[t], passage.bytes, passage.len);
			append_words(&texts[t], below(100), vocabulary);
			lists[t] = words_of(&texts[t], &options);
		}
		n = core_align(&lists[0], &lists[1], least, gap, &env, &passages);
		for (size_t i = 0; i < n; i++)
		{
			const Passage *p = &passages[i];

			if (!is_passage(&lists[0], &lists[1], p, least) ||
				(i > 0 && p->words > passages[i - 1].words))
				wrong++;
			found = found || (p->a_start <= place[0] && p->b_start <= place[1] &&
							  p->a_end >= place[0] + length && p->b_end >= place[1] + length);
		}

		/*
		 * shorter passages may be covered by others, and repetitions may hide
		 * one
		 */
		missed += !found && least >= 4 && vocabulary >= 100;
		n_mirrored = core_align(&lists[1], &lists[0], least, gap, &env, &mirrored);
		if (lists[0].n != lists[1].n && vocabulary >= 100)
		{
			unlike += n != n_mirrored;
			for (size_t i = 0; i < n && i < n_mirrored; i++)
				unlike += passages[i].words != mirrored[i].words;
		}
		env.release(NULL, passages);
		env.release(NULL, mirrored);
		for (int t = 0; t < 2; t++)
		{
			env.release(NULL, lists[t].words);
			free(texts[t].bytes);
		}
		free(passage.bytes);
	}
	check(wrong == 0, "alignment: %d passages are wrong", wrong);
	check(missed == 0, "alignment: %d passages are missed", missed);
	check(unlike == 0, "alignment: %d results change with the order of the texts", unlike);
}

static size_t
align_texts(const char *a, const char *b, size_t least, size_t gap, Passage *first)
{
	TextOptions options = options_of(1, true, true);
	WordList	lists[2];
	Passage    *passages;
	size_t		n;

	core_read_words(a, strlen(a), &options, &env, &lists[0]);
	core_read_words(b, strlen(b), &options, &env, &lists[1]);
	n = core_align(&lists[0], &lists[1], least, gap, &env, &passages);
	if (n > 0)
		*first = passages[0];
	env.release(NULL, passages);
	env.release(NULL, lists[0].words);
	env.release(NULL, lists[1].words);
	return n;
}

static void
test_align_examples(void)
{
	Passage		p;

	check(align_texts("", "", 1, 15, &p) == 0 && align_texts("a b c d", "", 1, 15, &p) == 0 &&
		  align_texts("a b c d", "e f g h", 1, 15, &p) == 0,
		  "alignment: nothing in common");
	check(align_texts("x a b c y", "a b c", 3, 15, &p) == 1 && p.a_start == 1 && p.a_end == 4 &&
		  p.b_start == 0 && p.b_end == 3 && p.words == 3,
		  "alignment: fewer words than a seed");
	check(align_texts("a b c d X e f g h", "a b c d Y e f g h", 8, 1, &p) == 1 && p.a_end == 9 && p.words == 8 &&
		  align_texts("a b c d X e f g h", "a b c d Y e f g h", 8, 0, &p) == 0 &&
		  align_texts("a b c d X1 X2 e f g h", "a b c d e f g h", 8, 2, &p) == 1 && p.a_end == 10 && p.words == 8 &&
		  align_texts("a b c d X1 X2 e f g h", "a b c d e f g h", 8, 1, &p) == 0,
		  "alignment: gaps");
	check(align_texts("a b c d X s t Y e f g h", "a b c d Z s t e f g h", 1, 15, &p) == 1 && p.words == 10,
		  "alignment: equal words in gaps count");
	check(align_texts("a b c d d e f g h", "a b c d e f g h", 1, 15, &p) == 1 && p.words == 8 &&
		  align_texts("a b c d d e f g h", "a b c d d d d d e f g h", 1, 15, &p) == 1 && p.words == 9,
		  "alignment: overlapping runs");
	check(align_texts("a b c d e f . x y z . a b c d e f", "a b c d e f", 6, 2, &p) == 2 &&
		  align_texts("a b c d e f", "a b c d e f x y z a b c d e f", 6, 2, &p) == 2,
		  "alignment: a passage that occurs twice");
}

/*
 * Passages with 5 % edits: how much is covered, and how much beside them is.  A third
 * of the edits each replace, delete and insert a word.
 */
static void
test_coverage(void)
{
	TextOptions options = options_of(1, true, true);
	size_t		length_of_all = 0;
	size_t		covered = 0;
	size_t		beside = 0;

	for (int round = 0; round < 400; round++)
	{
		size_t		length = 50 + below(250);
		size_t		starts[2] = {below(500), below(500)};
		size_t		ends[2];
		String		texts[2] = {{0}, {0}};
		WordList	lists[2];
		Passage    *passages;
		size_t		n;

		append(&texts[0], "", 0);
		append(&texts[1], "", 0);
		append_words(&texts[0], starts[0], 3000);
		append_words(&texts[1], starts[1], 3000);
		ends[0] = starts[0];
		ends[1] = starts[1];
		for (size_t i = 0; i < length; i++)
		{
			char		word[32];
			size_t		edit = below(60);
			size_t		len = (size_t) snprintf(word, sizeof(word), "w%zu ", below(3000));

			append(&texts[0], word, len);
			ends[0]++;
			if (edit == 0)
				continue;
			if (edit == 1 || edit == 2)
			{
				append_words(&texts[1], 1, 3000);
				ends[1]++;
			}
			if (edit == 1)
				continue;
			append(&texts[1], word, len);
			ends[1]++;
		}
		append_words(&texts[0], 500, 3000);
		append_words(&texts[1], 500, 3000);
		for (int t = 0; t < 2; t++)
			lists[t] = words_of(&texts[t], &options);
		n = core_align(&lists[0], &lists[1], 20, 15, &env, &passages);
		length_of_all += ends[0] - starts[0];
		for (size_t i = 0; i < n; i++)
		{
			for (size_t j = passages[i].a_start; j < passages[i].a_end; j++)
			{
				if (j >= starts[0] && j < ends[0])
					covered++;
				else
					beside++;
			}
		}
		env.release(NULL, passages);
		for (int t = 0; t < 2; t++)
		{
			env.release(NULL, lists[t].words);
			free(texts[t].bytes);
		}
	}
	check(covered >= length_of_all * 97 / 100 && beside * 100 <= length_of_all,
		  "alignment: %.1f %% of passages with 5 %% edits covered, excess %.2f %%",
		  100.0 * (double) covered / (double) length_of_all, 100.0 * (double) beside / (double) length_of_all);
}

/* Time and memory of texts that repeat themselves; there is one interrupt in STEPS_BETWEEN_CHECKS steps */
static void
test_hostile(void)
{
	static const size_t vocabularies[] = {1, 2, 3, 20};
	TextOptions options = options_of(1, true, true);
	size_t		n_words = 300000;

	for (size_t v = 0; v < 4; v++)
	{
		String		texts[2] = {{0}, {0}};
		WordList	lists[2];
		Passage    *passages;
		size_t		n;

		for (int t = 0; t < 2; t++)
		{
			append_words(&texts[t], n_words, vocabularies[v]);
			lists[t] = words_of(&texts[t], &options);
		}
		most_bytes = live_bytes;
		n = live_bytes;
		interrupts = 0;
		core_align(&lists[0], &lists[1], 20, 15, &env, &passages);
		check(most_bytes - n < 30 * n_words && interrupts > 5 && interrupts < 200,
			  "alignment of %zu words out of %zu: %.1f bytes a word, %ld checks", n_words,
			  vocabularies[v], (double) (most_bytes - n) / (double) n_words, interrupts);
		env.release(NULL, passages);
		for (int t = 0; t < 2; t++)
		{
			env.release(NULL, lists[t].words);
			free(texts[t].bytes);
		}
	}
}

/* So many short passages that sorting them takes longer than finding them */
static void
test_many_passages(void)
{
	TextOptions options = options_of(1, true, true);
	WordList	lists[2];
	Passage    *passages;
	bool		sorted = true;
	size_t		n;

	for (int t = 0; t < 2; t++)
	{
		String		text = {0};

		append_words(&text, 100000, 10000);
		lists[t] = words_of(&text, &options);
		free(text.bytes);
	}
	interrupts = 0;
	n = core_align(&lists[0], &lists[1], 1, 0, &env, &passages);
	for (size_t i = 1; i < n; i++)
	{
		const Passage *p = &passages[i - 1];
		const Passage *q = &passages[i];

		sorted = sorted && (p->words != q->words ? p->words > q->words :
							p->a_start != q->a_start ? p->a_start < q->a_start :
							p->b_start <= q->b_start);
	}
	check(n > 100000 && sorted && interrupts > 100,
		  "alignment: %zu passages in order, %ld checks", n, interrupts);
	env.release(NULL, passages);
	for (int t = 0; t < 2; t++)
		env.release(NULL, lists[t].words);
}

/* ---------- containment ---------- */

static double
simple_containment(const WordList *a, const WordList *b, size_t n)
{
	uint8_t    *common = calloc(a->n + 1, 1);
	size_t		n_common = 0;

	for (size_t i = 0; i + n <= a->n; i++)
	{
		for (size_t j = 0; j + n <= b->n; j++)
		{
			if (memcmp(a->words + i, b->words + j, n * sizeof(*a->words)) == 0)
				memset(common + i, 1, n);
		}
	}
	for (size_t i = 0; i < a->n; i++)
		n_common += common[i];
	free(common);
	return a->n == 0 ? -1 : (double) n_common / (double) a->n;
}

static void
test_containment(void)
{
	int			differ = 0;
	int			round;

	for (round = 0; round < 1500; round++)
	{
		size_t		n = 1 + below(9);
		TextOptions options = options_of((int) n, true, below(2) == 0);
		size_t		script = below(N_SCRIPTS + 1);
		String		common = {0};
		String		texts[2] = {{0}, {0}};
		WordList	lists[2];
		double		share = -1;

		append(&common, "", 0);
		append_pieces(&common, script, below(40));
		for (int t = 0; t < 2; t++)
		{
			append(&texts[t], "", 0);
			append_pieces(&texts[t], script, below(40));
			append(&texts[t], common.bytes, common.len);
			append_pieces(&texts[t], script, below(40));
			if (below(20) == 0)
				texts[t].len = 0;
			lists[t] = words_of(&texts[t], &options);
		}
		if (core_containment_text(texts[0].bytes, texts[0].len, texts[1].bytes, texts[1].len,
								  &options, &env, &share) != (lists[0].n > 0) ||
			share != simple_containment(&lists[0], &lists[1], n))
			differ++;
		for (int t = 0; t < 2; t++)
		{
			env.release(NULL, lists[t].words);
			free(texts[t].bytes);
		}
		free(common.bytes);
	}
	check(differ == 0, "containment is that of the definition: %d of %d differ", differ, round);
}

int
main(void)
{
	test_keys();
	test_guarantee();
	test_key_memory();
	test_places();
	test_align();
	test_align_examples();
	test_coverage();
	test_hostile();
	test_many_passages();
	test_containment();
	check(live_bytes == 0, "all memory is released");
	return end_tests();
}
