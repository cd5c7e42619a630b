/*-------------------------------------------------------------------------
 *
 * reader.h
 *		Matches of a query from the trees of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_READER_H
#define BITBLOCK_READER_H

#include "condition.h"
#include "core/ring.h"
#include "leaf_walk.h"
#include "utils/snapshot.h"

/* What a step has done, if the reader counts: see bitblock_explain. */
typedef struct BBCounts
{
	int64		leaves;			/* read */
	int64		misses;			/* pages that were not in shared buffers */
	int64		candidates;		/* entries whose window is near enough */
	int64		rows;			/* looked up in the row tree */
	int64		matches;
} BBCounts;

/*
 * A part of the work for one query.  The step reads those entries of a window tree whose
 * first block is at a distance of at most rmax from the same block of the center, and not
 * within the radius of an earlier search; or all entries of a tree.
 */
typedef struct BBStep
{
	int			tree;
	int			rmax;
	bool		all;			/* every leaf, without probes */
	BBProbes	probes;
	BBLeafList	leaves;
	int			leaves_before;	/* listed leaves of the steps before */
} BBStep;

/*
 * The TIDs of rows that were looked up, in a hash table.  A slot has room for one row,
 * and a new row replaces the old one.
 */
typedef struct BBJudged
{
	/* by hash value; 0 is an empty slot.  NULL if no row was put in */
	uint64	   *tids;
	int			bits;			/* of the hash value */
	int			n;				/* rows put in, also replaced ones */
} BBJudged;

/* An entry of a window tree whose row may be a match: the entry, and the step that met it. */
typedef struct BBCandidate
{
	BBWindow	window;
	ItemPointerData tid;
	uint8		step;
} BBCandidate;

typedef struct BBReader
{
	Relation	index;
	BBAhead		ahead;
	BBShape		shape;
	Snapshot	snapshot;
	BBScopes	scopes;			/* the wanted rows ... */
	BBBall		ball;			/* ... and their fingerprints */
	/* NULL, or they are in one of these balls instead */
	const BBCondition *several;

	/*
	 * approximate number of leaves with the tag of the only scope, if
	 * bb_reader_set_within has counted them
	 */
	double		tag_leaves;

	/*
	 * what bb_reader_set_within has chosen: the steps read the radii beyond
	 * those that an earlier search has read; or NULL if they read all
	 */
	BBRadii		radii;
	const BBRadii *before;
	int			nsteps;
	int			step;			/* number of the current step */
	bool		walking;		/* has the walk of the current step begun? */
	BBWalk		walk;
	BBStep		steps[BB_MAX_BLOCKS];

	BBCounts   *counts;			/* of each step, set by the caller; or NULL */
	int64		pages_read;		/* bb_pages_read before the current leaf */
	bool		asked_inner;	/* have inner pages been asked for? */

	/*
	 * the next of the listed leaves to ask for: its step, and its number
	 * there
	 */
	int			ask_step;
	int			ask_leaf;

	/*
	 * the limits of the pigeonring for the window at each block, if a step
	 * relies on them
	 */
	bool		ring;
	RingLimits	limits[BB_MAX_BLOCKS];
	BBJudged	judged;

	/*
	 * candidates; in a cold index they wait until their rows have been asked
	 * for, and are then looked up together
	 */
	BBCandidate *waiting;		/* room for 2 * BB_MAX_ENTRIES, if wide */
	int			nwaiting;
} BBReader;

/* Initialize a reader that has no steps yet. */
extern void bb_reader_init(BBReader *reader, Relation index, BBShape shape,
						   Snapshot snapshot, BBScopes scopes, const BBBall *ball);

/* Read every leaf of a tree with entries of the scopes, as the only step. */
extern void bb_reader_set_all(BBReader *reader, int tree);

/* Does the reader read every leaf of a tree with entries of the scopes? */
extern bool bb_reader_reads_all(const BBReader *reader);

/* Add the steps that find the rows of the only scope in the ball, without those found before. */
extern void bb_reader_set_within(BBReader *reader, const BBRadii *before);

/* Find the matches of the next leaf that has any; 0 at the end. */
extern int	bb_reader_next(BBReader *reader, BBMatch *matches, Buffer *pin);

/* The tag of the only scope. */
static inline uint32
bb_reader_tag(const BBReader *reader)
{
	return reader->scopes.tags[0];
}

#endif							/* BITBLOCK_READER_H */
