/*
 * Tests of the first change between two texts, and of numbers, against their definitions.
 */
#include <inttypes.h>

#include "../../src/core/changes/same_document.h"
#include "../../src/core/text/kernels/token_kernels.h"
#include "../../src/core/text/tokens/places.h"
#include "../../src/core/text/tokens/tokens.h"
#include "../../src/core/text/unicode/numerals.h"
#include "texts.h"

/* ---------- words as strings ---------- */

typedef struct Words
{
	String	   *words;
	size_t		n;
	size_t		room;
} Words;

static void
add_word(void *arg, const uint8_t *bytes, size_t len)
{
	Words	   *w = arg;

	if (w->n == w->room)
	{
		w->room = 2 * w->room + 16;
		w->words = realloc(w->words, w->room * sizeof(*w->words));
		if (w->words == NULL)
			abort();
	}
	memset(&w->words[w->n], 0, sizeof(String));
	append(&w->words[w->n++], (const char *) bytes, len);
}

static Words
strings_of(const String *s, const TextOptions *options)
{
	Words		w = {0};
	const TokenListener listener = {add_word, &w};
	Tokenizer	tok;
	uint64_t	hashes[TOKEN_BATCH];
	size_t		n;

	core_tokens_init(&tok, s->bytes, s->len, options, &listener, &env);
	while (core_tokens_next(&tok, hashes, &n))
		;
	core_tokens_free(&tok);
	return w;
}

static void
free_words(Words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->words[i].bytes);
	free(w->words);
}

/* The words of a text with another numeral for each Roman one, of which the forms are letters */
static Words
numerals_of(const String *s, const TextOptions *options)
{
	String		other = {0};
	Words		forms;
	Words		words;

	append(&other, "", 0);
	for (size_t i = 0; i < s->len;)
	{
		bool		is_roman = s->len - i >= 3 && memcmp(s->bytes + i, "\xE2\x85", 2) == 0 &&
			(uint8_t) s->bytes[i + 2] >= 0xA0;

		append(&other, is_roman ? "\u2180" : s->bytes + i, is_roman ? 3 : 1);
		i += is_roman ? 3 : 1;
		/* a soft hyphen, and the marks that vanish after letters */
		while (is_roman && core_unicode_form(options) == UNICODE_FOLDED_NORMALIZED && s->len - i >= 2 &&
			   (memcmp(s->bytes + i, "\xC2\xAD", 2) == 0 || memcmp(s->bytes + i, "\xCC\x81", 2) == 0))
			i += 2;
	}
	words = strings_of(&other, options);
	forms = strings_of(s, options);
	/* signs behind letters, which a Roman numeral becomes, belong to the word */
	for (size_t i = 0; i < words.n && i < forms.n; i++)
		if (forms.words[i].len > 0 && strchr("+#", forms.words[i].bytes[forms.words[i].len - 1]) != NULL)
			append(&words.words[i], "+", 1);
	free_words(&forms);
	free(other.bytes);
	return words;
}

static bool
is_number(const String *word)
{
	const uint8_t *p = (const uint8_t *) word->bytes;
	const uint8_t *end = p + word->len;
	uint32_t	c;
	bool		all = true;

	for (; all && p < end; p += utf8_decode(p, end, &c))
		all = utf8_decode(p, end, &c) > 0 && is_any_numeral(c);
	return all;
}

