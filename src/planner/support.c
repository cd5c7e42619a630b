/*-------------------------------------------------------------------------
 *
 * support.c
 *		Planner support: how "fp <-> q <= 3" becomes an index condition.
 *
 * Theory of operation
 *
 * "<=" over the result of "<->" is not an indexable clause by itself: an
 * index condition is an operator with the indexed column as its argument.  So
 * the planner takes these steps:
 *
 * 1. <-> returns the domain "hamming" over integer.  The extension owns the
 *	  operators <=, <, =, >=, > with that domain on either side.  They are
 *	  PostgreSQL's own integer comparisons, with a support function
 *	  (hamming_*_support) that simplifies
 *		  (a <-> b) <= k   to   simhash_within(a, b, k)
 *		  (a <-> b) >= k   to   simhash_within(a, ~b, 64 - k)
 *	  because every bit of a differs either from b's or from its complement.
 *	  If both a and b are columns, >= becomes
 *	  simhash_within_complement(a, b, 64 - k), so that an index on either
 *	  serves it.  If the hamming value is not a distance (a stored column,
 *	  say), the support function simplifies the comparison to PostgreSQL's own
 *	  operator over integer.  So such a column keeps its indexes, hash joins
 *	  and merge joins.
 *
 * 2. simhash_within's support function derives the index condition
 *		  a <@ simhash_ball(b, k)
 *	  or the same condition on b.  The operator classes serve this condition.
 *	  It is exact.
 *
 * 3. <->'s own support function (simhash_distance_support) simplifies
 *		  a <-> b   to   (a <~> b)::hamming
 *	  with <~> returning plain integer, because an ORDER BY is compared as an
 *	  integer, and only a relabelled <~> matches an ordering operator.
 *
 * 4. simhash_text_support removes the collation of the call from the
 *	  fingerprint of a text, so that "fp <-> simhash($1) <= 3" may be sent to a
 *	  foreign server.
 *
 * Support functions never raise an error.  If anything is unexpected, they
 * return NULL, and the expression stays as it was: slower and correct.  The
 * function that a support function is asked about may be unexpected, too,
 * because ALTER FUNCTION attaches support functions to any function.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
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

PG_FUNCTION_INFO_V1(simhash_distance_support);
PG_FUNCTION_INFO_V1(simhash_within_support);
PG_FUNCTION_INFO_V1(simhash_within_complement_support);
PG_FUNCTION_INFO_V1(hamming_le_support);
PG_FUNCTION_INFO_V1(hamming_lt_support);
PG_FUNCTION_INFO_V1(hamming_eq_support);
PG_FUNCTION_INFO_V1(hamming_ge_support);
PG_FUNCTION_INFO_V1(hamming_gt_support);
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
 * The schema of the extension, in which the support function that was called
 * stands.
 */
static Oid
support_schema(FunctionCallInfo fcinfo)
{
	return own_schema(fcinfo->flinfo->fn_oid);
}

/* Are these the arguments of simhash_distance, or of simhash_within? */
static bool
are_distance_arguments(List *args, int nargs, Oid schema)
{
	Oid			type = own_type(schema, "simhash");

	return list_length(args) == nargs &&
		exprType(linitial(args)) == type &&
		exprType(lsecond(args)) == type &&
		(nargs == 2 || exprType(lthird(args)) == INT4OID);
}

static bool
is_integer(Node *node)
{
	Oid			type = getBaseType(exprType(node));

	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Is node a distance, a <-> b or a <~> b or a call of their functions?  Then
 * set *a and *b.
 */
static bool
is_distance(Node *node, Oid schema, Node **a, Node **b)
{
	Oid			function;
	List	   *args;
	Oid			argtypes[2];

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
	if (list_length(args) != 2)
		return false;

	argtypes[0] = argtypes[1] = own_type(schema, "simhash");
	if (function != own_function(schema, "simhash_distance_integer", 2, argtypes) &&
		function != own_function(schema, "simhash_distance", 2, argtypes))
		return false;

	*a = linitial(args);
	*b = lsecond(args);
	return true;
}

/* simhash_within(a, b, radius), or simhash_within_complement, or NULL */
static Node *
make_within_named(Oid schema, const char *name, Node *a, Node *b, Node *radius)
{
	Oid			type = own_type(schema, "simhash");
	Oid			argtypes[3] = {type, type, INT4OID};
	Oid			function = own_function(schema, name, 3, argtypes);

	if (!OidIsValid(function))
		return NULL;
	return make_call(function, BOOLOID, list_make3(a, b, radius));
}

static Node *
make_within(Oid schema, Node *a, Node *b, Node *radius)
{
	return make_within_named(schema, "simhash_within", a, b, radius);
}

/*
 * The radius for the bound of a distance, see radius_of_bound, as an expression of
 * type integer; or NULL.  bound is of an integer type.
 */
static Node *
make_radius(Oid schema, Node *bound, bool strict, bool far)
{
	Oid			function;
	Oid			bigint = INT8OID;

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
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
								  Int32GetDatum(radius_of_bound(value, strict, far)),
								  false, true);
	}

	/* simhash_within takes any integer */
	if (!strict && !far && exprType(bound) == INT4OID)
		return bound;

	function = own_function(schema,
							far ? (strict ? "simhash_radius_above" : "simhash_radius_from") :
							(strict ? "simhash_radius_below" : "simhash_radius"),
							1, &bigint);
	bound = coerce_to_target_type(NULL, bound, exprType(bound), INT8OID, -1,
								  COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
	if (!OidIsValid(function) || bound == NULL)
		return NULL;
	return make_call(function, INT4OID, list_make1(bound));
}

