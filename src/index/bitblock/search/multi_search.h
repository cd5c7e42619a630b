/*-------------------------------------------------------------------------
 *
 * multi_search.h
 *		The matches of several searches, one after the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_MULTI_SEARCH_H
#define BITBLOCK_MULTI_SEARCH_H

#include "condition.h"
#include "reader.h"

/* In place of a tree: the searches choose their trees */
#define BB_WITHIN				(-1)

/* A function that is called at the end of each search, with the steps of the search. */
typedef void (*BBObserve) (void *arg, const BBReader *reader);

typedef struct BBSweep
{
	BBObserve	observe;		/* set by the caller; or NULL */
	void	   *observe_arg;

	/*
	 * set by the caller; or NULL.  If there is one scope and one ball, these
	 * radii have been read: see bb_reader_set_within
	 */
	const BBRadii *before;
	Relation	index;
	BBShape		shape;
	Snapshot	snapshot;
	BBScopes	scopes;			/* first those that one search reads together */
	int			together;		/* number of these */
	const BBCondition *wanted;
	int			tree;			/* the tree that is read whole, or BB_WITHIN */
	int64		npairs;			/* of a scope and a ball */
	int64		pair;			/* number of the first of the current search */
	int64		taken;			/* pairs of the current search */
	int64		dense;			/* pairs of searches that read all of a scope */
	bool		repeats;		/* may it return a match again? */
	BBReader	reader;			/* of the current search */
	MemoryContext context;		/* of a search, if there are several */
} BBSweep;

/* Start the searches of the scopes for rows in one of the wanted balls. */
extern void bb_sweep_begin(BBSweep *sweep, Relation index, BBShape shape, Snapshot snapshot,
						   const BBScopes *scopes, const BBCondition *wanted, int tree);

/* Report the steps of the current search, if the caller wants the report. */
extern void bb_sweep_report(const BBSweep *sweep);

/* Find the next matches; 0 at the end of the last search. */
extern int	bb_sweep_next(BBSweep *sweep, BBMatch *matches, Buffer *pin);

#endif							/* BITBLOCK_MULTI_SEARCH_H */
