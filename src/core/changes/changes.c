/*-------------------------------------------------------------------------
 *
 * changes.c
 *		Changes of texts; see changes.h.
 *
 * Both texts are read from one cut to the next.  A cut is a place before a word where a text can be
 * divided, because the word before it has ended.  In a script without spaces words overlap: all
 * letters of a word but the first also belong to the next words.  There the first letter is read
 * instead of the word, and there is a cut between two letters.  If words overlap in another way,
 * because one code point makes several words, for example, there is no cut between them.
 *
 * A part is the text between two cuts.  It consists of matched words without a cut between them, or
 * of unmatched words.  Before each part is a gap, which has no words.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/features/counts.h"
#include "../text/mix.h"
#include "../text/tokens/places.h"
#include "../text/tokens/tokens.h"
#include "../text/unicode/unicode.h"
#include "changes.h"
#include "copy.h"
#include "match.h"
#include "punctuation.h"

const char *const core_change_names[CHANGE_KINDS] = {
	[CHANGE_INSERT] = "insert",
	[CHANGE_DELETE] = "delete",
	[CHANGE_REPLACE] = "replace",
	[CHANGE_NUMBER] = "number",
	[CHANGE_FORM] = "form",
	[CHANGE_PUNCTUATION] = "punctuation",
	[CHANGE_SIGNS] = "signs"
};

typedef enum Cut
{
	NO_CUT,
	CUT_BETWEEN_WORDS,
	CUT_BETWEEN_LETTERS
} Cut;

/* A text while it is read from its beginning to its end. */
typedef struct Side
{
	Bytes		bytes;
	size_t		n;				/* words */
	size_t		word;			/* the first word after the last part */
	size_t		start;			/* the end of the text if there is none */
	size_t		end;			/* the end of the last part */
	PlaceReader places;			/* of the text from "from" on */
	size_t		from;
	WordPlace	last;			/* the word read last, and the one before */
	WordPlace	last_but_one;
} Side;

typedef struct Reader
{
	Side		a;
	Side		b;
	const size_t *matches;
	bool		fold;

	/* Is the last change one of letters that ends at the last part? */
	bool		letters;

	const Env  *env;
	Change	   *changes;
	size_t		n_changes;
	size_t		room;
} Reader;

static const TextOptions word_options = TEXT_OPTIONS_DEFAULT;

/* ---------- comparing ---------- */

static bool
same_stretches(const Reader *r, Span a, Span b)
{
	return core_same_stretches(&r->a.bytes, a, &r->b.bytes, b, r->fold);
}

/* Remove white space from both ends.  A stretch that becomes empty stays at its start. */
static Span
without_space(const Bytes *t, Span s)
{
	size_t		first = skip_space(t, s.start, s.end);

	if (first == s.end)
		return span_of(s.start, s.start);
	return span_of(first, skip_space_before(t, s.end, first));
}

static void
add_change(Reader *r, ChangeKind kind, Span a, Span b)
{
	Change	   *change;

	if (r->n_changes == r->room)
	{
		r->room *= 2;
		r->changes = env_resize(r->env, r->changes, r->room * sizeof(Change));
	}
	change = &r->changes[r->n_changes++];
	change->a = a;
	change->b = b;
	change->kind = kind;
	change->times = 1;
	r->letters = false;
}

/*
 * Do two gaps have the same visible characters?  The caller knows that the gaps differ.  If so,
 * they differ in white space in a number.
 */
static bool
is_space_in_number(const Reader *r, Span a, Span b)
{
	size_t		p = a.start;
	size_t		q = b.start;
	uint32_t	c;

	do
	{
		c = next_visible(&r->a.bytes, &p, a.end);
		if (!same_character(c, next_visible(&r->b.bytes, &q, b.end), r->fold))
			return false;
	} while (c != NO_CHARACTER);
	return true;
}

static void
compare_gaps(Reader *r, Span a, Span b)
{
	bool		is_punctuation;

	if (same_stretches(r, a, b))
		return;
	if (is_space_in_number(r, a, b))
	{
		add_change(r, CHANGE_SIGNS, a, b);
		return;
	}
	is_punctuation = core_is_punctuation(&r->a.bytes, a) &&
		core_is_punctuation(&r->b.bytes, b);
	add_change(r, is_punctuation ? CHANGE_PUNCTUATION : CHANGE_SIGNS,
			   without_space(&r->a.bytes, a), without_space(&r->b.bytes, b));
}