/* ~fp, or NULL */
static Node *
make_complement(Oid schema, Node *fp)
{
	Oid			type = own_type(schema, "simhash");
	Oid			operator = own_operator(schema, "~", InvalidOid, type);

	if (IsA(fp, Const))
	{
		Const	   *c = copyObject((Const *) fp);

		if (!c->constisnull)
			c->constvalue = SimhashGetDatum(~DatumGetSimhash(c->constvalue));
		return (Node *) c;
	}
	if (!OidIsValid(operator))
		return NULL;
	return make_operator_call(operator, type, fp, NULL);
}

/* ----------
 * Comparisons of a hamming value
 * ----------
 */

/*
 * PostgreSQL's own comparison of the two integers.
 */
static Node *
plain_comparison(const char *name, Node *left, Node *right)
{
	Oid			operator;

	left = as_base_type(left);
	right = as_base_type(right);
	operator = own_operator(PG_CATALOG_NAMESPACE, name, exprType(left),
							exprType(right));
	if (!OidIsValid(operator))
		return NULL;
	return make_operator_call(operator, BOOLOID, left, right);
}

/*
 * "(a <-> b) = bound" with an index condition: for bound 0 that is all there
 * is to it; for others the distance is compared besides.
 */
static Node *
simplify_equality(Oid schema, Node *a, Node *b, Node *distance, Node *bound)
{
	Node	   *radius = make_radius(schema, bound, false, false);
	Node	   *within;
	Node	   *equal;

	if (radius == NULL)
		return NULL;
	within = make_within(schema, a, b, radius);
	if (within == NULL)
		return NULL;
	if (IsA(radius, Const))
	{
		int32		k = DatumGetInt32(((Const *) radius)->constvalue);

		if (k == 0)
			return within;
		if (k < 0 || k >= SIMHASH_BITS)
			return NULL;
	}

	/* the rest needs every argument twice */
	if (contain_volatile_functions(within) || contain_subplans(within))
		return NULL;
	equal = plain_comparison("=", distance, bound);
	if (equal == NULL)
		return NULL;
	return (Node *) makeBoolExpr(AND_EXPR, list_make2(within, copyObject(equal)), -1);
}

/*
 * The distance of a and b compared with bound: "<=" or "<", or if far ">=" or ">".
 */
static Node *
simplify_inequality(Oid schema, Node *a, Node *b, Node *bound, bool strict, bool far)
{
	Node	   *radius = make_radius(schema, bound, strict, far);

	if (radius == NULL)
		return NULL;
	if (far)
	{
		/* an index may be on either; it cannot be on what is complemented */
		if (contain_var_clause(b) && contain_var_clause(a))
			return make_within_named(schema, "simhash_within_complement", a, b, radius);
		if (contain_var_clause(b))
			a = make_complement(schema, a);
		else
			b = make_complement(schema, b);
		if (a == NULL || b == NULL)
			return NULL;
	}
	return make_within(schema, a, b, radius);
}

/*
 * All the hamming_*_support functions, by the name of the operator, which is to be
 * simplified to a within if one of its arguments is a distance.
 */
