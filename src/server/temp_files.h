/*-------------------------------------------------------------------------
 *
 * temp_files.h
 *		PostgreSQL's temporary files, for the JoinEnv of core/join/.
 *
 * The files are in temp_tablespaces, count for temp_file_limit and log_temp_files, and are
 * removed after an error.  After success the owner of a TempFiles removes them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEMP_FILES_H
#define SIMHASH_TEMP_FILES_H

#include "postgres.h"

#include "core/join/join_env.h"
#include "lib/ilist.h"
#include "utils/resowner.h"

typedef struct TempFiles
{
	MemoryContext context;
	ResourceOwner owner;		/* lives as long as the call */
	dlist_head	open;
} TempFiles;

extern TempFiles *temp_files_begin(void);
extern void temp_files_end(TempFiles *files);
extern JoinFile *temp_file_create(void *temp_files);
extern void temp_file_append(JoinFile *file, const void *data, size_t size);
extern void temp_file_read(JoinFile *file, uint64_t offset, void *data, size_t size);
extern void temp_file_rewind(JoinFile *file);
extern void temp_file_remove(JoinFile *file);

#endif							/* SIMHASH_TEMP_FILES_H */
