/*-------------------------------------------------------------------------
 *
 * from_text.c
 *		simhash(text): the default fingerprint, called from SQL.
 *
 * What it is, and how it is computed, is in text/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "simhash.h"
#include "text/fingerprint.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(simhash_from_text);
PG_FUNCTION_INFO_V1(simhash_from_unknown);

/* TextEnv's functions, over PostgreSQL's memory contexts and interrupts */

static void *
env_resize(void *arg, void *ptr, size_t size)
{
	if (ptr == NULL)
		return MemoryContextAllocHuge(CurrentMemoryContext, size);
	return repalloc_huge(ptr, size);
}

static void
env_release(void *arg, void *ptr)
{
	pfree(ptr);
}

static void
env_check_interrupts(void *arg)
{
	CHECK_FOR_INTERRUPTS();
}

static const TextEnv *
text_env(void)
{
	static TextEnv env;

	if (env.salt == 0)
	{
		env.resize = env_resize;
		env.release = env_release;
		env.check_interrupts = env_check_interrupts;
		if (!pg_strong_random(&env.salt, sizeof(env.salt)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate random values")));
		env.salt |= 1;
	}
	return &env;
}

/*
 * The fingerprint of len bytes in the server's encoding, as the result of the
 * SQL function: NULL if there is no token in it.
 *
 * Encodings without a conversion to UTF-8 raise PostgreSQL's own error, as do
 * bytes in an SQL_ASCII database that are no UTF-8.
 */
static Datum
from_server_text(FunctionCallInfo fcinfo, const char *s, size_t len)
{
	Simhash		f;
	char	   *utf8 = pg_server_to_any(s, len, PG_UTF8);
	bool		has_token;

	if (utf8 != s)
		len = strlen(utf8);
	has_token = simhash_text(utf8, len, text_env(), &f);
	if (utf8 != s)
		pfree(utf8);
	if (!has_token)
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}

Datum
simhash_from_text(PG_FUNCTION_ARGS)
{
	text	   *t = PG_GETARG_TEXT_PP(0);
	Datum		result = from_server_text(fcinfo, VARDATA_ANY(t),
										  VARSIZE_ANY_EXHDR(t));

	PG_FREE_IF_COPY(t, 0);
	return result;
}

/* A literal whose type was not said */
Datum
simhash_from_unknown(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);

	return from_server_text(fcinfo, s, strlen(s));
}
