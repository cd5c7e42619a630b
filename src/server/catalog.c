/*-------------------------------------------------------------------------
 *
 * catalog.c
 *		Finding the extension's own objects in the system catalogs.
 *
 * All objects of the extension stand in one schema, whichever it is today:
 * that of any of its functions.  Names are looked up there and nowhere else,
 * whatever the search_path, and without a check of the caller's right to use
 * the schema, which a view or function that reached us need not have.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The schema of the extension, given one of its functions. */
Oid
own_schema(Oid function)
{
	return get_func_namespace(function);
}

/* These return InvalidOid if there is no such object. */

Oid
own_type(Oid schema, const char *name)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name), ObjectIdGetDatum(schema));
}

Oid
own_function(Oid schema, const char *name, int nargs, const Oid *argtypes)
{
	oidvector  *types = buildoidvector(argtypes, nargs);

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name), PointerGetDatum(types),
						   ObjectIdGetDatum(schema));
}

Oid
own_operator(Oid schema, const char *name, Oid left, Oid right)
{
	return GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid,
						   CStringGetDatum(name), ObjectIdGetDatum(left),
						   ObjectIdGetDatum(right), ObjectIdGetDatum(schema));
}

Oid
own_operator_family(Oid schema, Oid method, const char *name)
{
	return GetSysCacheOid3(OPFAMILYAMNAMENSP, Anum_pg_opfamily_oid,
						   ObjectIdGetDatum(method), CStringGetDatum(name),
						   ObjectIdGetDatum(schema));
}
