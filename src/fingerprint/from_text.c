/*-------------------------------------------------------------------------
 *
 * from_text.c
 *		simhash(text) and minhash(text): fingerprints of a text, called from SQL.
 *
 * The code that computes them is in src/core/text/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/text/fingerprint.h"
#include "options.h"
#include "server/server_text.h"
#include "simhash.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(simhash_from_text);
PG_FUNCTION_INFO_V1(simhash_from_text_options);
PG_FUNCTION_INFO_V1(simhash_from_unknown);
PG_FUNCTION_INFO_V1(minhash_from_text);
PG_FUNCTION_INFO_V1(minhash_from_text_options);

typedef bool (*FingerprintFunction) (const char *utf8, size_t len,
									 const TextOptions *options,
									 const TextEnv *env, uint64 *fingerprint);

static const TextOptions default_options = TEXT_OPTIONS_DEFAULT;

/*
 * The fingerprint of len bytes in the server's encoding, as the result of the
 * SQL function: NULL if the text has no token
 */
static Datum
from_server_text(FunctionCallInfo fcinfo, FingerprintFunction function,
				 const TextOptions *options, const char *s, size_t len)
{
	Simhash		f;
	Utf8Text	t = utf8_text(s, len);
	bool		has_token = function(t.bytes, t.len, options, text_env(), &f);

	utf8_text_free(&t);
	if (!has_token)
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}

static Datum
from_text_argument(FunctionCallInfo fcinfo, FingerprintFunction function,
				   const TextOptions *options)
{
	text	   *t = PG_GETARG_TEXT_PP(0);
	Datum		result = from_server_text(fcinfo, function, options,
										  VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));

	PG_FREE_IF_COPY(t, 0);
	return result;
}

Datum
simhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, simhash_of_text, &default_options);
}

/* Not strict: NULL stands for an option's default */
Datum
simhash_from_text_options(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 1, true);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return from_text_argument(fcinfo, simhash_of_text, &options);
}

Datum
minhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, simhash_minwise_text, &default_options);
}

Datum
minhash_from_text_options(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 1, false);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return from_text_argument(fcinfo, simhash_minwise_text, &options);
}

/* An untyped literal */
Datum
simhash_from_unknown(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);

	return from_server_text(fcinfo, simhash_of_text, &default_options, s, strlen(s));
}
