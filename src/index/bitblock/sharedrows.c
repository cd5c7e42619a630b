/*-------------------------------------------------------------------------
 *
 * sharedrows.c
 *		The rows of a new bitblock index in temporary files that several processes read.
 *
 * In a parallel build each process writes the rows of its ranges of the table to files of its
 * own: one for rows with a fingerprint, one for the others.  When all have ended, any process
 * reads the rows of successive ranges in the order of the ranges.  Each file is read from its
 * front to its end, because a process takes its ranges in ascending order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "sharedrows.h"
#include "storage/buffile.h"
#include "tag.h"

/* The size of the part of a file that is in memory */
#define CHUNK_SIZE				(32 * 1024)

/* A row in a file: the fingerprint, the TID, and in an index with leading columns the tag */
static Size
record_size(BBShape shape, int kind)
{
	return (kind == BB_FILLED ? shape.words * sizeof(uint64) : 0) + sizeof(ItemPointerData) +
		(bb_is_tagged(shape) ? sizeof(uint32) : 0);
}

/* Copy a fingerprint from or to a record, where it has no alignment. */
static inline void
copy_words(BBShape shape, char *to, const char *from)
{
	for (int i = 0; i < shape.words; i++)
		memcpy(to + i * sizeof(uint64), from + i * sizeof(uint64), sizeof(uint64));
}

static void
file_name(char *name, int kind, int process)
{
	snprintf(name, MAXPGPATH, "%s.%d", kind == BB_FILLED ? "rows" : "nulls", process);
}

/* ----------
 * Writing
 * ----------
 */

typedef struct RowFile
{
	BufFile    *file;			/* NULL: there are no rows yet */
	Size		record;
	int			pending;		/* bytes in the chunk */
	int64		n;				/* rows so far */
	char		chunk[CHUNK_SIZE];
} RowFile;

struct BBRowWriter
{
	BBShape		shape;
	SharedFileSet *files;
	int			process;
	RowFile		of_kind[2];
};

BBRowWriter *
bb_row_writer_begin(BBShape shape, SharedFileSet *files, int process)
{
	BBRowWriter *writer = palloc0(sizeof(BBRowWriter));

	writer->shape = shape;
	writer->files = files;
	writer->process = process;
	for (int kind = 0; kind < 2; kind++)
		writer->of_kind[kind].record = record_size(shape, kind);
	return writer;
}

static void
flush_file(BBRowWriter *writer, int kind)
{
	RowFile    *file = &writer->of_kind[kind];
	char		name[MAXPGPATH];

	if (file->file == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(writer));

		file_name(name, kind, writer->process);
		file->file = create_shared_file(writer->files, name);
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(file->file, file->chunk, file->pending);
	file->pending = 0;
}

/* Put a row.  fp is NULL if it has no fingerprint. */
void
bb_row_writer_put(BBRowWriter *writer, uint32 tag, const ItemPointerData *tid, const uint64 *fp)
{
	int			kind = fp == NULL ? BB_NULL : BB_FILLED;
	RowFile    *file = &writer->of_kind[kind];
	char	   *at = file->chunk + file->pending;

	if (fp != NULL)
	{
		copy_words(writer->shape, at, (const char *) fp);
		at += writer->shape.words * sizeof(uint64);
	}
	memcpy(at, tid, sizeof(ItemPointerData));
	if (bb_is_tagged(writer->shape))
		memcpy(at + sizeof(ItemPointerData), &tag, sizeof(uint32));
	file->n++;
	file->pending += file->record;
	if (file->pending + file->record > CHUNK_SIZE)
		flush_file(writer, kind);
}

/* Note the process and the number of rows so far as the beginning of a range. */
void
bb_row_writer_note(const BBRowWriter *writer, BBRowRange *range)
{
	range->process = writer->process;
	for (int kind = 0; kind < 2; kind++)
		range->first[kind] = writer->of_kind[kind].n;
}

