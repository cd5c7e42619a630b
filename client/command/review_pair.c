/*-------------------------------------------------------------------------
 *
 * review_pair.c
 *		A pair of the review page; see review_pair.h.
 *
 *-------------------------------------------------------------------------
 */
#include "review_pair.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define OPEN_PLACES 6			/* of a pair */
#define SHOWN_PLACES 24
#define SHOWN_AGAIN 4
#define BETWEEN_PLACES 120		/* characters */
#define CONTEXT 60

/* Only the beginning and the end of a longer change are shown. */
#define LONG_CHANGE 400

#define LONG_BEGINNING 160
#define LONG_END 80
#define LONGEST_AGAIN 80

/* ---------- changes ---------- */

static void
check_result(int result)
{
	if (result < 0)
		fail(EXIT_TROUBLE, "%s", pgsimhash_message(result));
}

void
key_of_part(Part part, unsigned char key[16])
{
	/* without visible characters there is no key */
	memset(key, 0, 16);
	check_result(pgsimhash_copy_key(part.bytes, part.length, key));
}

static bool
changes_words(int kind)
{
	return kind == PGSIMHASH_CHANGE_INSERT || kind == PGSIMHASH_CHANGE_DELETE ||
		kind == PGSIMHASH_CHANGE_REPLACE;
}

/* The first word of a part, without punctuation around it. */
static Part
first_word(Part part)
{
	static const char punctuation[] = ".,;:!?()[]\"";
	size_t		start = 0;
	size_t		end;

	while (start < part.length && is_space(part.bytes[start]))
		start++;
	end = start;
	for (int n = 0; n < 60 && end < part.length && !is_space(part.bytes[end]); n++)
		end = forward(part.bytes, end, part.length, 1);
	while (start < end && memchr(punctuation, part.bytes[start], sizeof(punctuation) - 1) != NULL)
		start++;
	while (end > start && memchr(punctuation, part.bytes[end - 1], sizeof(punctuation) - 1) != NULL)
		end--;
	return part_of(part.bytes, start, end);
}

static char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* Whether a text has these characters anywhere.  Only the case of ASCII letters is ignored. */
static bool
contains(const ReviewText *text, Part word)
{
	for (size_t i = 0; i + word.length <= text->length; i++)
	{
		size_t		n = 0;

		while (n < word.length && ascii_lower(text->text[i + n]) == ascii_lower(word.bytes[n]))
			n++;
		if (n == word.length)
			return true;
	}
	return false;
}

static Part
place_part(const ReviewText *of, const pgsimhash_place *place)
{
	return part_of(of->text, place->byte, place->byte + place->bytes);
}

Changes
find_changes(const ReviewText *keeper, const ReviewText *other)
{
	Changes		found = {0};

	check_result(pgsimhash_changes(keeper->text, keeper->length, other->text, other->length, NULL,
								   &found.changes, &found.n));
	check_result(pgsimhash_first_change(keeper->text, keeper->length, other->text, other->length, 1,
										&found.first_change));
	for (size_t i = 0; i < found.n; i++)
	{
		const pgsimhash_change *change = &found.changes[i];

		found.counts[change->kind]++;
		if (changes_words(change->kind))
		{
			found.words++;
			if (change->times > found.times)
				found.times = change->times;
		}
		if (!changes_words(change->kind) && change->kind != PGSIMHASH_CHANGE_NUMBER)
			continue;
		if (found.characters == 0)
		{
			found.of_keeper = change->a.bytes > 0;
			found.word = first_word(found.of_keeper ? place_part(keeper, &change->a) :
									place_part(other, &change->b));
		}
		found.characters += change->a.characters + change->b.characters;
	}
	return found;
}

/* ---------- HTML ---------- */

/* A change in the other text, with what is around it */
typedef struct Shown
{
	const pgsimhash_change *change;
	size_t		end;			/* in the other text, in bytes */
	size_t		end_character;

	/* Is there whitespace in the keeper around what is left out? */
	bool		space_before;

	bool		space_after;
	size_t		previous;		/* the end of the change before */
	size_t		previous_character;
	size_t		next;			/* the start of the change behind */
	size_t		next_character;
	bool		starts;			/* a place */
	bool		ends;
	bool		is_new;			/* the first with these two texts */

	/*
	 * The number of the place among those that are shown, from 1 on; 0: it is
	 * not shown.
	 */
	size_t		place;
} Shown;

