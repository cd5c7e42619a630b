/*-------------------------------------------------------------------------
 *
 * build.h
 *		Building a bitblock index: what build.c, build_scan.c and build_parallel.c share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUILD_H
#define BITBLOCK_BUILD_H

#include "access/genam.h"
#include "access/parallel.h"
#include "access/tableam.h"
#include "column_value.h"
#include "nodes/execnodes.h"

/* Phases in pg_stat_progress_create_index; phase 1 is PostgreSQL's own */
#define BB_PHASE_SCAN			2
#define BB_PHASE_SORT			3
#define BB_PHASE_PARALLEL		4	/* all window trees at once */
#define BB_PHASE_TREES			5	/* first of the window trees' phases */

/* build_scan.c */
typedef void (*BBTakeRow) (void *arg, const BBRow *row);

extern double bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
						   TableScanDesc scan, BBTakeRow take, void *arg);

/* build_parallel.c */
extern bool bb_build_parallel(Relation heap, Relation index, IndexInfo *info, BBShape shape,
							  IndexBuildResult *result);
extern PGDLLEXPORT void bitblock_build_worker(dsm_segment *segment, shm_toc *toc);

#endif							/* BITBLOCK_BUILD_H */
