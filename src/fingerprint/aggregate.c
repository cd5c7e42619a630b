/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *		The aggregates simhash_agg, minhash_agg, simhash_bits_agg and minhash_bits_agg,
 *		over features in rows.
 *
 * The states have a Tally, whose sums are exact, or a MinWise for each word of the
 * fingerprint.  So results depend neither on the order of rows nor on their division among
 * parallel workers.
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
#include "width.h"

PG_FUNCTION_INFO_V1(simhash_agg_text);
PG_FUNCTION_INFO_V1(simhash_agg_bigint);
PG_FUNCTION_INFO_V1(simhash_agg_combine);
PG_FUNCTION_INFO_V1(simhash_agg_serialize);
PG_FUNCTION_INFO_V1(simhash_agg_deserialize);
PG_FUNCTION_INFO_V1(simhash_agg_final);
PG_FUNCTION_INFO_V1(simhash_bits_agg_text);
PG_FUNCTION_INFO_V1(simhash_bits_agg_bigint);
PG_FUNCTION_INFO_V1(simhash_bits_agg_weighted_text);
PG_FUNCTION_INFO_V1(simhash_bits_agg_weighted_bigint);
PG_FUNCTION_INFO_V1(minhash_agg_text);
PG_FUNCTION_INFO_V1(minhash_agg_bigint);
PG_FUNCTION_INFO_V1(minhash_agg_combine);
PG_FUNCTION_INFO_V1(minhash_agg_serialize);
PG_FUNCTION_INFO_V1(minhash_agg_deserialize);
PG_FUNCTION_INFO_V1(minhash_agg_final);
PG_FUNCTION_INFO_V1(minhash_bits_agg_text);
PG_FUNCTION_INFO_V1(minhash_bits_agg_bigint);

/* No argument of the transition function */
#define NO_ARGUMENT (-1)

/* The context in which the state lives */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

static bool
is_null(FunctionCallInfo fcinfo, int arg)
{
	return arg != NO_ARGUMENT && PG_ARGISNULL(arg);
}

static Width
width_argument(FunctionCallInfo fcinfo, int arg)
{
	return arg == NO_ARGUMENT ? width_simhash : PG_GETARG_WIDTH(arg);
}

/* All rows of a group have one width. */
static void
check_same_width(Width a, Width b)
{
	if (a.words != b.words)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of bits must be the same in all rows"),
				 errdetail("The rows have %d and %d bits.", a.words * WORD_BITS,
						   b.words * WORD_BITS)));
}

/* Read the width of a serialised state. */
static Width
received_width(StringInfo buf)
{
	Width		width;

	width.words = pq_getmsgbyte(buf);
	width.is_bit = pq_getmsgbyte(buf) != 0;
	if (width.words < 1 || width.words > MOST_WORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid message format")));
	return width;
}

static void
send_width(StringInfo buf, Width width)
{
	pq_begintypsend(buf);
	pq_sendbyte(buf, width.words);
	pq_sendbyte(buf, width.is_bit);
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

/* ---------- simhash_agg and simhash_bits_agg: a Tally for each word ---------- */

typedef struct SimhashState
{
	Width		width;
	Tally		tallies[FLEXIBLE_ARRAY_MEMBER];
} SimhashState;

static SimhashState *
new_simhash_state(MemoryContext context, Width width)
{
	SimhashState *state = MemoryContextAlloc(context, offsetof(SimhashState, tallies) +
											 width.words * sizeof(Tally));

	state->width = width;
	simhash_tally_init(state->tallies, width.words);
	return state;
}

/*
 * Add a row: state, feature, and possibly its weight and the number of bits.  NULLs are left
 * out.
 */
static Datum
simhash_transition(FunctionCallInfo fcinfo, bool is_text, int weight_arg, int bits_arg)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	SimhashState *state;
	uint64		hash;
	double		weight = 1;

	state = PG_ARGISNULL(0) ? NULL : (SimhashState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1) && !is_null(fcinfo, weight_arg) && !is_null(fcinfo, bits_arg))
	{
		Width		width = width_argument(fcinfo, bits_arg);

		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		if (weight_arg != NO_ARGUMENT)
			weight = given_weight(PG_GETARG_FLOAT8(weight_arg));
		if (state == NULL)
			state = new_simhash_state(context, width);
		check_same_width(state->width, width);
		old = MemoryContextSwitchTo(context);
		simhash_tally_add(state->tallies, width.words, hash, weight, text_env());
		MemoryContextSwitchTo(old);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

/* With and without a weight */
Datum
simhash_agg_text(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, true, PG_NARGS() > 2 ? 2 : NO_ARGUMENT, NO_ARGUMENT);
}

Datum
simhash_agg_bigint(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, false, PG_NARGS() > 2 ? 2 : NO_ARGUMENT, NO_ARGUMENT);
}

Datum
simhash_bits_agg_text(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, true, NO_ARGUMENT, 2);
}

Datum
simhash_bits_agg_bigint(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, false, NO_ARGUMENT, 2);
}

Datum
simhash_bits_agg_weighted_text(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, true, 2, 3);
}

