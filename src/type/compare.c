/*-------------------------------------------------------------------------
 *
 * compare.c
 *		Order and equality of "simhash": btree and hash operator classes.
 *		The order is that of the unsigned 64-bit number.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "port/pg_bswap.h"
#include "simhash.h"
#include "utils/sortsupport.h"

PG_FUNCTION_INFO_V1(simhash_eq);
PG_FUNCTION_INFO_V1(simhash_ne);
PG_FUNCTION_INFO_V1(simhash_lt);
PG_FUNCTION_INFO_V1(simhash_le);
PG_FUNCTION_INFO_V1(simhash_gt);
PG_FUNCTION_INFO_V1(simhash_ge);
PG_FUNCTION_INFO_V1(simhash_cmp);
PG_FUNCTION_INFO_V1(simhash_sortsupport);
PG_FUNCTION_INFO_V1(simhash_hash);
PG_FUNCTION_INFO_V1(simhash_hash_extended);

#define COMPARISON(name, op) \
Datum \
simhash_##name(PG_FUNCTION_ARGS) \
{ \
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) op PG_GETARG_SIMHASH(1)); \
}

COMPARISON(eq, ==)
COMPARISON(ne, !=)
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(ge, >=)

Datum
simhash_cmp(PG_FUNCTION_ARGS)
{
	Simhash		a = PG_GETARG_SIMHASH(0);
	Simhash		b = PG_GETARG_SIMHASH(1);

	PG_RETURN_INT32((a > b) - (a < b));
}

Datum
simhash_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = ssup_datum_unsigned_cmp;
	PG_RETURN_VOID();
}

/*
 * Hash values decide the partition of a row, so they must not depend on the machine.
 * Therefore the bytes are hashed in a fixed order.
 */
static uint64
hash_input(FunctionCallInfo fcinfo)
{
	return pg_hton64(PG_GETARG_SIMHASH(0));
}

Datum
simhash_hash(PG_FUNCTION_ARGS)
{
	uint64		bytes = hash_input(fcinfo);

	return hash_any((unsigned char *) &bytes, sizeof(bytes));
}

Datum
simhash_hash_extended(PG_FUNCTION_ARGS)
{
	uint64		bytes = hash_input(fcinfo);

	return hash_any_extended((unsigned char *) &bytes, sizeof(bytes),
							 PG_GETARG_INT64(1));
}
