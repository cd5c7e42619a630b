/*-------------------------------------------------------------------------
 *
 * passages_functions.c
 *		Passages that texts have in common, called from SQL: the keys that an
 *		index finds them by, and their places in two texts.
 *
 * The code that computes them is in src/core/passages/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/passages/align.h"
#include "core/passages/containment.h"
#include "core/passages/keys.h"
#include "core/passages/passage_places.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/compat.h"
#include "server/server_text.h"
#include "server/text_places.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_passage_keys_from_text);
PG_FUNCTION_INFO_V1(simhash_passages);
PG_FUNCTION_INFO_V1(simhash_containment);

#define MOST_KEYS ((MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / sizeof(int64))

static int
option_between(FunctionCallInfo fcinfo, int arg, const char *option, int least, int most)
{
	int32		value = PG_GETARG_INT32(arg);

	if (value < least || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value %d out of bounds for option \"%s\"", value, option),
				 errhint("Values between %d and %d are valid.", least, most)));
	return value;
}

/* Words, compared as in minhash(text); the two options are from argument "first" on. */
static TextOptions
word_options(FunctionCallInfo fcinfo, int first)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;

	options.fold = PG_GETARG_BOOL(first);
	options.normalize = PG_GETARG_BOOL(first + 1);
	return options;
}

Datum
simhash_passage_keys_from_text(PG_FUNCTION_ARGS)
{
	int			words = option_between(fcinfo, 1, "words", 1, MOST_PASSAGE_WORDS);
	int			n = option_between(fcinfo, 2, "n", 1, LONGEST_SHINGLE);
	TextOptions options = word_options(fcinfo, 3);
	Utf8Text	t;
	int64	   *keys;
	size_t		n_keys;
	ArrayType  *result;

	if (words < n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"words\" (%d) must not be less than option \"n\" (%d)",
						words, n),
				 errhint("A key is the hash of n adjacent words, so a passage has at least n words.")));
	t = utf8_argument(fcinfo, 0);
	options.shingle = n;
	n_keys = core_choose_keys(t.bytes, t.len, &options, words,
							  server_env(), &keys);
	utf8_text_free(&t);
	if (n_keys > MOST_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)", (int) MOST_KEYS),
				 errhint("Increase option \"words\" to get fewer keys.")));

	/* the Datum of a bigint is its bits */
	result = construct_array((Datum *) keys, (int) n_keys, INT8OID, sizeof(int64), true,
							 TYPALIGN_DOUBLE);
	pfree(keys);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* ----------
 * Places
 * ----------
 */

/* Turn places in bytes into characters: the ones before a word, and up to its end. */
static void
places_in_characters(const Utf8Text *t, PassagePlaces *places)
{
	CharacterCounter starts = {t, 0, 0, 0};
	CharacterCounter ends = {t, 0, 0, 0};

	for (size_t i = 0; i < places->n; i++)
	{
		WordPlace  *w = &places->words[i];

		/* the word may begin with the second code point of a character */
		w->start = count_whole_characters(&starts, w->start);
		w->end = count_characters(&ends, w->end);
	}
}

/* The places of passages in text a, or b, in characters. */
static PassagePlaces
find_places(const Utf8Text *t, const TextOptions *options,
			const Passage *passages, size_t n_passages, bool in_a)
{
	PassagePlaces places;

	core_passage_places(t->bytes, t->len, options, server_env(),
						passages, n_passages, in_a, &places);
	places_in_characters(t, &places);
	return places;
}

/* Store the columns of a passage in one text: its start and length. */
static void
put_place(const PassagePlaces *places, size_t start, size_t end, Datum *values)
{
	size_t		first = core_place_of_word(places, start)->start;
	size_t		behind = core_place_of_word(places, end - 1)->end;

	values[0] = Int32GetDatum((int32) first + 1);
	values[1] = Int32GetDatum((int32) (behind - first));
}

Datum
simhash_passages(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			least = option_between(fcinfo, 2, "words", 1, PG_INT32_MAX);
	int			gap = option_between(fcinfo, 3, "gap", 0, MOST_GAP_WORDS);
	TextOptions options = word_options(fcinfo, 4);
	Utf8Text	a = utf8_argument(fcinfo, 0);
	Utf8Text	b = utf8_argument(fcinfo, 1);
	WordList	a_words;
	WordList	b_words;
	Passage    *passages;
	size_t		n;
	PassagePlaces in_a;
	PassagePlaces in_b;

	InitMaterializedSRF(fcinfo, 0);
	core_read_words(a.bytes, a.len, &options, server_env(), &a_words);
	core_read_words(b.bytes, b.len, &options, server_env(), &b_words);
	n = core_align(&a_words, &b_words, least, gap, server_env(), &passages);
	pfree(a_words.words);
	pfree(b_words.words);
	if (n > 0)
	{
		in_a = find_places(&a, &options, passages, n, true);
		in_b = find_places(&b, &options, passages, n, false);
	}
	for (size_t i = 0; i < n; i++)
	{
		const Passage *p = &passages[i];
		Datum		values[5];
		bool		nulls[5] = {false};

		CHECK_FOR_INTERRUPTS();
		put_place(&in_a, p->a_start, p->a_end, values);
		put_place(&in_b, p->b_start, p->b_end, values + 2);
		values[4] = Int32GetDatum((int32) p->words);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* ----------
 * Comparing
 * ----------
 */

Datum
simhash_containment(PG_FUNCTION_ARGS)
{
	int			n = option_between(fcinfo, 2, "n", 1, LONGEST_SHINGLE);
	TextOptions options = word_options(fcinfo, 3);
	Utf8Text	a = utf8_argument(fcinfo, 0);
	Utf8Text	b = utf8_argument(fcinfo, 1);
	double		share;
	bool		has_word;

	options.shingle = n;
	has_word = core_containment_text(a.bytes, a.len,
									 b.bytes, b.len,
									 &options, server_env(), &share);
	utf8_text_free(&a);
	utf8_text_free(&b);
	if (!has_word)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(share);
}
