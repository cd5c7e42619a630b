/*-------------------------------------------------------------------------
 *
 * bitblock.h
 *		The entry points of index access method bitblock.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_H
#define BITBLOCK_H

#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/pathnodes.h"
#include "server/compat.h"

/* build/build.c */
extern IndexBuildResult *bb_build(Relation heap, Relation index,
								  struct IndexInfo *info);
extern void bb_buildempty(Relation index);
extern char *bb_buildphasename(int64 phase);

/* insert.c */
extern bool bb_insert(Relation index, Datum *values, bool *isnull,
					  ItemPointer tid, Relation heap,
					  IndexUniqueCheck check_unique,
					  bool index_unchanged,
					  struct IndexInfo *info);

/* scan.c */
extern IndexScanDesc bb_beginscan(Relation index, int nkeys, int norderbys);
extern void bb_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
					  ScanKey orderbys, int norderbys);
extern bool bb_gettuple(IndexScanDesc scan, ScanDirection direction);
extern int64 bb_getbitmap(IndexScanDesc scan, TIDBitmap *tbm);
extern void bb_endscan(IndexScanDesc scan);
extern bool bb_canreturn(Relation index, int attno);
extern void bb_set_explained(void);
extern bool bb_is_explained(void);
extern const struct BBCounts *bb_scan_counts(IndexScanDesc scan);

/* explain_search.c */
extern void bb_define_explain(void);

/* vacuum.c */
extern IndexBulkDeleteResult *bb_bulkdelete(IndexVacuumInfo *info,
											IndexBulkDeleteResult *stats,
											IndexBulkDeleteCallback callback,
											void *callback_state);
extern IndexBulkDeleteResult *bb_vacuumcleanup(IndexVacuumInfo *info,
											   IndexBulkDeleteResult *stats);

/* cost.c */
extern void bb_costestimate(PlannerInfo *root, IndexPath *path,
							double loop_count, Cost *startup, Cost *total,
							Selectivity *selectivity, double *correlation,
							double *pages);

#endif							/* BITBLOCK_H */