static bool
are_equal(const String *a, const String *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* A piece of text with digits, or of a script */
static void
append_some(String *s, size_t script, size_t n)
{
	static const char *const digits[] = {"1 ", "2 ", "12 ", "1", "１２ ", "½ ", "⅓", "10² ", "1a ", "⑴ ",
	"1\xC2\xAD" "2 ", "5\xCC\x81 ", "㏠", "🄂 ", "𝟙 ", "٣ ", "1\xCD\x85 ", "7,", "２", "1.000 ",
	"Ⅷ ", "ⅷ"};

	while (n-- > 0)
	{
		if (below(3) == 0)
			append_string(s, digits[below(sizeof(digits) / sizeof(digits[0]))]);
		else
			append_pieces(s, script, 1);
	}
}

/* ---------- numbers ---------- */

static void
test_numbers(void)
{
	int			wrong = 0;
	size_t		n_words = 0;
	size_t		n_numbers = 0;

	for (int round = 0; round < 1500; round++)
	{
		TextOptions options = options_of(1, round % 2 == 0, round % 4 < 2);
		String		s = {0};
		Words		words;
		PlaceReader reader;
		WordPlace	place;

		append(&s, "", 0);
		append_some(&s, below(N_SCRIPTS + 1), below(150));
		words = numerals_of(&s, &options);
		core_places_init(&reader, s.bytes, s.len, &options, &env);
		for (size_t i = below(5); i < words.n; i += round % 3 == 0 ? 1 : below(40))
		{
			bool		found = core_places_find(&reader, i, &place);

			wrong += !found || place.word != i || place.is_number != is_number(&words.words[i]);
			n_words++;
			n_numbers += place.is_number;
		}
		wrong += core_places_find(&reader, words.n, &place);
		free_words(&words);
		free(s.bytes);
	}
	check(wrong == 0 && n_numbers > 5000, "%zu of %zu words are numbers: %d wrong", n_numbers, n_words, wrong);
}

/* ---------- words by every way ---------- */

static bool
are_same_words(const Words *strings, const WordList *hashes)
{
	bool		same = strings->n == hashes->n;

	for (size_t i = 0; same && i < strings->n; i++)
		same = token_hash((const uint8_t *) strings->words[i].bytes, strings->words[i].len) ==
			hashes->words[i];
	return same;
}

/* Are the words of a text those of a listener, by each kernel, and does each of them have a place? */
static bool
agree(const String *s, const TextOptions *options)
{
	const TokenKernel *chosen = core_token_kernel();
	Words		strings = strings_of(s, options);
	Words		numerals = numerals_of(s, options);
	bool		same = true;
	PlaceReader reader;
	WordPlace	place;
	size_t		i = 0;

	for (int k = 0; k < core_n_token_kernels; k++)
	{
		WordList	list;

		if (!core_token_kernels[k].supported())
			continue;
		core_token_kernel_chosen = &core_token_kernels[k];
		list = words_of(s, options);
		same &= are_same_words(&strings, &list);
		env.release(NULL, list.words);
	}
	core_token_kernel_chosen = chosen;
	core_places_init(&reader, s->bytes, s->len, options, &env);
	for (; core_places_find(&reader, i, &place); i++)
		same &= i < strings.n && place.start < place.end && place.end <= s->len &&
			place.is_number == is_number(&numerals.words[i]);
	same &= i == strings.n && i == numerals.n;
	free_words(&strings);
	free_words(&numerals);
	return same;
}

/*
 * The tokeniser's ways and the places agree about signs behind words, numbers of their own, letters
 * that look alike and circles, at every boundary of a block and a builder.
 */
static void
test_ways(void)
{
	static const char *const pieces[] = {
		"C", "+", "#", "++", "C#", "+b", "5", "xyzzy", "é", "ж", "и", "i", "α", "Ж", "ＣＰＵ", "＋", "\xC2\xAD",
		"\xCC\x81", "\xCD\x85", "¹", "½", "º", "一", "二", "○", "◯", "人", "，", " ", "\n", ". ", "가", "나", "ก",
		"ข", "፲", "Ⅷ", "\xFF", "\xE4"
	};
	const uint32_t n_pieces = sizeof(pieces) / sizeof(pieces[0]);
	int			differ = 0;

	for (int round = 0; round < 30000; round++)
	{
		TextOptions options = options_of(1, round % 4 != 0, round % 8 != 1);
		String		s = {0};
		uint32_t	first = below(n_pieces);
		uint32_t	kinds = 1 + below(6);

		append(&s, "", 0);
		/* up to a boundary of a block or of a builder */
		for (size_t n = below(4) == 0 ? below(260) : 56 + below(12); n > 0; n--)
			append_string(&s, round % 3 == 0 ? "x" : round % 3 == 1 ? " " : pieces[first]);
		for (size_t n = below(20); n > 0; n--)
		{
			const char *piece = pieces[below(4) == 0 ? below(n_pieces) : (first + below(kinds)) % n_pieces];

			for (size_t i = below(50) == 0 ? below(300) : 1; i > 0; i--)
				append_string(&s, piece);
		}
		/* the fast ways end before the last bytes of a text */
		if (below(2) == 0)
			append_string(&s, " the quick brown fox jumps over the lazy dog and runs into the deep forest again");
		if (!agree(&s, &options) && differ++ < 5)
			printf("# %s\n", s.bytes);
		free(s.bytes);
	}
	check(differ == 0, "words by every way, and their places: %d texts differ", differ);
}

/* ---------- the first change ---------- */

static uint64_t
count_of(const String *word, const Words *w)
{
	uint64_t	n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += are_equal(&w->words[i], word);
	return n;
}

/*
 * The value of a reading by its definition: words that are equal are skipped, and of words that differ
 * those that the reading ignores.
 */
static uint64_t
simple_reading(const Words *a, const bool *ignored_in_a, const Words *b, const bool *ignored_in_b)
{
	const Words *texts[2] = {a, b};
	size_t		at[2] = {0, 0};
	uint64_t	value = 0;

	for (;;)
	{
		bool		of_a = at[0] < a->n && ignored_in_a[at[0]];
		bool		of_b = at[1] < b->n && ignored_in_b[at[1]];

		if (at[0] < a->n && at[1] < b->n && are_equal(&a->words[at[0]], &b->words[at[1]]))
			of_a = of_b = true;
		if (!of_a && !of_b)
			break;
		at[0] += of_a;
		at[1] += of_b;
	}
	for (int i = 0; i < 2; i++)
	{
		const Words *own = texts[i];
		const Words *other = texts[1 - i];

		if (at[i] < own->n)
		{
			uint64_t	n_own = count_of(&own->words[at[i]], own);
			uint64_t	n_other = count_of(&own->words[at[i]], other);

			if (n_own > n_other && n_own - n_other > value)
				value = n_own - n_other;
		}
	}
	return value;
}

/*
 * Which words of a text are numbers?  The characters beside a Chinese numeral tell whether it is one:
 * changes_test has the cases.
 */
static bool *
numbers_of(const String *s, const TextOptions *options)
{
	Words		w = numerals_of(s, options);
	bool	   *numbers = calloc(w.n + 1, sizeof(bool));
	ReadText	text;

	core_read_text(s->bytes, s->len, NO_NUMBERS, &env, &text);
	for (size_t i = 0; i < w.n; i++)
	{
		const String *word = &w.words[i];
		uint32_t	first = 0;

		utf8_decode((uint8_t *) word->bytes, (uint8_t *) word->bytes + word->len, &first);
		numbers[i] = (is_number(word) && (!is_chinese_numeral(first) || has_only_digits(&text, i))) ||
			is_random_token(&text, i);
	}
	core_release_text(&text, &env);
	free_words(&w);
	return numbers;
}

static uint64_t
simple_first_change(const String *a, const String *b, bool numbers)
{
	TextOptions options = options_of(SINGLES_AND_PAIRS, FOLD_ALL, true);
	Words		in_a = strings_of(a, &options);
	Words		in_b = strings_of(b, &options);
	bool	   *numbers_of_a = numbers_of(a, &options);
	bool	   *numbers_of_b = numbers_of(b, &options);
	bool	   *none = calloc(in_a.n + in_b.n + 1, sizeof(bool));
	uint64_t	value = simple_reading(&in_a, numbers_of_a, &in_b, numbers_of_b);
	uint64_t	with = numbers ? simple_reading(&in_a, none, &in_b, none) : 0;

	free(numbers_of_a);
	free(numbers_of_b);
	free(none);
	free_words(&in_a);
	free_words(&in_b);
	return with > value ? with : value;
}

static uint64_t
first_change(const String *a, const String *b, bool numbers)
{
	return core_first_change_of_texts(a->bytes, a->len, b->bytes, b->len, numbers, &env);
}

static void
test_first_change(void)
{
	int			differ = 0;
	int			n_zero = 0;
	int			n_more = 0;
	int			n_by_numbers = 0;

	for (int round = 0; round < 8000; round++)
	{
		size_t		script = below(N_SCRIPTS + 1);
		String		texts[2] = {{0}, {0}};
		String		common = {0};
		uint64_t	values[2];

		/* what both begin with, then edits, and more that is common */
		append(&common, "", 0);
		append_some(&common, script, below(40));
		for (int i = 0; i < 2; i++)
		{
			append(&texts[i], common.bytes, common.len);
			append_some(&texts[i], script, below(4));
		}
		append_some(&common, script, below(40));
		for (int i = 0; i < 2; i++)
		{
			append(&texts[i], common.bytes, common.len);
			append_some(&texts[i], script, below(round % 2 == 0 ? 3 : 80));
			if (round % 5 == 0)
				append_words(&texts[i], below(10), 5);
		}
		for (int i = 0; i < 2; i++)
		{
			values[i] = first_change(&texts[0], &texts[1], i == 0);
			differ += values[i] != simple_first_change(&texts[0], &texts[1], i == 0);
			differ += values[i] != first_change(&texts[1], &texts[0], i == 0);
			differ += first_change(&texts[i], &texts[i], true) != 0;
		}
		n_zero += values[0] == 0;
		n_more += values[0] > 1;
		n_by_numbers += values[0] > values[1];
		for (int i = 0; i < 2; i++)
			free(texts[i].bytes);
		free(common.bytes);
	}
	check(differ == 0, "first change is that of the definition: %d differ", differ);
	check(n_zero > 200 && n_more > 200 && n_by_numbers > 200, "values of all kinds: %d are 0, %d above 1, %d by numbers",
		  n_zero, n_more, n_by_numbers);
}

/* The words with a digit that are found one after another are those of all words. */
static void
test_words_with_digit(void)
{
	static const char *const pieces[] = {" 12", "a1", "½", "1 ", ". ", "\xCD\x85", "٣", "x"};
	int			differ = 0;
	int			n_words = 0;

	for (int round = 0; round < 4000; round++)
	{
		String		text = {0};
		PlaceReader one_by_one;
		PlaceReader digits;
		WordPlace	place;
		WordPlace	found;
		size_t		next = 0;

		append(&text, "", 0);
		for (int i = (int) below(6); i >= 0; i--)
		{
			append_some(&text, below(N_SCRIPTS + 1), below(60));
			if (below(2) == 0)
				append_words(&text, below(3), 5);
			if (below(2) == 0)
				append_string(&text, pieces[below(8)]);
		}
		core_places_init(&one_by_one, text.bytes, text.len, &core_words_of_changes, &env);
		core_places_init(&digits, text.bytes, text.len, &core_words_of_changes, &env);
		for (size_t word = 0; core_places_find(&one_by_one, word, &place); word++)
		{
			if (!place.has_digit)
				continue;
			n_words++;
			if (!core_places_find_digit(&digits, next, &found) || found.word != word ||
				found.start != place.start || found.end != place.end ||
				found.is_number != place.is_number || !found.has_digit)
			{
				differ++;
				break;
			}
			next = word + 1;
		}
		differ += core_places_find_digit(&digits, next, &found);
		differ += next > 0 && !core_has_digit(text.bytes, text.len, &core_words_of_changes, &env);
		free(text.bytes);
	}
	check(differ == 0 && n_words > 10000, "%d words with a digit: %d texts differ", n_words, differ);
}

/* A text has a digit if a word of it has one.  Texts are a character before or behind others. */
static void
test_has_digit(void)
{
	static const char *const others[] = {"", "a", "words", "中"};
	int			n_differ = 0;
	int			n_digits = 0;

	for (uint32_t c = 1; c <= 0x10FFFF; c++)
		for (int i = 0; i < 4; i++)
		{
			char		text[32];
			size_t		len = strlen(others[i]);
			PlaceReader reader;
			WordPlace	place;
			bool		found;

			if (c >= 0xD800 && c < 0xE000)
				continue;
			memcpy(text, others[i], len);
			len += (size_t) utf8_encode((uint8_t *) text + len, c);
			memcpy(text + len, others[i], strlen(others[i]));
			len += strlen(others[i]);
			core_places_init(&reader, text, len, &core_words_of_changes, &env);
			found = core_places_find_digit(&reader, 0, &place);
			n_digits += found;
			/* a circle may be a zero */
			n_differ += found != core_has_digit(text, len, &core_words_of_changes, &env) &&
				(found || (c != 0x25CB && c != 0x25EF && c != 0xFFEE));
		}
	check(n_differ == 0 && n_digits > 3000, "%d texts with a character that has a digit: %d differ",
		  n_digits, n_differ);
}

static void
append_repeated(String *s, const char *piece, size_t len)
{
	while (s->len < len)
		append_string(s, piece);
}

/* Texts that ask of every word whether it is a number */
static void
test_long(void)
{
	static const char *const pieces[][2] = {{"12 7 ", "13 8 "}, {"12 a ", "a "}, {"１２ ", "１３ "},
	{"½", "⅓"}, {"กขค", "12 "}, {"1", "2"}, {"１", "1"}, {"é", "1 "}, {"a", "1 a"}};
	const size_t len = 4000000;

	for (size_t n = 0; n < sizeof(pieces) / sizeof(pieces[0]); n++)
	{
		String		a = {0};
		String		b = {0};
		uint64_t	value;

		append_repeated(&a, pieces[n][0], len);
		append_repeated(&b, pieces[n][1], len);
		live_bytes = most_bytes = 0;
		check(core_same_document_of_texts(a.bytes, a.len, a.bytes, a.len - 1, true, &env) ==
			  core_same_document_of_texts(a.bytes, a.len - 1, a.bytes, a.len, true, &env) && live_bytes == 0 &&
			  most_bytes < 40 * len, "the same document, %.1f bytes", (double) most_bytes / (double) (2 * len));
		live_bytes = most_bytes = 0;
		interrupts = 0;
		value = first_change(&a, &b, true);
		check(interrupts > 2 * (long) len / 65536 && most_bytes < 20 * len && live_bytes == 0,
			  "'%s' and '%s': %" PRIu64 ", %.1f bytes for each of the texts', %ld checks", pieces[n][0], pieces[n][1],
			  value, (double) most_bytes / (double) (2 * len), interrupts);
		free(a.bytes);
		free(b.bytes);
	}
}

/* 100 MB each */
static void
test_longest(void)
{
	String		a = {0};
	String		b = {0};

	append_repeated(&a, "harbour north 12 pier of the stage, ", 100000000);
	append(&b, a.bytes, a.len);
	append_string(&a, "red red");
	append_string(&b, "7 red");
	check(first_change(&a, &b, true) == 1 && first_change(&a, &b, false) == 1, "two texts of 100 MB");
	free(a.bytes);
	free(b.bytes);
}

int
main(void)
{
	test_numbers();
	test_ways();
	test_first_change();
	test_words_with_digit();
	test_has_digit();
	test_long();
	test_longest();
	check(live_bytes == 0, "all memory is released");
	return end_tests();
}
