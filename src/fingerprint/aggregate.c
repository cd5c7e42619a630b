/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *		The aggregates simhash_agg, minhash_agg, simhash_bits_agg and minhash_bits_agg,
 *		over features in rows, and simhash_weighted_agg and simhash_bits_weighted_agg.
 *
 * A state has a Tally, whose sums are exact, or a MinWise for each word of the
 * fingerprint.  So results depend neither on the order of rows nor on their division
 * among parallel workers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/text/methods/minwise.h"
#include "core/text/methods/weighted_votes.h"
#include "feature_input.h"
#include "libpq/pqformat.h"
#include "simhash.h"
#include "width.h"

PG_FUNCTION_INFO_V1(simhash_agg_combine);
PG_FUNCTION_INFO_V1(simhash_agg_serialize);
PG_FUNCTION_INFO_V1(simhash_agg_deserialize);
PG_FUNCTION_INFO_V1(simhash_agg_final);
PG_FUNCTION_INFO_V1(minhash_agg_combine);
PG_FUNCTION_INFO_V1(minhash_agg_serialize);
PG_FUNCTION_INFO_V1(minhash_agg_deserialize);
PG_FUNCTION_INFO_V1(minhash_agg_final);

/* In place of an argument number: the transition function has no such argument */
#define NO_ARGUMENT (-1)

/* Return the memory context of the state. */
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

/* Raise an error unless two states have the same width. */
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

/* Read the width of a serialized state. */
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

/* Initialize a buffer that reads the bytes of a serialized state. */
static void
init_buffer(StringInfo buf, bytea *bytes)
{
	buf->data = VARDATA_ANY(bytes);
	buf->len = VARSIZE_ANY_EXHDR(bytes);
	buf->maxlen = buf->len;
	buf->cursor = 0;
}

/* ----------
 * States
 * ----------
 */

typedef struct State
{
	Width		width;
	Tally	   *tallies;		/* of simhash, for each word; or NULL */
	MinWise    *min;			/* of minhash, for each word; or NULL */
} State;

/* What to make of the features. */
typedef enum Method
{
	SIMHASH,
	MINHASH
} Method;

static State *
new_state(MemoryContext context, Width width, Method method)
{
	Size		header = MAXALIGN(sizeof(State));
	Size		size = method == MINHASH ? sizeof(MinWise) : sizeof(Tally);
	State	   *state = MemoryContextAllocZero(context, header + width.words * size);
	void	   *words = (char *) state + header;

	state->width = width;
	if (method == MINHASH)
	{
		state->min = words;
		core_minwise_init(state->min, width.words);
	}
	else
	{
		state->tallies = words;
		core_tally_init(state->tallies, width.words);
	}
	return state;
}

/*
 * Add a row: state, feature, and possibly its weight and the number of bits.  NULLs are
 * left out.
 */
static Datum
transition(FunctionCallInfo fcinfo, Method method, bool is_text, int weight_arg, int bits_arg)
{
	MemoryContext context = aggregate_context(fcinfo);
	State	   *state = PG_ARGISNULL(0) ? NULL : (State *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1) && !is_null(fcinfo, weight_arg) && !is_null(fcinfo, bits_arg))
	{
		Width		width = width_argument(fcinfo, bits_arg);
		uint64		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		double		weight = weight_arg == NO_ARGUMENT ? 1 :
			given_weight(PG_GETARG_FLOAT8(weight_arg));

		if (state == NULL)
			state = new_state(context, width, method);
		check_same_width(state->width, width);
		if (method == MINHASH)
			core_minwise_add(state->min, width.words, &hash, 1);
		else
		{
			MemoryContext old = MemoryContextSwitchTo(context);

			core_tally_add(state->tallies, width.words, hash, weight, server_env());
			MemoryContextSwitchTo(old);
		}
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

static Datum
combine(FunctionCallInfo fcinfo)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	State	   *state;
	State	   *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = (State *) PG_GETARG_POINTER(1);
	state = PG_ARGISNULL(0) ?
		new_state(context, other->width, other->min != NULL ? MINHASH : SIMHASH) :
		(State *) PG_GETARG_POINTER(0);
	check_same_width(state->width, other->width);
	old = MemoryContextSwitchTo(context);
	if (state->min != NULL)
		core_minwise_combine(state->min, other->min, state->width.words);
	else
		core_tally_combine(state->tallies, other->tallies, state->width.words, server_env());
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

static Datum
final(FunctionCallInfo fcinfo)
{
	State	   *state;
	uint64		words[MOST_WORDS];

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (State *) PG_GETARG_POINTER(0);
	if (state->min != NULL ? !core_minwise_result(state->min, state->width.words, words) :
		!core_tally_result(state->tallies, state->width.words, words))
		PG_RETURN_NULL();
	return fingerprint_datum(state->width, words);
}

/* ----------
 * Transition functions
 * ----------
 */

#define TRANSITION(name, method, is_text, weight_arg, bits_arg) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	return transition(fcinfo, method, is_text, weight_arg, bits_arg); \
}

