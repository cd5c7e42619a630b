/*-------------------------------------------------------------------------
 *
 * support.c
 *		Planner support: how "fp <-> q <= 3" becomes an index condition.
 *
 * Theory of operation
 *
 * No index can serve "<=" over the result of "<->" directly, because an index
 * condition is an operator with the indexed column as its argument.  So the
 * planner takes these steps:
 *
 * 1. <-> returns the domain "hamming" over integer.  The extension owns the
 *	  operators <=, <, =, >=, > with that domain on either side.  They are
 *	  PostgreSQL's own integer comparisons, with a support function that
 *	  simplifies
 *		  (a <-> b) <= k   to   simhash_within(a, b, k)
 *		  (a <-> b) >= k   to   simhash_within(a, ~b, 64 - k)
 *	  because every bit of a differs either from b's bit or from the bit of ~b.
 *	  If both a and b are columns, >= becomes
 *	  simhash_within_complement(a, b, 64 - k), so that an index on either
 *	  serves it.  If the hamming value is not a distance (a stored column,
 *	  say), the support function simplifies the comparison to PostgreSQL's own
 *	  operator over integer.  So such a column keeps its indexes, hash joins
 *	  and merge joins.
 *
 * 2. From simhash_within the support function derives the index condition
 *		  a <@ simhash_ball(b, k)
 *	  or the same condition on b.  The operator classes serve this condition.
 *	  It is exact.
 *
 * 3. The support function simplifies
 *		  a <-> b   to   (a <~> b)::hamming
 *	  where <~> returns a plain integer, because PostgreSQL compares an ORDER BY
 *	  of a domain as an integer, and only a relabelled <~> matches an ordering
 *	  operator.
 *
 * One support function, hamming_support, does all three.  It recognises a
 * comparison by its place in the operator family hamming_ops, and a function
 * of fingerprints by its kind (kind.c).
 *
 * 4. simhash_text_support removes the collation of the call from the
 *	  fingerprint of a text, so that "fp <-> simhash($1) <= 3" may be sent to a
 *	  foreign server.
 *
 * Support functions never raise an error.  If anything is unexpected, they
 * return NULL, and the expression stays as it was: slower and correct.  The
 * function that a support function is asked about may be unexpected, too,
 * because ALTER FUNCTION attaches support functions to any function, and
 * renames functions.
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

/* node as a value of its base type, if that is a domain */
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

/*
 * The schema of the extension: the schema of the support function that was
 * called.
 */
static Oid
support_schema(FunctionCallInfo fcinfo)
{
	return own_schema(fcinfo->flinfo->fn_oid);
}

/*
 * Is node a distance, a <-> b or a <~> b or a call of their functions?  Then
 * set *kind, *a and *b.
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

/* Is function within, or within_complement?  Then set *complement. */
static bool
is_within(Oid function, Oid schema, Kind *kind, bool *complement)
{
	if (!find_kind_of_function(schema, function, kind))
		return false;
	*complement =
		function == kind_pair_function(kind, kind->traits->within_complement, 3);
	return *complement ||
		function == kind_pair_function(kind, kind->traits->within, 3);
}

/* within(a, b, radius), or within_complement, or NULL */
static Node *
make_within(const Kind *kind, Node *a, Node *b, Node *radius, bool complement)
{
	Oid			function = kind_pair_function(kind,
											  complement ? kind->traits->within_complement :
											  kind->traits->within,
											  3);

	if (!OidIsValid(function))
		return NULL;
	return make_call(function, BOOLOID, list_make3(a, b, radius));
}

/*
 * The radius for "distance <= bound", or for "<" if strict.  If far, the radius
 * around the complement for ">=" or ">".  The result is an expression of type
 * integer, or NULL.  bound has an integer type.
 */
