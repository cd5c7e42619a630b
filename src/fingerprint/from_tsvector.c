/*-------------------------------------------------------------------------
 *
 * from_tsvector.c
 *		Fingerprints by PostgreSQL's text search: the lexemes of a tsvector are
 *		the features.
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
#include "tsearch/ts_type.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "width.h"

PG_FUNCTION_INFO_V1(simhash_from_tsvector);
PG_FUNCTION_INFO_V1(simhash_from_weighted_tsvector);
PG_FUNCTION_INFO_V1(simhash_from_regconfig);
PG_FUNCTION_INFO_V1(minhash_from_tsvector);
PG_FUNCTION_INFO_V1(minhash_from_regconfig);
PG_FUNCTION_INFO_V1(simhash_bits_from_tsvector);
PG_FUNCTION_INFO_V1(simhash_bits_from_weighted_tsvector);
PG_FUNCTION_INFO_V1(simhash_bits_from_regconfig);
PG_FUNCTION_INFO_V1(minhash_bits_from_tsvector);
PG_FUNCTION_INFO_V1(minhash_bits_from_regconfig);

#define N_LABELS 4				/* D, C, B, A: the order of WEP_GETWEIGHT */

static const double no_labels[N_LABELS] = {1, 1, 1, 1};

static uint64
lexeme_feature(TSVector vector, const WordEntry *entry)
{
	return string_feature(STRPTR(vector) + entry->pos, entry->len);
}

/*
 * Every position of a lexeme votes with the weight of its label.  A lexeme without
 * positions votes once, as if labelled D.
 */
static Datum
simhash_of_tsvector(FunctionCallInfo fcinfo, TSVector vector,
					const double *weights, Width width)
{
	WordEntry  *entries = ARRPTR(vector);
	Tally		tallies[MOST_WORDS];
	uint64		words[MOST_WORDS];
	int			i;

	simhash_tally_init(tallies, width.words);
	for (i = 0; i < vector->size; i++)
	{
		uint64		hash = lexeme_feature(vector, &entries[i]);
		int			npos = entries[i].haspos ? POSDATALEN(vector, &entries[i]) : 0;
		int			per_label[N_LABELS] = {0};
		int			k;

		CHECK_FOR_INTERRUPTS();
		for (k = 0; k < npos; k++)
			per_label[WEP_GETWEIGHT(POSDATAPTR(vector, &entries[i])[k])]++;
		if (npos == 0)
			per_label[0] = 1;
		for (k = 0; k < N_LABELS; k++)
		{
			/* the product of a float4 and a small integer is exact */
			simhash_tally_add(tallies, width.words, hash, per_label[k] * weights[k],
							  text_env());
		}
	}
	if (!simhash_tally_result(tallies, width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(width, words);
}

static Datum
minhash_of_tsvector(FunctionCallInfo fcinfo, TSVector vector, Width width)
{
	WordEntry  *entries = ARRPTR(vector);
	MinWise		min[MOST_WORDS];
	uint64		words[MOST_WORDS];
	int			i;

	simhash_minwise_init(min, width.words);
	for (i = 0; i < vector->size; i++)
	{
		uint64		hash = lexeme_feature(vector, &entries[i]);

		CHECK_FOR_INTERRUPTS();
		simhash_minwise_add(min, width.words, &hash, 1);
	}
	if (!simhash_minwise_result(min, width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(width, words);
}

/* The weights of the labels D, C, B and A, in the form of ts_rank */
static void
label_weights(ArrayType *array, double *weights)
{
	static const double defaults[N_LABELS] = {0.1f, 0.2f, 0.4f, 1.0f};
	float4	   *given = (float4 *) ARR_DATA_PTR(array);
	int			i;

	if (ARR_NDIM(array) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array of weight must be one-dimensional")));
	if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) < N_LABELS)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array of weight is too short")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array of weight must not contain nulls")));
	for (i = 0; i < N_LABELS; i++)
	{
		weights[i] = given_weight(given[i]) < 0 ? defaults[i] : given[i];
		if (weights[i] > 1.0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weight out of range")));
	}
}

/* to_tsvector(regconfig, text) */
static TSVector
parsed(FunctionCallInfo fcinfo)
{
	return DatumGetTSVector(DirectFunctionCall2(to_tsvector_byid,
												PG_GETARG_DATUM(0),
												PG_GETARG_DATUM(1)));
}

static Datum
simhash_of_weighted_tsvector(FunctionCallInfo fcinfo, Width width)
{
	double		weights[N_LABELS];

	label_weights(PG_GETARG_ARRAYTYPE_P(1), weights);
	return simhash_of_tsvector(fcinfo, PG_GETARG_TSVECTOR(0), weights, width);
}

Datum
simhash_from_tsvector(PG_FUNCTION_ARGS)
{
	return simhash_of_tsvector(fcinfo, PG_GETARG_TSVECTOR(0), no_labels, width_simhash);
}

Datum
simhash_from_weighted_tsvector(PG_FUNCTION_ARGS)
{
	return simhash_of_weighted_tsvector(fcinfo, width_simhash);
}

Datum
minhash_from_tsvector(PG_FUNCTION_ARGS)
{
	return minhash_of_tsvector(fcinfo, PG_GETARG_TSVECTOR(0), width_simhash);
}

Datum
simhash_from_regconfig(PG_FUNCTION_ARGS)
{
	return simhash_of_tsvector(fcinfo, parsed(fcinfo), no_labels, width_simhash);
}

Datum
minhash_from_regconfig(PG_FUNCTION_ARGS)
{
	return minhash_of_tsvector(fcinfo, parsed(fcinfo), width_simhash);
}

Datum
simhash_bits_from_tsvector(PG_FUNCTION_ARGS)
{
	return simhash_of_tsvector(fcinfo, PG_GETARG_TSVECTOR(0), no_labels,
							   PG_GETARG_WIDTH(1));
}

Datum
simhash_bits_from_weighted_tsvector(PG_FUNCTION_ARGS)
{
	return simhash_of_weighted_tsvector(fcinfo, PG_GETARG_WIDTH(2));
}

Datum
minhash_bits_from_tsvector(PG_FUNCTION_ARGS)
{
	return minhash_of_tsvector(fcinfo, PG_GETARG_TSVECTOR(0), PG_GETARG_WIDTH(1));
}

Datum
simhash_bits_from_regconfig(PG_FUNCTION_ARGS)
{
	return simhash_of_tsvector(fcinfo, parsed(fcinfo), no_labels, PG_GETARG_WIDTH(2));
}

Datum
minhash_bits_from_regconfig(PG_FUNCTION_ARGS)
{
	return minhash_of_tsvector(fcinfo, parsed(fcinfo), PG_GETARG_WIDTH(2));
}
