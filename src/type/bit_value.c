/*-------------------------------------------------------------------------
 *
 * bit_value.c
 *		Fingerprints of any number of bits; see bit_value.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "type/bit_value.h"

void
bit_value_free_copy(BitValue value, Datum datum)
{
	char	   *data = (char *) value.bits - sizeof(value.nbits);

	/* a copy has a long header */
	if (data != VARDATA_ANY(DatumGetPointer(datum)))
		pfree(data - VARHDRSZ);
}

void
bit_value_words(BitValue value, uint64 *words)
{
	int32		nwords = words_of_bits(value.nbits);

	memset(words, 0, nwords * sizeof(uint64));
	memcpy(words, value.bits, bytes_of_bits(value.nbits));
	for (int32 i = 0; i < nwords; i++)
		words[i] = pg_ntoh64(words[i]);
}

VarBit *
alloc_bit_value(int64 nbits)
{
	VarBit	   *result;

	if (nbits > VARBITMAXLEN)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bit string length exceeds the maximum allowed (%d)",
						VARBITMAXLEN)));
	result = palloc0(VARBITTOTALLEN(nbits));
	SET_VARSIZE(result, VARBITTOTALLEN(nbits));
	VARBITLEN(result) = (int32) nbits;
	return result;
}

Datum
make_bit_value(const uint8 *bits, int32 nbits)
{
	VarBit	   *result = alloc_bit_value(nbits);

	memcpy(VARBITS(result), bits, bytes_of_bits(nbits));
	return VarBitPGetDatum(result);
}

Datum
make_bit_value_of_words(const uint64 *words, int32 nbits)
{
	VarBit	   *result = alloc_bit_value(nbits);
	int32		nbytes = bytes_of_bits(nbits);

	for (int32 i = 0; i < nbytes; i += sizeof(uint64))
	{
		uint64		be = pg_hton64(words[i / sizeof(uint64)]);

		memcpy(VARBITS(result) + i, &be, Min((int32) sizeof(be), nbytes - i));
	}
	return VarBitPGetDatum(result);
}

void
report_damaged_bits(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the length of a bit string disagrees with its size")));
}

void
report_unlike_lengths(int32 a, int32 b)
{
	ereport(ERROR,
			(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
			 errmsg("cannot compare bit strings of different sizes"),
			 errdetail("The bit strings have %d and %d bits.", a, b)));
}
