/*-------------------------------------------------------------------------
 *
 * type.c
 *		Input and output of the type "simhash".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/literal.h"
#include "libpq/pqformat.h"
#include "simhash.h"
#include "utils/builtins.h"

/* Digits of the largest number of 64 bits */
#define MOST_DECIMAL_DIGITS	20

PG_FUNCTION_INFO_V1(simhash_in);
PG_FUNCTION_INFO_V1(simhash_out);
PG_FUNCTION_INFO_V1(simhash_recv);
PG_FUNCTION_INFO_V1(simhash_send);
PG_FUNCTION_INFO_V1(simhash_parse);

/*
 * What to write instead of the invalid literal s.  Other programs write fingerprints as
 * decimal numbers, as hexadecimal digits without leading zeros, or as base64.
 */
static const char *
literal_hint(const char *s, size_t len)
{
	bool		sign;
	size_t		prefix;
	size_t		decimals = 0;
	size_t		hex = 0;
	size_t		base64 = 0;

	while (len > 0 && literal_is_space(s[0]))
		s++, len--;
	while (len > 0 && literal_is_space(s[len - 1]))
		len--;
	sign = len > 0 && (s[0] == '-' || s[0] == '+');
	prefix = len > 1 && s[0] == '0' && (s[1] | 0x20) == 'x' ? 2 : 0;
	for (size_t i = 0; i < len; i++)
	{
		bool		digit = s[i] >= '0' && s[i] <= '9';
		bool		letter = (s[i] | 0x20) >= 'a' && (s[i] | 0x20) <= 'z';

		decimals += digit;
		hex += i >= prefix && literal_hex_digit(s[i]) >= 0;
		base64 += digit || letter || s[i] == '+' || s[i] == '/' || s[i] == '-' || s[i] == '_';
	}

	if (sign && len > 1 && decimals == len - 1)
		return "Write a decimal number as number::bigint::simhash.";
	if (prefix == 0 && decimals == len && len > FINGERPRINT_HEX_DIGITS && len <= MOST_DECIMAL_DIGITS)
		return "Write a decimal number as number::numeric::simhash.";
	if (hex == len - prefix && hex > 0 && hex < FINGERPRINT_HEX_DIGITS)
	{
		if (prefix == 0 && decimals == len)
			return "Write a decimal number as number::numeric::simhash, and hexadecimal digits without leading zeros as lpad(digits, 16, '0')::simhash.";
		return prefix == 0 ?
			"Write hexadecimal digits without leading zeros as lpad(digits, 16, '0')::simhash." :
			"Write hexadecimal digits without leading zeros as lpad(substr(digits, 3), 16, '0')::simhash.";
	}
	if (len == FINGERPRINT_BINARY_DIGITS + 2 && pg_strncasecmp(s, "0b", 2) == 0)
		return "Write 64 binary digits without 0b.";
	if (hex == len - prefix && hex > FINGERPRINT_HEX_DIGITS && decimals < len)
		return "A fingerprint of more than 16 hexadecimal digits is of type bit(n): use bit_from_hex.";
	if (len == 12 && base64 == 11 && s[11] == '=')
		return "Write 8 bytes in base64 as decode(translate(digits, '-_', '+/'), 'base64')::simhash.";
	if (len == FINGERPRINT_HEX_DIGITS + 2 && s[0] == '\\' && hex == FINGERPRINT_HEX_DIGITS)
		return "Write 8 bytes as bytes::bytea::simhash.";
	if (len > 5 && pg_strncasecmp(s, "ISCC:", 5) == 0)
		return "Decode an ISCC unit from base32, and write the 8 bytes after its header as 16 hexadecimal digits.";
	return "A fingerprint is written as 16 hexadecimal digits, with or without 0x, or as 64 binary digits. To compute the fingerprint of a text, write minhash(text), or to_simhash(text) if the column has fingerprints of simhash.";
}

/*
 * The literal in s as a Datum.  If the literal is invalid, raise an error, or save the
 * error in escontext if that is an ErrorSaveContext.
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
				 errhint("%s", literal_hint(s, len))));

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
 * The explicit cast from text reads the literal.  It does not compute the fingerprint of
 * the text.
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
