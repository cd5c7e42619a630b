/*-------------------------------------------------------------------------
 *
 * api_passages.c
 *		Passages that texts have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"
#include "call.h"
#include "character_numbers.h"
#include "core/passages/align.h"
#include "core/passages/containment.h"
#include "core/passages/keys.h"
#include "core/passages/passage_places.h"

/* ---------- keys ---------- */

int
pgsimhash_passage_keys(const char *text, size_t length, int words, int n,
					   const pgsimhash_options *given, int64_t **keys, size_t *n_keys)
{
	TextOptions options;
	Call		call;
	int64_t    *found;

	if (!options_of_words(given, n, &options) || words < n || words > MOST_PASSAGE_WORDS)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	*n_keys = core_choose_keys(text, length, &options, words, &call.env, &found);
	*keys = call_keep(found);
	return call_end(&call, PGSIMHASH_OK);
}

/* ---------- passages ---------- */

/* The numbers of characters before the places in bytes; neither starts nor ends decrease. */
static WordPlace *
places_in_characters(const char *text, const PassagePlaces *places, const Env *env)
{
	WordPlace  *result = env_alloc(env, places->n * sizeof(WordPlace));
	CharacterNumbers starts = {text, env, 0, 0};
	CharacterNumbers ends = {text, env, 0, 0};

	for (size_t i = 0; i < places->n; i++)
	{
		result[i].start = characters_before(&starts, places->words[i].start);
		result[i].end = characters_before(&ends, places->words[i].end);
	}
	return result;
}

static void
put_places(const char *text, size_t length, const TextOptions *options, const Env *env,
		   const Passage *found, size_t n, bool in_a, pgsimhash_passage *passages)
{
	PassagePlaces places;
	const WordPlace *characters;

	core_passage_places(text, length, options, env, found, n, in_a, &places);
	characters = places_in_characters(text, &places, env);
	for (size_t i = 0; i < n; i++)
	{
		const Passage *p = &found[i];
		pgsimhash_place *place = in_a ? &passages[i].a : &passages[i].b;
		const WordPlace *first = core_place_of_word(&places, in_a ? p->a_start : p->b_start);
		const WordPlace *last = core_place_of_word(&places, (in_a ? p->a_end : p->b_end) - 1);

		place->byte = first->start;
		place->bytes = last->end - first->start;
		place->character = characters[first - places.words].start;
		place->characters = characters[last - places.words].end - place->character;
		passages[i].words = p->words;
	}
}

int
pgsimhash_passages(const char *a, size_t a_length, const char *b, size_t b_length,
				   int words, int gap, const pgsimhash_options *given,
				   pgsimhash_passage **passages, size_t *n_passages)
{
	TextOptions options;
	Call		call;
	const Env  *env = &call.env;
	WordList	a_words;
	WordList	b_words;
	Passage    *found;
	size_t		n;
	pgsimhash_passage *result;

	if (!options_of_words(given, 1, &options) || words < 1 || gap < 0 || gap > MOST_GAP_WORDS)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	core_read_words(a, a_length, &options, env, &a_words);
	core_read_words(b, b_length, &options, env, &b_words);
	n = core_align(&a_words, &b_words, (size_t) words, (size_t) gap, env, &found);
	result = env_alloc(env, n * sizeof(pgsimhash_passage));
	if (n > 0)
	{
		put_places(a, a_length, &options, env, found, n, true, result);
		put_places(b, b_length, &options, env, found, n, false, result);
	}
	*passages = call_keep(result);
	*n_passages = n;
	return call_end(&call, PGSIMHASH_OK);
}

/* ---------- containment ---------- */

int
pgsimhash_containment(const char *a, size_t a_length, const char *b, size_t b_length, int n,
					  const pgsimhash_options *given, double *containment)
{
	TextOptions options;
	Call		call;
	bool		is_found;

	if (!options_of_words(given, n, &options))
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	is_found = core_containment_text(a, a_length, b, b_length, &options, &call.env, containment);
	return call_end(&call, is_found ? PGSIMHASH_OK : PGSIMHASH_NULL);
}
