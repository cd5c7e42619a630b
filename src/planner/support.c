/*-------------------------------------------------------------------------
 *
 * support.c
 *		Planner support: how "fp <-> q <= 3" becomes an index condition.
 *
 * Theory of operation
 *
 * No index can serve "<=" over the result of "<->" directly, because an index condition
 * is an operator with the indexed column as its argument.  So the planner takes these
 * steps:
 *
 * 1. <-> returns the domain "hamming" over integer.  The extension owns the
 *	  operators <=, <, =, >=, > with that domain on either side.  They are
 *	  PostgreSQL's own integer comparisons, with a support function that
 *	  simplifies
 *		  (a <-> b) <= k   to   simhash_within(a, b, k)
 *		  (a <-> b) >= k   to   simhash_at_least(a, b, k)
 *		  (a <-> b) = k    to   both
 *	  If the hamming value is not a distance (a stored column, say), the
 *	  support function simplifies the comparison to PostgreSQL's own operator
 *	  over integer.  So such a column keeps its indexes, hash joins and merge
 *	  joins.  The same holds for a distance that is compared by "=" with a
 *	  column of another table.
 *
 * 2.  From simhash_within and simhash_at_least the support function derives the
 *	  index conditions
 *		  a <@ simhash_ball(b, k)
 *		  a <@ simhash_ball_at_least(b, k)
 *	  or the same conditions on b.  The operator classes serve the conditions.
 *	  The conditions are exact.  Every bit of a differs either from b's bit or
 *	  from the bit of b's complement.  So all fingerprints at least k from b are
 *	  a ball around the complement of b.
 *
 * 3.  The support function simplifies
 *		  a <-> b   to   (a <~> b)::hamming
 *	  where <~> returns a plain integer, because PostgreSQL compares an ORDER BY
 *	  of a domain as an integer, and only a relabelled <~> matches an ordering
 *	  operator.
 *
 * The names are those of the kind "simhash".  Each kind of fingerprints has its own
 * (kind.c).
 *
 * One support function, hamming_support, does all three.  It recognises a comparison by
 * its place in the operator family hamming_ops, and a function of fingerprints by its
 * kind (kind.c).
 *
 * 4. simhash_text_support removes the collation of the call from the
 *	  fingerprint of a text, so that "fp <-> simhash($1) <= 3" may be sent to a
 *	  foreign server.
 *
 * Support functions never raise an error.  If anything is unexpected, they return NULL,
 * and the expression stays as it was: slower and correct.  The function that a support
 * function is asked about may be unexpected, too, because ALTER FUNCTION attaches support
 * functions to any function, and renames functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "kind.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "selectivity.h"
#include "server/catalog.h"
#include "simhash.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(hamming_support);
PG_FUNCTION_INFO_V1(simhash_text_support);

/* ----------
 * Building and recognising expressions
 * ----------
 */

