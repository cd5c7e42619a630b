/*-------------------------------------------------------------------------
 *
 * fingerprint.c
 *		simhash(text): the default fingerprint, called from SQL.
 *
 * What it is, and how it is computed, is in text/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "simhash.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(simhash_from_text);
PG_FUNCTION_INFO_V1(simhash_from_unknown);

Datum
simhash_from_text(PG_FUNCTION_ARGS)
{
	PG_RETURN_NULL();
}

Datum
simhash_from_unknown(PG_FUNCTION_ARGS)
{
	PG_RETURN_NULL();
}