static Node *
make_radius(const Kind *kind, Node *bound, bool strict, bool far)
{
	Oid			argtypes[3] = {INT8OID, BOOLOID, INT4OID};
	Oid			function;
	List	   *args;
	int32		bits = kind->traits->bits;

	bound = as_base_type(bound);
	if (IsA(bound, Const))
	{
		Const	   *c = (Const *) bound;
		int64		value;
		int32		radius;

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
		radius = far ? radius_of_complement(value, strict, bits) :
			radius_of_bound(value, strict);
		return make_integer_const(Min(radius, bits));
	}

	/* within takes any integer */
	if (!strict && !far && exprType(bound) == INT4OID)
		return bound;

	bound = coerce_to_target_type(NULL, bound, exprType(bound), INT8OID, -1,
								  COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
	if (bound == NULL)
		return NULL;
	args = list_make2(bound, makeBoolConst(strict, false));
	if (far)
		args = lappend(args, make_integer_const(bits));
	function = own_function(kind->schema,
							far ? "hamming_radius_of_complement" : "hamming_radius",
							list_length(args), argtypes);
	if (!OidIsValid(function))
		return NULL;
	return make_call(function, INT4OID, args);
}

/* ~fp, or NULL */
static Node *
make_complement(const Kind *kind, Node *fp)
{
	Oid			operator = own_operator(kind->schema, "~", InvalidOid, kind->type);

	if (!OidIsValid(operator))
		return NULL;
	if (IsA(fp, Const))
	{
		Const	   *c = copyObject((Const *) fp);

		if (!c->constisnull)
			c->constvalue = OidFunctionCall1(get_opcode(operator), c->constvalue);
		return (Node *) c;
	}
	return make_operator_call(operator, kind->type, fp, NULL);
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

/*
 * PostgreSQL's own comparison of the two integers.
 */
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
 * "(a <-> b) = bound" as a condition that an index serves.  For bound 0 the
 * condition suffices.  For other bounds the distance is also compared.
 */
static Node *
simplify_equality(const Kind *kind, Node *a, Node *b, Node *distance, Node *bound)
{
	Node	   *radius = make_radius(kind, bound, false, false);
	Node	   *within;
	Node	   *equal;

	if (radius == NULL)
		return NULL;
	within = make_within(kind, a, b, radius, false);
	if (within == NULL)
		return NULL;
	if (IsA(radius, Const))
	{
		int32		k = DatumGetInt32(((Const *) radius)->constvalue);

		if (k == 0)
			return within;
		if (k < 0 || k >= kind->traits->bits)
			return NULL;
	}

	/* the rest needs every argument twice */
	if (contain_volatile_functions(within) || contain_subplans(within))
		return NULL;
	equal = plain_comparison(BTEqualStrategyNumber, distance, bound);
	if (equal == NULL)
		return NULL;
	return (Node *) makeBoolExpr(AND_EXPR, list_make2(within, copyObject(equal)), -1);
}

/*
 * The distance of a and b compared with bound: "<=" or "<", or if far ">=" or ">".
 */
static Node *
simplify_inequality(const Kind *kind, Node *a, Node *b, Node *bound, bool strict,
					bool far)
{
	Node	   *radius = make_radius(kind, bound, strict, far);

	if (radius == NULL)
		return NULL;
	if (far)
	{
		/* a and b may both have an index, but no index is on a complement */
		if (contain_var_clause(b) && contain_var_clause(a))
			return make_within(kind, a, b, radius, true);
		if (contain_var_clause(b))
			a = make_complement(kind, a);
		else
			b = make_complement(kind, b);
		if (a == NULL || b == NULL)
			return NULL;
	}
	return make_within(kind, a, b, radius, false);
}

/* The comparison, simplified to a within if one of its arguments is a distance */
static Node *
simplify_comparison(FuncExpr *call, Oid schema, StrategyNumber strategy)
{
	Node	   *result = NULL;

	for (int i = 0; i < 2 && result == NULL; i++)
	{
		Node	   *distance = list_nth(call->args, i);
		Node	   *bound = list_nth(call->args, 1 - i);
		StrategyNumber s = i == 0 ? strategy : BTMaxStrategyNumber + 1 - strategy;
		Kind		kind;
		Node	   *a;
		Node	   *b;

		if (!is_distance(distance, schema, &kind, &a, &b))
			continue;
		if (s == BTEqualStrategyNumber)
			result = simplify_equality(&kind, a, b, distance, bound);
		else
			result = simplify_inequality(&kind, a, b, bound,
										 s == BTLessStrategyNumber ||
										 s == BTGreaterStrategyNumber,
										 s > BTEqualStrategyNumber);
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
	Oid			operator = own_operator(kind->schema, "<~>", kind->type, kind->type);

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
 * The condition "column <@ simhash_ball(center, radius)" for the index of the
 * request, or NULL if the index cannot serve it.
 */
static List *
derive_index_condition(SupportRequestIndexCondition *req, Oid schema)
{
	Kind		kind;
	bool		complement;
	List	   *args;
	Node	   *column;
	Node	   *center;
	Node	   *radius;
	Node	   *ball;
	Oid			operator;
	Oid			function;

	if (!IsA(req->node, FuncExpr) || req->indexarg > 1 ||
		!is_within(req->funcid, schema, &kind, &complement))
		return NIL;
	args = ((FuncExpr *) req->node)->args;
	column = list_nth(args, req->indexarg);
	center = list_nth(args, 1 - req->indexarg);
	radius = lthird(args);
	if (complement)
		center = make_complement(&kind, center);
	operator = own_operator(schema, "<@", kind.type, kind.ball);
	function = kind_ball_function(&kind);
	if (center == NULL || !OidIsValid(operator) || !OidIsValid(function) ||
		!op_in_opfamily(operator, req->opfamily) ||
		!is_pseudo_constant_for_index(req->root, center, req->index) ||
		!is_pseudo_constant_for_index(req->root, radius, req->index))
		return NIL;

	ball = make_call(function, kind.ball, list_make2(center, radius));
	ball = eval_const_expressions(req->root, ball);
	req->lossy = false;
	return list_make1(make_operator_call(operator, BOOLOID, column, ball));
}

static bool
estimate_within(SupportRequestSelectivity *req, Oid schema)
{
	Kind		kind;
	bool		complement;
	Node	   *b;

	if (!is_within(req->funcid, schema, &kind, &complement))
		return false;
	b = lsecond(req->args);
	if (complement)
		b = make_complement(&kind, b);
	if (b == NULL)
		return false;
	req->selectivity =
		distance_selectivity(req->root, &kind, req->funcid, linitial(req->args), b,
							 lthird(req->args), req->varRelid,
							 req->is_join ? req->sjinfo : NULL);
	return true;
}

/* ----------
 * The support function of the comparisons, the distance and within
 * ----------
 */
Datum
hamming_support(PG_FUNCTION_ARGS)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	Oid			schema = support_schema(fcinfo);

	if (IsA(rawreq, SupportRequestSimplify))
	{
		FuncExpr   *call = ((SupportRequestSimplify *) rawreq)->fcall;
		StrategyNumber strategy = comparison_strategy(call->funcid, schema);
		Kind		kind;

		if (strategy != InvalidStrategy)
			PG_RETURN_POINTER(simplify_comparison(call, schema, strategy));
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
 * No fingerprint depends on a collation.  postgres_fdw ships a call with a collation only if
 * the collation comes from a column of the foreign table: for simhash($1) it would fetch all
 * rows.  The result of a function with this support function must not depend on a collation.
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
		call->funcresulttype != own_type(support_schema(fcinfo), "simhash"))
		PG_RETURN_POINTER(NULL);
	result = makeNode(FuncExpr);
	*result = *call;
	result->inputcollid = InvalidOid;
	PG_RETURN_POINTER(result);
}
