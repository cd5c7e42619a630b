/*
 * Tests of changes: what they must satisfy (changes_check.h) for random pairs of texts with all
 * kinds of characters, and time and memory for hostile texts.  SIMHASH_SOAK=n compares n times
 * as many pairs.
 */
#include "../../src/core/changes/copy_key.h"
#include "../../src/core/changes/same_document.h"
#include "../../src/core/changes/same_title.h"
#include "../../src/core/text/kernels/token_hash.h"
#include "changes_check.h"
#include "texts.h"

/* The same function, which reads both texts from their beginnings on */
static size_t
no_beginning(const Bytes *a, const Bytes *b, bool fold)
{
	(void) a;
	(void) b;
	(void) fold;
	return 0;
}

size_t		changes_from_beginning(const char *a, size_t a_len, const char *b, size_t b_len,
								   bool fold, const Env *env, Change **changes);

#include "../../src/core/changes/copy.h"
#define core_equal_beginning no_beginning
#define core_changes_of_texts changes_from_beginning
#define core_change_names other_change_names
#include "../../src/core/changes/changes.c"
#undef core_equal_beginning
#undef core_changes_of_texts

/* ---------- random texts ---------- */

#define MOST_PIECES 60

static const char *const pieces[] = {
	/* words, numbers and their forms */
	"a", "b", "ab", "A", "Ab", "B", "the", "The", "THE", "of", "md5sum", "sha512sum", "1", "2", "10",
	"102", "10²", "500", "三", "五", "〇", "EUR", "１０", "½", "1½", "⁄", "ß", "ẞ", "ss", "SS", "ſ", "s", "S", "K", "k", "ﬁ", "fi",
	"FI", "é", "e\u0301", "É", "E\u0301", "ï", "İ", "i\u0307", "ı", "ǆ", "ǅ", "Ǆ", "ŉ", "ΐ", "ᾳ", "ᾼ", "αι", "ι", "Ι",
	"Σ", "ς", "σ", "㎏", "kg", "ﷺ", "㋿", "令和", "令", "①", "Ⓐ", "ⓐ", "ａ", "Ａ", "…", "...", "ﬃ",
	"א", "ב", "م", "٣", "३", "क", "क्", "़",
	/* links */
	"http", "https", "http://", "HTTPS://", "://", "www", "www.", "http:", "//", "http://a.b/5",
	";base64,", "base64", "; base64", ";base64,V/5+O=",
	/* marks and ignorable characters */
	"\u0301", "\u0345", "\u0323", "\u0308", "\u3099", "\u00AD", "\u200D", "\u200B", "\uFEFF", "\u2060",
	"\uFE0F", "\u034F", "¨", "´", "ͺ", "\u0e33", "\u0e4d", "\u0e32",
	/* scripts without spaces, or of one word a character */
	"ก", "ข", "ค", "ง", "กข", "กขค", "กขคง", "ສ", "ក", "က", "漢", "字", "中", "文", "中文", "\uF900", "豈", "カ", "ガ", "ｶ",
	"ﾞ", "か", "が", "한", "글", "\u1112", "\u1161", "\u11AB", "각", "ㄱ", "😀", "👩", "🏽", "☑", "☐", "✓",
	/* signs */
	".", ",", ";", ":", "?", "!", "-", "–", "—", "--", "\"", "'", "“", "”", "(", ")", "[", "]", "{", "}", "<",
	">", "%", "€", "+", "#", "/", "*", "。", "、", "，", "「", "」", "《", "》", "`", "·", "_", "|",
	/* white space */
	" ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", "\n", "\n",
	"\t", "  ", "\r\n", "\u00A0", "\u3000", "\u2028", "\u1680", "\xC2\x85", "\u202F"
};

#define N_PIECES (sizeof(pieces) / sizeof(pieces[0]))

typedef struct Text
{
	int			piece[MOST_PIECES + 8];
	size_t		n;
	char		bytes[(MOST_PIECES + 8) * 16];
	size_t		len;
} Text;

