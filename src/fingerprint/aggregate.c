/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *		The aggregates simhash_agg and minhash_agg, over features in rows.
 *
 * The states are a Tally, whose sums are exact, and a MinWise.  So results depend
 * neither on the order of rows nor on their division among parallel workers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/text/minwise.h"
#include "core/text/tally.h"
#include "feature_input.h"
#include "libpq/pqformat.h"
#include "simhash.h"

PG_FUNCTION_INFO_V1(simhash_agg_text);
PG_FUNCTION_INFO_V1(simhash_agg_bigint);
PG_FUNCTION_INFO_V1(simhash_agg_combine);
PG_FUNCTION_INFO_V1(simhash_agg_serialize);
PG_FUNCTION_INFO_V1(simhash_agg_deserialize);
PG_FUNCTION_INFO_V1(simhash_agg_final);
PG_FUNCTION_INFO_V1(minhash_agg_text);
PG_FUNCTION_INFO_V1(minhash_agg_bigint);
PG_FUNCTION_INFO_V1(minhash_agg_combine);
PG_FUNCTION_INFO_V1(minhash_agg_serialize);
PG_FUNCTION_INFO_V1(minhash_agg_deserialize);
PG_FUNCTION_INFO_V1(minhash_agg_final);

/* The context in which the state lives */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

/* ---------- simhash_agg: a Tally ---------- */

static Tally *
new_tally(MemoryContext context)
{
	Tally	   *tally = MemoryContextAlloc(context, sizeof(Tally));

	simhash_tally_init(tally);
	return tally;
}

/* Add a row: state, feature and possibly its weight.  NULLs are left out. */
static Datum
simhash_transition(FunctionCallInfo fcinfo, bool is_text)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	Tally	   *tally;
	uint64		hash;
	double		weight = 1;

	tally = PG_ARGISNULL(0) ? NULL : (Tally *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1) && !(PG_NARGS() > 2 && PG_ARGISNULL(2)))
	{
		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		if (PG_NARGS() > 2)
			weight = given_weight(PG_GETARG_FLOAT8(2));
		if (tally == NULL)
			tally = new_tally(context);
		old = MemoryContextSwitchTo(context);
		simhash_tally_add(tally, hash, weight, text_env());
		MemoryContextSwitchTo(old);
	}
	if (tally == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(tally);
}

Datum
simhash_agg_text(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, true);
}

Datum
simhash_agg_bigint(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, false);
}

Datum
simhash_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	Tally	   *tally;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	tally = PG_ARGISNULL(0) ? new_tally(context) : (Tally *) PG_GETARG_POINTER(0);
	old = MemoryContextSwitchTo(context);
	simhash_tally_combine(tally, (Tally *) PG_GETARG_POINTER(1), text_env());
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(tally);
}

Datum
simhash_agg_serialize(PG_FUNCTION_ARGS)
{
	const Tally *tally;
	bytea	   *bytes;
	size_t		size;

	aggregate_context(fcinfo);
	tally = (const Tally *) PG_GETARG_POINTER(0);
	size = VARHDRSZ + simhash_tally_size(tally);
	bytes = palloc(size);
	SET_VARSIZE(bytes, size);
	simhash_tally_write(tally, (uint8 *) VARDATA(bytes));
	PG_RETURN_BYTEA_P(bytes);
}

Datum
simhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	Tally	   *tally;

	aggregate_context(fcinfo);
	bytes = PG_GETARG_BYTEA_PP(0);
	tally = new_tally(CurrentMemoryContext);
	if (!simhash_tally_read(tally, (const uint8 *) VARDATA_ANY(bytes),
							VARSIZE_ANY_EXHDR(bytes), text_env()))
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid message format")));
	PG_RETURN_POINTER(tally);
}

Datum
simhash_agg_final(PG_FUNCTION_ARGS)
{
	Simhash		f;

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0) ||
		!simhash_tally_result((Tally *) PG_GETARG_POINTER(0), &f))
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}

/* ---------- minhash_agg: a MinWise ---------- */

static MinWise *
new_minwise(MemoryContext context)
{
	MinWise    *min = MemoryContextAlloc(context, sizeof(MinWise));

	simhash_minwise_init(min);
	return min;
}

static Datum
minhash_transition(FunctionCallInfo fcinfo, bool is_text)
{
	MemoryContext context = aggregate_context(fcinfo);
	MinWise    *min;
	uint64		hash;

	min = PG_ARGISNULL(0) ? NULL : (MinWise *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
	{
		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		if (min == NULL)
			min = new_minwise(context);
		simhash_minwise_add(min, &hash, 1);
	}
	if (min == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(min);
}

Datum
minhash_agg_text(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, true);
}

Datum
minhash_agg_bigint(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, false);
}

Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	MinWise    *min;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	min = PG_ARGISNULL(0) ? new_minwise(context) : (MinWise *) PG_GETARG_POINTER(0);
	simhash_minwise_combine(min, (MinWise *) PG_GETARG_POINTER(1));
	PG_RETURN_POINTER(min);
}

Datum
minhash_agg_serialize(PG_FUNCTION_ARGS)
{
	MinWise    *min;
	StringInfoData buf;
	int			i;

	aggregate_context(fcinfo);
	min = (MinWise *) PG_GETARG_POINTER(0);
	pq_begintypsend(&buf);
	for (i = 0; i < MINWISE_BINS; i++)
		pq_sendint64(&buf, min->bins[i]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* A buffer over the bytes of a serialised state */
static void
init_buffer(StringInfo buf, bytea *bytes)
{
	buf->data = VARDATA_ANY(bytes);
	buf->len = VARSIZE_ANY_EXHDR(bytes);
	buf->maxlen = buf->len;
	buf->cursor = 0;
}

Datum
minhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	MinWise    *min;
	StringInfoData buf;
	int			i;

	aggregate_context(fcinfo);
	init_buffer(&buf, PG_GETARG_BYTEA_PP(0));
	min = new_minwise(CurrentMemoryContext);
	for (i = 0; i < MINWISE_BINS; i++)
		min->bins[i] = pq_getmsgint64(&buf);
	pq_getmsgend(&buf);
	PG_RETURN_POINTER(min);
}

Datum
minhash_agg_final(PG_FUNCTION_ARGS)
{
	Simhash		f;

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0) ||
		!simhash_minwise_result((MinWise *) PG_GETARG_POINTER(0), &f))
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(f);
}
