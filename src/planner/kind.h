/*-------------------------------------------------------------------------
 *
 * kind.h
 *		Kinds of fingerprints, for the planner support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_KIND_H
#define SIMHASH_KIND_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The properties of a kind, with the names of its objects in the schema of the extension. */
typedef struct KindTraits
{
	const char *type;			/* NULL for a type of PostgreSQL */
	Oid			builtin_type;	/* the type if "type" is NULL */

	/*
	 * the type of balls, and the function that makes one of a center and a
	 * radius
	 */
	const char *ball;
	/* function that makes the ball of all fingerprints at least at a distance */
	const char *ball_at_least;
	const char *distance;		/* function of <->; returns hamming */
	const char *distance_integer;	/* the same function; returns integer */
	const char *distance_operator;	/* operator of distance_integer */
	const char *within;			/* distance at most the third argument */
	const char *at_least;		/* distance at least the third argument */
	int32		bits;			/* of each value; 0 if a value tells */
} KindTraits;

/* A kind in the catalogs. */
typedef struct Kind
{
	const KindTraits *traits;
	Oid			schema;			/* the extension's */
	Oid			type;
	Oid			ball;
} Kind;

extern bool find_kind(Oid schema, Oid type, Kind *kind);
extern bool find_kind_of_function(Oid schema, Oid function, Kind *kind);

/* The number of bits of all values of a type with that modifier; 0 if it varies. */
extern int32 kind_bits_of_type(const Kind *kind, int32 typmod);

/* The number of bits of a value, which is the largest distance from it. */
extern int32 kind_bits_of_value(const Kind *kind, Datum value);

/* Write the bits of a value to words of 64 bits. */
extern void kind_read_words(const Kind *kind, Datum value, uint64 *words);

extern int32 kind_radius(const Kind *kind, Datum ball);
extern Oid	kind_pair_function(const Kind *kind, const char *name, int nargs);
extern Oid	kind_ball_function(const Kind *kind, bool at_least);
extern bool split_ball(const Kind *kind, Node *ball, Node **center, Node **bound,
					   bool *at_least);
extern Node *make_integer_const(int32 value);

#endif							/* SIMHASH_KIND_H */