Datum
simhash_bits_agg_weighted_bigint(PG_FUNCTION_ARGS)
{
	return simhash_transition(fcinfo, false, 2, 3);
}

Datum
simhash_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	SimhashState *state;
	SimhashState *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = (SimhashState *) PG_GETARG_POINTER(1);
	state = PG_ARGISNULL(0) ? new_simhash_state(context, other->width) :
		(SimhashState *) PG_GETARG_POINTER(0);
	check_same_width(state->width, other->width);
	old = MemoryContextSwitchTo(context);
	simhash_tally_combine(state->tallies, other->tallies, state->width.words, text_env());
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

Datum
simhash_agg_serialize(PG_FUNCTION_ARGS)
{
	const SimhashState *state;
	StringInfoData buf;
	size_t		size;

	aggregate_context(fcinfo);
	state = (const SimhashState *) PG_GETARG_POINTER(0);
	size = simhash_tally_size(state->tallies, state->width.words);
	send_width(&buf, state->width);
	enlargeStringInfo(&buf, size);
	simhash_tally_write(state->tallies, state->width.words, (uint8 *) buf.data + buf.len);
	buf.len += size;
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
simhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	SimhashState *state;

	aggregate_context(fcinfo);
	init_buffer(&buf, PG_GETARG_BYTEA_PP(0));
	state = new_simhash_state(CurrentMemoryContext, received_width(&buf));
	if (!simhash_tally_read(state->tallies, state->width.words,
							(const uint8 *) buf.data + buf.cursor, buf.len - buf.cursor,
							text_env()))
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid message format")));
	PG_RETURN_POINTER(state);
}

Datum
simhash_agg_final(PG_FUNCTION_ARGS)
{
	SimhashState *state;
	uint64		words[MOST_WORDS];

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (SimhashState *) PG_GETARG_POINTER(0);
	if (!simhash_tally_result(state->tallies, state->width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(state->width, words);
}

/* ---------- minhash_agg and minhash_bits_agg: a MinWise for each word ---------- */

typedef struct MinhashState
{
	Width		width;
	MinWise		min[FLEXIBLE_ARRAY_MEMBER];
} MinhashState;

static MinhashState *
new_minhash_state(MemoryContext context, Width width)
{
	MinhashState *state = MemoryContextAlloc(context, offsetof(MinhashState, min) +
											 width.words * sizeof(MinWise));

	state->width = width;
	simhash_minwise_init(state->min, width.words);
	return state;
}

static Datum
minhash_transition(FunctionCallInfo fcinfo, bool is_text, int bits_arg)
{
	MemoryContext context = aggregate_context(fcinfo);
	MinhashState *state;
	uint64		hash;

	state = PG_ARGISNULL(0) ? NULL : (MinhashState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1) && !is_null(fcinfo, bits_arg))
	{
		Width		width = width_argument(fcinfo, bits_arg);

		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		if (state == NULL)
			state = new_minhash_state(context, width);
		check_same_width(state->width, width);
		simhash_minwise_add(state->min, width.words, &hash, 1);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
minhash_agg_text(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, true, NO_ARGUMENT);
}

Datum
minhash_agg_bigint(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, false, NO_ARGUMENT);
}

Datum
minhash_bits_agg_text(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, true, 2);
}

Datum
minhash_bits_agg_bigint(PG_FUNCTION_ARGS)
{
	return minhash_transition(fcinfo, false, 2);
}

Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	MinhashState *state;
	MinhashState *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = (MinhashState *) PG_GETARG_POINTER(1);
	state = PG_ARGISNULL(0) ? new_minhash_state(context, other->width) :
		(MinhashState *) PG_GETARG_POINTER(0);
	check_same_width(state->width, other->width);
	simhash_minwise_combine(state->min, other->min, state->width.words);
	PG_RETURN_POINTER(state);
}

Datum
minhash_agg_serialize(PG_FUNCTION_ARGS)
{
	MinhashState *state;
	StringInfoData buf;

	aggregate_context(fcinfo);
	state = (MinhashState *) PG_GETARG_POINTER(0);
	send_width(&buf, state->width);
	for (int i = 0; i < state->width.words * MINWISE_BINS; i++)
		pq_sendint64(&buf, state->min[i / MINWISE_BINS].bins[i % MINWISE_BINS]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
minhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	MinhashState *state;
	StringInfoData buf;

	aggregate_context(fcinfo);
	init_buffer(&buf, PG_GETARG_BYTEA_PP(0));
	state = new_minhash_state(CurrentMemoryContext, received_width(&buf));
	for (int i = 0; i < state->width.words * MINWISE_BINS; i++)
		state->min[i / MINWISE_BINS].bins[i % MINWISE_BINS] = pq_getmsgint64(&buf);
	pq_getmsgend(&buf);
	PG_RETURN_POINTER(state);
}

Datum
minhash_agg_final(PG_FUNCTION_ARGS)
{
	MinhashState *state;
	uint64		words[MOST_WORDS];

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (MinhashState *) PG_GETARG_POINTER(0);
	if (!simhash_minwise_result(state->min, state->width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(state->width, words);
}
