/*-------------------------------------------------------------------------
 *
 * build_scan.c
 *		Reading the rows of a new bitblock index from the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "build.h"
#include "page.h"
#include "utils/memutils.h"

typedef struct RowScan
{
	BBShape		shape;
	BBTakeRow	take;
	void	   *arg;
	MemoryContext row_context;	/* reset after each row, because users may
								 * have written the hash functions */
	int			n;
	char	   *rows;			/* of the present page, in the order of TIDs */
} RowScan;

/* Row i of the present page.  Rows stand close together, for the processor's cache. */
static inline BBRow *
row_at(const RowScan *scan, int i)
{
	return (BBRow *) (scan->rows + i * bb_row_size(scan->shape));
}

/* Pass the rows of the present page on. */
static void
flush_rows(RowScan *scan)
{
	for (int i = 0; i < scan->n; i++)
		scan->take(scan->arg, row_at(scan, i));
	scan->n = 0;
}

/*
 * Take a row of the table.  The heap scan reads the pages in their order, but within a page it may
 * return the root of a HOT chain after a higher TID.
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
		memcpy(row_at(scan, i), row_at(scan, i - 1), bb_row_size(scan->shape));
	old = MemoryContextSwitchTo(scan->row_context);
	bb_read_row(index, scan->shape, values, isnull, tid, row_at(scan, i));
	MemoryContextSwitchTo(old);
	MemoryContextReset(scan->row_context);
	scan->n++;
}

/*
 * Pass the rows of the table, or of a scan that has a part of the table's pages, to "take", in the
 * order of TIDs.  Returns the number of rows of the table that the function has read.  A scan by
 * the caller has ended then, and does not report progress.
 */
double
bb_scan_rows(Relation heap, Relation index, IndexInfo *info, BBShape shape,
			 TableScanDesc scan, BBTakeRow take, void *arg)
{
	RowScan		rows = {shape, take, arg};
	double		n;

	rows.row_context = AllocSetContextCreate(CurrentMemoryContext, "bitblock build of a row",
											 ALLOCSET_SMALL_SIZES);
	rows.rows = palloc(MaxHeapTuplesPerPage * bb_row_size(shape));

	/*
	 * not a synchronized scan, because that may begin in the middle of the
	 * heap; but PostgreSQL expects the flag for the scan of a caller
	 */
	n = table_index_build_scan(heap, index, info, scan != NULL, scan == NULL, row_callback, &rows,
							   scan);
	flush_rows(&rows);
	MemoryContextDelete(rows.row_context);
	pfree(rows.rows);
	return n;
}
