/*-------------------------------------------------------------------------
 *
 * server_text.c
 *		What text/ needs from the server; see server_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server_text.h"
#include "utils/memutils.h"

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

static void
env_fail(void *arg, const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("could not find words by dictionary: %s", message)));
}

/* Memory is allocated in the context that is current then. */
const TextEnv *
text_env(void)
{
	static TextEnv env;

	if (env.salt == 0)
	{
		env.resize = env_resize;
		env.release = env_release;
		env.check_interrupts = env_check_interrupts;
		env.fail = env_fail;
		if (!pg_strong_random(&env.salt, sizeof(env.salt)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate random values")));
		env.salt |= 1;
	}
	return &env;
}

/*
 * len bytes in the server's encoding.
 *
 * Encodings without a conversion to UTF-8 raise PostgreSQL's own error, as do
 * bytes in an SQL_ASCII database that are no UTF-8.
 */
Utf8Text
utf8_text(const char *s, size_t len)
{
	Utf8Text	t;
	char	   *utf8 = pg_server_to_any(s, len, PG_UTF8);

	t.bytes = utf8;
	t.len = utf8 != s ? strlen(utf8) : len;
	t.converted = utf8 != s ? utf8 : NULL;
	return t;
}
