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
#include "../text/unicode/numerals.h"
#include "links.h"
#include "read_text.h"
#include "signs.h"

/* A random token has at least as many characters and digits, unlike sha256sum. */
#define TOKEN_CHARACTERS 9
#define TOKEN_DIGITS 4

/* ---------- numbers ---------- */

/* Lists of numbers, which grow together. */
typedef struct NumberLists
{
	ReadText   *text;
	bool		hashes;			/* are hashes read? */
	size_t		n;				/* words with a digit */
	size_t		room;
	size_t		token_room;		/* there are few tokens */
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

/* Add a number, whose hash its words tell, between two places. */
static void
add_number(ReadText *text, const Bytes *bytes, uint64_t hash, size_t start, size_t end, int nth)
{
	uint64_t	before = core_signs_before(bytes, start, nth);
	uint64_t	behind = core_unit_behind(bytes, end, nth);

	text->numbers[text->n_numbers++] = mix64(hash ^ mix64(mix64(before) ^ behind));
}

static void
add_digits(ReadText *text, size_t word)
{
	if (word <= UINT32_MAX)
		text->digits[text->n_digits++] = (uint32_t) word;
}

static void
add_token(NumberLists *lists, size_t word, const Env *env)
{
	ReadText   *text = lists->text;

	if (text->n_tokens == lists->token_room)
	{
		lists->token_room += lists->token_room / 2 + 16;
		text->tokens = env_resize(env, text->tokens, lists->token_room * sizeof(uint32_t));
	}
	if (word <= UINT32_MAX)
		text->tokens[text->n_tokens++] = (uint32_t) word;
	add_digits(text, word);
}

/* ---------- Chinese numerals ---------- */

/* Chinese numerals without anything between them, each of which is a word */
typedef struct ChineseNumber
{
	size_t		word;			/* the first one */
	size_t		n_words;
	size_t		start;
	size_t		end;
	bool		in_link;
} ChineseNumber;

/*
 * A single numeral is also a part of ordinary words.  It is a number behind the ordinal prefix or
 * before one of the counters.
 */
static bool
is_chinese_number(const ChineseNumber *number, const Bytes *bytes)
{
	if (number->n_words != 1)
		return number->n_words > 1;
	return core_character_beside(bytes, number->start, false) == ORDINAL_PREFIX ||
		core_is_counter(core_character_beside(bytes, number->end, true));
}

/* Does a word with a numeral consist of a Chinese one? */
static bool
is_chinese_word(const Bytes *bytes, const WordPlace *place)
{
	NormChar	first;

	if (!place->is_number || bytes->text[place->start] < 0x80)
		return false;
	first = first_of_form(UNICODE_NORMALIZED, character_at(bytes, place->start));
	return first != NO_CHARACTER && is_chinese_numeral_or_circle(NORM_CODE_POINT(first));
}

static bool
continues_number(const ChineseNumber *number, const Bytes *bytes, const WordPlace *place)
{
	return number->n_words > 0 && number->word + number->n_words == place->word &&
		is_chinese_numeral_or_circle(core_character_beside(bytes, place->start, false));
}

/* Add what has been read of a Chinese number, if it is one. */
static void
end_chinese_number(NumberLists *lists, const Bytes *bytes, ChineseNumber *number)
{
	ReadText   *text = lists->text;
	uint64_t	hash = 0;

	if (is_chinese_number(number, bytes))
	{
		for (size_t i = 0; i < number->n_words; i++)
		{
			hash = mix64(hash * MIX_FACTOR + text->list.words[number->word + i]);
			add_digits(text, number->word + i);
			tick(bytes->env, i);
		}
		if (lists->hashes && !number->in_link)
			add_number(text, bytes, hash, number->start, number->end, 0);
	}
	number->n_words = 0;
}

/* ---------- reading numbers ---------- */

/*
 * Is a word with a digit a random token, such as 4139vOLW7?  Normalisation does not change the answer,
 * so equal words are tokens in both texts.
 */
static bool
is_token(const Bytes *bytes, const WordPlace *place)
{
	size_t		at = place->start;
	size_t		n_digits = 0;
	size_t		n = 0;
	uint32_t	c;

	while ((c = next_visible(bytes, &at, place->end)) != NO_CHARACTER)
	{
		const NormChar *chars;
		NormChar	room[NORM_ROOM];

		for (int i = expand_character(UNICODE_FOLDED_NORMALIZED, c, &chars, room); i-- > 0;)
		{
			n += NORM_KIND(chars[i]) != CHAR_MARK;
			n_digits += NORM_CODE_POINT(chars[i]) - '0' < 10;
		}
	}
	return n >= TOKEN_CHARACTERS && n_digits >= TOKEN_DIGITS;
}

static void
read_numbers(ReadText *text, NumbersToRead numbers, const Env *env)
{
	bool		hashes = numbers != NO_NUMBERS;
	const Bytes bytes = bytes_of(text->utf8, text->len, env);
	NumberLists lists = {text, hashes, 0, 0, 0};
	ChineseNumber chinese = {0};
	LinkReader	links;
	PlaceReader places;
	WordPlace	place = {0};
	size_t		end = 0;		/* of the last word with a digit */
	int			nth = 0;		/* of such words that begin in one code point */

	if (hashes)
		core_links_begin(&links, &bytes);
	core_places_init(&places, text->utf8, text->len, &core_words_of_changes, env);
	for (size_t word = 0; core_places_find_digit(&places, word, &place); word = place.word + 1)
	{
		bool		in_link = hashes && core_links_cover(&links, place.start);

		tick(env, lists.n++);
		if (lists.n > lists.room)
			grow_lists(&lists, env);
		nth = place.start < end ? nth + 1 : 0;
		end = place.end;
		if (!is_chinese_word(&bytes, &place))
		{
			end_chinese_number(&lists, &bytes, &chinese);
			if (hashes && !in_link)
				add_number(text, &bytes, text->list.words[place.word], place.start, place.end, nth);
			if (place.is_number)
				add_digits(text, place.word);
			else if (is_token(&bytes, &place))
				add_token(&lists, place.word, env);
			continue;
		}
		if (!continues_number(&chinese, &bytes, &place))
		{
			end_chinese_number(&lists, &bytes, &chinese);
			chinese.word = place.word;
			chinese.start = place.start;
			chinese.in_link = in_link;
		}
		chinese.n_words++;
		chinese.end = place.end;
	}
	end_chinese_number(&lists, &bytes, &chinese);
	if (numbers == SORTED_NUMBERS)
		core_sort_hashes(text->numbers, text->n_numbers, env);
}

/* ---------- data ---------- */

/* Words of a text, in ascending order, whose numbers change while others are joined */
typedef struct MovedWords
{
	uint32_t   *words;
	size_t		n;
	size_t		n_moved;
	size_t		next;
} MovedWords;

/* If a word is among these, move it, or drop it if it is in data. */
static inline void
move_word(MovedWords *moved, size_t word, size_t to, bool in_data)
{
	if (moved->next == moved->n || moved->words[moved->next] != word)
		return;
	moved->next++;
	if (!in_data)
		moved->words[moved->n_moved++] = (uint32_t) to;
}

/* Replace the words that begin in the data of a URI by one word. */
static void
join_words_of_data(ReadText *text, const Env *env)
{
	const Bytes bytes = bytes_of(text->utf8, text->len, env);
	uint64_t   *words = text->list.words;
	size_t		joined = SIZE_MAX;	/* the beginning of the data of the last word */
	size_t		n = 0;
	MovedWords	digits = {text->digits, text->n_digits, 0, 0};
	MovedWords	tokens = {text->tokens, text->n_tokens, 0, 0};
	LinkReader	links;
	PlaceReader places;
	WordPlace	place;

	if (!core_has_data(&bytes))
		return;
	core_links_begin(&links, &bytes);
	core_places_init(&places, text->utf8, text->len, &core_words_of_changes, env);
	for (size_t word = 0; core_places_find(&places, word, &place); word++)
	{
		bool		in_data = core_links_cover(&links, place.start) && is_data(&links);

		tick(env, word);
		move_word(&digits, word, n, in_data);
		move_word(&tokens, word, n, in_data);
		if (in_data && links.start == joined)
		{
			words[n - 1] = mix64(words[n - 1] * MIX_FACTOR + words[word]);
			continue;
		}
		joined = in_data ? links.start : SIZE_MAX;
		words[n++] = words[word];
	}
	text->list.n = n;
	text->n_digits = digits.n_moved;
	text->n_tokens = tokens.n_moved;
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
	/* most texts have no number, and data are behind base64 */
	if (!core_has_digit(utf8, len, &core_words_of_changes, env))
		return;
	read_numbers(text, numbers, env);
	join_words_of_data(text, env);
}

void
core_release_text(ReadText *text, const Env *env)
{
	env_free(env, text->list.words);
	env_free(env, text->numbers);
	env_free(env, text->digits);
	env_free(env, text->tokens);
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
