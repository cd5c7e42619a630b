/*-------------------------------------------------------------------------
 *
 * cast.c
 *		Casts between "simhash" and bit(64), bytea and numeric, and from integers.
 *
 * bigint needs no function: the bits are the same.  The cast to bytea is simhash_send.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bswap.h"
#include "type/bit_value.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(simhash_from_integer);
PG_FUNCTION_INFO_V1(simhash_from_smallint);
PG_FUNCTION_INFO_V1(simhash_to_bit);
PG_FUNCTION_INFO_V1(simhash_from_bit);
PG_FUNCTION_INFO_V1(simhash_from_bytea);
PG_FUNCTION_INFO_V1(simhash_to_numeric);
PG_FUNCTION_INFO_V1(simhash_from_numeric);

/* From integer and smallint: a negative number has all higher bits set, as in bigint. */
Datum
simhash_from_integer(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH((Simhash) (int64) PG_GETARG_INT32(0));
}

Datum
simhash_from_smallint(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH((Simhash) (int64) PG_GETARG_INT16(0));
}

/* To bit(64): the most significant bit comes first, as in the binary literal. */
Datum
simhash_to_bit(PG_FUNCTION_ARGS)
{
	Simhash		f = PG_GETARG_SIMHASH(0);

	return make_bit_value_of_words(&f, SIMHASH_BITS);
}

Datum
simhash_from_bit(PG_FUNCTION_ARGS)
{
	BitValue	string = PG_GETARG_BIT_VALUE(0);
	Simhash		f;

	if (string.nbits != SIMHASH_BITS)
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				 errmsg("bit string length %d does not match type simhash",
						string.nbits),
				 errhint("A fingerprint has exactly 64 bits.")));

	bit_value_words(string, &f);
	PG_RETURN_SIMHASH(f);
}

/* From 8 bytes, the most significant first; simhash_send writes them. */
Datum
simhash_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	uint64		be;

	if (VARSIZE_ANY_EXHDR(bytes) != sizeof(be))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("bytea of %d bytes does not match type simhash",
						(int) VARSIZE_ANY_EXHDR(bytes)),
				 errhint("A fingerprint has exactly 8 bytes, the most significant first.")));

	memcpy(&be, VARDATA_ANY(bytes), sizeof(be));
	PG_RETURN_SIMHASH(pg_ntoh64(be));
}

/* To numeric: the unsigned number, 0 to 18446744073709551615 */
Datum
simhash_to_numeric(PG_FUNCTION_ARGS)
{
	char		digits[32];

	snprintf(digits, sizeof(digits), UINT64_FORMAT, PG_GETARG_SIMHASH(0));
	return DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

Datum
simhash_from_numeric(PG_FUNCTION_ARGS)
{
	Datum		n = PG_GETARG_DATUM(0);
	Datum		whole = DirectFunctionCall2(numeric_trunc, n, Int32GetDatum(0));
	Simhash		f = 0;

	/* NaN passes, because it equals itself; the range check below refuses NaN */
	if (!DatumGetBool(DirectFunctionCall2(numeric_eq, n, whole)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot convert a number with a fraction to type simhash")));

	for (char *s = DatumGetCString(DirectFunctionCall1(numeric_out, whole)); *s; s++)
	{
		int			digit = *s - '0';

		if (digit < 0 || digit > 9 || f > (PG_UINT64_MAX - digit) / 10)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number out of range for type simhash"),
					 errhint("A fingerprint is a number from 0 to 18446744073709551615.")));
		f = f * 10 + digit;
	}
	PG_RETURN_SIMHASH(f);
}