static Node *
strip_relabel(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* node, or, if its type is a domain, node as a value of the base type */
static Node *
as_base_type(Node *node)
{
	Oid			type = exprType(node);
	Oid			base = getBaseType(type);

	if (base == type)
		return node;
	node = strip_relabel(node);
	if (exprType(node) == base)
		return node;
	if (IsA(node, Const))
	{
		node = copyObject(node);
		((Const *) node)->consttype = base;
		return node;
	}
	return (Node *) makeRelabelType((Expr *) node, base, -1, InvalidOid,
									COERCE_IMPLICIT_CAST);
}

static Node *
make_operator_call(Oid operator, Oid result, Node *left, Node *right)
{
	OpExpr	   *op = (OpExpr *) make_opclause(operator, result, false,
											  (Expr *) left, (Expr *) right,
											  InvalidOid, InvalidOid);

	set_opfuncid(op);
	return (Node *) op;
}

static Node *
make_call(Oid function, Oid result, List *args)
{
	return (Node *) makeFuncExpr(function, result, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The schema of the extension: the schema of the support function that was called. */
static Oid
support_schema(FunctionCallInfo fcinfo)
{
	return own_schema(fcinfo->flinfo->fn_oid);
}

/*
 * Is node a distance, a <-> b or a <~> b or a call of their functions?  Then set *kind,
 * *a and *b.
 */
static bool
is_distance(Node *node, Oid schema, Kind *kind, Node **a, Node **b)
{
	Oid			function;
	List	   *args;

	node = strip_relabel(node);
	if (node == NULL)
		return false;
	if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		function = ((OpExpr *) node)->opfuncid;
		args = ((OpExpr *) node)->args;
	}
	else if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		args = ((FuncExpr *) node)->args;
	}
	else
		return false;
	if (list_length(args) != 2 || !find_kind_of_function(schema, function, kind))
		return false;
	if (function != kind_pair_function(kind, kind->traits->distance_integer, 2) &&
		function != kind_pair_function(kind, kind->traits->distance, 2))
		return false;

	*a = linitial(args);
	*b = lsecond(args);
	return true;
}

/* Is the function a within or an at_least?  Then set *kind and *at_least. */
static bool
is_within(Oid function, Oid schema, Kind *kind, bool *at_least)
{
	if (!find_kind_of_function(schema, function, kind))
		return false;
	*at_least = function == kind_pair_function(kind, kind->traits->at_least, 3);
	return *at_least ||
		function == kind_pair_function(kind, kind->traits->within, 3);
}

/* within(a, b, bound) or at_least(a, b, bound), or NULL */
static Node *
make_within(const Kind *kind, Node *a, Node *b, Node *bound, bool at_least)
{
	Oid			function = kind_pair_function(kind,
											  at_least ? kind->traits->at_least :
											  kind->traits->within,
											  3);

	if (bound == NULL || !OidIsValid(function))
		return NULL;
	return make_call(function, BOOLOID, list_make3(a, b, bound));
}

/*
 * The expression "bound + added" of type integer, or NULL.  bound has any integer type,
 * and added is a small number.  A bound beyond the range of integer becomes the largest
 * or smallest bound, which is fulfilled by the same distances.
 */
static Node *
make_bound(Oid schema, Node *bound, int32 added)
{
	Oid			argtypes[2] = {INT8OID, INT4OID};
	Oid			function;

	bound = as_base_type(bound);
	if (IsA(bound, Const))
	{
		Const	   *c = (Const *) bound;
		int64		value;

		if (c->constisnull)
			return NULL;
		if (c->consttype == INT2OID)
			value = DatumGetInt16(c->constvalue);
		else if (c->consttype == INT4OID)
			value = DatumGetInt32(c->constvalue);
		else if (c->consttype == INT8OID)
			value = DatumGetInt64(c->constvalue);
		else
			return NULL;
		return make_integer_const(bound_plus(value, added));
	}
	if (added == 0 && exprType(bound) == INT4OID)
		return bound;

	bound = coerce_to_target_type(NULL, bound, exprType(bound), INT8OID, -1,
								  COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
	function = own_function(schema, "hamming_bound", 2, argtypes);
	if (bound == NULL || !OidIsValid(function))
		return NULL;
	return make_call(function, INT4OID,
					 list_make2(bound, make_integer_const(added)));
}

/* ----------
 * Comparisons of a hamming value
 * ----------
 */

/*
 * The comparison of the operator family hamming_ops that the function computes:
 * BTLessStrategyNumber and so on, or InvalidStrategy.
 */
static StrategyNumber
comparison_strategy(Oid function, Oid schema)
{
	Oid			family = own_operator_family(schema, BTREE_AM_OID, "hamming_ops");
	Oid		   *argtypes;
	int			nargs;

	get_func_signature(function, &argtypes, &nargs);
	if (nargs != 2 || !OidIsValid(family))
		return InvalidStrategy;
	for (StrategyNumber strategy = 1; strategy <= BTMaxStrategyNumber; strategy++)
	{
		Oid			operator = get_opfamily_member(family, argtypes[0],
												   argtypes[1], strategy);

		if (OidIsValid(operator) && get_opcode(operator) == function)
			return strategy;
	}
	return InvalidStrategy;
}

/* PostgreSQL's own comparison of the two integers. */
static Node *
plain_comparison(StrategyNumber strategy, Node *left, Node *right)
{
	Oid			operator;

	left = as_base_type(left);
	right = as_base_type(right);
	operator = get_opfamily_member(INTEGER_BTREE_FAM_OID, exprType(left),
								   exprType(right), strategy);
	if (!OidIsValid(operator))
		return NULL;
	return make_operator_call(operator, BOOLOID, left, right);
}

/*
 * Is "(a <-> b) = bound" better served by an index than as a condition of a join?
 *
 * If the bound has columns of other tables than a and b, PostgreSQL's "=" is a condition
 * for hash and merge joins.  A FULL JOIN has no other plan.  An index can serve the
 * condition if the bound is constant, or belongs to the tables of one fingerprint and the
 * index to the other.  The bound that stands for the rows of a subquery (NOT IN) is for a
 * hash table.
 */
static bool
is_equality_for_index(PlannerInfo *root, Node *a, Node *b, Node *bound)
{
	Relids		tables_a = pull_varnos(root, a);
	Relids		tables_b = pull_varnos(root, b);
	Relids		tables = pull_varnos(root, bound);

	bound = strip_relabel(bound);
	if (IsA(bound, Param) && ((Param *) bound)->paramkind == PARAM_SUBLINK)
		return false;
	return bms_is_empty(tables) ||
		(!bms_is_empty(tables_a) && !bms_is_empty(tables_b) &&
		 bms_overlap(tables, tables_a) != bms_overlap(tables, tables_b));
}

/* "(a <-> b) = bound" becomes "within bound AND at least bound" for an index, or NULL */
static Node *
simplify_equality(PlannerInfo *root, const Kind *kind, Node *a, Node *b, Node *bound)
{
	Node	   *within;
	Node	   *at_least;

	if (!is_equality_for_index(root, a, b, bound))
		return NULL;
	bound = make_bound(kind->schema, bound, 0);
	within = make_within(kind, a, b, bound, false);
	at_least = make_within(kind, a, b, bound, true);
	if (within == NULL || at_least == NULL)
		return NULL;
	if (IsA(bound, Const) && DatumGetInt32(((Const *) bound)->constvalue) == 0)
		return within;

	/* the AND evaluates every argument twice */
	if (contain_volatile_functions(within) || contain_subplans(within))
		return NULL;
	return (Node *) makeBoolExpr(AND_EXPR, list_make2(within, copyObject(at_least)), -1);
}

/*
 * The comparison, simplified to a within or an at_least if one of its arguments is a
 * distance, or else to PostgreSQL's own comparison; or NULL.
 */
static Node *
simplify_comparison(PlannerInfo *root, FuncExpr *call, Oid schema, StrategyNumber strategy)
{
	Node	   *result = NULL;

	for (int i = 0; i < 2 && result == NULL; i++)
	{
		Node	   *bound = list_nth(call->args, 1 - i);
		StrategyNumber s = i == 0 ? strategy : BTMaxStrategyNumber + 1 - strategy;
		Kind		kind;
		Node	   *a;
		Node	   *b;

		if (!is_distance(list_nth(call->args, i), schema, &kind, &a, &b))
			continue;
		if (s == BTEqualStrategyNumber)
			result = simplify_equality(root, &kind, a, b, bound);
		else
		{
			int32		added = s == BTLessStrategyNumber ? -1 :
				s == BTGreaterStrategyNumber ? 1 : 0;

			result = make_within(&kind, a, b, make_bound(schema, bound, added),
								 s > BTEqualStrategyNumber);
		}
	}
	if (result == NULL)
		result = plain_comparison(strategy, linitial(call->args), lsecond(call->args));
	return result;
}

/* ----------
 * The distance itself
 * ----------
 */

/* (a <~> b)::hamming for a <-> b, or NULL */
static Node *
simplify_distance(FuncExpr *call, const Kind *kind)
{
	Oid			operator = own_operator(kind->schema, kind->traits->distance_operator,
										kind->type, kind->type);

	if (!OidIsValid(operator))
		return NULL;
	return (Node *) makeRelabelType((Expr *)
									make_operator_call(operator, INT4OID,
													   linitial(call->args),
													   lsecond(call->args)),
									call->funcresulttype, -1, InvalidOid,
									COERCE_IMPLICIT_CAST);
}

/* ----------
 * Within a distance
 * ----------
 */

/*
 * The condition "column <@ ball" for the index of the request, where ball is
 * simhash_ball(other, bound) or simhash_ball_at_least(other, bound); NIL if the index
 * cannot serve it.
 */
static List *
derive_index_condition(SupportRequestIndexCondition *req, Oid schema)
{
	Kind		kind;
	bool		at_least;
	List	   *args;
	Node	   *column;
	Node	   *other;
	Node	   *bound;
	Node	   *ball;
	Oid			operator;
	Oid			function;

	if (!IsA(req->node, FuncExpr) || req->indexarg > 1 ||
		!is_within(req->funcid, schema, &kind, &at_least))
		return NIL;
	args = ((FuncExpr *) req->node)->args;
	column = list_nth(args, req->indexarg);
	other = list_nth(args, 1 - req->indexarg);
	bound = lthird(args);
	operator = own_operator(schema, "<@", kind.type, kind.ball);
	function = kind_ball_function(&kind, at_least);
	if (!OidIsValid(operator) || !OidIsValid(function) ||
		!op_in_opfamily(operator, req->opfamily) ||
		!is_pseudo_constant_for_index(req->root, other, req->index) ||
		!is_pseudo_constant_for_index(req->root, bound, req->index))
		return NIL;

	ball = make_call(function, kind.ball, list_make2(other, bound));
	ball = eval_const_expressions(req->root, ball);
	req->lossy = false;
	return list_make1(make_operator_call(operator, BOOLOID, column, ball));
}

static bool
estimate_within(SupportRequestSelectivity *req, Oid schema)
{
	Kind		kind;
	Question	question;

	if (!is_within(req->funcid, schema, &kind, &question.at_least))
		return false;
	question.root = req->root;
	question.kind = &kind;
	question.function = req->funcid;
	question.a = linitial(req->args);
	question.b = lsecond(req->args);
	question.bound = lthird(req->args);
	question.varRelid = req->varRelid;
	question.sjinfo = req->is_join ? req->sjinfo : NULL;
	req->selectivity = distance_selectivity(&question);
	return true;
}

/* ----------
 * The support function of comparisons, distances, within and at_least
 * ----------
 */
Datum
hamming_support(PG_FUNCTION_ARGS)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	Oid			schema = support_schema(fcinfo);

	if (IsA(rawreq, SupportRequestSimplify))
	{
		SupportRequestSimplify *req = (SupportRequestSimplify *) rawreq;
		FuncExpr   *call = req->fcall;
		StrategyNumber strategy = comparison_strategy(call->funcid, schema);
		Kind		kind;

		if (strategy != InvalidStrategy)
			PG_RETURN_POINTER(simplify_comparison(req->root, call, schema, strategy));
		if (find_kind_of_function(schema, call->funcid, &kind) &&
			call->funcid == kind_pair_function(&kind, kind.traits->distance, 2))
			PG_RETURN_POINTER(simplify_distance(call, &kind));
	}
	else if (IsA(rawreq, SupportRequestIndexCondition))
		PG_RETURN_POINTER(derive_index_condition((SupportRequestIndexCondition *) rawreq,
												 schema));
	else if (IsA(rawreq, SupportRequestSelectivity) &&
			 estimate_within((SupportRequestSelectivity *) rawreq, schema))
		PG_RETURN_POINTER(rawreq);

	PG_RETURN_POINTER(NULL);
}

/* ----------
 * The fingerprint of a text
 * ----------
 */

/*
 * No fingerprint depends on a collation.  postgres_fdw ships a call with a collation only
 * if the collation comes from a column of the foreign table.  So for simhash($1) it would
 * fetch all rows.  The result of a function with this support function must not depend on
 * a collation.
 */
Datum
simhash_text_support(PG_FUNCTION_ARGS)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *call;
	FuncExpr   *result;

	if (!IsA(rawreq, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	call = ((SupportRequestSimplify *) rawreq)->fcall;
	if (!OidIsValid(call->inputcollid) ||
		(call->funcresulttype != BITOID && call->funcresulttype != INT8ARRAYOID &&
		 call->funcresulttype != own_type(support_schema(fcinfo), "simhash")))
		PG_RETURN_POINTER(NULL);
	result = makeNode(FuncExpr);
	*result = *call;
	result->inputcollid = InvalidOid;
	PG_RETURN_POINTER(result);
}
