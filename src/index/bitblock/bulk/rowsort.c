/*-------------------------------------------------------------------------
 *
 * rowsort.c
 *		Sorting the rows of a new index with leading columns.
 *
 * The heap is not in the order of tags, but the row tree and the tree of rows without a
 * fingerprint are.  This file sorts rows for one of these trees, with PostgreSQL's
 * tuplesort.  From the row tree the build then sorts the windows of each tag (sort.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "port/pg_bswap.h"
#include "rowsort.h"
#include "server/compat.h"
#include "utils/tuplesort.h"

struct BBRowSort
{
	BBShape		shape;
	int			tree;
	bool		windows;		/* do entries have a window? */
	int			words;			/* of the fingerprint after the key, or 0 */
	Tuplesortstate *sort;
};

/*
 * A row is sorted as a bytea.  It contains the tag, the window (if the entries of the
 * tree have one) and the TID, each with the most significant byte first, and then the
 * fingerprint (if the entries store it whole).  So the order of the bytes is the order of
 * the tree.
 */
#define TAG_SIZE				sizeof(uint32)
#define TID_SIZE				6

static inline Size
size_of_key(const BBRowSort *sort)
{
	return TAG_SIZE + (sort->windows ? sizeof(BBWindow) : 0) + TID_SIZE;
}

/*
 * Begin a sort of rows for the row tree, or for the tree of rows without a fingerprint.
 * The sort is allocated in the current memory context.  It uses about memory_kb of
 * memory, and files beyond that.
 */
BBRowSort *
bb_row_sort_begin(BBShape shape, int tree, int memory_kb)
{
	BBRowSort  *sort = palloc(sizeof(BBRowSort));

	sort->shape = shape;
	sort->tree = tree;
	sort->windows = tree < shape.blocks;
	sort->words = bb_is_row_tree(shape, tree) ? shape.words : 0;
	sort->sort = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid,
									   false, memory_kb, NULL, false);
	return sort;
}

/* Add a row.  The order in which rows are added does not matter. */
void
bb_row_sort_put(BBRowSort *sort, const BBRow *row)
{
	Size		size = VARHDRSZ + size_of_key(sort) + sort->words * sizeof(uint64);
	bytea	   *bytes = palloc(size);
	char	   *at = VARDATA(bytes);
	uint32		tag = pg_hton32(row->tag);
	uint64		tid = pg_hton64(bb_tid_number(&row->tid) << 16);

	SET_VARSIZE(bytes, size);
	memcpy(at, &tag, TAG_SIZE);
	at += TAG_SIZE;
	if (sort->windows)
	{
		BBWindow	window = pg_hton64(bb_window(sort->shape, row->fp, sort->tree));

		memcpy(at, &window, sizeof(BBWindow));
		at += sizeof(BBWindow);
	}
	memcpy(at, &tid, TID_SIZE);
	memcpy(at + TID_SIZE, row->fp, sort->words * sizeof(uint64));
	tuplesort_putdatum(sort->sort, PointerGetDatum(bytes), false);
	pfree(bytes);
}

/* Sort the rows.  No row may be added after this. */
void
bb_row_sort_perform(BBRowSort *sort)
{
	tuplesort_performsort(sort->sort);
}

/*
 * Return in *key the key of the next row in the order of the tree, and in *fp its
 * fingerprint if the entries of the tree store it whole.  Returns false at the end.
 */
bool
bb_row_sort_next(BBRowSort *sort, BBKey *key, uint64 *fp)
{
	Datum		value;
	bool		isnull;
	const char *at;
	uint32		tag;
	uint64		tid = 0;

	if (!tuplesort_getdatum(sort->sort, true, true, &value, &isnull, NULL))
		return false;
	at = VARDATA(DatumGetPointer(value));
	memcpy(&tag, at, TAG_SIZE);
	at += TAG_SIZE;
	key->tag = pg_ntoh32(tag);
	key->window = BB_NULL_WINDOW;
	if (sort->windows)
	{
		memcpy(&key->window, at, sizeof(BBWindow));
		key->window = pg_ntoh64(key->window);
		at += sizeof(BBWindow);
	}
	memcpy(&tid, at, TID_SIZE);
	key->tid = pg_ntoh64(tid) >> 16;
	memcpy(fp, at + TID_SIZE, sort->words * sizeof(uint64));
	pfree(DatumGetPointer(value));
	return true;
}

void
bb_row_sort_end(BBRowSort *sort)
{
	tuplesort_end(sort->sort);
	pfree(sort);
}
