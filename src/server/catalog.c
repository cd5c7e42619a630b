/*-------------------------------------------------------------------------
 *
 * catalog.c
 *		Finding the extension's own objects in the system catalogs.
 *
 * All objects of the extension are in one schema, which may change: it is the schema of
 * any of the extension's functions.  These functions look names up in that schema only,
 * and ignore the search_path.  They do not check the caller's right to use the schema,
 * because a caller through a view or function need not have that right.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Return the schema of the extension, from the OID of one of its functions. */
Oid
own_schema(Oid function)
{
	return get_func_namespace(function);
}

/* Return the library of one of the extension's functions, for parallel workers to load. */
char *
own_library(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		isnull = true;
	Datum		library = 0;
	char	   *name;

	if (HeapTupleIsValid(tuple))
		library = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_probin, &isnull);
	if (isnull)
		elog(ERROR, "library of function %u is unknown", function);
	name = TextDatumGetCString(library);
	ReleaseSysCache(tuple);
	return name;
}

/* These functions return InvalidOid if there is no such object. */

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

bool
may_execute(Oid function)
{
	return DatumGetBool(DirectFunctionCall2(has_function_privilege_id, ObjectIdGetDatum(function),
											CStringGetTextDatum("EXECUTE")));
}
