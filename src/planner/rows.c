/*-------------------------------------------------------------------------
 *
 * rows.c
 *		Planner support of simhash_pairs, simhash_clusters and those of bit: how many rows
 *		they return, and pairs in FROM that come one by one for a LIMIT.
 *
 * The estimate counts the elements of arrays that the planner knows.  It does not plan a
 * query that is given as a string.  PostgreSQL checks permissions when it executes a
 * query, so EXPLAIN would reveal facts about tables that its user may not read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/near.h"
#include "core/pigeonhole.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "server/compat.h"
#include "simhash.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(simhash_rows_support);

/* A guess: near-duplicates of a document, in addition to those by chance */
#define PAIRS_PER_DOCUMENT		0.25

/* The number of documents in a call with arrays; -1 if it is unknown. */
static double
count_documents(Node *call)
{
	double		n = -1;
	ListCell   *lc;

	if (!IsA(call, FuncExpr) || list_length(((FuncExpr *) call)->args) < 3)
		return -1;

	/* either array will do, because both must have the same length */
	foreach(lc, ((FuncExpr *) call)->args)
	{
		Node	   *arg = lfirst(lc);

		if (!OidIsValid(get_base_element_type(exprType(arg))))
			break;
		if (IsA(arg, ArrayExpr) && !((ArrayExpr *) arg)->multidims)
			n = list_length(((ArrayExpr *) arg)->elements);
		else if (IsA(arg, Const) && ((Const *) arg)->constisnull)
			return 0;
		else if (IsA(arg, Const))
		{
			ArrayType  *array = DatumGetArrayTypeP(((Const *) arg)->constvalue);

			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
		}
	}
	return n;
}

/* SELECT ... FROM the given table, or without one. */
static Query *
select_query(List *targets, RangeTblEntry *from)
{
	Query	   *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->targetList = targets;
	query->jointree = makeFromExpr(NIL, NULL);
	if (from != NULL)
	{
		RangeTblRef *ref = makeNode(RangeTblRef);

		ref->rtindex = 1;
		query->rtable = list_make1(from);
		query->jointree->fromlist = list_make1(ref);
	}
	return query;
}

/*
 * The query that returns the rows of "FROM call" one by one:
 *		WITH rows AS MATERIALIZED (SELECT call AS "row") SELECT (row).a, (row).b, ... FROM rows
 * PostgreSQL collects all rows of a function in FROM before the first.  It collects those of
 * a CTE as they are read, so LIMIT ends the call, and a nested loop still makes one call.
 * Reading all rows takes longer in this way.  NULL if the call does not return rows of known
 * columns.
 */
static Query *
query_of_call(Node *call)
{
	char	   *name = pstrdup("rows");
	char	   *column = pstrdup("row");
	List	   *columns = list_make1(makeString(column));
	RangeTblEntry *from = makeNode(RangeTblEntry);
	CommonTableExpr *rows = makeNode(CommonTableExpr);
	List	   *targets = NIL;
	Query	   *query;
	TupleDesc	desc;
	Oid			type;

	if (get_expr_result_type(call, &type, &desc) != TYPEFUNC_COMPOSITE)
		return NULL;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		FieldSelect *field = makeNode(FieldSelect);

		if (att->attisdropped)
			return NULL;
		field->arg = (Expr *) makeVar(1, 1, type, -1, InvalidOid, 0);
		field->fieldnum = i + 1;
		field->resulttype = att->atttypid;
		field->resulttypmod = att->atttypmod;
		field->resultcollid = att->attcollation;
		targets = lappend(targets, makeTargetEntry((Expr *) field, i + 1,
												   pstrdup(NameStr(att->attname)), false));
	}

	/* the call is two queries deeper than it was */
	call = copyObject(call);
	IncrementVarSublevelsUp(call, 2, 0);
	query = select_query(list_make1(makeTargetEntry((Expr *) call, 1, column, false)), NULL);
	query->hasTargetSRFs = true;
	query->hasSubLinks = checkExprHasSubLink(call);

	rows->ctename = name;
	rows->ctematerialized = CTEMaterializeAlways;
	rows->ctequery = (Node *) query;
	rows->cterefcount = 1;
	rows->ctecolnames = columns;
	rows->ctecoltypes = list_make1_oid(type);
	rows->ctecoltypmods = list_make1_int(-1);
	rows->ctecolcollations = list_make1_oid(InvalidOid);

	from->rtekind = RTE_CTE;
	from->ctename = name;
	from->coltypes = rows->ctecoltypes;
	from->coltypmods = rows->ctecoltypmods;
	from->colcollations = rows->ctecolcollations;
	from->eref = makeAlias(name, columns);
	from->inFromCl = true;

	query = select_query(targets, from);
	query->cteList = list_make1(rows);
	return query;
}

/*
 * The support function of simhash_pairs and bit_pairs, and of the functions of groups, which
 * have a fourth argument and know no group before the end.
 */
Datum
simhash_rows_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *req = (SupportRequestRows *) PG_GETARG_POINTER(0);
	SupportRequestInlineInFrom *from = (SupportRequestInlineInFrom *) req;
	List	   *args;
	double		n;
	Node	   *radius;
	int32		k = near_distance(SIMHASH_BITS);	/* also if radius is NULL */

	if (IsA(from, SupportRequestInlineInFrom))
	{
		Node	   *call = from->rtfunc->funcexpr;

		if (from->root->parse->limitCount == NULL || !IsA(call, FuncExpr) ||
			list_length(((FuncExpr *) call)->args) != 3)
			PG_RETURN_POINTER(NULL);
		PG_RETURN_POINTER(query_of_call(call));
	}
	if (!IsA(req, SupportRequestRows) || (n = count_documents(req->node)) < 0)
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) req->node)->args;
	req->rows = n;
	if (list_length(args) > 3)
		PG_RETURN_POINTER(req);

	radius = lthird(args);
	if (IsA(radius, Const) && ((Const *) radius)->consttype == INT4OID &&
		!((Const *) radius)->constisnull)
		k = radius_clamp(DatumGetInt32(((Const *) radius)->constvalue));
	req->rows = 0;
	/* the length of bit strings is unknown, but hardly any are near by chance */
	if (get_base_element_type(exprType(lsecond(args))) != BITOID)
		req->rows = n * (n - 1) / 2 * pigeonhole_share(SIMHASH_BITS, k);
	if (k >= 0)
		req->rows = Min(req->rows + n * PAIRS_PER_DOCUMENT, n * (n - 1) / 2);
	PG_RETURN_POINTER(req);
}
