/*-------------------------------------------------------------------------
 *
 * original_target.h
 *		The arguments of the trigger simhash_record_original, and the columns that
 *		they name.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ORIGINAL_TARGET_H
#define SIMHASH_ORIGINAL_TARGET_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "commands/trigger.h"
#include "nodes/execnodes.h"
#include "planner/kind.h"

/* The largest number of columns of an option.  A set of them is the bits of a uint32. */
#define MAX_COLUMNS				31

/* The columns of a text: those of "confirm", and the title */
#define MAX_TEXT_COLUMNS		(MAX_COLUMNS + 1)

/* The arguments of a trigger. */
typedef struct Arguments
{
	const char *fingerprint;	/* columns */
	const char *duplicate_of;
	const char *id;
	const char *within;			/* the distance; NULL if it is left out */
	bool		lock;
	List	   *equal;			/* columns (char *) */
	List	   *confirm;		/* columns (char *), behind the title */
	char	   *title;			/* column, or NULL */
	const char *numbers;		/* NULL if it is left out */
} Arguments;

/* A column of the new row. */
typedef struct TargetColumn
{
	AttrNumber	attno;
	Oid			type;
	Oid			collation;
	int16		length;
	bool		by_value;
	/* the expression of a generated column, or NULL */
	ExprState  *generated;
} TargetColumn;

/* A trigger, for one statement. */
typedef struct Target
{
	Arguments	arguments;
	Kind		kind;			/* of the fingerprint */
	int32		distance;
	/* the trigger of the root, if the table is a partition or a child table */
	Oid			topmost;
	Oid			table;			/* the table of the topmost trigger */
	TargetColumn fingerprint;
	TargetColumn id;
	AttrNumber	duplicate_of;
	int			nequal;
	TargetColumn equal[MAX_COLUMNS];

	/*
	 * the title, if any, and the columns of "confirm"; 0: every near original
	 * is confirmed
	 */
	int			nconfirm;
	TargetColumn confirm[MAX_TEXT_COLUMNS];
	/* does replacing a number make another document? */
	bool		numbers;
} Target;

extern Target *target_of_trigger(TriggerData *trigger_data, Oid schema);
extern Form_pg_attribute target_column(Relation rel, Trigger *trigger, const char *name);
extern Oid	target_equality(Oid type, bool is_id);

/* original_index.c */
extern bool original_require_index(const Target *target, Trigger *trigger, Relation table,
								   uint32 nulls, bool warn);

#endif							/* SIMHASH_ORIGINAL_TARGET_H */