typedef struct TextsKey
{
	unsigned char key[2][16];
	size_t		change;
} TextsKey;

static int
compare_keys(const void *a, const void *b)
{
	const TextsKey *m = a;
	const TextsKey *n = b;
	int			order = memcmp(m->key, n->key, sizeof(m->key));

	return order != 0 ? order : m->change < n->change ? -1 : m->change > n->change;
}

static void
find_new(const ReviewText *keeper, const ReviewText *other, Shown *shown, size_t n)
{
	TextsKey   *keys = allocate(n * sizeof(TextsKey));

	for (size_t i = 0; i < n; i++)
	{
		Part		a = place_part(keeper, &shown[i].change->a);
		Part		b = place_part(other, &shown[i].change->b);

		key_of_part(a, keys[i].key[0]);
		key_of_part(b, keys[i].key[1]);
		keys[i].change = i;
	}
	qsort(keys, n, sizeof(TextsKey), compare_keys);
	for (size_t i = 0; i < n; i++)
		shown[keys[i].change].is_new = i == 0 ||
			memcmp(keys[i].key, keys[i - 1].key, sizeof(keys[i].key)) != 0;
	free(keys);
}

static void
find_spaces(const ReviewText *keeper, const ReviewText *other, Shown *shown)
{
	const pgsimhash_place *a = &shown->change->a;
	const pgsimhash_place *b = &shown->change->b;
	size_t		skipped = 0;

	shown->space_before = shown->space_after = false;
	if (b->bytes == 0)
	{
		size_t		after = a->byte + a->bytes;

		shown->space_before = a->byte > 0 && is_space(keeper->text[a->byte - 1]);
		shown->space_after = after < keeper->length && is_space(keeper->text[after]);
		while (skipped < CONTEXT && b->byte + skipped < other->length &&
			   is_space(other->text[b->byte + skipped]))
			skipped++;
	}
	shown->space_after = shown->space_after || (skipped > 0 && !shown->space_before);
	shown->end = b->byte + b->bytes + skipped;
	shown->end_character = b->character + b->characters + skipped;
}

/* Is the end of the text more than the context behind a place? */
static bool
is_far(const ReviewText *of, size_t at)
{
	return forward(of->text, at, of->length, CONTEXT) < of->length;
}

/*
 * Find what to show of the changes.  Changes with at most 120 characters between them are in one
 * place.  A place whose changes were all shown before is not shown.  Return the number of places.
 */
static size_t
find_shown(const ReviewText *keeper, const ReviewText *other, const Changes *changes, Shown *shown)
{
	size_t		n = changes->n;
	size_t		places = 0;

	for (size_t i = 0; i < n; i++)
	{
		shown[i].change = &changes->changes[i];
		find_spaces(keeper, other, &shown[i]);
	}
	find_new(keeper, other, shown, n);
	for (size_t i = 0; i < n; i++)
	{
		Shown	   *s = &shown[i];
		bool		is_last = i + 1 == n;

		s->previous = i == 0 ? 0 : shown[i - 1].end;
		s->previous_character = i == 0 ? 0 : shown[i - 1].end_character;
		s->next = is_last ? other->length : shown[i + 1].change->b.byte;
		s->next_character = is_last ? s->end_character + (is_far(other, s->end) ? CONTEXT + 1 : 0) :
			shown[i + 1].change->b.character;
		s->starts = i % 8 == 0 || s->change->b.character > s->previous_character + BETWEEN_PLACES;
		s->ends = i % 8 == 7 || is_last || s->next_character > s->end_character + BETWEEN_PLACES;
	}
	for (size_t i = 0, end; i < n; i = end)
	{
		bool		is_new = shown[i].is_new;

		for (end = i + 1; end < n && !shown[end].starts; end++)
			is_new |= shown[end].is_new;
		places += is_new;
		for (size_t k = i; k < end; k++)
			shown[k].place = is_new ? places : 0;
	}
	return places;
}

static void
append_between(Buffer *out, const char *before, Part part, const char *after)
{
	buffer_append_string(out, before);
	append_html(out, part);
	buffer_append_string(out, after);
}