/* Let other processes read the files. */
void
bb_row_writer_end(BBRowWriter *writer)
{
	for (int kind = 0; kind < 2; kind++)
	{
		if (writer->of_kind[kind].n == 0)
			continue;
		if (writer->of_kind[kind].pending > 0)
			flush_file(writer, kind);
		export_shared_file(writer->of_kind[kind].file);
		BufFileClose(writer->of_kind[kind].file);
	}
	pfree(writer);
}

/* ----------
 * Reading
 * ----------
 */

struct BBRowReader
{
	BBShape		shape;
	SharedFileSet *files;
	int			kind;
	Size		record;
	const BBRowRange *ranges;	/* of all processes */
	int			range;			/* the present range */
	int			to;				/* the range behind the last one */
	int64		left;			/* rows of the present range not in the chunk */
	int			nopen;
	BufFile   **open;			/* by the number of the process, or NULL */
	int			next;			/* the next byte of the chunk */
	int			end;			/* of the chunk */
	char		chunk[CHUNK_SIZE];
};

/* Begin to read the rows of one kind of the ranges from .. to - 1. */
BBRowReader *
bb_row_reader_begin(BBShape shape, SharedFileSet *files, int kind, const BBRowRange *ranges,
					int from, int to)
{
	BBRowReader *reader = palloc(sizeof(BBRowReader));

	reader->shape = shape;
	reader->files = files;
	reader->kind = kind;
	reader->record = record_size(shape, kind);
	reader->ranges = ranges;
	reader->range = from - 1;
	reader->to = to;
	reader->left = 0;
	reader->nopen = 0;
	for (int i = from; i < to; i++)
		reader->nopen = Max(reader->nopen, ranges[i].process + 1);
	reader->open = palloc0(Max(reader->nopen, 1) * sizeof(BufFile *));
	reader->next = reader->end = 0;
	return reader;
}

static void
report_read_error(void)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not read temporary file of an index build")));
}

/* The file of the present range.  It is at the range's first row. */
static BufFile *
file_of_range(BBRowReader *reader)
{
	const BBRowRange *range = &reader->ranges[reader->range];
	BufFile   **file = &reader->open[range->process];

	if (*file == NULL)
	{
		char		name[MAXPGPATH];

		file_name(name, reader->kind, range->process);
		*file = open_shared_file(reader->files, name);
		if (BufFileSeek(*file, 0, range->first[reader->kind] * reader->record, SEEK_SET) != 0)
			report_read_error();
	}
	return *file;
}

/* Load the next rows; false if there are none. */
static bool
load_chunk(BBRowReader *reader)
{
	int64		n;

	CHECK_FOR_INTERRUPTS();
	while (reader->left == 0)
	{
		if (reader->range + 1 >= reader->to)
			return false;
		reader->left = reader->ranges[++reader->range].n[reader->kind];
	}
	n = Min(reader->left, CHUNK_SIZE / reader->record);
	reader->next = 0;
	reader->end = n * reader->record;
	if (BufFileRead(file_of_range(reader), reader->chunk, reader->end) != reader->end)
		report_read_error();
	reader->left -= n;
	return true;
}

/* The next row; false at the end.  fp is not set for rows without a fingerprint. */
bool
bb_row_reader_next(BBRowReader *reader, uint32 *tag, ItemPointerData *tid, uint64 *fp)
{
	const char *at;

	if (reader->next == reader->end && !load_chunk(reader))
		return false;
	at = reader->chunk + reader->next;
	reader->next += reader->record;
	if (reader->kind == BB_FILLED)
	{
		copy_words(reader->shape, (char *) fp, at);
		at += reader->shape.words * sizeof(uint64);
	}
	memcpy(tid, at, sizeof(ItemPointerData));
	*tag = BB_NO_TAG;
	if (bb_is_tagged(reader->shape))
		memcpy(tag, at + sizeof(ItemPointerData), sizeof(uint32));
	return true;
}

void
bb_row_reader_end(BBRowReader *reader)
{
	for (int i = 0; i < reader->nopen; i++)
		if (reader->open[i] != NULL)
			BufFileClose(reader->open[i]);
	pfree(reader->open);
	pfree(reader);
}
