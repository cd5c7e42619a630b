/*-------------------------------------------------------------------------
 *
 * from_text.c
 *		simhash(text), minhash(text), and wide fingerprints of a text: simhash_bits
 *		and minhash_bits, called from SQL.
 *
 * The code that computes them is in src/core/text/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/text/methods/fingerprint.h"
#include "options.h"
#include "server/server_text.h"
#include "simhash.h"
#include "utils/builtins.h"
#include "width.h"

PG_FUNCTION_INFO_V1(simhash_from_text);
PG_FUNCTION_INFO_V1(simhash_from_text_options);
PG_FUNCTION_INFO_V1(simhash_from_unknown);
PG_FUNCTION_INFO_V1(minhash_from_text);
PG_FUNCTION_INFO_V1(minhash_from_text_options);
PG_FUNCTION_INFO_V1(simhash_bits_from_text);
PG_FUNCTION_INFO_V1(minhash_bits_from_text);

typedef bool (*FingerprintFunction) (const char *utf8, size_t len,
									 const TextOptions *options,
									 const Env *env, int words,
									 uint64 *fingerprint);

static const TextOptions default_options = TEXT_OPTIONS_DEFAULT;

/*
 * The fingerprint of len bytes in the server's encoding, as the result of the SQL
 * function: NULL if the text has no token.
 */
static Datum
from_server_text(FunctionCallInfo fcinfo, FingerprintFunction function, Width width,
				 const TextOptions *options, const char *s, size_t len)
{
	uint64		words[MOST_WORDS];
	Utf8Text	t = utf8_text(s, len);
	bool		has_token = function(t.bytes, t.len, options, server_env(), width.words,
									 words);

	utf8_text_free(&t);
	if (!has_token)
		PG_RETURN_NULL();
	return fingerprint_datum(width, words);
}

static Datum
from_text_argument(FunctionCallInfo fcinfo, FingerprintFunction function, Width width,
				   const TextOptions *options)
{
	text	   *t = PG_GETARG_TEXT_PP(0);
	Datum		result = from_server_text(fcinfo, function, width, options,
										  VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));

	PG_FREE_IF_COPY(t, 0);
	return result;
}

/* The SQL functions with options are not strict: NULL stands for an option's default. */
static Datum
from_text_and_options(FunctionCallInfo fcinfo, FingerprintFunction function)
{
	TextOptions options = text_options(fcinfo, 1, function == core_of_text);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return from_text_argument(fcinfo, function, width_simhash, &options);
}

/* The same with the number of bits behind the text. */
static Datum
bits_from_text_and_options(FunctionCallInfo fcinfo, FingerprintFunction function)
{
	TextOptions options = text_options(fcinfo, 2, function == core_of_text);

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	return from_text_argument(fcinfo, function, PG_GETARG_WIDTH(1), &options);
}

Datum
simhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_of_text, width_simhash, &default_options);
}

Datum
simhash_from_text_options(PG_FUNCTION_ARGS)
{
	return from_text_and_options(fcinfo, core_of_text);
}

Datum
minhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_minwise_text, width_simhash,
							  &default_options);
}

Datum
minhash_from_text_options(PG_FUNCTION_ARGS)
{
	return from_text_and_options(fcinfo, core_minwise_text);
}

Datum
simhash_bits_from_text(PG_FUNCTION_ARGS)
{
	return bits_from_text_and_options(fcinfo, core_of_text);
}

Datum
minhash_bits_from_text(PG_FUNCTION_ARGS)
{
	return bits_from_text_and_options(fcinfo, core_minwise_text);
}

/* An untyped literal */
Datum
simhash_from_unknown(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);

	return from_server_text(fcinfo, core_of_text, width_simhash, &default_options, s,
							strlen(s));
}