static void
write_change_text(Buffer *out, const ReviewText *of, const pgsimhash_place *place, const char *before,
				  const char *after)
{
	Part		part = place_part(of, place);

	if (place->bytes == 0)
		return;
	if (place->characters > LONG_CHANGE)
	{
		append_between(out, before, left_part(part, LONG_BEGINNING), " <span>&hellip; ");
		append_with_commas(out, place->characters - LONG_BEGINNING - LONG_END);
		append_between(out, " characters &hellip;</span> ", right_part(part, LONG_END), after);
	}
	else
		append_between(out, before, part, after);
}

/* A change with the words around it. */
static void
write_change(Buffer *out, const ReviewText *keeper, const ReviewText *other, const Shown *s)
{
	const pgsimhash_change *change = s->change;
	size_t		start = change->b.byte;
	size_t		context = s->previous;
	Part		before;

	if (s->starts && context < start)
		context = backward(other->text, start, context, CONTEXT);
	if (context > start)
		context = start;
	before = part_of(other->text, context, start);
	if (s->starts)
	{
		buffer_append_string(out, "<p class=\"place\" dir=\"auto\">");
		buffer_append_string(out, context > 0 ? "&hellip; " : "");
	}
	if (s->starts && context > s->previous)
		append_html(out, without_first_word(before));
	else if (!is_blank(before))
		append_html(out, before);
	else if (!s->starts && before.length > 0)
		buffer_append_string(out, " ");
	buffer_append_string(out, s->space_before ? " " : "");
	write_change_text(out, keeper, &change->a, "<del>", "</del>");
	buffer_append_string(out, s->space_after ? " " : "");
	write_change_text(out, other, &change->b, change->a.bytes > 0 ? " <ins>" : "<ins>", "</ins>");
	if (s->ends)
	{
		bool		cut = s->next_character > s->end_character + CONTEXT;
		Part		after = part_of(other->text, s->end, cut ? other->length : s->next);

		append_html(out, cut ? without_last_word(left_part(after, CONTEXT)) : after);
		buffer_append_string(out, cut || s->next < other->length ? " &hellip;</p>" : "</p>");
	}
}

/* "1 change: words", "5 changes: words 3, numbers 2" */
static void
write_summary(Buffer *out, const Changes *changes)
{
	static const char *const names[] = {"words", "numbers", "forms of words", "signs", "punctuation"};
	const size_t *counts = changes->counts;
	const size_t sums[] = {changes->words, counts[PGSIMHASH_CHANGE_NUMBER],
		counts[PGSIMHASH_CHANGE_FORM], counts[PGSIMHASH_CHANGE_SIGNS],
	counts[PGSIMHASH_CHANGE_PUNCTUATION]};
	const char *between = ": ";

	buffer_append_string(out, changes->first_change > 1 ? "<details><summary>" : "<details open><summary>");
	buffer_printf(out, changes->n == 1 ? "%zu change" : "%zu changes", changes->n);
	for (int i = 0; i < 5; i++)
	{
		if (sums[i] == 0)
			continue;
		buffer_append_string(out, between);
		buffer_append_string(out, names[i]);
		if (sums[i] < changes->n)
			buffer_printf(out, " %zu", sums[i]);
		between = ", ";
	}
	buffer_append_string(out, "</summary>");
}

static bool
is_minor(int kind)
{
	return kind == PGSIMHASH_CHANGE_PUNCTUATION || kind == PGSIMHASH_CHANGE_SIGNS ||
		kind == PGSIMHASH_CHANGE_FORM;
}

/* Does a change that is repeated come before another one? */
static bool
is_before(const Shown *a, const Shown *b)
{
	if (is_minor(a->change->kind) != is_minor(b->change->kind))
		return is_minor(b->change->kind);
	if (a->change->times != b->change->times)
		return a->change->times > b->change->times;
	return a->change < b->change;
}

