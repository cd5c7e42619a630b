/*-------------------------------------------------------------------------
 *
 * leading_columns.c
 *		Which columns an index may have in front of the fingerprint.
 *
 * This file does not depend on types.  A type is supported if it has an operator class of
 * bitblock with an equality operator and a hash function.  The install script makes these
 * classes from PostgreSQL's operator families for hash indexes.  To support one more
 * type, add it there, or create an operator class.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "index/strategy.h"
#include "leading_columns.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Is the column a leading column?  If not, it is the fingerprint.  Columns count from 0. */
bool
bb_is_leading(Relation index, int column)
{
	return OidIsValid(index_getprocid(index, column + 1, BB_HASH_PROC));
}

/*
 * Can the function be the BB_HASH_PROC of a type?  It need not be declared for the type,
 * because PostgreSQL's own hash functions are not: hashint4 serves date, and
 * hashvarlena(internal) bytea.  Which of them serves a type depends on the version, and
 * pg_upgrade keeps the older one.  But the function must be able to read the values.
 */
bool
bb_is_hash_function(Oid function, Oid type)
{
	Oid		   *argtypes;
	int			nargs;
	int16		len;
	int16		arg_len;
	bool		byval;
	bool		arg_byval;

	if (get_func_signature(function, &argtypes, &nargs) != INT4OID || nargs != 1)
		return false;
	if (IsBinaryCoercible(type, argtypes[0]))
		return true;
	get_typlenbyval(type, &len, &byval);
	if (argtypes[0] == INTERNALOID)
		return len == -1;
	get_typlenbyval(argtypes[0], &arg_len, &arg_byval);
	return byval && arg_byval && len == arg_len;
}

/* Is the operator an equality that agrees with a hash function, by its declaration? */
bool
bb_is_equality(Oid operator)
{
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	result = ((Form_pg_operator) GETSTRUCT(tuple))->oprcanhash;
	ReleaseSysCache(tuple);
	return result;
}

bool
bb_leading_is_valid(Oid family, Oid type)
{
	Oid			operator = get_opfamily_member(family, type, type, EQUAL_STRATEGY);
	Oid			function = get_opfamily_proc(family, type, type, BB_HASH_PROC);

	return OidIsValid(operator) && bb_is_equality(operator) &&
		OidIsValid(function) && bb_is_hash_function(function, type);
}
