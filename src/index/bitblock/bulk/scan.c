/*-------------------------------------------------------------------------
 *
 * scan.c
 *		Reading the rows of a new bitblock index from the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "build_state.h"
#include "index/bitblock/store/page.h"
#include "utils/memutils.h"

typedef struct RowScan
{
	BBShape		shape;
	BBTakeRow	take;
	void	   *arg;
	/* reset after each row, because a user's hash function may leak memory */
	MemoryContext row_context;
	int			n;
	char	   *rows;			/* of the current page, in the order of TIDs */
} RowScan;

/* The size of a BBRow without the words that fingerprints of this width do not use. */
static inline Size
row_size(BBShape shape)
{
	return offsetof(BBRow, fp) + shape.words * sizeof(uint64);
}

/*
 * Row i of the current page.  The array has no room for unused words of fingerprints, so
 * more rows fit in the processor's cache.
 */
static inline BBRow *
row_at(const RowScan *scan, int i)
{
	return (BBRow *) (scan->rows + i * row_size(scan->shape));
}

/* Pass the rows of the current page to the caller's function. */
static void
flush_rows(RowScan *scan)
{
	for (int i = 0; i < scan->n; i++)
		scan->take(scan->arg, row_at(scan, i));
	scan->n = 0;
}

/*
 * Collect a row of the table, and keep the rows of its page in the order of TIDs.  The
 * heap scan reads the pages in order, but within a page it may return a HOT chain, which
 * has the TID of its root, after a row with a higher TID.
 */
static void
row_callback(Relation index, ItemPointer tid, Datum *values, bool *isnull,
			 bool tuple_is_alive, void *arg)
{
	RowScan    *scan = arg;
	MemoryContext old;
	int			i;

	if (scan->n == MaxHeapTuplesPerPage ||
		(scan->n > 0 && ItemPointerGetBlockNumber(&row_at(scan, 0)->tid) !=
		 ItemPointerGetBlockNumber(tid)))
		flush_rows(scan);
	for (i = scan->n; i > 0 && ItemPointerCompare(&row_at(scan, i - 1)->tid, tid) > 0; i--)
		memcpy(row_at(scan, i), row_at(scan, i - 1), row_size(scan->shape));
	old = MemoryContextSwitchTo(scan->row_context);
	bb_read_row(index, scan->shape, values, isnull, tid, row_at(scan, i));
	MemoryContextSwitchTo(old);
	MemoryContextReset(scan->row_context);
	scan->n++;
}

/*
 * Pass the rows of the table to "take", in the order of TIDs.  If scan is not NULL, read
 * only the pages of that scan, end the scan, and report no progress.  Returns the number
 * of rows of the table that were read.
 */
double
bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
			 TableScanDesc scan, BBTakeRow take, void *arg)
{
	RowScan		rows = {shape, take, arg};
	double		n;

	rows.row_context = AllocSetContextCreate(CurrentMemoryContext, "bitblock build of a row",
											 ALLOCSET_SMALL_SIZES);
	rows.rows = palloc(MaxHeapTuplesPerPage * row_size(shape));

	/*
	 * Allow no synchronized scan, because it may begin in the middle of the
	 * heap.  But if the caller has begun the scan, PostgreSQL requires the
	 * flag.
	 */
	n = table_index_build_scan(heap, index, info, scan != NULL, scan == NULL, row_callback, &rows,
							   scan);
	flush_rows(&rows);
	MemoryContextDelete(rows.row_context);
	pfree(rows.rows);
	return n;
}
