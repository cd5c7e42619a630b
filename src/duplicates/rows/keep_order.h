/*-------------------------------------------------------------------------
 *
 * keep_order.h
 *		The order in which a caller keeps documents: first those whose ids the query "keep"
 *		returns, in its order, and then the others in the order of their ids.
 *
 * A caller begins an order, which reads the query, puts ids with numbers, and gets each
 * number with the rank of its id.  Equal ids have one rank.  The query "new" is read in the same way:
 * the ids that it returns have the ranks below "npreferred".
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_KEEP_ORDER_H
#define SIMHASH_KEEP_ORDER_H

#include "postgres.h"

#include "id_sort.h"
#include "ids.h"

/* The largest number of ids, including those of the query */
#define MOST_KEPT	(PG_UINT32_MAX - 1)

typedef struct KeepOrder
{
	IdType		id_type;
	const char *argument;		/* "keep" or "new" */
	TypeCacheEntry *type;
	Oid			collation;
	Oid			column;			/* what widened_id needs to know */
	IdSort	   *sort;
	MemoryContext context;		/* of all memory */
	uint64		npreferred;		/* ids of the query */
	uint64		bound;			/* all ranks so far are below it */
	Datum		id;				/* copy of the current id */
	bool		have_id;
	bool		is_known;		/* has it been returned? */
	uint64		rank;			/* the rank of that id */
} KeepOrder;

/* A number that was put, with the rank of its id. */
typedef struct KeptNumber
{
	uint64		number;
	uint64		rank;			/* of its id, below "bound" */
	bool		is_first;		/* is it the first number of its id? */
} KeptNumber;

/* Begin an order in the current memory context.  The query, which an argument has, may be NULL. */
extern KeepOrder *keep_order_begin(IdType id_type, Oid collation, const char *query,
								   const char *argument, size_t memory, const Env *env);

/* Add an id that may leave memory behind, such as that of a row of a query. */
extern void keep_order_put(KeepOrder *order, Datum id, uint64 number);

/* Sort the ids, after the last one has been put. */
extern void keep_order_finish(KeepOrder *order);

/* Get the next number, in the order of ids; false at the end.  order->id becomes its id. */
extern bool keep_order_next(KeepOrder *order, KeptNumber *kept);
extern void keep_order_end(KeepOrder *order);

#endif							/* SIMHASH_KEEP_ORDER_H */
