/*-------------------------------------------------------------------------
 *
 * catalog.h
 *		Finding the extension's own objects in the system catalogs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CATALOG_H
#define SIMHASH_CATALOG_H

#include "postgres.h"

extern Oid	own_schema(Oid function);
extern char *own_library(Oid function);
extern Oid	own_type(Oid schema, const char *name);
extern Oid	own_function(Oid schema, const char *name, int nargs,
						 const Oid *argtypes);
extern Oid	own_operator(Oid schema, const char *name, Oid left, Oid right);
extern Oid	own_operator_family(Oid schema, Oid method, const char *name);

extern Oid	schema_of_operator(Oid operator);

/*
 * Return the quoted name of a type with its schema.  Unlike that of format_type_be_qualified, it
 * stands for the type without a length: "character" would be character(1).
 */
extern char *qualified_name_of_type(Oid type, Oid *schema);

/* May the current user name what is in a schema, or execute a function? */
extern bool may_name(Oid schema);
extern bool may_execute(Oid function);

#endif							/* SIMHASH_CATALOG_H */
