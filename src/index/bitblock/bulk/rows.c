/*-------------------------------------------------------------------------
 *
 * rows.c
 *		The rows of a new bitblock index in temporary files that several processes read.
 *
 * Each process writes the rows of its ranges of the table to two files of its own: one
 * for rows with a fingerprint, one for rows without.  When all processes have finished,
 * any process can read the rows of successive ranges, in the order of the ranges.  This
 * reads each file from its beginning to its end, because a process scans its ranges in
 * ascending order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "index/bitblock/store/leading_hash.h"
#include "rows.h"

/* Read files in chunks of at most this size */
#define CHUNK_SIZE				(32 * 1024)

struct BBSharedRows
{
	BBShape		shape;
	TempFiles  *files;
	Size		record[2];		/* size of a row in a file, by kind */

	/* while the process writes */
	BBRowRange *range;			/* the current one, or NULL */
	RecordFile	written[2];

	/* while it reads */
	JoinFile  **open[2];		/* by process number; NULL if not open */
	int			kind;
	const BBRowRange *next_range;
	int			nranges;		/* ranges that are left, from next_range on */
	/* rows of the range before next_range that have not been loaded */
	int64		left;
	Size		next;			/* the next byte of the chunk */
	Size		end;			/* of the chunk */
	char		chunk[CHUNK_SIZE];
};

/*
 * Begin to write and read rows in "files", which this process uses alone or shares with
 * others. bb_shared_rows_end frees "files".
 */
BBSharedRows *
bb_shared_rows_begin(BBShape shape, TempFiles *files, int processes)
{
	BBSharedRows *rows = palloc0(sizeof(BBSharedRows));

	rows->shape = shape;
	rows->files = files;
	for (int kind = 0; kind < 2; kind++)
	{
		/*
		 * the fingerprint, the TID, and in an index with leading columns the
		 * tag
		 */
		rows->record[kind] = (kind == BB_FILLED ? shape.words * sizeof(uint64) : 0) +
			sizeof(ItemPointerData) + (bb_is_tagged(shape) ? sizeof(uint32) : 0);
		rows->open[kind] = palloc0(processes * sizeof(JoinFile *));
	}
	return rows;
}

void
bb_shared_rows_end(BBSharedRows *rows)
{
	temp_files_end(rows->files);
	pfree(rows->files);
	pfree(rows);
}

static const char *
file_name(char *name, int kind, int process)
{
	snprintf(name, NAMEDATALEN, "%s.%d", kind == BB_FILLED ? "rows" : "nulls", process);
	return name;
}

/* Copy a fingerprint from or to a record, where it has no alignment. */
static inline void
copy_words(BBShape shape, char *to, const char *from)
{
	for (int i = 0; i < shape.words; i++)
		memcpy(to + i * sizeof(uint64), from + i * sizeof(uint64), sizeof(uint64));
}

/* ----------
 * Writing
 * ----------
 */

/* Begin a range of the table.  The rows that this process puts from now on belong to it. */
void
bb_shared_rows_begin_range(BBSharedRows *rows, int process, BBRowRange *range)
{
	char		name[NAMEDATALEN];

	range->process = process;
	for (int kind = 0; kind < 2; kind++)
	{
		if (rows->range == NULL)
			rows->written[kind].file = temp_file_create_named(rows->files,
															  file_name(name, kind, process));
		range->first[kind] = rows->written[kind].n;
	}
	rows->range = range;
}

void
bb_shared_rows_put(BBSharedRows *rows, const BBRow *row)
{
	int			kind = row->isnull ? BB_NULL : BB_FILLED;
	char	   *at = record_file_add(&rows->written[kind], rows->record[kind]);

	rows->range->n[kind]++;
	if (kind == BB_FILLED)
	{
		copy_words(rows->shape, at, (const char *) row->fp);
		at += rows->shape.words * sizeof(uint64);
	}
	memcpy(at, &row->tid, sizeof(ItemPointerData));
	if (bb_is_tagged(rows->shape))
		memcpy(at + sizeof(ItemPointerData), &row->tag, sizeof(uint32));
}

void
bb_shared_rows_publish(BBSharedRows *rows)
{
	for (int kind = 0; kind < 2; kind++)
		if (rows->written[kind].n > 0)
		{
			record_file_flush(&rows->written[kind]);
			if (rows->files->shared)
				temp_file_publish(rows->written[kind].file);
			else
				rows->open[kind][rows->range->process] = rows->written[kind].file;
		}
}

/* ----------
 * Reading
 * ----------
 */

void
bb_shared_rows_read(BBSharedRows *rows, int kind, const BBRowRange *ranges, int n)
{
	rows->kind = kind;
	rows->next_range = ranges;
	rows->nranges = n;
	rows->left = 0;
	rows->next = rows->end = 0;
}

/*
 * Load the next chunk of rows.  Returns false at the end.  This is not inlined, because
 * it would slow down bb_shared_rows_next for each row.
 */
static pg_noinline bool
load_chunk(BBSharedRows *rows)
{
	int			kind = rows->kind;
	Size		record = rows->record[kind];
	const BBRowRange *range;
	JoinFile  **file;
	int64		n;
	char		name[NAMEDATALEN];

	for (; rows->left == 0; rows->nranges--)
	{
		if (rows->nranges == 0)
			return false;
		rows->left = rows->next_range++->n[kind];
	}
	range = rows->next_range - 1;
	file = &rows->open[kind][range->process];
	if (*file == NULL)
		*file = temp_file_open(rows->files, file_name(name, kind, range->process));
	n = Min(rows->left, (int64) (CHUNK_SIZE / record));
	rows->next = 0;
	rows->end = n * record;
	temp_file_read(*file, (range->first[kind] + range->n[kind] - rows->left) * record,
				   rows->chunk, rows->end);
	rows->left -= n;
	return true;
}

/* Read the next row.  Returns false at the end. */
bool
bb_shared_rows_next(BBSharedRows *rows, BBRow *row)
{
	const char *at;

	if (rows->next == rows->end && !load_chunk(rows))
		return false;
	at = rows->chunk + rows->next;
	rows->next += rows->record[rows->kind];
	row->isnull = rows->kind == BB_NULL;
	if (!row->isnull)
	{
		copy_words(rows->shape, (char *) row->fp, at);
		at += rows->shape.words * sizeof(uint64);
	}
	memcpy(&row->tid, at, sizeof(ItemPointerData));
	row->tag = BB_NO_TAG;
	if (bb_is_tagged(rows->shape))
		memcpy(&row->tag, at + sizeof(ItemPointerData), sizeof(uint32));
	return true;
}