static int
random_piece(const int *few, size_t n_few)
{
	return n_few > 0 && below(8) > 0 ? few[below(n_few)] : (int) below(N_PIECES);
}

static void
write_text(Text *t)
{
	t->len = 0;
	for (size_t i = 0; i < t->n; i++)
	{
		size_t		length = strlen(pieces[t->piece[i]]);

		memcpy(t->bytes + t->len, pieces[t->piece[i]], length);
		t->len += length;
	}
}

/* A text of few or many different pieces, and another one made of it by a few edits */
static void
random_pair(Text *a, Text *b)
{
	int			few[12];
	size_t		n_few = below(3) == 0 ? 0 : 1 + below(12);
	size_t		n_edits = below(7);

	for (size_t i = 0; i < n_few; i++)
		few[i] = (int) (below(3) == 0 ? N_PIECES - 29 + below(29) : below(N_PIECES));
	a->n = below(MOST_PIECES);
	for (size_t i = 0; i < a->n; i++)
		a->piece[i] = random_piece(few, n_few);
	*b = *a;
	while (n_edits-- > 0)
	{
		size_t		at = below(b->n + 1);

		switch (below(4))
		{
			case 0:
			case 1:
				if (at < b->n)
					b->piece[at] = random_piece(few, n_few);
				break;
			case 2:
				if (b->n == MOST_PIECES)
					break;
				memmove(b->piece + at + 1, b->piece + at, (b->n - at) * sizeof(int));
				b->piece[at] = random_piece(few, n_few);
				b->n++;
				break;
			case 3:
				if (at == b->n)
					break;
				memmove(b->piece + at, b->piece + at + 1, (b->n - at - 1) * sizeof(int));
				b->n--;
				break;
		}
	}
	write_text(a);
	write_text(b);
}

static bool
same_changes(const Change *x, size_t n_x, const Change *y, size_t n_y)
{
	if (n_x != n_y)
		return false;
	for (size_t i = 0; i < n_x; i++)
		if (x[i].a.start != y[i].a.start || x[i].a.end != y[i].a.end ||
			x[i].b.start != y[i].b.start || x[i].b.end != y[i].b.end ||
			x[i].kind != y[i].kind || x[i].times != y[i].times)
			return false;
	return true;
}

/* The key by its definition */
static void
slow_key(const char *t, size_t len, uint8_t *key)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;
	char	   *classes = number_classes(t, len, &env);
	const char *class = classes;
	const char *p = t;
	uint8_t    *bytes = malloc(16 * len + 32);
	size_t		n = 0;
	uint32_t	c;
	WordList	list;
	XXH128_canonical_t canonical;

	while (next_seen(&p, t + len, &c) > 0)
	{
		const NormChar *chars;
		NormChar	room[4];
		int			n_chars;

		if (is_space_class(*class))
		{
			if (space_counts_at(classes, class))
				bytes[n++] = ' ';
			class++;
		}
		class++;
		n_chars = core_expand(UNICODE_CASE_FOLDED, fold_numeral(c), &chars, room);
		if (n_chars != 1)
			bytes[n++] = (uint8_t) (0xF8 + n_chars);
		for (int i = 0; i < n_chars; i++)
			n += (size_t) utf8_encode(bytes + n, NORM_CODE_POINT(chars[i]));
	}
	bytes[n++] = 0xFF;
	core_read_words(t, len, &options, &env, &list);
	for (size_t i = 0; i < list.n; i++)
		for (int shift = 0; shift < 64; shift += 8)
		{
			bytes = realloc(bytes, n + 32);
			bytes[n++] = (uint8_t) (list.words[i] >> shift);
		}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, n));
	memcpy(key, &canonical, COPY_KEY_BYTES);
	test_release(NULL, list.words);
	test_release(NULL, classes);
	free(bytes);
}

