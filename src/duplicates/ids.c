/*-------------------------------------------------------------------------
 *
 * ids.c
 *		Ids of rows, of any type that has an order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "ids.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"

#define SIGN_OF_RANK	(UINT64CONST(1) << 63)

/* The type of the argument "id_type anyelement", which is the second */
Oid
id_type_of_args(FunctionCallInfo fcinfo)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	if (!OidIsValid(type))
		elog(ERROR, "could not determine the type of the ids");
	return type;
}

/* A type with its comparison function and its operator <; an error if it has none */
TypeCacheEntry *
type_of_ids(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_LT_OPR);

	if (!OidIsValid(entry->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s",
						format_type_be(type)),
				 errhint("Ids must be of a type that has an order.")));
	return entry;
}

/*
 * Raise an error unless column number "column" of a query, from 1 on, has ids of the type.
 * "query" names the query.  hint is NULL if the type may be what is wrong.
 */
void
check_id_column(TupleDesc desc, int column, Oid id_type, const char *query,
				const char *hint)
{
	Oid			type = TupleDescAttr(desc, column - 1)->atttypid;

	if (!IsBinaryCoercible(type, id_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of %s, the id, must be of type %s",
						column, query, format_type_be(id_type)),
				 errdetail("It is of type %s.", format_type_be(type)),
				 hint != NULL ? errhint("%s", hint) :
				 errhint("The type of the ids is that of the function's second argument, such as NULL::%s.",
						 format_type_be(type))));
}

/*
 * Set *rank to a number that has the order of the ids; false if the type is not one of
 * PostgreSQL's integers.
 */
bool
integer_rank(Oid type, Datum id, uint64 *rank)
{
	int64		value;

	switch (type)
	{
		case INT2OID:
			value = DatumGetInt16(id);
			break;
		case INT4OID:
			value = DatumGetInt32(id);
			break;
		case INT8OID:
			value = DatumGetInt64(id);
			break;
		default:
			return false;
	}
	*rank = (uint64) value ^ SIGN_OF_RANK;
	return true;
}

/* The id of a rank by integer_rank */
Datum
id_of_rank(Oid type, uint64 rank)
{
	int64		value = (int64) (rank ^ SIGN_OF_RANK);

	if (type == INT2OID)
		return Int16GetDatum((int16) value);
	return type == INT4OID ? Int32GetDatum((int32) value) : Int64GetDatum(value);
}
