/*-------------------------------------------------------------------------
 *
 * original_index.c
 *		The index that the search for the original of a new row needs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "original_target.h"
#include "server/catalog.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/*
 * The condition that a column is null, or not null, in the form of an index's predicate.
 * "of_row" is true for "column IS NULL" of a composite type, which is also true for a row
 * of NULLs.
 */
static Expr *
null_test(Form_pg_attribute column, NullTestType type, bool of_row)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = (Expr *) makeVar(1, column->attnum, column->atttypid,
								 column->atttypmod, column->attcollation, 0);
	test->nulltesttype = type;
	test->argisrow = of_row;
	test->location = -1;
	return (Expr *) test;
}

/* The conditions of append_null_test, in the form of an index's predicate. */
static List *
null_tests(Form_pg_attribute column)
{
	List	   *tests = list_make1(null_test(column, IS_NULL, false));

	if (type_is_rowtype(column->atttypid))
		tests = lappend(tests, null_test(column, IS_NULL, true));
	return tests;
}

/* Can an index column find equal values of a column of the option "equal"? */
static bool
finds_equal(Relation rel, Relation index, int index_column, const List *equal)
{
	ListCell   *lc;

	foreach(lc, equal)
	{
		int			attno = SPI_fnumber(RelationGetDescr(rel), lfirst(lc));
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(rel), attno - 1);

		if (attno == index->rd_index->indkey.values[index_column])
			return index->rd_indcollation[index_column] == attribute->attcollation &&
				op_in_opfamily(target_equality(attribute->atttypid, false),
							   index->rd_opfamily[index_column]);
	}
	return false;
}

/*
 * Will the planner use an index in this transaction?  The rule is that of
 * get_relation_info: an index that was built while older versions of updated rows could
 * still be seen waits until nobody sees them.
 */
static bool
is_usable(Relation index)
{
	return !index->rd_index->indcheckxmin ||
		TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							  TransactionXmin);
}

/*
 * Find an index that serves the search, if possible a usable one.  Returns InvalidOid if
 * there is none.  "searched" has the search's conditions, from which the predicate must
 * follow.  The columns before the fingerprint must be among those that must be equal,
 * because any other search by a later column would read most of the index.
 */
static Oid
find_index(Relation rel, Form_pg_attribute fingerprint, Oid within_operator,
		   const List *equal, List *searched, bool *usable)
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			found = InvalidOid;
	ListCell   *lc;

	*usable = false;
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);
		int			i = 0;

		while (i < nkeys && index->rd_index->indkey.values[i] != fingerprint->attnum &&
			   finds_equal(rel, index, i, equal))
			i++;
		if (index->rd_index->indisvalid && i < nkeys &&
			index->rd_index->indkey.values[i] == fingerprint->attnum &&
			op_in_opfamily(within_operator, index->rd_opfamily[i]) &&
			predicate_implied_by(RelationGetIndexPredicate(index), searched, false) &&
			!*usable)
		{
			found = RelationGetRelid(index);
			*usable = is_usable(index);
		}
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

/* Can the column stand before the fingerprint in an index of bitblock? */
static bool
serves_as_leading(Form_pg_attribute column)
{
	Oid			bitblock = get_index_am_oid("bitblock", true);

	return OidIsValid(bitblock) &&
		OidIsValid(GetDefaultOpClass(column->atttypid, bitblock));
}

/*
 * Raise an error unless one table has an index for the search.  Returns the index if it is
 * not usable yet, and InvalidOid otherwise.
 */
static Oid
require_index(const Target *target, Trigger *trigger, Relation table, uint32 nulls)
{
	const Arguments *a = &target->arguments;
	const Kind *kind = &target->kind;
	Form_pg_attribute fingerprint = target_column(table, trigger, a->fingerprint);
	List	   *searched = lcons(null_test(fingerprint, IS_NOT_NULL, false),
								 null_tests(target_column(table, trigger, a->duplicate_of)));
	StringInfoData columns;
	Oid			index;
	bool		usable;

	initStringInfo(&columns);
	for (int i = 0; i < target->nequal; i++)
	{
		const char *name = list_nth(a->equal, i);
		Form_pg_attribute column = target_column(table, trigger, name);

		searched = list_concat(searched, nulls & ((uint32) 1 << i) ? null_tests(column) :
							   list_make1(null_test(column, IS_NOT_NULL, false)));
		if (serves_as_leading(column))
			appendStringInfo(&columns, "%s, ", quote_identifier(name));
	}
	index = find_index(table, fingerprint, own_operator(kind->schema, "<@", kind->type, kind->ball),
					   a->equal, searched, &usable);
	if (OidIsValid(index))
		return usable ? InvalidOid : index;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of table \"%s\" has no suitable index",
					a->fingerprint, RelationGetRelationName(table)),
			 errdetail(a->equal == NIL ?
					   "Trigger \"%s\" requires a valid index that begins with the column and contains all originals." :
					   "Trigger \"%s\" requires a valid index that contains all originals. Only columns of option \"equal\" may precede it.",
					   trigger->tgname),
			 errhint("Create an index, for example: CREATE INDEX ON %s USING bitblock (%s%s) WHERE %s IS NULL;",
					 quote_identifier(RelationGetRelationName(table)), columns.data,
					 quote_identifier(a->fingerprint),
					 quote_identifier(a->duplicate_of))));
}

/* Warn that the search cannot use an index yet. */
static void
warn_of_index(Trigger *trigger, Oid index)
{
	const char *name = get_rel_name(index);

	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("trigger \"%s\" reads the whole table for each new row", trigger->tgname),
			 errdetail("Index \"%s\" cannot be used yet: rows had been updated before it was built, and a transaction that was running then has not ended.",
					   name),
			 errhint("End the transactions that began before the index was built, also those in other databases, or run REINDEX INDEX CONCURRENTLY %s;",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(index)), name))));
}

/*
 * Raise an error unless the table, and each table that inherits from it, has an index for
 * the search.  Tables on other servers need none.  "nulls" has a bit for each column of
 * "equal" that is NULL.  Returns whether all indexes are usable in this transaction.  If
 * one is not, warns of it if "warn" is true.
 */
bool
original_require_index(const Target *target, Trigger *trigger, Relation table, uint32 nulls,
					   bool warn)
{
	List	   *tables = list_make1_oid(RelationGetRelid(table));
	Oid			unusable = InvalidOid;
	ListCell   *lc;

	if (table->rd_rel->relhassubclass)
		tables = find_all_inheritors(RelationGetRelid(table), AccessShareLock, NULL);
	foreach(lc, tables)
	{
		Relation	rel = table_open(lfirst_oid(lc), NoLock);
		Oid			index = InvalidOid;

		if (rel->rd_rel->relkind != RELKIND_FOREIGN_TABLE)
			index = require_index(target, trigger, rel, nulls);
		if (!OidIsValid(unusable))
			unusable = index;
		table_close(rel, NoLock);
	}
	if (OidIsValid(unusable) && warn)
		warn_of_index(trigger, unusable);
	return !OidIsValid(unusable);
}
