/*-------------------------------------------------------------------------
 *
 * handler.c
 *		Index access method bitblock: its properties, and the validation of its
 *		operator classes.
 *
 * The index finds near-duplicates in constant time by the pigeonhole principle (Manku,
 * Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007; Norouzi et
 * al., "Fast exact search in Hamming space with multi-index hashing", 2014).  If two
 * fingerprints of 64 bits differ in 3 bits, one of their 4 blocks is equal.  So the index
 * has a tree for each block, and stores every fingerprint in each tree, with the tree's
 * block in front.
 *
 *	Here: the callbacks and SQL functions
 *		insert.c, insert_wal.c	insertion, page splits, and the WAL record
 *		scan.c				scans
 *		vacuum.c			removal of entries and pages
 *		cost.c				the planner's estimate
 *		check.c, stats.c, explain_search.c	SQL functions
 *	store/, which all use
 *		index_options.c		storage parameters
 *		window.h			a part of a fingerprint: the order of a tree
 *		shape.c				the width of fingerprints, and their form in the index
 *		column_value.c		values of the column as such fingerprints
 *		leading_columns.c	which columns may be before the fingerprint
 *		leading_hash.c		their values as a number
 *		page.c				pages and their entries
 *		cache.c				a backend's memory of an index
 *		tree.c				reading, allocating and searching the pages of trees
 *		read_ahead.c		asking for pages before they are read
 *		open.c				opening an index for SQL functions
 *		promises.h			switches to plain forms
 *	search/, which uses store/
 *		condition.c			the conditions of a scan on the fingerprint
 *		leaf_list.c			the leaves that a search will read
 *		leaf_walk.c			reading the leaves that may hold a set of keys
 *		probes.c			the block values within a radius
 *		radii.c				the choice of the radius of each tree
 *		reader.c			the matches of a query from the trees
 *		multi_search.c		the matches of several queries
 *		row.c				the whole fingerprint of a row
 *		nearest.c			the matches in the order of distance
 *		search_cost.c		the estimated work of a search
 *	build/, which uses store/
 *		build.c				the whole index at once, by one process or several
 *		phases.c			their work
 *		scan.c, rows.c		the rows of the table, in temporary files
 *		sort.c, rowsort.c	sorting entries and rows
 *		tree.c				writing trees
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bitblock.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "index/bitblock/store/index_options.h"
#include "index/bitblock/store/leading_columns.h"
#include "index/strategy.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(bitblock_handler);

/* The parts of an operator class that bb_validate checks. */
typedef struct OperatorClass
{
	Oid			type;			/* of the indexed values */
	Oid			family;
	bool		balls;			/* are the values balls? */
} OperatorClass;

/* Can an operator class for fingerprints have the operator? */
static bool
serves_fingerprints(const OperatorClass *class, Form_pg_amop op)
{
	bool		orders = op->amopstrategy == DISTANCE_STRATEGY;
	bool		known = class->balls ? op->amopstrategy == OVERLAP_STRATEGY :
		orders || op->amopstrategy == NEAR_STRATEGY ||
		op->amopstrategy == WITHIN_STRATEGY ||
		op->amopstrategy == EQUAL_STRATEGY;
	bool		same = op->amopstrategy != WITHIN_STRATEGY;

	return known &&
		op->amoppurpose == (orders ? AMOP_ORDER : AMOP_SEARCH) &&
		op->amoplefttype == class->type &&
		(op->amoprighttype == class->type) == same &&
		get_op_rettype(op->amopopr) == (orders ? INT4OID : BOOLOID);
}

/* Does the family have a hash function for the type? */
static bool
has_hash(const OperatorClass *class, Oid type)
{
	return OidIsValid(get_opfamily_proc(class->family, type, type, BB_HASH_PROC));
}

/*
 * Can an operator class for leading columns have the operator?  The family of the class
 * may have operators of other types, which compare them with each other.
 */
