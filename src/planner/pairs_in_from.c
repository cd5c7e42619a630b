/*-------------------------------------------------------------------------
 *
 * pairs_in_from.c
 *		Planner support of simhash_pairs in FROM: pairs come one by one for a LIMIT.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "rewrite/rewriteManip.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(simhash_pairs_support);

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
 * PostgreSQL collects all rows of a function in FROM before the first.  It collects those
 * of a CTE as they are read, so LIMIT ends the call, and a nested loop still makes one
 * call.  Reading all rows takes longer in this way.  NULL if the call does not return
 * rows of known columns.
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

/* The support function of simhash_pairs */
Datum
simhash_pairs_support(PG_FUNCTION_ARGS)
{
	SupportRequestInlineInFrom *req = (SupportRequestInlineInFrom *) PG_GETARG_POINTER(0);

	if (!IsA(req, SupportRequestInlineInFrom) || req->root->parse->limitCount == NULL ||
		!IsA(req->rtfunc->funcexpr, FuncExpr))
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(query_of_call(req->rtfunc->funcexpr));
}
