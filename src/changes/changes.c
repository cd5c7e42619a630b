/*-------------------------------------------------------------------------
 *
 * changes.c
 *		What changes from one text to another, called from SQL.
 *
 * The code that finds it is in src/core/changes/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/changes/first_change.h"
#include "server/server_text.h"

PG_FUNCTION_INFO_V1(simhash_first_change);

Datum
simhash_first_change(PG_FUNCTION_ARGS)
{
	bool		numbers = PG_GETARG_BOOL(2);
	Utf8Text	a = utf8_argument(fcinfo, 0);
	Utf8Text	b = utf8_argument(fcinfo, 1);
	uint64		value = simhash_first_change_of_texts(a.bytes, a.len, b.bytes, b.len,
													  numbers, text_env());

	utf8_text_free(&a);
	utf8_text_free(&b);
	PG_RETURN_INT32((int32) value);
}
