/*-------------------------------------------------------------------------
 *
 * copy.c
 *		Copies; see copy.h.
 *
 * Both texts are read once, 8 bytes at a time where they are equal or differ in the case of ASCII
 * letters.  At white space that only one text has, a few rules recognise most of the places where
 * the white space splits no word.  If no rule applies, the characters do not tell whether the texts
 * are copies, and the words have to be read.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/tokens/tokens.h"
#include "../text/tokens/words.h"
#include "../text/unicode/unicode.h"
#include "copy.h"
#include "white_space.h"

/*
 * The iota below a letter.  It is a mark whose case folding is a letter, but the two have different
 * places in the canonical order.
 */
#define YPOGEGRAMMENI 0x345

/*
 * A place in each text.  From there on, characters that correspond to each other have the same
 * number of bytes.
 */
typedef struct Stretch
{
	size_t		a;
	size_t		b;
} Stretch;

/*
 * Does a word begin at a place, whatever comes before?  An ASCII letter or digit after another
 * ASCII character begins a word, and so does a Chinese character.
 */
static bool
word_begins(const Bytes *t, size_t place, size_t end)
{
	if (t->text[place] < 0x80)
		return place > 0 && is_ascii_word(t->text[place]) &&
			t->text[place - 1] < 0x80 && !is_ascii_word(t->text[place - 1]);
	return place + 4 <= end && han_at(t->text + place, t->text + end);
}

/* Find the last word but one that begins in a stretch.  Returns false if there is none. */
static bool
find_restart(const Bytes *a, const Bytes *b, const Stretch *stretch, size_t length,
			 Stretch *restart)
{
	int			n_found = 0;

	for (size_t i = length; i-- > 1;)
	{
		tick(a->env, i);
		if (word_begins(a, stretch->a + i, stretch->a + length) &&
			word_begins(b, stretch->b + i, stretch->b + length) && ++n_found == 2)
		{
			restart->a = stretch->a + i;
			restart->b = stretch->b + i;
			return true;
		}
	}
	return false;
}

/* The kind of a character for the tokeniser; CHAR_MAPPED if only normalisation tells. */
static int
kind_in_words(uint32_t c)
{
	if (c < 0x80)
		return is_ascii_word((uint8_t) c) ? CHAR_WORD : CHAR_SEPARATOR;
	return c <= 0x10FFFF ? (int) (unicode_value(UNICODE_FOLDED_NORMALIZED, c) & 7) : CHAR_MAPPED;
}

/*
 * Is it certain that white space between these characters splits no word?  That is so if no
 * word has both characters side by side, and in scripts without spaces.
 */
static bool
splits_nothing(uint32_t before, uint32_t behind)
{
	int			first;
	int			second;

	if (before == NO_CHARACTER || behind == NO_CHARACTER)
		return true;
	first = kind_in_words(before);
	second = kind_in_words(behind);
	/* a mark, such as a vowel of Arabic on a tatweel, has another effect after white space */
	if (second == CHAR_MARK || second == CHAR_IGNORED ||
		NORM_KIND(first_of_form(UNICODE_FOLDED_NORMALIZED, behind)) == CHAR_MARK)
		return false;
	return first == CHAR_SEPARATOR || second == CHAR_SEPARATOR || second == CHAR_CJK ||
		(first == CHAR_CJK && second == CHAR_WORD) ||
		(first == second && stretch_letters(first) > 0);
}

/* Do 8 bytes differ only in the case of ASCII letters, or not at all? */
static inline bool
same_ascii_letters(uint64_t a, uint64_t b)
{
	uint64_t	differ = a ^ b;
	uint64_t	lower = a | BYTES_ALL(0x20);
	uint64_t	letters;

	if (((a | b) & BYTES_ALL(0x80)) != 0 || (differ & ~BYTES_ALL(0x20)) != 0)
		return false;
	letters = (lower + BYTES_ALL(0x80 - 'a')) & ~(lower + BYTES_ALL(0x80 - 'z' - 1)) &
		BYTES_ALL(0x80);
	return (differ << 2 & ~letters) == 0;
}