/* Has the text a character that is neither white space nor vanishes? */
static bool
is_seen(const char *t, size_t len)
{
	const char *p = t;
	uint32_t	c;

	while (next_seen(&p, t + len, &c) > 0)
	{
		const NormChar *chars;
		NormChar	room[NORM_ROOM];

		if (expand_character(UNICODE_NORMALIZED, c, &chars, room) > 0)
			return true;
	}
	return false;
}

static uint64_t
copy_hash(const char *t, size_t len)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;
	const Bytes bytes = bytes_of(t, len, &env);
	WordList	list;
	uint64_t	hash;

	core_read_words(t, len, &options, &env, &list);
	hash = core_copy_hash(&bytes, &list);
	test_release(NULL, list.words);
	return hash;
}

/*
 * Are the keys and hashes of two texts what they must be: equal if and only if the texts are
 * copies?
 */
static bool
keys_are_right(const char *a, size_t a_len, const char *b, size_t b_len, bool copies)
{
	uint8_t		of_a[COPY_KEY_BYTES];
	uint8_t		of_b[COPY_KEY_BYTES];
	uint8_t		slow[COPY_KEY_BYTES];
	bool		seen = core_copy_key(a, a_len, &env, of_a);

	if (seen != is_seen(a, a_len) || core_copy_key(b, b_len, &env, of_b) != is_seen(b, b_len))
		return false;
	slow_key(a, a_len, slow);
	return (memcmp(of_a, of_b, COPY_KEY_BYTES) == 0) == copies &&
		(copy_hash(a, a_len) == copy_hash(b, b_len)) == copies &&
		memcmp(of_a, slow, COPY_KEY_BYTES) == 0;
}

/* Are the changes from b to a those from a to b, exchanged? */
static bool
are_mirrored(const char *a, size_t a_len, const char *b, size_t b_len, bool fold,
			 const Change *changes, size_t n)
{
	Change	   *back;
	size_t		n_back = core_changes_of_texts(b, b_len, a, a_len, fold, &env, &back);
	bool		same;

	for (size_t i = 0; i < n_back; i++)
	{
		Span		span = back[i].a;

		back[i].a = back[i].b;
		back[i].b = span;
		if (back[i].kind == CHANGE_INSERT)
			back[i].kind = CHANGE_DELETE;
		else if (back[i].kind == CHANGE_DELETE)
			back[i].kind = CHANGE_INSERT;
	}
	same = same_changes(changes, n, back, n_back);
	test_release(NULL, back);
	return same;
}

/* Check a pair; say what is wrong */
static bool
check_pair(const char *a, size_t a_len, const char *b, size_t b_len, bool fold, long *kinds)
{
	/* copies that end where their memory ends, which sanitizers watch */
	char	   *exact_a = memcpy(malloc(a_len + 1), a, a_len);
	char	   *exact_b = memcpy(malloc(b_len + 1), b, b_len);
	Change	   *changes;
	Change	   *from_beginning;
	size_t		n;
	size_t		n_beginning;
	const char *fault;

	exact_a = realloc(exact_a, a_len > 0 ? a_len : 1);
	exact_b = realloc(exact_b, b_len > 0 ? b_len : 1);
	n = core_changes_of_texts(exact_a, a_len, exact_b, b_len, fold, &env, &changes);
	n_beginning = changes_from_beginning(exact_a, a_len, exact_b, b_len, fold, &env,
										 &from_beginning);
	fault = changes_fault(a, a_len, b, b_len, fold, &env, changes, n);
	if (fault == NULL && !same_changes(changes, n, from_beginning, n_beginning))
		fault = "the result depends on where reading begins";
	if (fault == NULL && !are_mirrored(exact_a, a_len, exact_b, b_len, fold, changes, n))
		fault = "the changes depend on the order of the texts";
	if (fault == NULL && fold && !keys_are_right(exact_a, a_len, exact_b, b_len, n == 0))
		fault = "a key is wrong";
	if (fault == NULL && fold && n == 0 &&
		!(core_same_document_of_texts(exact_a, a_len, exact_b, b_len, true, &env) &&
		  core_same_document_of_texts(exact_a, a_len, exact_b, b_len, false, &env)))
		fault = "copies are not the same document";
	if (fault != NULL)
	{
		printf("# %s\n# a: \"%.*s\"\n# b: \"%.*s\"\n", fault, (int) a_len, a, (int) b_len, b);
		for (size_t i = 0; i < n; i++)
			printf("# %zu-%zu %zu-%zu kind %d times %zu\n", changes[i].a.start, changes[i].a.end,
				   changes[i].b.start, changes[i].b.end, (int) changes[i].kind, changes[i].times);
	}
	for (size_t i = 0; i < n && kinds != NULL; i++)
		kinds[changes[i].kind]++;
	if (n == 0 && kinds != NULL)
		kinds[CHANGE_SIGNS + 1]++;
	test_release(NULL, changes);
	test_release(NULL, from_beginning);
	free(exact_a);
	free(exact_b);
	return fault == NULL;
}

