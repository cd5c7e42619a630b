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

PG_FUNCTION_INFO_V1(features_agg_combine);
PG_FUNCTION_INFO_V1(features_agg_serialize);
PG_FUNCTION_INFO_V1(features_agg_deserialize);
PG_FUNCTION_INFO_V1(features_agg_final);

/* Return the memory context of the state. */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
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

/* ----------
 * Functions of the aggregates
 * ----------
 */

/*
 * Add a row: state, feature, possibly its weight, and if is_bit, the number of bits.
 * NULLs are left out.  Citus calls the function without an expression of its arguments.
 */
static Datum
transition(FunctionCallInfo fcinfo, Method method, bool is_text, bool is_bit)
{
	MemoryContext context = aggregate_context(fcinfo);
	State	   *state = PG_ARGISNULL(0) ? NULL : (State *) PG_GETARG_POINTER(0);
	int			nargs = PG_NARGS();
	bool		has_null = false;

	for (int arg = 1; arg < nargs; arg++)
		has_null |= PG_ARGISNULL(arg);
	if (!has_null)
	{
		Width		width = is_bit ? PG_GETARG_WIDTH(nargs - 1) : width_simhash;
		uint64		hash = given_feature(PG_GETARG_DATUM(1), is_text);
		double		weight = nargs - is_bit > 2 ? given_weight(PG_GETARG_FLOAT8(2)) : 1;

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

#define TRANSITION(name, method, is_text, is_bit) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	return transition(fcinfo, method, is_text, is_bit); \
}

TRANSITION(simhash_agg_text, SIMHASH, true, false)
TRANSITION(simhash_agg_bigint, SIMHASH, false, false)
TRANSITION(simhash_bits_agg_text, SIMHASH, true, true)
TRANSITION(simhash_bits_agg_bigint, SIMHASH, false, true)
TRANSITION(minhash_agg_text, MINHASH, true, false)
TRANSITION(minhash_agg_bigint, MINHASH, false, false)
TRANSITION(minhash_bits_agg_text, MINHASH, true, true)
TRANSITION(minhash_bits_agg_bigint, MINHASH, false, true)

Datum
features_agg_combine(PG_FUNCTION_ARGS)
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

/* A serialized state: its width and method, and the ranks or sums of its words. */
Datum
features_agg_serialize(PG_FUNCTION_ARGS)
{
	const State *state;
	StringInfoData buf;

	aggregate_context(fcinfo);
	state = (const State *) PG_GETARG_POINTER(0);
	pq_begintypsend(&buf);
	pq_sendbyte(&buf, state->width.words);
	pq_sendbyte(&buf, state->width.is_bit);
	pq_sendbyte(&buf, state->min != NULL);
	if (state->min != NULL)
		pq_sendbytes(&buf, (const char *) state->min, state->width.words * sizeof(MinWise));
	else
	{
		size_t		size = core_tally_size(state->tallies, state->width.words);

		enlargeStringInfo(&buf, size);
		core_tally_write(state->tallies, state->width.words, (uint8 *) buf.data + buf.len);
		buf.len += size;
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
features_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	const uint8 *data = (const uint8 *) VARDATA_ANY(bytes);
	Size		size = VARSIZE_ANY_EXHDR(bytes);
	Width		width;
	State	   *state = NULL;

	aggregate_context(fcinfo);
	if (size >= 3 && data[0] >= 1 && data[0] <= MOST_WORDS)
	{
		width.words = data[0];
		width.is_bit = data[1] != 0;
		state = new_state(CurrentMemoryContext, width, data[2] != 0 ? MINHASH : SIMHASH);
		data += 3;
		size -= 3;
	}
	if (state != NULL && state->min != NULL && size == width.words * sizeof(MinWise))
		memcpy(state->min, data, size);
	else if (state == NULL || state->min != NULL ||
			 !core_tally_read(state->tallies, width.words, data, size, server_env()))
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid message format")));
	PG_RETURN_POINTER(state);
}

Datum
features_agg_final(PG_FUNCTION_ARGS)
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