/* ---------- words in one text alone ---------- */

/*
 * A gap of one text has become two gaps with words between them in the other text.  Divide the
 * gap: "whole" up to its first n_first characters is the same as the beginning of "first", and
 * the rest is the same as the end of "second".  Return false if the gap cannot be divided so.
 * Narrow "first" and "second" to what is left of them, and store the place where the gap is
 * divided.
 */
static bool
divide_gap(const Reader *r, const Bytes *t, Span whole, const Bytes *u, Span *first,
		   Span *second, size_t *place)
{
	size_t		n = 0;			/* characters of the gap */
	size_t		n_first = 0;	/* that first begins with */
	size_t		n_second = 0;	/* that second ends with */
	size_t		p;
	size_t		q;
	size_t		i;

	p = whole.start;
	while (next_visible(t, &p, whole.end) != NO_CHARACTER)
		n++;
	for (p = whole.start, q = first->start; n_first < n; n_first++)
		if (!same_character(next_visible(t, &p, whole.end), next_visible(u, &q, first->end),
							r->fold))
			break;
	for (p = whole.end, q = second->end; n_second < n; n_second++)
		if (!same_character(previous_visible(t, &p, whole.start),
							previous_visible(u, &q, second->start), r->fold))
			break;
	if (n_first + n_second < n)
		return false;

	/* divide at white space if possible */
	*place = whole.start;
	for (i = 0; i < n_first; i++)
	{
		uint32_t	behind = character_at(t, *place);

		if (i >= n - n_second && (behind == NO_CHARACTER || is_white_space(behind)))
			break;
		next_visible(t, place, whole.end);
		next_visible(u, &first->start, first->end);
	}
	for (; i < n; i++)
		previous_visible(u, &second->end, second->start);
	return true;
}

/*
 * Add a change for words that have no counterpart: those from part.start to part.end in b, or in a
 * if in_b is false.  "first" and "second" are the gaps before and after them, and "whole" is the
 * gap of the other text.
 */
static void
add_words(Reader *r, bool in_b, Span whole, Span first, Span part, Span second)
{
	const Bytes *t = in_b ? &r->a.bytes : &r->b.bytes;
	const Bytes *u = in_b ? &r->b.bytes : &r->a.bytes;
	bool		is_number = core_is_number(u, part);
	ChangeKind	kind = is_number ? CHANGE_NUMBER : in_b ? CHANGE_INSERT : CHANGE_DELETE;
	Span		empty;

	if (divide_gap(r, t, whole, u, &first, &second, &empty.start))
	{
		empty.end = empty.start;
		part = without_space(u, span_of(first.start, second.end));
		add_change(r, kind, in_b ? empty : part, in_b ? part : empty);
		return;
	}
	if (in_b)
		compare_gaps(r, whole, first);
	else
		compare_gaps(r, first, whole);
	empty.start = empty.end = without_space(t, whole).end;
	add_change(r, kind, in_b ? empty : part, in_b ? part : empty);
	if (in_b)
		compare_gaps(r, empty, second);
	else
		compare_gaps(r, second, empty);
}

/* ---------- cuts ---------- */

/* Is the character a single letter of a script without spaces? */
static bool
is_spaceless_letter(uint32_t c)
{
	return c <= 0x10FFFF &&
		stretch_letters((int) (unicode_value(UNICODE_FOLDED_NORMALIZED, c) & 7)) > 0;
}

/* Return the place of a word, which is one of the two that were read last, or a later one. */
static const WordPlace *
place_of(Side *s, size_t word)
{
	if (word == s->last.word)
		return &s->last;
	if (word == s->last_but_one.word)
		return &s->last_but_one;
	s->last_but_one = s->last;
	core_places_find(&s->places, word, &s->last);
	s->last.start += s->from;
	s->last.end += s->from;
	return &s->last;
}