static void
test_random_pairs(void)
{
	long		n_pairs = rounds(100000);
	long		kinds[CHANGE_SIGNS + 2] = {0};
	int			n_wrong = 0;
	static Text a;
	static Text b;

	for (long i = 0; i < n_pairs && n_wrong < 3; i++)
	{
		random_pair(&a, &b);
		n_wrong += !check_pair(a.bytes, a.len, b.bytes, b.len, i % 4 != 0, kinds);
	}
	check(n_wrong == 0, "%ld random pairs", n_pairs);
	for (int i = 0; i <= CHANGE_SIGNS + 1; i++)
		check(kinds[i] > n_pairs / 200, "%ld of kind %d", kinds[i], i);
	check(live_bytes == 0, "all memory is released");
}

/* Write a text with other white space and case: often a copy of the text */
static void
write_respaced(const Text *t, Text *u)
{
	u->n = 0;
	for (size_t i = 0; i < t->n && u->n < MOST_PIECES + 6; i++)
	{
		const char *piece = pieces[t->piece[i]];
		bool		is_space = space_at(piece, strlen(piece)) == strlen(piece);

		if (is_space && below(3) == 0)
			continue;
		if (!is_space && below(12) == 0)
			u->piece[u->n++] = (int) (N_PIECES - 1 - below(29));
		u->piece[u->n++] = t->piece[i];
	}
	write_text(u);
	for (size_t i = 0; i < u->len; i++)
		if (u->bytes[i] >= 'a' && u->bytes[i] <= 'z' && below(4) == 0)
			u->bytes[i] -= 'a' - 'A';
}

static bool
same_document(const Text *a, const Text *b, bool numbers)
{
	return core_same_document_of_texts(a->bytes, a->len, b->bytes, b->len, numbers, &env);
}

/* A copy in the place of a text, or the other order, does not change whether it is the same document. */
static void
test_copies_in_rule(void)
{
	long		n_pairs = rounds(60000);
	long		n_copies = 0;
	long		n_same = 0;
	int			n_wrong = 0;
	static Text a;
	static Text b;
	static Text c;

	for (long i = 0; i < n_pairs && n_wrong < 3; i++)
	{
		bool		numbers = i % 3 != 0;
		bool		same;
		Bytes		of_a;
		Bytes		of_c;

		random_pair(&a, &b);
		write_respaced(&a, &c);
		of_a = bytes_of(a.bytes, a.len, &env);
		of_c = bytes_of(c.bytes, c.len, &env);
		if (!core_are_copies(&of_a, &of_c))
			continue;
		n_copies++;
		same = same_document(&a, &b, numbers);
		n_same += same;
		if (same != same_document(&c, &b, numbers) || same != same_document(&b, &a, numbers))
		{
			n_wrong++;
			printf("# a: \"%.*s\"\n# its copy: \"%.*s\"\n# b: \"%.*s\"\n", (int) a.len, a.bytes,
				   (int) c.len, c.bytes, (int) b.len, b.bytes);
		}
	}
	check(n_wrong == 0 && n_copies > n_pairs / 10 && n_same > n_copies / 20 &&
		  n_same < n_copies / 20 * 19,
		  "copies are the same document as the same texts: %ld copies, %ld the same", n_copies,
		  n_same);
	check(live_bytes == 0, "all memory is released");
}

