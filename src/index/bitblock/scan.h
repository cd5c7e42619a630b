/*-------------------------------------------------------------------------
 *
 * scan.h
 *		State of a scan of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_SCAN_H
#define BITBLOCK_SCAN_H

#include "access/relscan.h"
#include "core/hamming.h"
#include "tree.h"

/* All within "radius" of "center" */
typedef struct BBBall
{
	BBFingerprint center;
	int			radius;
} BBBall;

/* ----------
 * read.c: matches from the trees
 * ----------
 */

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
								double estimate, double *leaves);
extern int	bb_reader_next(BBReader *reader, BBEntry *matches, Buffer *pin);

/* ----------
 * nearest.c
 * ----------
 */

typedef struct BBNearest BBNearest;

extern BBNearest *bb_nearest_begin(Relation index, Snapshot snapshot,
								   const BBFingerprint *centers, int ncenters,
								   const BBBall *balls, int nballs);
extern bool bb_nearest_next(BBNearest *nearest, BBEntry *match);
extern void bb_nearest_end(BBNearest *nearest);

/* Is fingerprint within all of the balls? */
static inline bool
bb_in_balls(BBFingerprint fp, const BBBall *balls, int nballs)
{
	for (int i = 0; i < nballs; i++)
		if (bb_distance(fp, balls[i].center) > balls[i].radius)
			return false;
	return true;
}

#endif							/* BITBLOCK_SCAN_H */
