/*-------------------------------------------------------------------------
 *
 * reader.h
 *		Matches of a query from the trees of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_READER_H
#define BITBLOCK_READER_H

#include "utils/snapshot.h"
#include "walk.h"

/* All within "radius" of "center" */
typedef struct BBBall
{
	BBFingerprint center;
	int			radius;
} BBBall;

/* Is fingerprint within all of the balls? */
static inline bool
bb_in_balls(BBFingerprint fp, const BBBall *balls, int nballs)
{
	for (int i = 0; i < nballs; i++)
		if (bb_distance(fp, balls[i].center) > balls[i].radius)
			return false;
	return true;
}

/*
 * A part of the work for one query: those leaves of a tree whose block is at
 * a distance rmin .. rmax from that of the center.
 */
typedef struct BBStep
{
	int			tree;
	int			rmin;
	int			rmax;
	bool		all;			/* every leaf, without probes */
	BBProbes	probes;
	BBLeafList	leaves;
} BBStep;

/* Each step of a nearest search raises the radius of one tree by one. */
#define BB_MAX_STEPS			(BB_BLOCKS * (BB_BLOCK_BITS + 1))
#define BB_NO_STEP				PG_UINT8_MAX

StaticAssertDecl(BB_MAX_STEPS < BB_NO_STEP, "steps are numbered in 8 bits");

typedef struct BBReader
{
	Relation	index;
	Snapshot	snapshot;
	BBBall		ball;			/* what is wanted */
	int			nsteps;
	int			step;			/* number of the one that is being read */
	bool		walking;
	BBWalk		walk;
	BBStep		steps[BB_MAX_STEPS];

	/* the first step that finds what is at that distance in that block */
	uint8		first_step[BB_BLOCKS][BB_BLOCK_BITS + 1];
} BBReader;

extern void bb_reader_init(BBReader *reader, Relation index, Snapshot snapshot,
						   BBBall ball);
extern void bb_reader_set_all(BBReader *reader, int tree);
extern void bb_reader_set_within(BBReader *reader);
extern bool bb_reader_add_shell(BBReader *reader, int tree, int r,
								double expected, double *leaves);
extern int	bb_reader_next(BBReader *reader, BBEntry *matches, Buffer *pin);

#endif							/* BITBLOCK_READER_H */