/*
 * A character that differs in case alone must give the words of the other one, so that texts that
 * differ in case are copies.  There is one exception.
 */
static void
test_case_and_words(void)
{
	long		n_wrong = 0;
	long		n_cased = 0;
	static uint32_t last[0x110000];	/* characters by a hash of their folding */

	for (uint32_t c = 1; c < 0x110000; c++)
	{
		const NormChar *folded;
		const NormChar *x;
		const NormChar *y;
		NormChar	room[3];
		NormChar	room_x[3];
		NormChar	room_y[3];
		uint64_t	hash = 0;
		uint32_t	d;
		int			n = core_expand(UNICODE_CASE_FOLDED, c, &folded, room);

		for (int i = 0; i < n; i++)
			hash = (hash * 31 + NORM_CODE_POINT(folded[i])) % 0x110000;
		d = last[hash];
		last[hash] = c;
		if (d == 0 || !same_character(c, d, true) || c == 0x345 || d == 0x345)
			continue;
		n_cased++;
		n = core_expand(UNICODE_FOLDED_NORMALIZED, c, &x, room_x);
		if (n != core_expand(UNICODE_FOLDED_NORMALIZED, d, &y, room_y) ||
			memcmp(x, y, (size_t) n * sizeof(*x)) != 0)
		{
			n_wrong++;
			printf("# U+%04X U+%04X\n", (unsigned) c, (unsigned) d);
		}
	}
	check(n_cased > 1400 && n_wrong == 0, "%ld characters that differ in case give the same words",
		  n_cased);
}

/*
 * White space between a sign and a character that may begin with a mark, or vanishes before a
 * mark, may split a word.
 */
static void
test_space_before_marks(void)
{
	int			n_wrong = 0;

	for (uint32_t c = 0x80; c < 0x20000 && n_wrong < 3; c++)
	{
		char		a[16] = ".";
		char		b[16] = ". ";
		size_t		length;

		if (c >= 0xD800 && c <= 0xDFFF)
			continue;
		length = (size_t) utf8_encode((uint8_t *) a + 1, c);
		strcpy(a + 1 + length, "\u0301x");
		strcpy(b + 2, a + 1);
		n_wrong += !check_pair(a, strlen(a), b, strlen(b), true, NULL);
	}
	check(n_wrong == 0, "white space before marks");
}

/*
 * Every character, and the same one with white space, before and behind links and data: copies have
 * the same links.
 */
static void
test_space_beside_links(void)
{
	static const char *const formats[][2] = {
		{"%shttp://1$2 x", "%s\nhttp://1$2 x"}, {"%s;base64,1/2=", "%s ;base64,1/2="},
		{";%sbase64,1/2=", "; %sbase64,1/2="}, {";base64%s,1/2=", ";base64%s ,1/2="},
		{";base64,1/2%s3", ";base64,1/2 %s3"}, {";base64,1/2%s3", ";base64,1/2%s 3"}
	};
	int			n_wrong = 0;

	for (uint32_t c = 1; c < 0x2000 && n_wrong < 3; c++)
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		{
			char		character[5] = {0};
			char		a[40];
			char		b[40];

			utf8_encode((uint8_t *) character, c);
			snprintf(a, sizeof(a), formats[i][0], character);
			snprintf(b, sizeof(b), formats[i][1], character);
			n_wrong += !check_pair(a, strlen(a), b, strlen(b), true, NULL);
		}
	check(n_wrong == 0, "white space beside links");
}

/* ---------- hostile texts ---------- */

static void
append_number(String *s, const char *before, size_t number)
{
	char		word[40];

	snprintf(word, sizeof(word), "%s%zu ", before, number);
	append_string(s, word);
}

/*
 * The calls of check_interrupts count the steps: there is one in STEPS_BETWEEN_CHECKS steps of
 * matching, and of most other work.
 */
