/*-------------------------------------------------------------------------
 *
 * api_changes.c
 *		What changes from one text to another.
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"
#include "call.h"
#include "character_numbers.h"
#include "core/changes/changes.h"
#include "core/changes/first_change.h"
#include "core/changes/same_document.h"

/* ---------- the first change, and the rule ---------- */

typedef struct FirstChangeCall
{
	NumberedText a;
	NumberedText b;
	bool		numbers;
	uint64_t   *value;
	int		   *same;
} FirstChangeCall;

static int
first_change_body(Call *call, void *arg)
{
	FirstChangeCall *c = arg;

	*c->value = core_first_change_of_texts(c->a.bytes, c->a.length, c->b.bytes, c->b.length,
										   c->numbers, &call->env);
	return PGSIMHASH_OK;
}

static int
same_document_body(Call *call, void *arg)
{
	FirstChangeCall *c = arg;

	*c->same = core_same_document_of_texts(c->a.bytes, c->a.length, c->b.bytes, c->b.length,
										   c->numbers, &call->env);
	return PGSIMHASH_OK;
}

static int
call_with_numbers(int (*body) (Call *call, void *arg), FirstChangeCall *c, int numbers)
{
	if (numbers != 0 && numbers != 1)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(c->a.bytes, c->a.length) || !utf8_is_valid(c->b.bytes, c->b.length))
		return PGSIMHASH_INVALID_UTF8;
	c->numbers = numbers == 1;
	return call_once(body, c);
}

int
pgsimhash_first_change(const char *a, size_t a_length, const char *b, size_t b_length,
					   int numbers, uint64_t *value)
{
	FirstChangeCall c = {{a, a_length}, {b, b_length}, false, value, NULL};

	return call_with_numbers(first_change_body, &c, numbers);
}

int
pgsimhash_same_document(const char *a, size_t a_length, const char *b, size_t b_length,
						int numbers, int *same)
{
	FirstChangeCall c = {{a, a_length}, {b, b_length}, false, NULL, same};

	return call_with_numbers(same_document_body, &c, numbers);
}

/* ---------- all changes ---------- */

typedef struct ChangesCall
{
	NumberedText a;
	NumberedText b;
	bool		fold;
	pgsimhash_change **changes;
	size_t	   *n_changes;
} ChangesCall;

static pgsimhash_place
place_of(CharacterNumbers *counter, Span bytes)
{
	pgsimhash_place place = {bytes.start, bytes.end - bytes.start, 0, 0};

	place.character = characters_before(counter, bytes.start);
	place.characters = characters_before(counter, bytes.end) - place.character;
	return place;
}

/* The numbers of the kinds are those of the core. */
_Static_assert((int) CHANGE_INSERT == PGSIMHASH_CHANGE_INSERT, "insert");
_Static_assert((int) CHANGE_DELETE == PGSIMHASH_CHANGE_DELETE, "delete");
_Static_assert((int) CHANGE_REPLACE == PGSIMHASH_CHANGE_REPLACE, "replace");
_Static_assert((int) CHANGE_NUMBER == PGSIMHASH_CHANGE_NUMBER, "number");
_Static_assert((int) CHANGE_FORM == PGSIMHASH_CHANGE_FORM, "form");
_Static_assert((int) CHANGE_PUNCTUATION == PGSIMHASH_CHANGE_PUNCTUATION, "punctuation");
_Static_assert((int) CHANGE_SIGNS == PGSIMHASH_CHANGE_SIGNS, "signs");

const char *
pgsimhash_change_name(int kind)
{
	return kind >= 0 && kind < CHANGE_KINDS ? core_change_names[kind] : NULL;
}

static int
changes_body(Call *call, void *arg)
{
	ChangesCall *c = arg;
	const Env  *env = &call->env;
	CharacterNumbers in_a = {&c->a, env, 0, 0};
	CharacterNumbers in_b = {&c->b, env, 0, 0};
	Change	   *found;
	pgsimhash_change *changes;
	size_t		n = core_changes_of_texts(c->a.bytes, c->a.length, c->b.bytes, c->b.length,
										  c->fold, env, &found);

	changes = env_alloc(env, n * sizeof(pgsimhash_change));
	for (size_t i = 0; i < n; i++)
	{
		changes[i].a = place_of(&in_a, found[i].a);
		changes[i].b = place_of(&in_b, found[i].b);
		changes[i].kind = (int) found[i].kind;
		changes[i].times = found[i].times;
	}
	*c->changes = call_keep(changes);
	*c->n_changes = n;
	return PGSIMHASH_OK;
}

int
pgsimhash_changes(const char *a, size_t a_length, const char *b, size_t b_length,
				  const pgsimhash_options *options, pgsimhash_change **changes,
				  size_t *n_changes)
{
	ChangesCall c = {{a, a_length}, {b, b_length}, true, changes, n_changes};
	TextOptions words;

	if (!options_of_words(options, 1, &words) || !words.normalize)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	c.fold = words.fold;
	return call_once(changes_body, &c);
}
