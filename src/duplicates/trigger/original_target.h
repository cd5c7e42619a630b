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

/* A column of the new row. */
typedef struct TargetColumn
{
	const char *name;
	AttrNumber	attno;
	Oid			type;

	/*
	 * the type of the search's parameter.  It is not a domain, because a domain
	 * may have another collation than the column, and PostgreSQL casts no domain
	 * to anyenum or anyarray.
	 */
	Oid			base;
	Oid			collation;
	int16		length;
	bool		by_value;
	Oid			equality;		/* the operator "=" of the id and columns of "equal" */
	/* the expression of a generated column, or NULL */
	ExprState  *generated;
} TargetColumn;

/*
 * The columns that a search depends on: the fingerprint, the id, those of "equal", the title, and
 * those of "confirm"
 */
#define FINGERPRINT				0
#define ID						1
#define FIRST_EQUAL				2
#define MAX_TEXTS				(1 + MAX_COLUMNS)
#define MAX_TARGET_COLUMNS		(FIRST_EQUAL + MAX_COLUMNS + MAX_TEXTS)

/* A trigger, for one statement. */
typedef struct Target
{
	Trigger    *trigger;
	ExprContext *context;		/* of a row's generated columns */
	Kind		kind;			/* of the fingerprint */
	int32		distance;
	bool		lock;
	bool		numbers;		/* does replacing a number make another document? */
	bool		has_title;
	/* the trigger of the root, if the table is a partition or a child table */
	Oid			topmost;
	Oid			table;			/* the table of the topmost trigger */
	uint64		search;			/* see search_of_target */
	const char *duplicate_of;
	AttrNumber	duplicate_of_attno;
	int			ncolumns;
	TargetColumn columns[MAX_TARGET_COLUMNS];
	int			nparameters;	/* of the search: columns before the texts */
	int			ntexts;			/* 0: every near original is confirmed */
	const TargetColumn *texts;
} Target;

extern Target *target_of_trigger(TriggerData *trigger_data, Oid schema);

#endif							/* SIMHASH_ORIGINAL_TARGET_H */