static Datum
support_comparison(FunctionCallInfo fcinfo, const char *name)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *call;
	Oid			schema;
	Node	   *result = NULL;

	if (!IsA(rawreq, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	call = ((SupportRequestSimplify *) rawreq)->fcall;
	if (list_length(call->args) != 2 || call->funcresulttype != BOOLOID ||
		!is_integer(linitial(call->args)) || !is_integer(lsecond(call->args)))
		PG_RETURN_POINTER(NULL);
	schema = support_schema(fcinfo);

	for (int i = 0; i < 2 && result == NULL; i++)
	{
		Node	   *distance = list_nth(call->args, i);
		Node	   *bound = list_nth(call->args, 1 - i);
		Node	   *a;
		Node	   *b;

		if (!is_distance(distance, schema, &a, &b))
			continue;
		if (name[0] == '=')
			result = simplify_equality(schema, a, b, distance, bound);
		else
			result = simplify_inequality(schema, a, b, bound, name[1] == '\0',
										 (name[0] == '>') == (i == 0));
	}
	if (result == NULL)
		result = plain_comparison(name, linitial(call->args), lsecond(call->args));
	PG_RETURN_POINTER(result);
}

Datum
hamming_le_support(PG_FUNCTION_ARGS)
{
	return support_comparison(fcinfo, "<=");
}

Datum
hamming_lt_support(PG_FUNCTION_ARGS)
{
	return support_comparison(fcinfo, "<");
}

Datum
hamming_eq_support(PG_FUNCTION_ARGS)
{
	return support_comparison(fcinfo, "=");
}

Datum
hamming_ge_support(PG_FUNCTION_ARGS)
{
	return support_comparison(fcinfo, ">=");
}

Datum
hamming_gt_support(PG_FUNCTION_ARGS)
{
	return support_comparison(fcinfo, ">");
}

/* ----------
 * The distance itself
 * ----------
 */

/* a <-> b: simplify to (a <~> b)::hamming */
Datum
simhash_distance_support(PG_FUNCTION_ARGS)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *call;
	Oid			schema;
	Oid			type;
	Oid			operator;

	if (!IsA(rawreq, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	call = ((SupportRequestSimplify *) rawreq)->fcall;
	schema = support_schema(fcinfo);
	if (!are_distance_arguments(call->args, 2, schema) ||
		getBaseType(call->funcresulttype) != INT4OID)
		PG_RETURN_POINTER(NULL);
	type = own_type(schema, "simhash");
	operator = own_operator(schema, "<~>", type, type);
	if (!OidIsValid(operator))
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(makeRelabelType((Expr *)
									  make_operator_call(operator, INT4OID,
														 linitial(call->args),
														 lsecond(call->args)),
									  call->funcresulttype, -1, InvalidOid,
									  COERCE_IMPLICIT_CAST));
}

/*
 * The condition "column <@ simhash_ball(center, radius)" for the index of the
 * request, or NULL if the index cannot serve it.
 */
static Node *
index_condition(SupportRequestIndexCondition *req, Oid schema, Node *column,
				Node *center, Node *radius)
{
	Oid			type = own_type(schema, "simhash");
	Oid			balltype = own_type(schema, "simhash_ball");
	Oid			argtypes[2] = {type, INT4OID};
	Oid			operator = own_operator(schema, "<@", type, balltype);
	Oid			function = own_function(schema, "simhash_ball", 2, argtypes);
	Node	   *ball;

	if (!OidIsValid(operator) || !OidIsValid(function) ||
		!op_in_opfamily(operator, req->opfamily) ||
		!is_pseudo_constant_for_index(req->root, center, req->index) ||
		!is_pseudo_constant_for_index(req->root, radius, req->index))
		return NULL;

	ball = make_call(function, balltype, list_make2(center, radius));
	ball = eval_const_expressions(req->root, ball);
	return make_operator_call(operator, BOOLOID, column, ball);
}

/* simhash_within(a, b, k), or if "complement" simhash_within_complement(a, b, k) */
static Datum
support_within(FunctionCallInfo fcinfo, bool complement)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	Oid			schema = support_schema(fcinfo);

	if (IsA(rawreq, SupportRequestIndexCondition))
	{
		SupportRequestIndexCondition *req = (SupportRequestIndexCondition *) rawreq;
		List	   *args;
		Node	   *center;
		Node	   *condition;

		if (!IsA(req->node, FuncExpr) || req->indexarg > 1)
			PG_RETURN_POINTER(NULL);
		args = ((FuncExpr *) req->node)->args;
		if (!are_distance_arguments(args, 3, schema))
			PG_RETURN_POINTER(NULL);

		center = list_nth(args, 1 - req->indexarg);
		if (complement)
			center = make_complement(schema, center);
		if (center == NULL)
			PG_RETURN_POINTER(NULL);
		condition = index_condition(req, schema,
									list_nth(args, req->indexarg), center,
									lthird(args));
		if (condition == NULL)
			PG_RETURN_POINTER(NULL);
		req->lossy = false;
		PG_RETURN_POINTER(list_make1(condition));
	}

	if (IsA(rawreq, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *req = (SupportRequestSelectivity *) rawreq;
		Node	   *b;

		if (!are_distance_arguments(req->args, 3, schema))
			PG_RETURN_POINTER(NULL);
		b = lsecond(req->args);
		if (complement)
			b = make_complement(schema, b);
		if (b == NULL)
			PG_RETURN_POINTER(NULL);
		req->selectivity =
			distance_selectivity(req->root, schema, req->funcid,
								 linitial(req->args), b,
								 lthird(req->args), req->varRelid,
								 req->is_join ? req->sjinfo : NULL);
		PG_RETURN_POINTER(req);
	}

	PG_RETURN_POINTER(NULL);
}

Datum
simhash_within_support(PG_FUNCTION_ARGS)
{
	return support_within(fcinfo, false);
}

Datum
simhash_within_complement_support(PG_FUNCTION_ARGS)
{
	return support_within(fcinfo, true);
}

/* ----------
 * The fingerprint of a text
 * ----------
 */

/*
 * No fingerprint depends on a collation.  postgres_fdw ships a call that has one only if it
 * comes from a column of the foreign table: for simhash($1) it would fetch all rows.
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
