/*-------------------------------------------------------------------------
 *
 * build_state.h
 *		The state of building a bitblock index, which build.c, scan.c and phases.c share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_STATE_H
#define BITBLOCK_BUILD_STATE_H

#include "access/genam.h"
#include "access/parallel.h"
#include "access/tableam.h"
#include "index/bitblock/store/column_value.h"
#include "nodes/execnodes.h"
#include "rows.h"
#include "server/phases.h"
#include "tree.h"

/* Phases in pg_stat_progress_create_index; phase 1 is PostgreSQL's own */
#define BB_PHASE_SCAN			2
#define BB_PHASE_SORT			3
#define BB_PHASE_TREES			4

typedef enum BBBuildPhase
{
	BB_BUILD_SCAN,
	BB_BUILD_EXTEND,
	BB_BUILD_ROWS,
	BB_BUILD_WINDOWS,
	BB_BUILD_LOG,
	BB_BUILD_PHASES
} BBBuildPhase;

/* What the processes of a build share. */
typedef struct BBBuild
{
	/* set before workers start */
	Oid			heap;
	Oid			index;
	bool		concurrent;
	BBShape		shape;
	int			processes;		/* the most that take part, with the leader */
	BlockNumber heap_pages;
	BlockNumber range_pages;	/* 0: the only range is the whole table */
	SharedFileSet files;		/* if there are workers */

	pg_atomic_uint32 broken_hot_chain;
	pg_atomic_uint64 pages_read;
	pg_atomic_uint64 rows_read; /* of the table */
	pg_atomic_uint64 entries_written;	/* approximate, in window trees */

	/*
	 * the number of rows in each bucket of each tree; with tags, all trees
	 * have the same buckets, and only tree 0 is counted
	 */
	pg_atomic_uint64 counts[BB_MAX_BLOCKS][BB_BUCKETS];
	int			nranges;
	BBRowRange	ranges[FLEXIBLE_ARRAY_MEMBER];
} BBBuild;

/*
 * The part of a tree that one task writes: a range of buckets, and the ranks of their
 * rows in the tree.
 */
typedef struct BBTreePart
{
	int			from;			/* buckets from .. to - 1 */
	int			to;
	int64		rank;			/* of the first row */
	int64		n;				/* rows */
} BBTreePart;

/* The state of one process of a build. */
typedef struct BBBuildProcess
{
	int			number;			/* 0 is the leader */
	Phases	   *phases;
	BBBuild    *shared;
	Relation	heap;
	Relation	index;
	IndexInfo  *info;
	int			memory_kb;
	BBSharedRows *rows;
	/* rows that it has scanned, by bucket; only during the scan */
	int64		(*counts)[BB_BUCKETS];

	/* set after the scan */
	int64		n[2];			/* rows with and without a fingerprint */
	BlockNumber npages;			/* of the index */
	BBTreeLayout layouts[BB_MAX_TREES];
	BBSort	   *sort;			/* or NULL */
	BBBuildProgress progress;
} BBBuildProcess;

/* scan.c */
typedef void (*BBTakeRow) (void *arg, const BBRow *row);

/* Pass the rows of the table to "take", in the order of TIDs. */
extern double bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
						   TableScanDesc scan, BBTakeRow take, void *arg);

/* phases.c */

/* Return the number of trees whose buckets are counted. */
extern int	bb_counted_trees(BBShape shape);

/* Add up the rows of all ranges, and lay out the pages of all trees. */
extern void bb_lay_out(BBBuildProcess *process);

/* Do this process's share of the work of a phase. */
extern void bb_work_in_phase(void *process, int phase);

/* build.c */

/* The entry point of a worker. */
extern PGDLLEXPORT void bitblock_build_worker(dsm_segment *segment, shm_toc *toc);

#endif							/* BITBLOCK_BUILD_STATE_H */
