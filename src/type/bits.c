/*-------------------------------------------------------------------------
 *
 * bits.c
 *		Bit strings from and to hexadecimal text and bytea.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/literal.h"
#include "mb/pg_wchar.h"
#include "type/bit_value.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(bit_from_hex);
PG_FUNCTION_INFO_V1(bit_to_hex);
PG_FUNCTION_INFO_V1(bit_from_bytea);
PG_FUNCTION_INFO_V1(bit_to_bytea);

#define HEX_BITS		4		/* of a digit */

static void
check_whole_units(int32 nbits, int unit)
{
	if (nbits % unit != 0)
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				 errmsg("bit string length %d is not a multiple of %d", nbits, unit)));
}

/* Does the string look like base64? */
static bool
looks_like_base64(const char *s, int len)
{
	if (len % 4 != 0 || len < 8)
		return false;
	for (int i = 0; i < len; i++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", s[i]) == NULL &&
			!(s[i] == '=' && i >= len - 2))
			return false;
	return true;
}

/*
 * bit_from_hex(text) reads any number of hexadecimal digits in either case.  0x or \x may
 * precede the digits, and white space may be around them.
 */
Datum
bit_from_hex(PG_FUNCTION_ARGS)
{
	text	   *t = PG_GETARG_TEXT_PP(0);
	const char *s = VARDATA_ANY(t);
	int			len = VARSIZE_ANY_EXHDR(t);
	VarBit	   *result;

	while (len > 0 && literal_is_space(s[0]))
		s++, len--;
	while (len > 0 && literal_is_space(s[len - 1]))
		len--;
	if (len >= 2 && (s[0] == '0' || s[0] == '\\') && (s[1] == 'x' || s[1] == 'X'))
		s += 2, len -= 2;

	result = alloc_bit_value((int64) len * HEX_BITS);
	for (int i = 0; i < len; i++)
	{
		int			digit = literal_hex_digit(s[i]);

		if (digit < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("\"%.*s\" is not a valid hexadecimal digit",
							pg_mblen(s + i), s + i),
					 looks_like_base64(s, len) ?
					 errhint("If the value is base64, write bit_from_bytea(decode(value, 'base64')).") : 0));
		VARBITS(result)[i / 2] |= i % 2 == 0 ? digit << HEX_BITS : digit;
	}
	PG_RETURN_VARBIT_P(result);
}

/* bit_to_hex(bit) returns lower-case digits without a prefix. */
Datum
bit_to_hex(PG_FUNCTION_ARGS)
{
	BitValue	string = PG_GETARG_BIT_VALUE(0);
	int32		n = string.nbits / HEX_BITS;
	text	   *result;

	check_whole_units(string.nbits, HEX_BITS);
	result = palloc(VARHDRSZ + n);
	SET_VARSIZE(result, VARHDRSZ + n);
	for (int32 i = 0; i < n; i++)
		VARDATA(result)[i] =
			"0123456789abcdef"[string.bits[i / 2] >> (i % 2 == 0 ? HEX_BITS : 0) & 15];
	PG_RETURN_TEXT_P(result);
}

Datum
bit_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	VarBit	   *result = alloc_bit_value((int64) VARSIZE_ANY_EXHDR(bytes) * BITS_PER_BYTE);

	memcpy(VARBITS(result), VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	PG_RETURN_VARBIT_P(result);
}

Datum
bit_to_bytea(PG_FUNCTION_ARGS)
{
	BitValue	string = PG_GETARG_BIT_VALUE(0);

	check_whole_units(string.nbits, BITS_PER_BYTE);
	return PointerGetDatum(cstring_to_text_with_len((const char *) string.bits,
													bytes_of_bits(string.nbits)));
}
