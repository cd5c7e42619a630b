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
#include "internal.h"

/* ---------- the first change, and the rule ---------- */

/* Check the arguments of both functions. */
static int
check_texts(const char *a, size_t a_length, const char *b, size_t b_length, int numbers)
{
	if (numbers != 0 && numbers != 1)
		return PGSIMHASH_INVALID_OPTION;
	return utf8_is_valid(a, a_length) && utf8_is_valid(b, b_length) ? PGSIMHASH_OK :
		PGSIMHASH_INVALID_UTF8;
}

int
pgsimhash_first_change(const char *a, size_t a_length, const char *b, size_t b_length,
					   int numbers, uint64_t *value)
{
	int			result = check_texts(a, a_length, b, b_length, numbers);
	Call		call;

	if (result != PGSIMHASH_OK)
		return result;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	*value = core_first_change_of_texts(a, a_length, b, b_length, numbers == 1, &call.env);
	return call_end(&call, PGSIMHASH_OK);
}

int
pgsimhash_same_document(const char *a, size_t a_length, const char *b, size_t b_length,
						int numbers, int *same)
{
	int			result = check_texts(a, a_length, b, b_length, numbers);
	Call		call;

	if (result != PGSIMHASH_OK)
		return result;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	*same = core_same_document_of_texts(a, a_length, b, b_length, numbers == 1, &call.env);
	return call_end(&call, PGSIMHASH_OK);
}

int
difference_of_documents(const char *a, size_t a_length, const char *b, size_t b_length, const char **reason)
{
	static const char *const reasons[] = {
		[SAME_DOCUMENT] = NULL,
		[DIFFERENT_WITHOUT_WORDS] = "a text has no words",
		[DIFFERENT_NUMBER] = "a number is replaced",
		[DIFFERENT_FIRST_CHANGE] = "the first word that differs appears again, as a name does",
		[DIFFERENT_SHORT_TEXT] = "a word of a short text is replaced",
		[DIFFERENT_NAMES] = "both texts begin with a name that the other one lacks",
		[DIFFERENT_WORDS] = "too many words are replaced",
		[DIFFERENT_SIGNS] = "the texts are different drawings"
	};
	int			result = check_texts(a, a_length, b, b_length, 1);
	Call		call;

	if (result != PGSIMHASH_OK)
		return result;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	*reason = reasons[core_document_difference(a, a_length, b, b_length, true, &call.env)];
	return call_end(&call, PGSIMHASH_OK);
}

/* ---------- all changes ---------- */

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

int
pgsimhash_changes(const char *a, size_t a_length, const char *b, size_t b_length,
				  const pgsimhash_options *options, pgsimhash_change **changes,
				  size_t *n_changes)
{
	Call		call;
	CharacterNumbers in_a = {a, &call.env, 0, 0};
	CharacterNumbers in_b = {b, &call.env, 0, 0};
	TextOptions words;
	Change	   *found;
	size_t		n;
	pgsimhash_change *result;

	if (!options_of_words(options, 1, &words) || !words.normalize)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	n = core_changes_of_texts(a, a_length, b, b_length, words.fold, &call.env, &found);
	result = env_alloc(&call.env, n * sizeof(pgsimhash_change));
	for (size_t i = 0; i < n; i++)
	{
		result[i].a = place_of(&in_a, found[i].a);
		result[i].b = place_of(&in_b, found[i].b);
		result[i].kind = (int) found[i].kind;
		result[i].times = found[i].times;
	}
	*changes = call_keep(result);
	*n_changes = n;
	return call_end(&call, PGSIMHASH_OK);
}