/* "MD5SUM becomes SHA512SUM, 6 times", for the most frequent changes that are repeated */
static void
write_again(Buffer *out, const ReviewText *keeper, const ReviewText *other, const Shown *shown, size_t n)
{
	const Shown *first[SHOWN_AGAIN];
	size_t		n_first = 0;

	for (size_t i = 0; i < n; i++)
	{
		size_t		place;

		if (!shown[i].is_new || shown[i].change->times == 1)
			continue;
		for (place = n_first; place > 0 && is_before(&shown[i], first[place - 1]); place--)
			if (place < SHOWN_AGAIN)
				first[place] = first[place - 1];
		if (place < SHOWN_AGAIN)
			first[place] = &shown[i];
		n_first += n_first < SHOWN_AGAIN;
	}
	for (size_t i = 0; i < n_first; i++)
	{
		const pgsimhash_change *change = first[i]->change;
		bool		has_a = change->a.bytes > 0;
		bool		has_b = change->b.bytes > 0;

		buffer_append_string(out, i == 0 ? "<ul class=\"again\"><li>" : "<li>");
		if (has_a)
			append_between(out, "<del>", left_part(place_part(keeper, &change->a), LONGEST_AGAIN),
						   change->a.characters > LONGEST_AGAIN ? " &hellip;</del>" : "</del>");
		if (has_a)
			buffer_append_string(out, has_b ? " becomes " : " is left out");
		if (has_b)
			append_between(out, "<ins>", left_part(place_part(other, &change->b), LONGEST_AGAIN),
						   change->b.characters > LONGEST_AGAIN ? " &hellip;</ins>" : "</ins>");
		if (!has_a)
			buffer_append_string(out, " is added");
		buffer_printf(out, ", %zu times</li>", change->times);
	}
	buffer_append_string(out, n_first > 0 ? "</ul>" : "");
}

static Part
name_of(const ReviewText *of)
{
	static const Part none = {"-", 1};

	if (of->name_length > 0)
		return part_of(of->name, 0, of->name_length);
	return of->id_length > 0 ? part_of(of->id, 0, of->id_length) : none;
}

/* Names, ids and the word that decides */
static void
write_head(Buffer *out, const ReviewText *keeper, const ReviewText *other, const Changes *changes,
		   bool is_copy)
{
	buffer_append_string(out, is_copy ? "<li><p class=\"names\">" : "<article><h3 class=\"names\">");
	append_between(out, "<span class=\"original\" dir=\"auto\">", name_of(keeper),
				   "</span> <span class=\"to\">&rarr;</span> ");
	append_between(out, "<span class=\"other\" dir=\"auto\">", name_of(other),
				   is_copy ? "</span></p>" : "</span></h3>");
	append_between(out, "<p class=\"meta\">original ", part_of(keeper->id, 0, keeper->id_length), "");
	append_between(out, " &middot; other ", part_of(other->id, 0, other->id_length), "");
	if (changes->first_change > 0 && changes->word.length > 0)
	{
		bool		is_only = !contains(changes->of_keeper ? other : keeper, changes->word);

		buffer_printf(out, " &middot; %s: &quot;", !is_only ? "first difference" :
					  changes->of_keeper ? "only in the original" : "only in the other");
		append_html(out, changes->word);
		buffer_append_string(out, "&quot;");
		if (changes->first_change > 1)
			buffer_printf(out, is_only ? ", %llu times" : ", %llu times more often",
						  (unsigned long long) changes->first_change);
	}
	buffer_append_string(out, is_copy ? "</p></li>" : "</p>");
}

void
write_pair(Buffer *out, size_t pair, ReviewPair get, bool is_copy)
{
	ReviewText	keeper;
	ReviewText	other;
	Changes		changes;
	Shown	   *shown;
	size_t		places;

	get(pair, &keeper, &other);
	changes = find_changes(&keeper, &other);
	write_head(out, &keeper, &other, &changes, is_copy);
	if (changes.n > 0)
	{
		shown = allocate(changes.n * sizeof(Shown));
		places = find_shown(&keeper, &other, &changes, shown);
		write_again(out, &keeper, &other, shown, changes.n);
		write_summary(out, &changes);
		for (size_t i = 0; i < changes.n; i++)
		{
			if (places > OPEN_PLACES && shown[i].place == OPEN_PLACES + 1 && shown[i].starts)
				buffer_printf(out, "<details><summary>%zu more</summary>",
							  (places < SHOWN_PLACES ? places : SHOWN_PLACES) - OPEN_PLACES);
			if (shown[i].place > 0 && shown[i].place <= SHOWN_PLACES)
				write_change(out, &keeper, &other, &shown[i]);
		}
		if (places > SHOWN_PLACES)
			buffer_printf(out, "<p>%zu more are not shown.</p>", places - SHOWN_PLACES);
		buffer_append_string(out, places > OPEN_PLACES ? "</details></details>" : "</details>");
		free(shown);
	}
	buffer_append_string(out, is_copy ? "\n" : "</article>\n");
	pgsimhash_free(changes.changes);
}
