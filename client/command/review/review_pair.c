/*-------------------------------------------------------------------------
 *
 * review_pair.c
 *		A pair of the review page; see review_pair.h.
 *
 *-------------------------------------------------------------------------
 */
#include "review_pair.h"

#include <string.h>

#include "../fail.h"

#define MOST_CHANGES 200			/* of a pair; examples/review.sql has the same limits */

/* A longer text becomes its beginning and its end.  In characters */
typedef struct Cut
{
	size_t		longest;
	size_t		beginning;
	size_t		end;
} Cut;

static const Cut cut_change = {400, 160, 80};
static const Cut cut_between = {120, 60, 60};

/* ---------- changes ---------- */

static void
check_result(int result)
{
	if (result < 0)
		fail(EXIT_TROUBLE, "%s", pgsimhash_message(result));
}

bool
key_of_part(Part part, unsigned char key[16])
{
	int			result = pgsimhash_copy_key(part.bytes, part.length, key);

	check_result(result);
	return result != PGSIMHASH_NULL;
}

static bool
changes_words(int kind)
{
	return kind == PGSIMHASH_CHANGE_INSERT || kind == PGSIMHASH_CHANGE_DELETE ||
		kind == PGSIMHASH_CHANGE_REPLACE;
}

/* Does a byte belong to a letter, a digit, or any character that is not ASCII? */
static bool
is_of_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == 0x7F ||
		c >= 0x80 || (c < ' ' && !is_space((char) c));
}

/* The first word of a part that is not only ASCII punctuation, without punctuation around it. */
static Part
first_word(Part part)
{
	static const char punctuation[] = ".,;:!?()[]\"";
	size_t		start = 0;
	size_t		end = 0;
	bool		found = false;

	while (!found && end < part.length)
	{
		for (start = end; start < part.length && is_space(part.bytes[start]);)
			start++;
		for (end = start; end < part.length && !is_space(part.bytes[end]); end++)
			found |= is_of_word((unsigned char) part.bytes[end]);
	}
	if (!found)
		start = end;
	end = start + left_part(part_of(part.bytes, start, end), 60).length;
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

/* ---------- JSON ---------- */

static void
append_member(Buffer *out, const char *name, Part part)
{
	buffer_printf(out, "\"%s\": ", name);
	append_json(out, part);
}

/* A string, or an array of the beginning, the number of characters that are left out, and the end. */
static void
append_cut(Buffer *out, const char *name, Part part, const Cut *cut)
{
	Part		beginning = left_part(part, cut->longest);
	Part		end = right_part(part, cut->end);

	buffer_printf(out, "\"%s\": ", name);
	if (beginning.length == part.length)
	{
		append_json(out, part);
		return;
	}
	beginning = left_part(part, cut->beginning);
	buffer_append_string(out, "[");
	append_json(out, beginning);
	buffer_printf(out, ", %zu, ", count_characters(part_of(part.bytes, beginning.length, part.length - end.length)));
	append_json(out, end);
	buffer_append_string(out, "]");
}

static Part
between(const ReviewText *other, const Changes *changes, size_t change)
{
	const pgsimhash_place *previous = change > 0 ? &changes->changes[change - 1].b : NULL;

	return part_of(other->text, previous == NULL ? 0 : previous->byte + previous->bytes,
				   change < changes->n ? changes->changes[change].b.byte : other->length);
}

/* 1: the keeper has whitespace before what was deleted; 2: behind it; 3: both */
static int
spaces_around(const ReviewText *keeper, const pgsimhash_change *change)
{
	size_t		after = change->a.byte + change->a.bytes;

	if (change->b.bytes > 0)
		return 0;
	return (change->a.byte > 0 && is_space(keeper->text[change->a.byte - 1])) +
		2 * (after < keeper->length && is_space(keeper->text[after]));
}

static void
append_text(Buffer *out, const char *name, const ReviewText *text)
{
	buffer_printf(out, "\"%s\": {", name);
	append_member(out, "id", part_of(text->id, 0, text->id_length));
	if (text->name_length > 0)
	{
		buffer_append_string(out, ", ");
		append_member(out, "name", part_of(text->name, 0, text->name_length));
	}
	buffer_append_string(out, "}, ");
}

static void
append_changes(Buffer *out, const ReviewText *keeper, const ReviewText *other, const Changes *changes)
{
	size_t		n = changes->n < MOST_CHANGES ? changes->n : MOST_CHANGES;

	buffer_append_string(out, "\"changes\": [");
	for (size_t i = 0; i < n; i++)
	{
		const pgsimhash_change *change = &changes->changes[i];

		buffer_printf(out, "%s{\"kind\": \"%s\", \"times\": %zu, ", i == 0 ? "" : ", ",
					  pgsimhash_change_name(change->kind), change->times);
		append_cut(out, "before", between(other, changes, i), &cut_between);
		buffer_append_string(out, ", ");
		append_cut(out, "a", place_part(keeper, &change->a), &cut_change);
		buffer_append_string(out, ", ");
		append_cut(out, "b", place_part(other, &change->b), &cut_change);
		buffer_printf(out, ", \"spaces\": %d}", spaces_around(keeper, change));
	}
	buffer_append_string(out, "], ");
	if (n > 0)
	{
		append_cut(out, "after", between(other, changes, n), &cut_between);
		buffer_append_string(out, ", ");
	}
	buffer_printf(out, "\"more\": %zu", changes->n - n);
}

void
write_pair(Buffer *out, size_t pair, ReviewPair get, const char *class)
{
	ReviewText	keeper;
	ReviewText	other;
	Changes		changes;
	const size_t *counts = changes.counts;

	get(pair, &keeper, &other);
	changes = find_changes(&keeper, &other);
	buffer_printf(out, "{\"class\": \"%s\", ", class);
	append_text(out, "other", &other);
	append_text(out, "original", &keeper);
	buffer_printf(out, "\"first_change\": %llu, ", (unsigned long long) changes.first_change);
	if (changes.word.length > 0)
	{
		append_member(out, "word", changes.word);
		buffer_printf(out, ", \"in_original\": %s, \"only_there\": %s, ", changes.of_keeper ? "true" : "false",
					  contains(changes.of_keeper ? &other : &keeper, changes.word) ? "false" : "true");
	}
	buffer_printf(out, "\"counts\": {\"words\": %zu, \"numbers\": %zu, \"forms\": %zu, \"signs\": %zu, "
				  "\"punctuation\": %zu}, ", changes.words, counts[PGSIMHASH_CHANGE_NUMBER],
				  counts[PGSIMHASH_CHANGE_FORM], counts[PGSIMHASH_CHANGE_SIGNS],
				  counts[PGSIMHASH_CHANGE_PUNCTUATION]);
	append_changes(out, &keeper, &other, &changes);
	buffer_append_string(out, "}");
	pgsimhash_free(changes.changes);
}