static bool
serves_leading(const OperatorClass *class, Form_pg_amop op)
{
	return op->amopstrategy == EQUAL_STRATEGY && op->amoppurpose == AMOP_SEARCH &&
		bb_is_equality(op->amopopr) &&
		has_hash(class, op->amoplefttype) && has_hash(class, op->amoprighttype);
}

/* Is this an operator that makes the class useful? */
static bool
is_essential(const OperatorClass *class, bool leading, Form_pg_amop op)
{
	if (leading)
		return op->amopstrategy == EQUAL_STRATEGY &&
			op->amoplefttype == class->type && op->amoprighttype == class->type;
	return op->amopstrategy == WITHIN_STRATEGY || op->amopstrategy == OVERLAP_STRATEGY;
}

/* The name of the class's family for a message. */
static const char *
family_name(const OperatorClass *class)
{
	HeapTuple	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(class->family));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", class->family);
	name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname));
	ReleaseSysCache(tuple);
	return name;
}

/* Is every support function of the family a hash function? */
static bool
validate_functions(const OperatorClass *class)
{
	CatCList   *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(class->family));
	bool		valid = true;

	for (int i = 0; i < functions->n_members; i++)
	{
		Form_pg_amproc proc = (Form_pg_amproc) GETSTRUCT(&functions->members[i]->tuple);

		if (proc->amprocnum == BB_HASH_PROC &&
			proc->amproclefttype == proc->amprocrighttype &&
			bb_is_hash_function(proc->amproc, proc->amproclefttype))
			continue;
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains function %s, which cannot be support function %d",
						family_name(class), "bitblock",
						format_procedure(proc->amproc), proc->amprocnum)));
		valid = false;
	}
	ReleaseCatCacheList(functions);
	return valid;
}

/*
 * Can this access method serve the operator class?  For fingerprints, the code of the
 * access method knows the types, so the function checks only the operators.  An operator
 * class of other types is for leading columns, and needs a hash function.
 */
static bool
bb_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	OperatorClass class;
	Form_pg_opclass form;
	CatCList   *operators;
	bool		leading;
	bool		useful = false;
	bool		valid;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	/* operators of bit serve bit varying, too */
	class.type = form->opcintype == VARBITOID ? BITOID : form->opcintype;
	class.family = form->opcfamily;
	class.balls = OidIsValid(form->opckeytype) && form->opckeytype != form->opcintype;
	ReleaseSysCache(tuple);

	leading = has_hash(&class, class.type);
	valid = validate_functions(&class);
	operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(class.family));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop op = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		if (is_essential(&class, leading, op))
			useful = true;
		if (leading ? serves_leading(&class, op) : serves_fingerprints(&class, op))
			continue;
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator family \"%s\" of access method %s contains operator %s, which cannot be operator %d",
						family_name(&class), "bitblock",
						format_operator(op->amopopr), op->amopstrategy)));
		valid = false;
	}
	ReleaseCatCacheList(operators);
	if (!useful)
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 leading ?
				 errmsg("operator family \"%s\" of access method %s is missing operator %d for type %s",
						family_name(&class), "bitblock", EQUAL_STRATEGY, format_type_be(class.type)) :
				 errmsg("operator family \"%s\" of access method %s is missing support function %d for type %s",
						family_name(&class), "bitblock", BB_HASH_PROC, format_type_be(class.type))));
	return valid && useful;
}

Datum
bitblock_handler(PG_FUNCTION_ARGS)
{
	static const IndexAmRoutine am = {
		.type = T_IndexAmRoutine,
		.amstrategies = 0,
		.amsupport = BB_PROCS,
		.amcanmulticol = true,
		AM_CAN_BUILD_PARALLEL
		.amcanorderbyop = true,

		/*
		 * rows with a NULL fingerprint are in a tree of their own; a scan
		 * without conditions reads everything
		 */
		.amoptionalkey = true,
		.amsearcharray = true,
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
