/*-------------------------------------------------------------------------
 *
 * shape.c
 *		The width of an index's fingerprints, and the kind of its values.
 *
 * The build of an index fixes its width, and notes it in the metapage.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fingerprint/width.h"
#include "index/strategy.h"
#include "index_options.h"
#include "leading_columns.h"
#include "nodes/nodeFuncs.h"
#include "planner/kind.h"
#include "server/catalog.h"
#include "shape.h"
#include "simhash.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

StaticAssertDecl(BITS_STEP == BB_BLOCK_BITS, "a fingerprint consists of blocks");
StaticAssertDecl(BB_MAX_TREES <= PG_UINT8_MAX, "trees are numbered in 8 bits");

/* The number of columns before the fingerprint. */
static int
leading_columns(Relation index)
{
	return IndexRelationGetNumberOfKeyAttributes(index) - 1;
}

/*
 * The type of the stored fingerprints, or its base type if it is a domain.  *typmod
 * becomes its modifier, or -1.
 */
static Oid
stored_type(Relation index, int32 *typmod)
{
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(index),
											 leading_columns(index));

	*typmod = column->atttypmod;
	return getBaseTypeAndTypmod(column->atttypid, typmod);
}

/* The kind of an index's values, from the catalog */
BBValueKind
bb_kind(Relation index)
{
	int32		typmod;
	Oid			stored = stored_type(index, &typmod);
	Oid			type = index->rd_opcintype[leading_columns(index)];

	if (stored == BITOID || stored == VARBITOID)
		return type == BITOID || type == VARBITOID ? BB_BIT : BB_BIT_BALL;
	return type == stored ? BB_SIMHASH : BB_SIMHASH_BALL;
}

/* The number of bits that the type of the column gives; 0 if it gives none. */
int
bb_bits_of_type(Relation index)
{
	BBValueKind kind = bb_kind(index);
	int32		typmod;

	if (kind != BB_BIT && kind != BB_BIT_BALL)
		return SIMHASH_BITS;
	return stored_type(index, &typmod) == BITOID && typmod > 0 ? typmod : 0;
}

/* The shape of an index whose fingerprints have the given number of blocks. */
BBShape
bb_shape_of_blocks(Relation index, uint16 blocks)
{
	BBShape		shape;

	shape.blocks = blocks;
	shape.words = (blocks + BB_WINDOW_BLOCKS - 1) / BB_WINDOW_BLOCKS;
	shape.kind = bb_kind(index);
	shape.leading = leading_columns(index);
	return shape;
}

/*
 * Raises an error unless the last column is the only fingerprint.  The operator class of
 * a leading column has a hash function (leading_columns.h).  Searches trust that the
 * class is valid, so the function also checks what users often get wrong in their own
 * classes.
 */
static void
check_index_columns(Relation index)
{
	int			leading = leading_columns(index);
	Kind		kind;

	if (bb_is_leading(index, leading) ||
		!find_kind(own_schema(index->rd_amhandler), index->rd_opcintype[leading], &kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("last column of a bitblock index must be a fingerprint"),
				 errhint("Put a column of type simhash or bit last, or an expression such as minhash(body), or use another index method.")));
	for (int i = 0; i < leading; i++)
		if (!bb_is_leading(index, i))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("only the last column of a bitblock index can be a fingerprint"),
					 errdetail("Column %d of index \"%s\" is a fingerprint, or its operator class has no hash function.",
							   i + 1, RelationGetRelationName(index)),
					 errhint("Create an index for each fingerprint, with the fingerprint as its last column.")));
	for (int i = 0; i < leading; i++)
		if (!bb_leading_is_valid(index->rd_opfamily[i], index->rd_opcintype[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator class of column %d of index \"%s\" is not valid",
							i + 1, RelationGetRelationName(index)),
					 errdetail("An operator class for columns in front of the fingerprint requires an operator = with number %d and a hash function of one argument with support number %d, both for type %s.",
							   EQUAL_STRATEGY, BB_HASH_PROC,
							   format_type_be(index->rd_opcintype[i])),
					 errhint("Call the function amvalidate for details.")));
}

