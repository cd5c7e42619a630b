/*-------------------------------------------------------------------------
 *
 * read_text.c
 *		Texts whose words and numbers have been read; see read_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/sort_hashes.h"
#include "../text/mix.h"
#include "../text/tokens/places.h"
#include "links.h"
#include "read_text.h"
#include "signs.h"

/* ---------- numbers ---------- */

/* Lists of numbers, which grow together. */
typedef struct NumberLists
{
	ReadText   *text;
	bool		hashes;			/* are hashes read? */
	size_t		n;				/* words with a digit */
	size_t		room;
} NumberLists;

static void
grow_lists(NumberLists *lists, const Env *env)
{
	ReadText   *text = lists->text;

	lists->room += lists->room / 2 + 16;
	text->digits = env_resize(env, text->digits, lists->room * sizeof(uint32_t));
	if (lists->hashes)
		text->numbers = env_resize(env, text->numbers, lists->room * sizeof(uint64_t));
}

static void
add_number(ReadText *text, const Bytes *bytes, const WordPlace *place, int nth)
{
	uint64_t	before = core_signs_before(bytes, place->start, nth);
	uint64_t	behind = core_unit_behind(bytes, place->end, nth);

	text->numbers[text->n_numbers++] = mix64(text->list.words[place->word] ^
											 mix64(mix64(before) ^ behind));
}

static void
read_numbers(ReadText *text, NumbersToRead numbers, const Env *env)
{
	bool		hashes = numbers != NO_NUMBERS;
	const Bytes bytes = bytes_of(text->utf8, text->len, env);
	NumberLists lists = {text, hashes, 0, 0};
	LinkReader	links;
	PlaceReader places;
	WordPlace	place = {0};
	size_t		end = 0;		/* of the last word with a digit */
	int			nth = 0;		/* of such words that begin in one code point */

	/* most texts have no number */
	if (!core_has_digit(text->utf8, text->len, &core_words_of_changes, env))
		return;
	if (hashes)
		core_links_begin(&links, &bytes);
	core_places_init(&places, text->utf8, text->len, &core_words_of_changes, env);
	for (size_t word = 0; core_places_find_digit(&places, word, &place); word = place.word + 1)
	{
		if (lists.n == lists.room)
			grow_lists(&lists, env);
		nth = place.start < end ? nth + 1 : 0;
		end = place.end;
		if (hashes && !core_links_cover(&links, place.start))
			add_number(text, &bytes, &place, nth);
		if (place.is_number && place.word <= UINT32_MAX)
			text->digits[text->n_digits++] = (uint32_t) place.word;
		tick(env, lists.n++);
	}
	if (numbers == SORTED_NUMBERS)
		core_sort_hashes(text->numbers, text->n_numbers, env);
}

/* ---------- texts ---------- */

const TextOptions core_words_of_changes = TEXT_OPTIONS_DEFAULT;

void
core_read_text(const char *utf8, size_t len, NumbersToRead numbers, const Env *env,
			   ReadText *text)
{
	memset(text, 0, sizeof(ReadText));
	text->utf8 = utf8;
	text->len = len;
	core_read_words(utf8, len, &core_words_of_changes, env, &text->list);
	read_numbers(text, numbers, env);
}

void
core_release_text(ReadText *text, const Env *env)
{
	env_free(env, text->list.words);
	env_free(env, text->numbers);
	env_free(env, text->digits);
}

bool
core_numbers_replaced(const ReadText *a, const ReadText *b, const Env *env)
{
	size_t		i = 0;
	size_t		j = 0;
	size_t		steps = 0;
	bool		own_a = false;
	bool		own_b = false;

	while (!(own_a && own_b) && (i < a->n_numbers || j < b->n_numbers))
	{
		bool		is_own_a = j == b->n_numbers ||
			(i < a->n_numbers && a->numbers[i] < b->numbers[j]);
		bool		is_own_b = i == a->n_numbers ||
			(j < b->n_numbers && b->numbers[j] < a->numbers[i]);

		own_a |= is_own_a;
		own_b |= is_own_b;
		i += !is_own_b;
		j += !is_own_a;
		tick(env, steps++);
	}
	return own_a && own_b;
}
