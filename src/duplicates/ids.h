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
#include "fmgr.h"
#include "utils/typcache.h"

extern Oid	id_type_of_args(FunctionCallInfo fcinfo);
extern TypeCacheEntry *type_of_ids(Oid type);
extern void check_id_column(TupleDesc desc, int column, Oid id_type, const char *query,
								const char *hint);
extern bool integer_rank(Oid type, Datum id, uint64 *rank);
extern Datum id_of_rank(Oid type, uint64 rank);

#endif							/* SIMHASH_IDS_H */
