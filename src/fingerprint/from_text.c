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
PG_FUNCTION_INFO_V1(simhash_from_unknown);
PG_FUNCTION_INFO_V1(minhash_from_text);
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

/*
 * The fingerprint of the first argument.  If is_bit, the number of bits follows.  The
 * functions with options behind these are not strict: NULL stands for an option's default.
 */
static Datum
from_text_argument(FunctionCallInfo fcinfo, FingerprintFunction function, bool is_bit)
{
	int			first = is_bit ? 2 : 1;
	TextOptions options = PG_NARGS() == first ? default_options :
		text_options(fcinfo, first, function == core_of_text);
	text	   *t;
	Datum		result;

	if (PG_ARGISNULL(0) || (is_bit && PG_ARGISNULL(1)))
		PG_RETURN_NULL();
	t = PG_GETARG_TEXT_PP(0);
	result = from_server_text(fcinfo, function, is_bit ? PG_GETARG_WIDTH(1) : width_simhash,
							  &options, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
	PG_FREE_IF_COPY(t, 0);
	return result;
}

Datum
simhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_of_text, false);
}

Datum
minhash_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_minwise_text, false);
}

Datum
simhash_bits_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_of_text, true);
}

Datum
minhash_bits_from_text(PG_FUNCTION_ARGS)
{
	return from_text_argument(fcinfo, core_minwise_text, true);
}

/* An untyped literal */
Datum
simhash_from_unknown(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);

	return from_server_text(fcinfo, core_of_text, width_simhash, &default_options, s,
							strlen(s));
}
