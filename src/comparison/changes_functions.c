/*-------------------------------------------------------------------------
 *
 * changes_functions.c
 *		What changes from one text to another, called from SQL.
 *
 * The code that finds it is in src/core/changes/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/changes/changes.h"
#include "core/changes/copy_key.h"
#include "core/changes/first_change.h"
#include "core/changes/same_document.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/compat.h"
#include "server/server_text.h"
#include "server/text_places.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"

PG_FUNCTION_INFO_V1(simhash_first_change);
PG_FUNCTION_INFO_V1(simhash_changes);

Datum
simhash_first_change(PG_FUNCTION_ARGS)
{
	bool		numbers = PG_GETARG_BOOL(2);
	Utf8Text	a = utf8_argument(fcinfo, 0);
	Utf8Text	b = utf8_argument(fcinfo, 1);
	uint64		value = core_first_change_of_texts(a.bytes, a.len, b.bytes, b.len,
												   numbers, server_env());

	utf8_text_free(&a);
	utf8_text_free(&b);
	PG_RETURN_INT32((int32) value);
}

PG_FUNCTION_INFO_V1(simhash_same_document);

Datum
simhash_same_document(PG_FUNCTION_ARGS)
{
	bool		numbers = PG_GETARG_BOOL(2);
	Utf8Text	a = utf8_argument(fcinfo, 0);
	Utf8Text	b = utf8_argument(fcinfo, 1);
	bool		same = core_same_document_of_texts(a.bytes, a.len, b.bytes, b.len, numbers,
												   server_env());

	utf8_text_free(&a);
	utf8_text_free(&b);
	PG_RETURN_BOOL(same);
}

PG_FUNCTION_INFO_V1(simhash_copy_key_of_text);

Datum
simhash_copy_key_of_text(PG_FUNCTION_ARGS)
{
	Utf8Text	t = utf8_argument(fcinfo, 0);
	pg_uuid_t  *key = palloc(sizeof(pg_uuid_t));
	bool		visible;

	StaticAssertStmt(UUID_LEN == COPY_KEY_BYTES, "a key fits in a uuid");
	visible = core_copy_key(t.bytes, t.len, server_env(), key->data);
	utf8_text_free(&t);
	if (!visible)
		PG_RETURN_NULL();
	PG_RETURN_UUID_P(key);
}

/* ----------
 * Changes in order
 * ----------
 */

/* The places of changes in a text, from its beginning to its end. */
typedef struct ChangedText
{
	Utf8Text	argument;
	CharacterCounter counter;
	CharacterFinder finder;
} ChangedText;

static void
init_changed_text(ChangedText *t, FunctionCallInfo fcinfo, int arg)
{
	memset(t, 0, sizeof(*t));
	t->argument = utf8_argument(fcinfo, arg);
	t->counter.t = &t->argument;
	t->finder.t = &t->argument;
}

/* Store the start, the length and the text of a change. */
static void
put_changed_text(ChangedText *t, Span change, Datum *start, Datum *length, Datum *cut)
{
	size_t		first = count_whole_characters(&t->counter, change.start);
	size_t		behind = change.end > change.start ?
		count_characters(&t->counter, change.end) : first;

	/* bytes that were not converted are the UTF-8 */
	if (t->argument.bytes != t->argument.original)
	{
		change.start = find_character(&t->finder, first);
		change.end = find_character(&t->finder, behind);
	}
	*start = Int32GetDatum((int32) first + 1);
	*length = Int32GetDatum((int32) (behind - first));
	*cut = PointerGetDatum(cstring_to_text_with_len(t->argument.original + change.start,
													change.end - change.start));
}

Datum
simhash_changes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		fold = PG_GETARG_BOOL(2);
	ChangedText a;
	ChangedText b;
	Change	   *changes;
	size_t		n;

	InitMaterializedSRF(fcinfo, 0);
	init_changed_text(&a, fcinfo, 0);
	init_changed_text(&b, fcinfo, 1);
	n = core_changes_of_texts(a.argument.bytes, a.argument.len,
							  b.argument.bytes, b.argument.len,
							  fold, server_env(), &changes);
	for (size_t i = 0; i < n; i++)
	{
		const Change *c = &changes[i];
		Datum		values[9];
		bool		nulls[9] = {false};

		CHECK_FOR_INTERRUPTS();
		values[0] = Int32GetDatum((int32) i + 1);
		put_changed_text(&a, c->a, &values[1], &values[2], &values[5]);
		put_changed_text(&b, c->b, &values[3], &values[4], &values[6]);
		values[7] = CStringGetTextDatum(core_change_names[c->kind]);
		values[8] = Int32GetDatum((int32) c->times);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		for (int column = 5; column < 8; column++)
			pfree(DatumGetPointer(values[column]));
	}
	return (Datum) 0;
}
