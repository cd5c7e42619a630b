/*-------------------------------------------------------------------------
 *
 * from_array.c
 *		Fingerprints of features in an array of text, or of bigint if the
 *		features are hashed already, with or without weights.
 *
 * The functions read an array element by element, so even millions of elements
 * need no memory besides the array.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/text/minwise.h"
#include "core/text/tally.h"
#include "feature_input.h"
#include "miscadmin.h"
#include "simhash.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(simhash_from_array);
PG_FUNCTION_INFO_V1(simhash_from_weighted_array);
PG_FUNCTION_INFO_V1(minhash_from_array);

#define FEATURE_BATCH 512		/* features in a batch */

/* A reader of the features of an array of any dimensions.  It leaves NULLs out. */
typedef struct ArrayReader
{
	ArrayIterator iterator;
	bool		is_text;
} ArrayReader;

static void
reader_init(ArrayReader *reader, ArrayType *array)
{
	reader->iterator = array_create_iterator(array, 0, NULL);
	reader->is_text = ARR_ELEMTYPE(array) == TEXTOID;
}

/* Store the next features, at most FEATURE_BATCH, and return their number */
static size_t
reader_next(ArrayReader *reader, uint64 *hashes)
{
	size_t		n = 0;
	Datum		d;
	bool		isnull;

	CHECK_FOR_INTERRUPTS();
	while (n < FEATURE_BATCH && array_iterate(reader->iterator, &d, &isnull))
	{
		if (!isnull)
			hashes[n++] = given_feature(d, reader->is_text);
	}
	return n;
}

Datum
simhash_from_array(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	Tally		tally;
	uint64		hashes[FEATURE_BATCH];
	size_t		n;
	Simhash		f;

	reader_init(&reader, PG_GETARG_ARRAYTYPE_P(0));
	simhash_tally_init(&tally);
	while ((n = reader_next(&reader, hashes)) > 0)
		simhash_tally_add_units(&tally, hashes, n);
	if (!simhash_tally_result(&tally, &f))
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}

Datum
minhash_from_array(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	MinWise		min;
	uint64		hashes[FEATURE_BATCH];
	size_t		n;
	Simhash		f;

	reader_init(&reader, PG_GETARG_ARRAYTYPE_P(0));
	simhash_minwise_init(&min);
	while ((n = reader_next(&reader, hashes)) > 0)
		simhash_minwise_add(&min, hashes, n);
	if (!simhash_minwise_result(&min, &f))
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}

/* NULL features and features with a NULL weight are left out */
Datum
simhash_from_weighted_array(PG_FUNCTION_ARGS)
{
	ArrayType  *features = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(1);
	int			n_features = ArrayGetNItems(ARR_NDIM(features), ARR_DIMS(features));
	int			n_weights = ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights));
	bool		is_text = ARR_ELEMTYPE(features) == TEXTOID;
	ArrayIterator feature_iterator;
	ArrayIterator weight_iterator;
	Tally		tally;
	Datum		feature;
	Datum		weight;
	bool		feature_null;
	bool		weight_null;
	int			n = 0;
	Simhash		f;

	if (n_features != n_weights)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of features and of weights must have the same length"),
				 errdetail("There are %d features and %d weights.",
						   n_features, n_weights)));
	feature_iterator = array_create_iterator(features, 0, NULL);
	weight_iterator = array_create_iterator(weights, 0, NULL);
	simhash_tally_init(&tally);
	while (array_iterate(feature_iterator, &feature, &feature_null) &&
		   array_iterate(weight_iterator, &weight, &weight_null))
	{
		if (n++ % FEATURE_BATCH == 0)
			CHECK_FOR_INTERRUPTS();
		if (!feature_null && !weight_null)
			simhash_tally_add(&tally, given_feature(feature, is_text),
							  given_weight(DatumGetFloat8(weight)), text_env());
	}
	if (!simhash_tally_result(&tally, &f))
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}
