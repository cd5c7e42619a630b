/*-------------------------------------------------------------------------
 *
 * temp_files.c
 *		PostgreSQL's temporary files; see temp_files.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "storage/buffile.h"
#include "temp_files.h"
#include "utils/memutils.h"

struct JoinFile
{
	dlist_node	node;
	TempFiles  *home;
	BufFile    *file;
	uint64		size;
	uint64		position;
};

/* Files of the current memory context and resource owner */
TempFiles *
temp_files_begin(void)
{
	TempFiles  *files = palloc(sizeof(TempFiles));

	files->context = CurrentMemoryContext;
	files->owner = CurrentResourceOwner;
	dlist_init(&files->open);
	return files;
}

/* Remove all files that are left. */
void
temp_files_end(TempFiles *files)
{
	while (!dlist_is_empty(&files->open))
		temp_file_remove(dlist_head_element(JoinFile, node, &files->open));
}

JoinFile *
temp_file_create(void *temp_files)
{
	TempFiles  *files = temp_files;
	MemoryContext old = MemoryContextSwitchTo(files->context);
	ResourceOwner owner = CurrentResourceOwner;
	JoinFile   *file = palloc0(sizeof(JoinFile));

	file->home = files;
	CurrentResourceOwner = files->owner;
	PG_TRY();
	{
		file->file = BufFileCreateTemp(false);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = owner;
	}
	PG_END_TRY();
	dlist_push_head(&files->open, &file->node);
	MemoryContextSwitchTo(old);
	return file;
}

static void
go_to(JoinFile *file, uint64 position)
{
	if (file->position != position &&
		BufFileSeek(file->file, 0, (off_t) position, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in temporary file")));
	file->position = position;
}

void
temp_file_append(JoinFile *file, const void *data, size_t size)
{
	go_to(file, file->size);
	/* older servers take a pointer to what they do not change */
	BufFileWrite(file->file, unconstify(void *, data), size);
	file->size += size;
	file->position += size;
}

void
temp_file_read(JoinFile *file, uint64_t offset, void *data, size_t size)
{
	go_to(file, offset);
	if (BufFileRead(file->file, data, size) != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from temporary file")));
	file->position += size;
}

void
temp_file_rewind(JoinFile *file)
{
	file->size = 0;
}

void
temp_file_remove(JoinFile *file)
{
	dlist_delete(&file->node);
	BufFileClose(file->file);
	pfree(file);
}