/* The cut before a word; there is one at both ends of the text. */
static Cut
cut_before(Side *s, size_t word)
{
	const WordPlace *before;
	const WordPlace *place;

	if (word == 0 || word == s->n)
		return CUT_BETWEEN_WORDS;
	place_of(s, word - 1);
	place = place_of(s, word);
	before = place_of(s, word - 1);
	if (before->end <= place->start)
		return CUT_BETWEEN_WORDS;
	if (before->start < place->start &&
		is_spaceless_letter(character_at(&s->bytes, place->start)))
		return CUT_BETWEEN_LETTERS;
	return NO_CUT;
}

/* Can both texts be cut before these words? */
static bool
cut_before_words(Reader *r, size_t a, size_t b)
{
	Cut			cut = cut_before(&r->a, a);

	return cut != NO_CUT && cut == cut_before(&r->b, b);
}

/*
 * Go back from a letter of a script without spaces over the separators before it.  They are in no
 * part; what has vanished between them and the letter before belongs to that letter.
 */
static size_t
skip_separators_before(const Bytes *t, size_t place, size_t start)
{
	size_t		end = place;

	while (place > start)
	{
		NormChar	first = first_of_form(UNICODE_FOLDED_NORMALIZED, previous_character(t, &place, start));

		if (first != NO_CHARACTER && NORM_KIND(first) == CHAR_SEPARATOR)
			end = place;
		else if (first != NO_CHARACTER)
			break;
	}
	return end;
}

/* Return the part from the current word of a side up to another word, and advance the side. */
static Span
next_part(Side *s, size_t end_word)
{
	Span		part = {s->end, s->end};

	if (s->word == end_word)
		return part;
	part.start = s->start;
	part.end = place_of(s, end_word - 1)->end;
	s->word = end_word;
	s->start = end_word < s->n ? place_of(s, end_word)->start : s->bytes.len;
	if (end_word < s->n && s->start < part.end)
		part.end = skip_separators_before(&s->bytes, s->start, part.start);
	s->end = part.end;
	return part;
}

/* The gap between the last part and the next word. */
static Span
next_gap(const Side *s)
{
	return span_of(s->end, s->start);
}

/* ---------- parts ---------- */

/*
 * Compare the matched words of a part, which are equal but may be written differently.  Changes of
 * adjacent letters of a script without spaces become one change.
 */
static void
compare_part(Reader *r, Span a, Span b, bool letters)
{
	if (same_stretches(r, a, b))
	{
		r->letters = false;
		return;
	}
	if (letters && r->letters)
	{
		r->changes[r->n_changes - 1].a.end = a.end;
		r->changes[r->n_changes - 1].b.end = b.end;
	}
	else
		add_change(r, CHANGE_FORM, a, b);
	r->letters = true;
}

static void
add_unmatched(Reader *r, size_t a_end_word, size_t b_end_word)
{
	bool		in_a = r->a.word < a_end_word;
	bool		in_b = r->b.word < b_end_word;
	Span		gap_a = next_gap(&r->a);
	Span		gap_b = next_gap(&r->b);
	Span		a = next_part(&r->a, a_end_word);
	Span		b = next_part(&r->b, b_end_word);

	r->letters = false;
	if (in_a && in_b)
	{
		bool		is_number = core_is_number(&r->a.bytes, a) &&
			core_is_number(&r->b.bytes, b);

		compare_gaps(r, gap_a, gap_b);
		add_change(r, is_number ? CHANGE_NUMBER : CHANGE_REPLACE, a, b);
		return;
	}
	if (in_b)
		add_words(r, true, gap_a, gap_b, b, next_gap(&r->b));
	else
		add_words(r, false, gap_b, gap_a, a, next_gap(&r->a));
	/* the gap after the words has been compared */
	r->a.end = r->a.start;
	r->b.end = r->b.start;
}

/* Read the next part, which ends at the next place where both texts can be cut. */
static void
read_part(Reader *r)
{
	size_t		a = r->a.word;
	size_t		b = r->b.word;
	bool		letters = cut_before(&r->a, a) == CUT_BETWEEN_LETTERS;
	bool		matched = true;
	size_t		steps = 0;

	do
	{
		if (a < r->a.n && r->matches[a] == b)
		{
			a++;
			b++;
		}
		else
		{
			matched = false;
			while (a < r->a.n && r->matches[a] == NO_MATCH)
				a++;
			b = a < r->a.n ? r->matches[a] : r->b.n;
		}
		tick(r->env, steps++);
	} while (!cut_before_words(r, a, b));
	if (matched)
	{
		compare_gaps(r, next_gap(&r->a), next_gap(&r->b));
		compare_part(r, next_part(&r->a, a), next_part(&r->b, b), letters);
	}
	else
		add_unmatched(r, a, b);
}

