/*-------------------------------------------------------------------------
 *
 * handler.c
 *		Index access method bitblock: its properties, and the validation of its
 *		operator classes.
 *
 * The index finds near-duplicates in constant time by the pigeonhole
 * principle (Manku, Jain and Das Sarma, "Detecting near-duplicates for web
 * crawling", WWW 2007; Norouzi et al., "Fast exact search in Hamming space
 * with multi-index hashing", 2014).  If two fingerprints of 64 bits differ in 3 bits,
 * one of their 4 blocks is equal.  So the index has a tree for each block, and stores every
 * fingerprint in each tree, with the tree's block in front.
 *
 *		options.c			storage parameters
 *		window.h			a part of a fingerprint: the order of a tree
 *		shape.c				the width of fingerprints, and their form in the index
 *		page.c				pages and their entries
 *		buffer.c			reading, locking and allocating pages
 *		cache.c				a backend's memory of an index
 *		tree.c				search in a tree
 *		walk.c				reading the leaves that may hold a set of keys
 *		probes.c			which block values a query looks for
 *		reader.c			the matches of a query from the trees
 *		row.c				the whole fingerprint of a row
 *		insert.c, wal.c		insertion, page splits, and the WAL record
 *		build.c, sort.c		the whole index at once
 *		scan.c				scans: all within a distance
 *		nearest.c, ties.c	scans: in the order of distance
 *		vacuum.c			removal of entries and pages
 *		cost.c				the planner's estimate
 *		check.c, stats.c	SQL functions for the administrator
 *		open.c				opening an index for them
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bitblock.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "index/strategy.h"
#include "options.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(bitblock_handler);

/*
 * Can this access method serve the operator class?  The code of the access method knows the
 * types, so the function checks only the operators.
 */
static bool
bb_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	bool		balls;
	Form_pg_opclass form;
	CatCList   *operators;
	bool		valid = true;
	Oid			type;
	Oid			family;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	type = form->opcintype;
	balls = OidIsValid(form->opckeytype) && form->opckeytype != type;
	family = form->opcfamily;
	ReleaseSysCache(tuple);

	operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(family));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop op = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);
		bool		orders = op->amopstrategy == DISTANCE_STRATEGY;
		bool		known = balls ? op->amopstrategy == OVERLAP_STRATEGY :
			orders || op->amopstrategy == NEAR_STRATEGY ||
			op->amopstrategy == WITHIN_STRATEGY ||
			op->amopstrategy == EQUAL_STRATEGY;
		bool		same = op->amopstrategy != WITHIN_STRATEGY;

		if (!known ||
			op->amoppurpose != (orders ? AMOP_ORDER : AMOP_SEARCH) ||
			op->amoplefttype != type ||
			(op->amoprighttype == type) != same ||
			get_op_rettype(op->amopopr) != (orders ? INT4OID : BOOLOID))
		{
			ereport(INFO,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator family %u of access method %s contains operator %s which it cannot serve as number %d",
							family, "bitblock",
							format_operator(op->amopopr), op->amopstrategy)));
			valid = false;
		}
	}
	ReleaseCatCacheList(operators);
	return valid;
}

Datum
bitblock_handler(PG_FUNCTION_ARGS)
{
	static const IndexAmRoutine am = {
		.type = T_IndexAmRoutine,
		.amstrategies = 0,
		.amsupport = 0,
		.amcanorderbyop = true,

		/* rows with a NULL fingerprint are in a tree of their own */
		.amoptionalkey = true,
		.amsearchnulls = true,

		/* an index of balls stores the centers */
		.amstorage = true,
		.amparallelvacuumoptions =
		VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP,
		.amkeytype = InvalidOid,

		.ambuild = bb_build,
		.ambuildempty = bb_buildempty,
		.aminsert = bb_insert,
		.ambulkdelete = bb_bulkdelete,
		.amvacuumcleanup = bb_vacuumcleanup,
		.amcanreturn = bb_canreturn,
		.amcostestimate = bb_costestimate,
		.amoptions = bb_options,
		.ambuildphasename = bb_buildphasename,
		.amvalidate = bb_validate,
		.ambeginscan = bb_beginscan,
		.amrescan = bb_rescan,
		.amgettuple = bb_gettuple,
		.amgetbitmap = bb_getbitmap,
		.amendscan = bb_endscan,
	};

	RETURN_INDEX_AM(am);
}
