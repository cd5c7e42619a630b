/*-------------------------------------------------------------------------
 *
 * from_signature.c
 *		minhash_bits_from_signature: fingerprints of MinHash signatures that other programs
 *		have made.
 *
 * A signature has a value for each of n hash functions: the smallest hash of a feature.
 * Two signatures have an equal value with the probability J, the resemblance, and the
 * lowest bits of unequal values are equal half the time.  So the n lowest bits have a
 * distance of n * (1 - J) / 2 on average, as fingerprints of n bits by minhash do (b-bit
 * minwise hashing, Li and König 2010).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "options.h"
#include "type/bit_value.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "width.h"

PG_FUNCTION_INFO_V1(minhash_bits_from_signature_array);
PG_FUNCTION_INFO_V1(minhash_bits_from_signature_bytes);

enum
{
	LITTLE_ENDIAN_VALUES,
	BIG_ENDIAN_VALUES
};

static const OptionName byte_order_names[] = {
	{"little", LITTLE_ENDIAN_VALUES},
	{"big", BIG_ENDIAN_VALUES},
	{NULL}
};

/*
 * The fingerprint of a signature of "nbytes" bytes, whose values have "size" bytes each.
 * The lowest bit of a value is in its byte number "lowest".  The first value gives the
 * first bit.
 *
 * All values of the signature of an empty set are the largest hash.  Such a signature has
 * no fingerprint, as a text without a word has none.
 */
static Datum
fingerprint_of_values(FunctionCallInfo fcinfo, const char *values, int32 nbytes, int size,
					  int lowest)
{
	int32		nbits = nbytes / size;
	uint64		words[MOST_WORDS] = {0};

	check_width(nbits, BITS_STEP);
	if (memcmp(values, values + size, nbytes - size) == 0)
		PG_RETURN_NULL();
	for (int32 i = 0; i < nbits; i++)
		words[i / WORD_BITS] |= (uint64) (values[i * size + lowest] & 1) <<
			(WORD_BITS - 1 - i % WORD_BITS);
	return make_bit_value_of_words(words, nbits);
}

/* minhash_bits_from_signature(bigint[]) */
Datum
minhash_bits_from_signature_array(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("signature must be one-dimensional"),
				 errhint("Call the function once for each signature.")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("signature must not contain nulls")));
	check_width(n, BITS_STEP);
	return fingerprint_of_values(fcinfo, ARR_DATA_PTR(array), n * sizeof(int64),
								 sizeof(int64), 0);
}

/* minhash_bits_from_signature(bytea, value_bytes, byte_order) */
Datum
minhash_bits_from_signature_bytes(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	int32		nbytes = VARSIZE_ANY_EXHDR(bytes);
	int32		size = PG_GETARG_INT32(1);
	int			order = named_option(text_to_cstring(PG_GETARG_TEXT_PP(2)), "byte_order",
									 byte_order_names,
									 "Valid byte orders are \"little\" (the default), with the lowest byte first, and \"big\".");

	if (size != 4 && size != 8)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("signature with values of %d bytes is not supported", size),
				 errhint("Values must have 4 or 8 bytes.")));
	if (nbytes % size != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("signature of %d bytes does not consist of values of %d bytes",
						nbytes, size),
				 errhint("Remove a header with substring(signature FROM n).")));
	return fingerprint_of_values(fcinfo, VARDATA_ANY(bytes), nbytes, size,
								 order == BIG_ENDIAN_VALUES ? size - 1 : 0);
}
