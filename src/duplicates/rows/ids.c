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
#include "utils/datum.h"
#include "utils/lsyscache.h"

#define SIGN_OF_RANK	(UINT64CONST(1) << 63)

/* Return the type of the ids of a call.  A call with most_args arguments has "id_type". */
IdType
id_type_of_call(FunctionCallInfo fcinfo, int most_args)
{
	IdType		id_type = {INT8OID, PG_NARGS() == most_args};

	if (id_type.is_argument)
		id_type.type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	if (!OidIsValid(id_type.type))
		elog(ERROR, "could not determine the type of the ids");
	return id_type;
}

/*
 * Look up a type with its comparison function and its operator <.  Raises an error if it
 * has none.
 */
TypeCacheEntry *
type_of_ids(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_LT_OPR);

	if (!OidIsValid(entry->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s",
						format_type_be(type)),
				 errhint("Ids must be of a type that can be sorted.")));
	return entry;
}

/*
 * Raise an error unless the given column of a query, counted from 1, has ids of the type.
 * "query" is the name of the query for the message.  If hint is NULL, the hint is about
 * id_type.  Returns the column's type, for widened_id.
 */
Oid
check_id_column(TupleDesc desc, int column, IdType id_type, const char *query, const char *hint)
{
	Oid			type = TupleDescAttr(desc, column - 1)->atttypid;
	Oid			base = getBaseType(type);

	if (id_type.is_argument ? IsBinaryCoercible(type, id_type.type) :
		base == INT2OID || base == INT4OID || base == INT8OID)
		return id_type.is_argument ? InvalidOid : base;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 id_type.is_argument ?
			 errmsg("column %d of %s, the id, must be of type %s",
					column, query, format_type_be(id_type.type)) :
			 errmsg("column %d of %s, the id, must be of an integer type", column, query),
			 errdetail("It is of type %s.", format_type_be(type)),
			 hint != NULL ? errhint("%s", hint) :
			 id_type.is_argument ?
			 errhint("Argument id_type must have the type of the ids: id_type => NULL::%s.",
					 format_type_be(type)) :
			 errhint("For ids of another type, add the argument id_type => NULL::%s.",
					 format_type_be(type))));
	return InvalidOid;			/* keep compiler quiet */
}

/* Keep a copy of an id in a context, in place of the one that *kept has if *have is true. */
void
replace_id(Datum *kept, bool *have, Datum id, const TypeCacheEntry *type, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	if (*have && !type->typbyval)
		pfree(DatumGetPointer(*kept));
	*kept = datumCopy(id, type->typbyval, type->typlen);
	*have = true;
	MemoryContextSwitchTo(old);
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

/* Return the id with that rank: the inverse of integer_rank. */
Datum
id_of_rank(Oid type, uint64 rank)
{
	int64		value = (int64) (rank ^ SIGN_OF_RANK);

	if (type == INT2OID)
		return Int16GetDatum((int16) value);
	return type == INT4OID ? Int32GetDatum((int32) value) : Int64GetDatum(value);
}
