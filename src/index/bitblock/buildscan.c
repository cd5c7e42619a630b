/*-------------------------------------------------------------------------
 *
 * buildscan.c
 *		Reading the rows of a new bitblock index from the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "buildscan.h"
#include "page.h"
#include "tag.h"
#include "utils/memutils.h"
#include "value.h"

/*
 * Rows of one heap page, in the order of TIDs.  The heap scan does not return them in that
 * order.
 */
typedef struct PendingRows
{
	int			n;
	BBMatch    *rows;			/* room for MaxHeapTuplesPerPage */
} PendingRows;

typedef struct RowScan
{
	BBShape		shape;
	BBTakeRow	take;
	void	   *arg;
	PendingRows pending;
	PendingRows null_pending;
	MemoryContext row_context;	/* reset after each row, because users may
								 * have written the hash functions */
} RowScan;

static void
init_pending(BBShape shape, PendingRows *pending)
{
	pending->n = 0;
	pending->rows = palloc(MaxHeapTuplesPerPage * bb_match_size(shape));
}

/*
 * Make room for a row among the pending rows; the caller fills in the fingerprint.  The heap
 * scan reads the pages in their order, but within a page it may return the root of a HOT
 * chain after a higher TID.
 */
static BBMatch *
place_for(BBShape shape, PendingRows *pending, ItemPointer tid)
{
	Size		size = bb_match_size(shape);
	int			i = pending->n++;

	while (i > 0 &&
		   bb_tid_number(&bb_match_at(shape, pending->rows, i - 1)->tid) >
		   bb_tid_number(tid))
	{
		memcpy(bb_match_at(shape, pending->rows, i),
			   bb_match_at(shape, pending->rows, i - 1), size);
		i--;
	}
	bb_match_at(shape, pending->rows, i)->tid = *tid;
	return bb_match_at(shape, pending->rows, i);
}

/* Pass the pending rows on. */
static void
flush_pending(RowScan *scan)
{
	BBShape		shape = scan->shape;

	for (int i = 0; i < scan->pending.n; i++)
	{
		BBMatch    *row = bb_match_at(shape, scan->pending.rows, i);

		scan->take(scan->arg, BB_NO_TAG, &row->tid, row->fp);
	}
	scan->pending.n = 0;
	for (int i = 0; i < scan->null_pending.n; i++)
		scan->take(scan->arg, BB_NO_TAG,
				   &bb_match_at(shape, scan->null_pending.rows, i)->tid, NULL);
	scan->null_pending.n = 0;
}

/* Is the row on another heap page than the pending rows, or is there no room for it? */
static bool
is_other_page(const PendingRows *pending, ItemPointer tid)
{
	return pending->n == MaxHeapTuplesPerPage ||
		(pending->n > 0 && ItemPointerGetBlockNumber(&pending->rows[0].tid) !=
		 ItemPointerGetBlockNumber(tid));
}

static void
ordered_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
				 bool tuple_is_alive, void *arg)
{
	RowScan    *scan = arg;

	if (is_other_page(&scan->pending, tid) || is_other_page(&scan->null_pending, tid))
		flush_pending(scan);
	if (isnull[0])
		place_for(scan->shape, &scan->null_pending, tid);
	else
		bb_value_fp(scan->shape, values[0],
					place_for(scan->shape, &scan->pending, tid)->fp);
}

/* For an index with leading columns */
static void
tagged_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
				bool tuple_is_alive, void *arg)
{
	RowScan    *scan = arg;
	BBShape		shape = scan->shape;
	MemoryContext old = MemoryContextSwitchTo(scan->row_context);
	uint32		tag = bb_row_tag(index, shape, values, isnull);
	uint64		fp[BB_MAX_WORDS];

	if (!isnull[shape.leading])
		bb_value_fp(shape, values[shape.leading], fp);
	scan->take(scan->arg, tag, tid, isnull[shape.leading] ? NULL : fp);
	MemoryContextSwitchTo(old);
	MemoryContextReset(scan->row_context);
}

/*
 * Pass the rows of the table, or of a scan that has a part of the table's pages, to "take".
 * Without leading columns they come in the order of TIDs, those without a fingerprint in the same
 * order by themselves.  With leading columns they come in any order, and "take" runs in a memory
 * context for one row.  Returns the number of rows of the table that the function has read.  A
 * scan by the caller has ended then, and does not report progress.
 */
double
bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
			 TableScanDesc scan, BBTakeRow take, void *arg)
{
	RowScan		rows = {shape, take, arg};
	bool		tagged = bb_is_tagged(shape);
	double		n;

	if (tagged)
		rows.row_context = AllocSetContextCreate(CurrentMemoryContext,
												 "bitblock build of a row",
												 ALLOCSET_SMALL_SIZES);
	else
	{
		init_pending(shape, &rows.pending);
		init_pending(shape, &rows.null_pending);
	}

	/*
	 * not a synchronized scan, because that may begin in the middle of the
	 * heap; but PostgreSQL expects the flag for the scan of a caller
	 */
	n = table_index_build_scan(heap, index, info, scan != NULL, scan == NULL,
							   tagged ? tagged_callback : ordered_callback, &rows, scan);
	if (tagged)
		MemoryContextDelete(rows.row_context);
	else
	{
		flush_pending(&rows);
		pfree(rows.pending.rows);
		pfree(rows.null_pending.rows);
	}
	return n;
}