static void
check_hostile(const char *name, String *a, String *b, size_t most_changes)
{
	Change	   *changes;
	size_t		n;
	const char *fault;

	interrupts = 0;
	most_bytes = live_bytes;
	n = core_changes_of_texts(a->bytes, a->len, b->bytes, b->len, true, &env, &changes);
	check(interrupts > (long) ((a->len + b->len) / 131072) &&
		  interrupts < 100 + (long) ((a->len + b->len) / 256),
		  "%s: %ld checks for interrupts, %zu kB", name, interrupts, (a->len + b->len) / 1024);
	check(most_bytes < 20 * (a->len + b->len) + 1000000, "%s: %zu kB of memory", name, most_bytes / 1024);
	fault = changes_fault(a->bytes, a->len, b->bytes, b->len, true, &env, changes, n);
	check(fault == NULL && n <= most_changes, "%s: %zu changes%s%s", name, n,
		  fault != NULL ? ", " : "", fault != NULL ? fault : "");
	test_release(NULL, changes);
	free(a->bytes);
	free(b->bytes);
	memset(a, 0, sizeof(*a));
	memset(b, 0, sizeof(*b));
}

static void
test_hostile_texts(void)
{
	String		a = {0};
	String		b = {0};
	size_t		n = 200000;

	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, "word ");
		if (i > 0)
			append_string(&b, "word ");
	}
	check_hostile("one word", &a, &b, 1);
	append_string(&a, "x ");
	append_string(&b, "y ");
	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, i % 3 == 0 ? "u " : "v ");
		append_string(&b, i % 5 == 0 ? "u " : "v ");
	}
	append_string(&a, "y");
	append_string(&b, "x");
	check_hostile("periodic", &a, &b, 2);
	for (size_t i = 0; i < n; i++)
	{
		append_number(&a, "a", i);
		append_number(&b, "b", i);
	}
	check_hostile("unlike", &a, &b, 1);
	for (size_t i = 0; i < n; i++)
	{
		append_number(&a, "w", i);
		append_number(&b, "w", n - i);
	}
	check_hostile("reversed", &a, &b, 2);

	/* in each part only one more word is an anchor */
	for (size_t i = 0; i < n / 2; i++)
	{
		append_number(&a, "w", i);
		append_number(&b, "v", i);
		append_number(&b, "w", i);
	}
	for (size_t i = n / 2; i-- > 0;)
	{
		append_number(&a, "w", i + 1);
		append_number(&b, "w", i + 1);
		append_number(&a, "u", i);
	}
	check_hostile("nested", &a, &b, n);
	for (size_t i = 0; i < n; i++)
	{
		append_number(&a, "w", below(n / 2));
		append_number(&b, "w", below(n / 2));
	}
	check_hostile("random words", &a, &b, n);
	for (size_t i = 0; i < n; i++)
	{
		append_number(&a, "w", below(40));
		append_number(&b, "w", below(40));
		if (i % 50 == 0)
		{
			append_number(&a, "u", i);
			append_number(&b, "u", i);
		}
	}
	check_hostile("small stretches", &a, &b, 2 * n);
	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, i % 2 == 0 ? "ก" : "ข");
		append_string(&b, i % 3 == 0 ? "ก" : "ข");
	}
	check_hostile("Thai", &a, &b, n);
	append_string(&a, "x");
	append_string(&b, "x");
	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, "- ");
		append_string(&b, i % 2 == 0 ? "." : "\u0301");
	}
	check_hostile("signs", &a, &b, n);
	append_string(&a, "x");
	append_string(&b, "x ");
	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, "\u0301\u0345");
		append_string(&b, "\u0345\u0301");
	}
	check_hostile("marks", &a, &b, 2);
	for (size_t i = 0; i < n; i++)
	{
		append_string(&a, "½");
		append_string(&b, i % 2 == 0 ? "½" : "½ ");
	}
	check_hostile("halves", &a, &b, n);
}

