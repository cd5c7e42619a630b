/*-------------------------------------------------------------------------
 *
 * from_array.c
 *		Fingerprints of features in an array of text, or of bigint or bit if the
 *		features are hashed already, with or without weights.
 *
 * The functions read an array element by element, so even millions of elements need no
 * memory besides the array.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/text/methods/minwise.h"
#include "feature_input.h"
#include "from_array.h"
#include "miscadmin.h"
#include "type/bit_value.h"
#include "utils/array.h"
#include "width.h"

PG_FUNCTION_INFO_V1(simhash_from_array);
PG_FUNCTION_INFO_V1(minhash_from_array);
PG_FUNCTION_INFO_V1(simhash_bits_from_array);
PG_FUNCTION_INFO_V1(simhash_bits_from_bit_array);
PG_FUNCTION_INFO_V1(minhash_bits_from_array);

#define FEATURE_BATCH 512		/* features in a batch */

/*
 * A reader of the features of an array of any dimensions, and of their weights in another
 * array.  It leaves out features that are NULL or whose weight is.
 */
typedef struct ArrayReader
{
	ArrayIterator features;
	ArrayIterator weights;		/* or NULL */
	bool		is_text;
	int			n;				/* number of features read */
} ArrayReader;

static void
begin_array(ArrayReader *reader, ArrayType *features, ArrayType *weights)
{
	reader->features = array_create_iterator(features, 0, NULL);
	reader->weights = NULL;
	reader->is_text = ARR_ELEMTYPE(features) == TEXTOID;
	reader->n = 0;
	if (weights != NULL)
	{
		int			n_features = ArrayGetNItems(ARR_NDIM(features), ARR_DIMS(features));
		int			n_weights = ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights));

		if (n_features != n_weights)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("arrays of features and of weights must have the same length"),
					 errdetail("There are %d features and %d weights.",
							   n_features, n_weights)));
		reader->weights = array_create_iterator(weights, 0, NULL);
	}
}

/* Return false after the last feature. */
static inline bool
next_feature(ArrayReader *reader, Datum *feature, double *weight)
{
	bool		feature_null;
	bool		weight_null = false;
	Datum		d;

	do
	{
		if (reader->n++ % FEATURE_BATCH == 0)
			CHECK_FOR_INTERRUPTS();
		if (!array_iterate(reader->features, feature, &feature_null))
			return false;
		*weight = 1;
		if (reader->weights != NULL)
		{
			array_iterate(reader->weights, &d, &weight_null);
			if (!feature_null && !weight_null)
				*weight = given_weight(DatumGetFloat8(d));
		}
	} while (feature_null || weight_null);
	return true;
}

/* Store the hashes of the next features, at most FEATURE_BATCH, and return their number. */
static size_t
next_hashes(ArrayReader *reader, uint64 *hashes)
{
	size_t		n = 0;
	Datum		feature;
	double		weight;

	while (n < FEATURE_BATCH && next_feature(reader, &feature, &weight))
		hashes[n++] = given_feature(feature, reader->is_text);
	return n;
}

/*
 * Let the elements of an array of bit vote in tallies: each bit on the bit at its place.
 * The tallies have room for MOST_WORDS words.  Return the number of bits of the elements,
 * or 0 if there are no elements.
 */
int32
tally_bit_array(Tally *tallies, ArrayType *features, ArrayType *weights)
{
	ArrayReader reader;
	Datum		feature;
	double		weight;
	int32		nbits = 0;

	core_tally_init(tallies, MOST_WORDS);
	begin_array(&reader, features, weights);
	while (next_feature(&reader, &feature, &weight))
	{
		BitValue	hash = DatumGetBitValue(feature);
		uint64		words[MOST_WORDS];

		if (hash.nbits < 1 || hash.nbits > MOST_WORDS * WORD_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("fingerprint of %d bits is not supported", hash.nbits),
					 errdetail("The hash of a feature has 1 to %d bits.",
							   MOST_WORDS * WORD_BITS)));
		if (nbits == 0)
			nbits = hash.nbits;
		if (hash.nbits != nbits)
			report_unlike_lengths(nbits, hash.nbits);
		bit_value_words(hash, words);
		for (int r = 0; r < words_of_bits(nbits); r++)
			core_tally_add(&tallies[r], 1, words[r], weight, server_env());
		bit_value_free_copy(hash, feature);
	}
	return nbits;
}

/* The fingerprint of an array of text or bigint. */
static Datum
simhash_of_array(FunctionCallInfo fcinfo, ArrayType *weights, Width width)
{
	ArrayReader reader;
	Tally		tallies[MOST_WORDS];
	uint64		words[MOST_WORDS];
	uint64		hashes[FEATURE_BATCH];
	size_t		n;
	Datum		feature;
	double		weight;

	begin_array(&reader, PG_GETARG_ARRAYTYPE_P(0), weights);
	core_tally_init(tallies, width.words);
	if (weights == NULL)
		while ((n = next_hashes(&reader, hashes)) > 0)
			core_tally_add_units(tallies, width.words, hashes, n);
	else
		while (next_feature(&reader, &feature, &weight))
			core_tally_add(tallies, width.words, given_feature(feature, reader.is_text),
						   weight, server_env());
	if (!core_tally_result(tallies, width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(width, words);
}

static Datum
minhash_of_array(FunctionCallInfo fcinfo, Width width)
{
	ArrayReader reader;
	MinWise		min[MOST_WORDS];
	uint64		hashes[FEATURE_BATCH];
	uint64		words[MOST_WORDS];
	size_t		n;

	begin_array(&reader, PG_GETARG_ARRAYTYPE_P(0), NULL);
	core_minwise_init(min, width.words);
	while ((n = next_hashes(&reader, hashes)) > 0)
		core_minwise_add(min, width.words, hashes, n);
	if (!core_minwise_result(min, width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(width, words);
}

/* ----------
 * Functions, which may have weights as their second argument
 * ----------
 */

Datum
simhash_from_array(PG_FUNCTION_ARGS)
{
	return simhash_of_array(fcinfo, PG_NARGS() > 1 ? PG_GETARG_ARRAYTYPE_P(1) : NULL,
							width_simhash);
}

Datum
simhash_bits_from_array(PG_FUNCTION_ARGS)
{
	return simhash_of_array(fcinfo, PG_NARGS() > 2 ? PG_GETARG_ARRAYTYPE_P(1) : NULL,
							PG_GETARG_WIDTH(PG_NARGS() - 1));
}

Datum
simhash_bits_from_bit_array(PG_FUNCTION_ARGS)
{
	Tally		tallies[MOST_WORDS];
	uint64		words[MOST_WORDS];
	int32		nbits = tally_bit_array(tallies, PG_GETARG_ARRAYTYPE_P(0),
										PG_NARGS() > 1 ? PG_GETARG_ARRAYTYPE_P(1) : NULL);
	int32		spare = words_of_bits(nbits) * WORD_BITS - nbits;

	if (nbits == 0 || !core_tally_result(tallies, words_of_bits(nbits), words))
		PG_RETURN_NULL();
	/* a negative weight is a vote for the unused bits, too */
	words[words_of_bits(nbits) - 1] &= ~UINT64CONST(0) << spare;
	return make_bit_value_of_words(words, nbits);
}

Datum
minhash_from_array(PG_FUNCTION_ARGS)
{
	return minhash_of_array(fcinfo, width_simhash);
}

Datum
minhash_bits_from_array(PG_FUNCTION_ARGS)
{
	return minhash_of_array(fcinfo, PG_GETARG_WIDTH(1));
}
