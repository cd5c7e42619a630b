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

/* May the current user execute a function? */
extern bool may_execute(Oid function);

#endif							/* SIMHASH_CATALOG_H */
