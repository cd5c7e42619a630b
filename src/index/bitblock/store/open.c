/*-------------------------------------------------------------------------
 *
 * open.c
 *		Opening a bitblock index by name, for SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xlog.h"
#include "cache.h"
#include "catalog/index.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "open.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * Open and lock an index and its table, the table first.  Raises an error if it is not a
 * bitblock index, or if the index cannot be read.
 */
Relation
bb_open(Oid index_oid, LOCKMODE lockmode, Relation *heap)
{
	Oid			heap_oid = IndexGetRelation(index_oid, true);
	Relation	index;

	if (!OidIsValid(heap_oid) && get_rel_name(index_oid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("index with OID %u does not exist", index_oid)));
	*heap = OidIsValid(heap_oid) ? table_open(heap_oid, lockmode) : NULL;
	index = index_open(index_oid, lockmode);

	/*
	 * before the locks, the index may have been dropped and its OID used
	 * again
	 */
	if (heap_oid != IndexGetRelation(index_oid, true))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("could not open parent table of index \"%s\"",
						RelationGetRelationName(index))));
	if (*heap == NULL || index->rd_rel->relkind != RELKIND_INDEX ||
		index->rd_rel->relam != get_index_am_oid("bitblock", false))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a bitblock index",
						RelationGetRelationName(index))));
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));
	if (!RelationIsPermanent(index) && RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary or unlogged relations during recovery")));
	if (!index->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid",
						RelationGetRelationName(index))));
	(void) bb_shape(index);		/* checks the metapage */
	return index;
}

void
bb_close(Relation index, Relation heap, LOCKMODE lockmode)
{
	index_close(index, lockmode);
	table_close(heap, lockmode);
}