/* those of simhash_weighted_agg have a weight */
TRANSITION(simhash_agg_text, SIMHASH, true, PG_NARGS() > 2 ? 2 : NO_ARGUMENT, NO_ARGUMENT)
TRANSITION(simhash_agg_bigint, SIMHASH, false, PG_NARGS() > 2 ? 2 : NO_ARGUMENT, NO_ARGUMENT)
TRANSITION(simhash_bits_agg_text, SIMHASH, true, NO_ARGUMENT, 2)
TRANSITION(simhash_bits_agg_bigint, SIMHASH, false, NO_ARGUMENT, 2)
TRANSITION(simhash_bits_agg_weighted_text, SIMHASH, true, 2, 3)
TRANSITION(simhash_bits_agg_weighted_bigint, SIMHASH, false, 2, 3)
TRANSITION(minhash_agg_text, MINHASH, true, NO_ARGUMENT, NO_ARGUMENT)
TRANSITION(minhash_agg_bigint, MINHASH, false, NO_ARGUMENT, NO_ARGUMENT)
TRANSITION(minhash_bits_agg_text, MINHASH, true, NO_ARGUMENT, 2)
TRANSITION(minhash_bits_agg_bigint, MINHASH, false, NO_ARGUMENT, 2)

/* ----------
 * Aggregates of votes
 * ----------
 */

Datum
simhash_agg_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo);
}

Datum
simhash_agg_serialize(PG_FUNCTION_ARGS)
{
	const State *state;
	StringInfoData buf;
	size_t		size;

	aggregate_context(fcinfo);
	state = (const State *) PG_GETARG_POINTER(0);
	size = core_tally_size(state->tallies, state->width.words);
	send_width(&buf, state->width);
	enlargeStringInfo(&buf, size);
	core_tally_write(state->tallies, state->width.words, (uint8 *) buf.data + buf.len);
	buf.len += size;
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
simhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	State	   *state;

	aggregate_context(fcinfo);
	init_buffer(&buf, PG_GETARG_BYTEA_PP(0));
	state = new_state(CurrentMemoryContext, received_width(&buf), SIMHASH);
	if (!core_tally_read(state->tallies, state->width.words,
						 (const uint8 *) buf.data + buf.cursor, buf.len - buf.cursor,
						 server_env()))
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid message format")));
	PG_RETURN_POINTER(state);
}

Datum
simhash_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo);
}

/* ----------
 * minhash_agg and minhash_bits_agg
 * ----------
 */

Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo);
}

Datum
minhash_agg_serialize(PG_FUNCTION_ARGS)
{
	State	   *state;
	StringInfoData buf;

	aggregate_context(fcinfo);
	state = (State *) PG_GETARG_POINTER(0);
	send_width(&buf, state->width);
	for (int i = 0; i < state->width.words * MINWISE_BINS; i++)
		pq_sendint64(&buf, state->min[i / MINWISE_BINS].bins[i % MINWISE_BINS]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
minhash_agg_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	State	   *state;

	aggregate_context(fcinfo);
	init_buffer(&buf, PG_GETARG_BYTEA_PP(0));
	state = new_state(CurrentMemoryContext, received_width(&buf), MINHASH);
	for (int i = 0; i < state->width.words * MINWISE_BINS; i++)
		state->min[i / MINWISE_BINS].bins[i % MINWISE_BINS] = pq_getmsgint64(&buf);
	pq_getmsgend(&buf);
	PG_RETURN_POINTER(state);
}

Datum
minhash_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo);
}