/*
 * Warn if the parameter "bits" contradicts the type of the column, whose length the index
 * uses.  This is not an error, because ALTER INDEX can set such a parameter (PostgreSQL
 * does not ask the access method whether a parameter fits an existing index), and a dump
 * of that index must be restorable.
 */
static void
check_parameter(Relation index, int bits, const char *type)
{
	int			parameter = bb_bits_parameter(index);

	if (parameter != 0 && parameter != bits)
		ereport(WARNING,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"bits\" has no effect on an index of type %s", type),
				 errhint("The type determines the number of bits. Remove the parameter: ALTER INDEX ... RESET (bits).")));
}

/* Does the function belong to the extension, as the index's access method does? */
static bool
is_own_function(Relation index, Oid function)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, index->rd_amhandler);

	return OidIsValid(extension) &&
		getExtensionOfObject(ProcedureRelationId, function) == extension;
}

/*
 * The number of bits of all values of an expression; 0 if it is unknown.  The functions
 * of the extension that return a fingerprint of type "bit" have the number of bits as
 * their first integer argument, or have no integer argument.  Defaults of arguments are
 * in the call, because the relation cache simplifies the expressions of an index.
 */
static int
bits_of_expression(Relation index, Node *node)
{
	int32		typmod = exprTypmod(node);
	Oid			type = getBaseTypeAndTypmod(exprType(node), &typmod);
	FuncExpr   *call = (FuncExpr *) node;
	ListCell   *lc;
	Kind		kind;

	if (type == BITOID && typmod > 0)
		return typmod;
	if (IsA(node, RelabelType))
		return bits_of_expression(index, (Node *) ((RelabelType *) node)->arg);
	if (!IsA(node, FuncExpr) || !is_own_function(index, call->funcid) ||
		!find_kind(own_schema(index->rd_amhandler), type, &kind))
		return 0;
	if (call->funcid == kind_ball_function(&kind, false))
		return bits_of_expression(index, linitial(call->args));
	foreach(lc, call->args)
	{
		Const	   *argument = lfirst(lc);

		if (type == BITOID && exprType((Node *) argument) == INT4OID)
			return IsA(argument, Const) && !argument->constisnull ?
				DatumGetInt32(argument->constvalue) : 0;
	}
	return 0;
}

/*
 * Find the number of bits of the fingerprints of a new index.  This is the length of the
 * column's type; or the storage parameter "bits" if the type has no length; or what the
 * expression implies.  Returns 0 if none of them gives the number.
 */
static int
bits_of_definition(Relation index)
{
	BBValueKind kind = bb_kind(index);
	int			bits = bb_bits_of_type(index);

	if (bits != 0)
	{
		check_parameter(index, bits, kind == BB_BIT || kind == BB_BIT_BALL ?
						format_type_with_typemod(BITOID, bits) : "simhash");
		return bits;
	}
	if (bb_bits_parameter(index) != 0)
		return bb_bits_parameter(index);
	if (index->rd_index->indkey.values[leading_columns(index)] != 0)
		return 0;
	return bits_of_expression(index, llast(RelationGetIndexExpressions(index)));
}

/*
 * Find the shape of a new index.  Raises an error unless the last column is the only
 * fingerprint, or if the index does not support the width.  The width comes from the
 * definition of the index, not from its values, because TRUNCATE and the restore of a
 * schema build an index without values.
 */
BBShape
bb_shape_to_build(Relation index)
{
	int			bits;

	check_index_columns(index);
	bits = bits_of_definition(index);
	if (bits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("length of the bit strings in index \"%s\" is unknown",
						RelationGetRelationName(index)),
				 errdetail("The definition of the index does not say how many bits the indexed values have."),
				 errhint("Set the storage parameter \"bits\": CREATE INDEX ... WITH (bits = 256), or, before the type changes, ALTER INDEX ... SET (bits = 256).")));
	check_width(bits, BB_BLOCK_BITS);
	return bb_shape_of_blocks(index, bits / BB_BLOCK_BITS);
}
