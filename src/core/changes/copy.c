/*-------------------------------------------------------------------------
 *
 * copy.c
 *		Copies; see copy.h.
 *
 * Characters are read once, 8 bytes at a time where they are equal or differ in the case of ASCII
 * letters.  Whether white space of one text splits a word, only the words tell.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/tokens/words.h"
#include "copy.h"
#include "white_space.h"

/*
 * Does a word begin at a place behind a character, whatever comes before?  An ASCII letter or digit after another
 * ASCII character begins a word, and so does a Chinese character.
 */
static bool
word_begins(const Bytes *t, size_t place, size_t end)
{
	if (t->text[place] < 0x80)
		return is_ascii_word(t->text[place]) &&
			t->text[place - 1] < 0x80 && !is_ascii_word(t->text[place - 1]);
	return place + 4 <= end && han_at(t->text + place, t->text + end);
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

/*
 * Advance two places over bytes that are the same, up to the ends of stretches or to the beginning
 * of the first code point with another byte.
 */
static void
skip_same_bytes(const Bytes *a, size_t *place_a, size_t end_a, const Bytes *b, size_t *place_b,
				size_t end_b, bool fold)
{
	size_t		left = end_a - *place_a < end_b - *place_b ? end_a - *place_a : end_b - *place_b;
	const uint8_t *from_a = a->text + *place_a;
	const uint8_t *from_b = b->text + *place_b;
	size_t		i = 0;

	for (; left - i >= 8; i += 8)
	{
		uint64_t	of_a = load_le64(from_a + i);
		uint64_t	of_b = load_le64(from_b + i);

		if (of_a != of_b && !(fold && same_ascii_letters(of_a, of_b)))
			break;
		tick(a->env, i + 7);
	}
	while (i < left && (from_a[i] == from_b[i] || (fold && is_ascii_letter(from_a[i]) &&
												   (from_a[i] ^ from_b[i]) == 0x20)))
		i++;
	/* back to the beginning of a code point */
	while (i > 0 && i < left && ((from_a[i] & 0xC0) == 0x80 || (from_b[i] & 0xC0) == 0x80))
		i--;
	*place_a += i;
	*place_b += i;
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
	for (;;)
	{
		skip_same_bytes(a, &p, of_a.end, b, &q, of_b.end, fold);
		if (p == of_a.end && q == of_b.end)
			return true;
		if (space_differs(a, p, b, q) ||
			!same_character(next_visible(a, &p, of_a.end), next_visible(b, &q, of_b.end), fold))
			return false;
	}
}

size_t
core_equal_beginning(const Bytes *a, const Bytes *b, bool fold)
{
	size_t		end = 0;
	size_t		end_b = 0;
	int			n_words = 0;

	skip_same_bytes(a, &end, a->len, b, &end_b, b->len, fold);
	if (end == a->len && end == b->len)
		return end;
	for (size_t place = end; place-- > 1;)
	{
		tick(a->env, place);
		if (word_begins(a, place, end) && ++n_words == 2)
			return place;
	}
	return 0;
}

bool
core_are_copies(const Bytes *a, const Bytes *b)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	const Env  *env = a->env;
	size_t		place = core_equal_beginning(a, b, true);
	WordList	of_a;
	WordList	of_b;
	bool		same;

	if (!core_same_stretches(a, span_of(place, a->len), b, span_of(place, b->len), true))
		return false;
	if (place == a->len)
		return true;
	core_read_words((const char *) a->text + place, a->len - place, &options, env, &of_a);
	core_read_words((const char *) b->text + place, b->len - place, &options, env, &of_b);
	same = core_same_words(&of_a, &of_b);
	env_free(env, of_a.words);
	env_free(env, of_b.words);
	return same;
}
