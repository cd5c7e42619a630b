/*-------------------------------------------------------------------------
 *
 * type.c
 *		Input and output of the type "simhash", and the module's magic block and
 *		settings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/literal.h"
#include "index/bitblock/cache.h"
#include "libpq/pqformat.h"
#include "simhash.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC_EXT(.name = "simhash",.version = "1.0.0");

void
_PG_init(void)
{
	bb_define_settings();
	MarkGUCPrefixReserved("simhash");
}

PG_FUNCTION_INFO_V1(simhash_in);
PG_FUNCTION_INFO_V1(simhash_out);
PG_FUNCTION_INFO_V1(simhash_recv);
PG_FUNCTION_INFO_V1(simhash_send);
PG_FUNCTION_INFO_V1(simhash_parse);

/*
 * The literal in s as a Datum.  If the literal is invalid, raise an error, or
 * save the error in escontext if that is an ErrorSaveContext.
 */
static Datum
parse(const char *s, size_t len, Node *escontext)
{
	uint64		f;

	if (!fingerprint_parse(s, len, &f))
		ereturn(escontext, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						"simhash", pnstrdup(s, pg_mbcliplen(s, len, 1000))),
				 errhint("A fingerprint is written as 16 hexadecimal digits, with or without 0x, or as 64 binary digits. To take the fingerprint of a text, write simhash(text), with a cast to text if the argument has another type.")));

	return SimhashGetDatum(f);
}

/* simhash_in(cstring) */
Datum
simhash_in(PG_FUNCTION_ARGS)
{
	char	   *s = PG_GETARG_CSTRING(0);

	return parse(s, strlen(s), fcinfo->context);
}

/*
 * The explicit cast from text reads the literal.  It does not compute the
 * fingerprint of the text.
 */
Datum
simhash_parse(PG_FUNCTION_ARGS)
{
	text	   *t = PG_GETARG_TEXT_PP(0);

	return parse(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), fcinfo->context);
}

Datum
simhash_out(PG_FUNCTION_ARGS)
{
	char	   *out = palloc(FINGERPRINT_HEX_DIGITS + 1);

	fingerprint_format(PG_GETARG_SIMHASH(0), out);
	PG_RETURN_CSTRING(out);
}

/* Binary format: eight bytes, the most significant first. */
Datum
simhash_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);

	PG_RETURN_SIMHASH((Simhash) pq_getmsgint64(buf));
}

Datum
simhash_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint64(&buf, PG_GETARG_SIMHASH(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
