/*-------------------------------------------------------------------------
 *
 * temp_files.h
 *		PostgreSQL's temporary files, for the Env of src/core/.
 *
 * The files are in temp_tablespaces, count for temp_file_limit and log_temp_files, and
 * are removed after an error.  After success the owner of a TempFiles removes them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEMP_FILES_H
#define SIMHASH_TEMP_FILES_H

#include "postgres.h"

#include "core/env.h"
#include "lib/ilist.h"
#include "storage/sharedfileset.h"

typedef struct TempFiles
{
	MemoryContext context;
	dlist_head	open;
	bool		shared;			/* can other processes read the files? */
	dsm_segment *segment;		/* of shared files; NULL before the first one */
	SharedFileSet *set;
	/* do the shared files belong to another process? */
	bool		guest;
	uint32		created;		/* number of shared files so far */
} TempFiles;

/* A file of records of one size.  The last records are in the chunk until it is flushed. */
typedef struct RecordFile
{
	JoinFile   *file;
	int64		n;				/* records */
	size_t		pending;		/* bytes in the chunk */
	char		chunk[1024];
} RecordFile;

extern TempFiles *temp_files_begin(bool shared);
extern void temp_files_end(TempFiles *files);

/* Functions of an Env. */
extern JoinFile *temp_file_create(void *temp_files);
extern void temp_file_append(JoinFile *file, const void *data, size_t size);
extern void temp_file_read(JoinFile *file, uint64_t offset, void *data, size_t size);
extern void temp_file_remove(JoinFile *file);

/* Shared files. */
extern TempFiles *temp_files_of_set(SharedFileSet *set);
extern dsm_handle temp_files_handle(const TempFiles *files);
extern TempFiles *temp_files_attach(dsm_handle handle);
extern JoinFile *temp_file_create_named(TempFiles *files, const char *name);
extern void temp_file_publish(JoinFile *file);
extern JoinFile *temp_file_open(TempFiles *files, const char *name);
extern const char *temp_file_name(const JoinFile *file);

static inline void
record_file_flush(RecordFile *file)
{
	temp_file_append(file->file, file->chunk, file->pending);
	file->pending = 0;
}

/* Add a record; the caller writes its "size" bytes, which are not aligned. */
static inline char *
record_file_add(RecordFile *file, size_t size)
{
	char	   *record;

	if (file->pending + size > sizeof(file->chunk))
		record_file_flush(file);
	record = file->chunk + file->pending;
	file->pending += size;
	file->n++;
	return record;
}

#endif							/* SIMHASH_TEMP_FILES_H */