/* ---------- times ---------- */

/*
 * Add a stretch to a hash.  Stretches that differ only in white space, and in case if case is
 * folded, have the same hash.
 */
static uint64_t
hash_stretch(const Reader *r, const Bytes *t, Span s, uint64_t hash)
{
	uint32_t	c;
	size_t		p = s.start;

	while ((c = next_visible(t, &p, s.end)) != NO_CHARACTER)
	{
		const NormChar *chars = &c;
		NormChar	room[NORM_ROOM];
		int			n = r->fold ? expand_character(UNICODE_CASE_FOLDED, c, &chars, room) : 1;

		for (int i = 0; i < n; i++)
			hash = mix64(hash * MIX_FACTOR + chars[i]);
		hash = mix64(hash + (uint64_t) n);
	}
	return mix64(hash * MIX_FACTOR);
}

/* Fill in how often each change occurs. */
static void
count_times(Reader *r)
{
	FeatureCounts counts;
	uint64_t   *hashes;

	if (r->n_changes < 2)
		return;
	core_counts_init(&counts, r->env);
	hashes = env_alloc(r->env, r->n_changes * sizeof(uint64_t));
	for (size_t i = 0; i < r->n_changes; i++)
	{
		const Change *c = &r->changes[i];

		hashes[i] = hash_stretch(r, &r->b.bytes, c->b,
								 hash_stretch(r, &r->a.bytes, c->a, r->env->salt));
		core_counts_add(&counts, &hashes[i], 1);
		tick(r->env, i);
	}
	for (size_t i = 0; i < r->n_changes; i++)
		r->changes[i].times = *core_counts_of(&counts, hashes[i]);
	core_counts_free(&counts);
	env_free(r->env, hashes);
}

/* ---------- texts ---------- */

/* Read the words of a text from a place on.  The caller releases the words of the list. */
static void
init_side(Side *s, const Bytes *bytes, size_t from, const Env *env, WordList *list)
{
	const char *text = (const char *) bytes->text + from;

	core_read_words(text, bytes->len - from, &word_options, env, list);
	core_places_init(&s->places, text, bytes->len - from, &word_options, env);
	s->bytes = *bytes;
	s->n = list->n;
	s->from = from;
	s->last.word = s->last_but_one.word = list->n;
	s->word = 0;
	s->start = list->n > 0 ? place_of(s, 0)->start : bytes->len;
	s->end = from;
}

size_t
core_changes_of_texts(const char *a, size_t a_len, const char *b, size_t b_len, bool fold,
					  const Env *env, Change **changes)
{
	Bytes		bytes_a = bytes_of(a, a_len, env);
	Bytes		bytes_b = bytes_of(b, b_len, env);
	size_t		place = core_equal_beginning(&bytes_a, &bytes_b, fold);
	WordList	words_a;
	WordList	words_b;
	size_t	   *matches;
	Reader		r = {.fold = fold,.env = env,.room = 4};

	r.changes = env_alloc(env, r.room * sizeof(Change));
	*changes = r.changes;
	init_side(&r.a, &bytes_a, place, env, &words_a);
	init_side(&r.b, &bytes_b, place, env, &words_b);
	if (core_same_words(&words_a, &words_b) &&
		same_stretches(&r, span_of(place, a_len), span_of(place, b_len)))
	{
		/* the same characters may be on either side of a border of a word */
		env_free(env, words_a.words);
		env_free(env, words_b.words);
		return 0;
	}
	matches = env_alloc(env, (words_a.n + 1) * sizeof(*matches));
	core_match_words(&words_a, &words_b, env, matches);
	env_free(env, words_a.words);
	env_free(env, words_b.words);
	r.matches = matches;
	while (r.a.word < r.a.n || r.b.word < r.b.n)
		read_part(&r);
	compare_gaps(&r, next_gap(&r.a), next_gap(&r.b));
	env_free(env, matches);
	count_times(&r);
	*changes = r.changes;
	return r.n_changes;
}
