/*-------------------------------------------------------------------------
 *
 * explain_fingerprint.c
 *		Functions that explain a fingerprint: simhash_features,
 *		simhash_resemblance and simhash_explain.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/text/features/list_features.h"
#include "core/text/methods/fingerprint.h"
#include "core/widths.h"
#include "from_array.h"
#include "funcapi.h"
#include "options.h"
#include "server/server_text.h"
#include "type/bit_value.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(simhash_features);
PG_FUNCTION_INFO_V1(simhash_features_by_dictionary);
PG_FUNCTION_INFO_V1(simhash_resemblance);
PG_FUNCTION_INFO_V1(simhash_explain);
PG_FUNCTION_INFO_V1(simhash_explain_bits);

/* The destination of simhash_features' rows. */
typedef struct FeatureRows
{
	ReturnSetInfo *rsinfo;
	MemoryContext row_context;	/* the values of one row */
} FeatureRows;

static void
put_feature(void *arg, const char *utf8, size_t len, double weight, uint64 hash)
{
	FeatureRows *rows = arg;
	MemoryContext old = MemoryContextSwitchTo(rows->row_context);
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	values[0] = PointerGetDatum(text_to_show(utf8, len));
	values[1] = Float8GetDatum(weight);
	values[2] = Int64GetDatum((int64) hash);
	tuplestore_putvalues(rows->rsinfo->setResult, rows->rsinfo->setDesc, values,
						 nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(rows->row_context);
}

static Datum
list_features(FunctionCallInfo fcinfo, const TextOptions *options)
{
	FeatureRows rows;
	Utf8Text	t;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	rows.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	rows.row_context = AllocSetContextCreate(CurrentMemoryContext,
											 "simhash_features row",
											 ALLOCSET_DEFAULT_SIZES);
	t = utf8_argument(fcinfo, 0);
	core_list_features(t.bytes, t.len, options, server_env(), put_feature, &rows);
	utf8_text_free(&t);
	MemoryContextDelete(rows.row_context);
	return (Datum) 0;
}

Datum
simhash_features(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 1, true);

	return list_features(fcinfo, &options);
}

Datum
simhash_features_by_dictionary(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 1, true);

	use_dictionary(&options);
	return list_features(fcinfo, &options);
}

Datum
simhash_resemblance(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 2, false);
	Utf8Text	a;
	Utf8Text	b;
	double		resemblance;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	a = utf8_argument(fcinfo, 0);
	b = utf8_argument(fcinfo, 1);
	if (!core_resemblance_text(a.bytes, a.len, b.bytes, b.len, &options,
							   server_env(), &resemblance))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(resemblance);
}

/* ----------
 * The vote on each bit
 * ----------
 */

/* The two texts' votes on the bits of type "simhash", of which bit 0 is the least significant. */
static void
explain_texts(FunctionCallInfo fcinfo, const TextOptions *options)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Tally		tallies[2];
	uint64		words[2];
	bool		found[2];

	for (int i = 0; i < 2; i++)
	{
		Utf8Text	t = utf8_argument(fcinfo, i);

		core_tally_init(&tallies[i], 1);
		core_tally_text(&tallies[i], 1, t.bytes, t.len, options, server_env());
		found[i] = core_tally_result(&tallies[i], 1, &words[i]);
		utf8_text_free(&t);
	}
	for (int bit = 0; bit < WORD_BITS; bit++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};

		values[0] = Int32GetDatum(bit);
		values[1] = BoolGetDatum(((words[0] ^ words[1]) >> bit & 1) != 0);
		nulls[1] = !found[0] || !found[1];
		for (int i = 0; i < 2; i++)
		{
			values[2 + i] = Float8GetDatum(core_tally_sum(&tallies[i], bit));
			nulls[2 + i] = !found[i];
		}
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

Datum
simhash_explain(PG_FUNCTION_ARGS)
{
	TextOptions options = text_options(fcinfo, 2, true);

	InitMaterializedSRF(fcinfo, 0);
	if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
		explain_texts(fcinfo, &options);
	return (Datum) 0;
}

/* Hashes in an array of bit, and their weights or NULL.  Bit 0 is the first. */
Datum
simhash_explain_bits(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Tally		tallies[MOST_WORDS];
	uint64		words[MOST_WORDS];
	int32		nbits;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	nbits = tally_bit_array(tallies, PG_GETARG_ARRAYTYPE_P(0),
							PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1));
	if (nbits == 0 || !core_tally_result(tallies, words_of_bits(nbits), words))
		return (Datum) 0;
	for (int bit = 0; bit < nbits; bit++)
	{
		int			place = WORD_BITS - 1 - bit % WORD_BITS;
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = Int32GetDatum(bit);
		values[1] = BoolGetDatum((words[bit / WORD_BITS] >> place & 1) != 0);
		values[2] = Float8GetDatum(core_tally_sum(&tallies[bit / WORD_BITS], place));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