/* Advance both places over bytes that are the same. */
static void
skip_same_bytes(const Bytes *a, const Bytes *b, bool fold, Stretch *p)
{
	size_t		left = a->len - p->a < b->len - p->b ? a->len - p->a : b->len - p->b;
	const uint8_t *from_a = a->text + p->a;
	const uint8_t *from_b = b->text + p->b;
	size_t		i = 0;

	for (; left - i >= 8; i += 8)
	{
		uint64_t	of_a = load_le64(from_a + i);
		uint64_t	of_b = load_le64(from_b + i);

		if (of_a != of_b && !(fold && same_ascii_letters(of_a, of_b)))
			break;
		tick(a->env, i + 7);
	}
	/* back to the beginning of a code point */
	while (i > 0 && i < left && ((from_a[i] & 0xC0) == 0x80 || (from_b[i] & 0xC0) == 0x80))
		i--;
	p->a += i;
	p->b += i;
}

/*
 * Does one text have white space that counts at its place, while the other text has none at its
 * place?  If both have white space before these places, one may only have more of it, which does
 * not count.
 */
static bool
space_differs(const Bytes *a, size_t p, const Bytes *b, size_t q)
{
	size_t		behind_p = skip_space(a, p, a->len);
	size_t		behind_q = skip_space(b, q, b->len);

	if ((behind_p > p) == (behind_q > q) || is_white_space(character_before(a, p)))
		return false;
	return behind_p > p ? white_space_counts(a, p, behind_p) : white_space_counts(b, q, behind_q);
}

bool
core_same_stretches(const Bytes *a, Span of_a, const Bytes *b, Span of_b, bool fold)
{
	size_t		p = of_a.start;
	size_t		q = of_b.start;
	size_t		length = of_a.end - of_a.start;

	if (length == of_b.end - of_b.start && memcmp(a->text + p, b->text + q, length) == 0)
		return true;
	while (p < of_a.end || q < of_b.end)
	{
		if (space_differs(a, p, b, q) ||
			!same_character(next_visible(a, &p, of_a.end), next_visible(b, &q, of_b.end), fold))
			return false;
	}
	return true;
}

/*
 * Advance both places over white space and one character.  Return false if the characters are
 * not the same, or if white space of one text may split a word.
 */
static bool
skip_same_character(const Bytes *a, const Bytes *b, bool fold, Stretch *p)
{
	Stretch		start = *p;
	Stretch		next = *p;
	uint32_t	c = next_visible(a, &next.a, a->len);
	uint32_t	d = next_visible(b, &next.b, b->len);
	bool		space_in_a;
	bool		space_in_b;

	if (!same_character(c, d, fold) ||
		(c != d && (c == YPOGEGRAMMENI || d == YPOGEGRAMMENI)))
		return false;
	space_in_a = start.a < a->len && is_white_space(character_at(a, start.a));
	space_in_b = start.b < b->len && is_white_space(character_at(b, start.b));
	if (space_in_a != space_in_b &&
		(!splits_nothing(character_before(a, start.a), c) ||
		 space_differs(a, start.a, b, start.b)))
		return false;
	*p = next;
	return true;
}

bool
core_is_copy(const Bytes *a, const Bytes *b, bool fold, size_t *a_place, size_t *b_place)
{
	Stretch		restart = {0, 0};
	Stretch		stretch = {0, 0};
	Stretch		p = {0, 0};

	for (;;)
	{
		Stretch		before;

		skip_same_bytes(a, b, fold, &p);
		before = p;
		if (p.a == a->len && p.b == b->len)
			return true;
		if (!skip_same_character(a, b, fold, &p))
			break;
		if (p.a - before.a != p.b - before.b)
		{
			/* what was skipped has more bytes in one of the texts */
			find_restart(a, b, &stretch, before.a - stretch.a, &restart);
			stretch = p;
		}
	}
	find_restart(a, b, &stretch, p.a - stretch.a, &restart);
	*a_place = restart.a;
	*b_place = restart.b;
	return false;
}

bool
core_are_copies(const Bytes *a, const Bytes *b, bool fold)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	const Env  *env = a->env;
	size_t		in_a;
	size_t		in_b;
	WordList	of_a;
	WordList	of_b;
	bool		same;

	if (core_is_copy(a, b, fold, &in_a, &in_b))
		return true;
	if (!core_same_stretches(a, span_of(0, a->len), b, span_of(0, b->len), fold))
		return false;
	core_read_words((const char *) a->text, a->len, &options, env, &of_a);
	core_read_words((const char *) b->text, b->len, &options, env, &of_b);
	same = of_a.n == of_b.n && memcmp(of_a.words, of_b.words, of_a.n * sizeof(uint64_t)) == 0;
	env_free(env, of_a.words);
	env_free(env, of_b.words);
	return same;
}