/* Titles that name the same document, and others, in both orders */
static void
test_titles(void)
{
	static const struct
	{
		const char *a;
		const char *b;
		bool		same;
	}			titles[] = {
		{"Ferries of the islands", "Ferries of the islands, updated", true},
		{"Ferries of the islands", "Ferries of the islands (timetable)", false},
		{"Ferries of the islands", "Ferries of the islands ( in winter )\u00A0\n", false},
		{"Ferries of the islands", "Ferries of the islands (зима)", false},
		{"Ferries (islands)", "FERRIES  (Islands )", true},
		{"Ferries of the islands", "Ferries of the islands (2)", true},
		{"Ferries of the islands", "Ferries of the islands, (2 piers)", false},
		{"Ferries of the islands", "Ferries (new) of the islands", true},
		{"Ferries of the islands", "Ferries (of the islands)", true},
		{"Ferries of islands", "Ferries of islands)", true},
		{"Ferries of the islands (all)", "Ferries of the islands", false},
		{"", "(timetable)", false}, {"", ")", true}, {"()", "", true}};
	int			n_wrong = 0;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
	{
		const char *a = titles[i].a;
		const char *b = titles[i].b;

		if (core_same_title(a, strlen(a), b, strlen(b), &env) != titles[i].same ||
			core_same_title(b, strlen(b), a, strlen(a), &env) != titles[i].same)
		{
			n_wrong++;
			printf("# \"%s\", \"%s\"\n", a, b);
		}
	}
	check(n_wrong == 0 && live_bytes == 0, "titles");
}

/* A report with six numbers among 66 words */
#define RATES(a, b, c, d, e, f) \
	"Rates of loans fell again this week, and homes became cheaper. Loans of thirty years cost " a \
	" percent, of fifteen " b " percent, of ten " c " percent, and of five " d " percent, with a fee of " e \
	" points, as the bank told us on Monday morning; a year ago the same loans cost " f " percent, when " \
	"nobody wanted to sell, and buyers had to wait until the end of autumn."

/* 50 words without numbers */
#define SINGLE(word) word " bank " word " rate " word " month " word " house " word " loan "
#define FIFTY SINGLE("the") SINGLE("some") SINGLE("other") SINGLE("any") SINGLE("this")

/* A mail of 14 words and what is in brackets */
#define OFFER(token) "Fill in the form [" token "] and an adviser calls you on the same day."

/* A text of 75 words with three places behind 20 equal words */
#define NAMES(a, b, c) \
	"The board of the harbour said on Monday that the new pier for ferries will open a year late, because " a \
	" has found old piles under the mud. The mayor told reporters that the delay will cost the town two million, and that " \
	b " asks for more. Passengers have to walk to the south pier until then, and unions want a bus for the way. " \
	"The board will meet again in June to decide who pays for the work of " c "."

