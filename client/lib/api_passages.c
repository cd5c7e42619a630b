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

typedef struct KeysCall
{
	const char *text;
	size_t		length;
	int			words;
	TextOptions options;
	int64_t   **keys;
	size_t	   *n_keys;
} KeysCall;

static int
keys_body(Call *call, void *arg)
{
	KeysCall   *c = arg;
	int64_t    *keys;
	size_t		n = core_choose_keys(c->text, c->length, &c->options, c->words,
									 &call->env, &keys);

	*c->keys = call_keep(keys);
	*c->n_keys = n;
	return PGSIMHASH_OK;
}

int
pgsimhash_passage_keys(const char *text, size_t length, int words, int n,
					   const pgsimhash_options *options, int64_t **keys, size_t *n_keys)
{
	KeysCall	c = {text, length, words, TEXT_OPTIONS_DEFAULT, keys, n_keys};

	if (!options_of_words(options, n, &c.options) || words < n || words > MOST_PASSAGE_WORDS)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(keys_body, &c);
}

/* ---------- passages ---------- */

typedef struct PassagesCall
{
	NumberedText a;
	NumberedText b;
	int			words;
	int			gap;
	TextOptions options;
	pgsimhash_passage **passages;
	size_t	   *n_passages;
} PassagesCall;

/* The numbers of characters before the places in bytes; neither starts nor ends decrease. */
static WordPlace *
places_in_characters(const NumberedText *text, const PassagePlaces *places, const Env *env)
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
put_places(Call *call, const PassagesCall *c, const Passage *found, size_t n, bool in_a,
		   pgsimhash_passage *passages)
{
	const NumberedText *text = in_a ? &c->a : &c->b;
	PassagePlaces places;
	const WordPlace *characters;

	core_passage_places(text->bytes, text->length, &c->options, &call->env, found, n,
						in_a, &places);
	characters = places_in_characters(text, &places, &call->env);
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

static int
passages_body(Call *call, void *arg)
{
	PassagesCall *c = arg;
	const Env  *env = &call->env;
	WordList	a_words;
	WordList	b_words;
	Passage    *found;
	pgsimhash_passage *passages;
	size_t		n;

	core_read_words(c->a.bytes, c->a.length, &c->options, env, &a_words);
	core_read_words(c->b.bytes, c->b.length, &c->options, env, &b_words);
	n = core_align(&a_words, &b_words, (size_t) c->words, (size_t) c->gap, env, &found);
	passages = env_alloc(env, n * sizeof(pgsimhash_passage));
	if (n > 0)
	{
		put_places(call, c, found, n, true, passages);
		put_places(call, c, found, n, false, passages);
	}
	*c->passages = call_keep(passages);
	*c->n_passages = n;
	return PGSIMHASH_OK;
}

int
pgsimhash_passages(const char *a, size_t a_length, const char *b, size_t b_length,
				   int words, int gap, const pgsimhash_options *options,
				   pgsimhash_passage **passages, size_t *n_passages)
{
	PassagesCall c = {{a, a_length}, {b, b_length}, words, gap, TEXT_OPTIONS_DEFAULT, passages,
	n_passages};

	if (!options_of_words(options, 1, &c.options) || words < 1 || gap < 0 ||
		gap > MOST_GAP_WORDS)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(passages_body, &c);
}

/* ---------- containment ---------- */

typedef struct ContainmentCall
{
	NumberedText a;
	NumberedText b;
	TextOptions options;
	double	   *containment;
} ContainmentCall;

static int
containment_body(Call *call, void *arg)
{
	ContainmentCall *c = arg;

	return core_containment_text(c->a.bytes, c->a.length, c->b.bytes, c->b.length,
								 &c->options, &call->env, c->containment) ?
		PGSIMHASH_OK : PGSIMHASH_NULL;
}

int
pgsimhash_containment(const char *a, size_t a_length, const char *b, size_t b_length, int n,
					  const pgsimhash_options *options, double *containment)
{
	ContainmentCall c = {{a, a_length}, {b, b_length}, TEXT_OPTIONS_DEFAULT, containment};

	if (!options_of_words(options, n, &c.options))
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(containment_body, &c);
}
