/*-------------------------------------------------------------------------
 *
 * ids.h
 *		Ids of rows, of any type that has an order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_IDS_H
#define SIMHASH_IDS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/typcache.h"

/*
 * The type of the ids of a call with a query.  It is the type of the second argument,
 * "id_type anyelement", which only one form of each function has.  The other form, which
 * has an argument less, takes ids of PostgreSQL's integer types, and returns bigint.
 */
typedef struct IdType
{
	Oid			type;
	bool		is_argument;
} IdType;

extern IdType id_type_of_call(FunctionCallInfo fcinfo, int most_args);
extern TypeCacheEntry *type_of_ids(Oid type);
extern Oid	check_id_column(TupleDesc desc, int column, IdType id_type, const char *query,
							const char *hint);

extern void replace_id(Datum *kept, bool *have, Datum id, const TypeCacheEntry *type,
					   MemoryContext context);

/* Return the number of the first argument after the query and id_type. */
static inline int
first_option(IdType id_type)
{
	return id_type.is_argument ? 2 : 1;
}

extern bool integer_rank(Oid type, Datum id, uint64 *rank);
extern Datum id_of_rank(Oid type, uint64 rank);

/* Convert an integer id to bigint.  column_type is the type that check_id_column has returned. */
static inline Datum
widened_id(Oid column_type, Datum id)
{
	if (column_type == INT4OID)
		return Int64GetDatum(DatumGetInt32(id));
	return column_type == INT2OID ? Int64GetDatum(DatumGetInt16(id)) : id;
}

/* Return the value of the column from which widened_id made an id. */
static inline Datum
narrowed_id(Oid column_type, Datum id)
{
	if (column_type == INT4OID)
		return Int32GetDatum((int32) DatumGetInt64(id));
	return column_type == INT2OID ? Int16GetDatum((int16) DatumGetInt64(id)) : id;
}

#endif							/* SIMHASH_IDS_H */