/* Pairs of texts that are the same document, and others, in both orders */
static void
test_documents(void)
{
	static const struct
	{
		const char *a;
		const char *b;
		bool		same;
		bool		same_without;	/* without numbers */
	}			pairs[] = {
		/* a name in three places, in two, and an edited term in three */
		{NAMES("Acme", "Acme", "Acme"), NAMES("Bolt", "Bolt", "Bolt"), false, false},
		{NAMES("Acme", "Acme", "it"), NAMES("Bolt", "Bolt", "it"), true, true},
		{NAMES("Acme", "Acme", "Acme"), NAMES("Bolt", "Corvo", "Acme"), true, true},
		{NAMES("they", "they", "them"), NAMES("the Acme", "Acme", "Acme"), true, true},
		/* reports: numbers that are replaced in five places, and in six */
		{RATES("1", "2", "3", "4", "5", "6"), RATES("11", "12", "13", "14", "15", "6"), false, true},
		{RATES("1", "2", "3", "4", "5", "6"), RATES("11", "12", "13", "14", "15", "16"), false, false},
		/* six numbers among 166 words, and among 216 */
		{RATES("1", "2", "3", "4", "5", "6") FIFTY FIFTY, RATES("11", "12", "13", "14", "15", "16") FIFTY FIFTY, false, false},
		{RATES("1", "2", "3", "4", "5", "6") FIFTY FIFTY FIFTY, RATES("11", "12", "13", "14", "15", "16") FIFTY FIFTY FIFTY, false, true},
		/* one replacement everywhere, new numbers for sections, and one place with a time */
		{RATES("1", "1", "1", "1", "1", "1"), RATES("2", "2", "2", "2", "2", "2"), false, true},
		{RATES("1", "2", "3", "4", "5", "6"), RATES("2", "3", "4", "5", "6", "7"), false, true},
		{RATES("1", "", "", "", "", "2020-01-02 03:04:05"), RATES("1", "", "", "", "", "2021-11-12 13:14:15"), false, true},
		/* more than a tenth of the words */
		{RATES("1", "", "", "", "", "2020-01-02 03:04:05"), RATES("1", "", "", "", "", "2021-11-12 13:14:15-16"), false, true},
		{RATES("1", "", "", "", "", "2020-01-02 03:04:05.67.08"), RATES("1", "", "", "", "", "2021-11-12 13:14:15.17.18"), false, false},
		/* random tokens */
		{OFFER("4139vOLW7-758DoDY1425"), OFFER("6080sUpj3-178CSgu9149"), false, true},
		{OFFER("4139vOLW7-758DoDY1425"), OFFER("-"), true, true},
		{OFFER("sha256sum"), OFFER("sha512sum"), false, false},
		{OFFER("4139olw"), OFFER("6080upj"), false, false},
		{OFFER("4139e\u0301e\u0301e\u0301e\u0301"), OFFER("6080éééé"), false, false},
		{OFFER("4139e\u0301e\u0301e\u0301e\u0301e"), OFFER("６０８０ééééÉ"), false, true},
		{OFFER("ﬁ4139ﬁwe"), OFFER("fi6080fiwe"), false, true},
		/* drawings */
		{"/\\_/\\ ( o.o ) > ^ < drawn by ann", "___||___ | [] o [] | |=={o}==| drawn by ann", false, false},
		{"+-----+ |ann| +-----+", "│ann│ └─────┘ ┌─────┐", false, false},
		{"│ann│ └─────┘ ┌─────┐", "│ann│ └─────┘ ┌─────┐!!", true, true},
		{"│ann│ └─────┘ ┌─────┐", "│ANN│└─────┘\n┌─────┐", true, true},
		{"ⓐⓐⓐⓐⓐ by ann", "ⒶⒶⒶⒶⒶ by ann!", true, true},
		{"well, it is done", "well ... it is DONE!!!!!!!!!!!!", true, true},
		{"[ ] yes / [ ] no: ----------", "[ ] yes / [ ] no: ==========", false, false},
		{"[ ] yes / [ ] no: -- of all the boxes", "[ ] yes / [ ] no: == of all the boxes", true, true}};
	int			n_wrong = 0;

	for (size_t i = 0; i < 4 * sizeof(pairs) / sizeof(pairs[0]); i++)
	{
		const char *a = i % 2 == 0 ? pairs[i / 4].a : pairs[i / 4].b;
		const char *b = i % 2 == 0 ? pairs[i / 4].b : pairs[i / 4].a;
		bool		numbers = i % 4 < 2;

		if (core_same_document_of_texts(a, strlen(a), b, strlen(b), numbers, &env) !=
			(numbers ? pairs[i / 4].same : pairs[i / 4].same_without))
		{
			n_wrong++;
			printf("# numbers: %d, \"%s\", \"%s\"\n", numbers, a, b);
		}
	}
	check(n_wrong == 0 && live_bytes == 0, "documents");
}

int
main(void)
{
	test_titles();
	test_documents();
	test_case_and_words();
	test_space_before_marks();
	test_space_beside_links();
	test_random_pairs();
	test_copies_in_rule();
	test_hostile_texts();
	return end_tests();
}
