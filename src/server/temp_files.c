/*-------------------------------------------------------------------------
 *
 * temp_files.c
 *		PostgreSQL's temporary files; see temp_files.h.
 *
 * A file is in memory until it is large, or until another process must read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "temp_files.h"
#include "utils/memutils.h"

/* A file that becomes larger than this is written to disk. */
#define MOST_MEMORY		(64 * 1024)

/* Bytes that are read between two checks for interrupts */
#define READ_AT_ONCE	((size_t) 16 * 1024 * 1024)

struct JoinFile
{
	dlist_node	node;
	TempFiles  *home;
	char	   *memory;			/* of a file that is not on disk, or NULL */
	size_t		room;
	BufFile    *file;			/* NULL: not on disk */
	uint64		size;
	uint64		position;		/* on disk */
	char		name[NAMEDATALEN];	/* of a shared file */
	bool		published;		/* can other processes open it? */
};

/*
 * Begin a set of temporary files in the current memory context.  Each file belongs to the
 * resource owner that is current when it is created.
 */
TempFiles *
temp_files_begin(bool shared)
{
	TempFiles  *files = palloc0(sizeof(TempFiles));

	files->context = CurrentMemoryContext;
	files->shared = shared;
	dlist_init(&files->open);
	return files;
}

/*
 * Remove all files that are left.  A process that uses another process's files only
 * closes those that it has published or opened.
 */
void
temp_files_end(TempFiles *files)
{
	while (!dlist_is_empty(&files->open))
		temp_file_remove(dlist_head_element(JoinFile, node, &files->open));
	if (files->segment != NULL)
		dsm_detach(files->segment);
	files->segment = NULL;
	files->set = NULL;
}

/*
 * Create the shared memory by which other processes find the files.  If there is none
 * left, the files are for this process only.
 */
static void
make_file_set(TempFiles *files)
{
	files->segment = dsm_create(sizeof(SharedFileSet), DSM_CREATE_NULL_IF_MAXSEGMENTS);
	files->shared = files->segment != NULL;
	if (!files->shared)
		return;
	files->set = dsm_segment_address(files->segment);
	SharedFileSetInit(files->set, files->segment);
}

/* Make a file, which is empty and in memory.  Without a name it is for this process only. */
static JoinFile *
make_file(TempFiles *files, const char *name)
{
	JoinFile   *file = MemoryContextAllocZero(files->context, sizeof(JoinFile));

	file->home = files;
	if (name != NULL)
		strlcpy(file->name, name, NAMEDATALEN);
	dlist_push_head(&files->open, &file->node);
	return file;
}

/* Create a file on disk or, if "create" is false, open another process's file. */
static void
open_on_disk(JoinFile *file, bool create)
{
	TempFiles  *files = file->home;
	MemoryContext old = MemoryContextSwitchTo(files->context);

	if (file->name[0] != '\0' && files->shared && files->set == NULL)
		make_file_set(files);
	if (file->name[0] == '\0' || !files->shared)
	{
		file->name[0] = '\0';
		file->file = BufFileCreateTemp(false);
	}
	else
		file->file = create ? create_shared_file(files->set, file->name) :
			open_shared_file(files->set, file->name);
	MemoryContextSwitchTo(old);
}

JoinFile *
temp_file_create(void *temp_files)
{
	TempFiles  *files = temp_files;
	char		name[NAMEDATALEN];

	if (!files->shared)
		return make_file(files, NULL);
	snprintf(name, NAMEDATALEN, "file.%u", files->created++);
	return make_file(files, name);
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

static void
write_on_disk(JoinFile *file, const void *data, size_t size)
{
	CHECK_FOR_INTERRUPTS();
	go_to(file, file->size);
	/* older servers do not declare the parameter as const */
	BufFileWrite(file->file, unconstify(void *, data), size);
	file->size += size;
	file->position += size;
}

/* Write a file that is in memory to disk. */
static void
move_to_disk(JoinFile *file)
{
	size_t		size = (size_t) file->size;

	open_on_disk(file, true);
	file->size = 0;
	if (size > 0)
		write_on_disk(file, file->memory, size);
	if (file->memory != NULL)
		pfree(file->memory);
	file->memory = NULL;
}

void
temp_file_append(JoinFile *file, const void *data, size_t size)
{
	if (file->file == NULL && file->size + size > MOST_MEMORY)
		move_to_disk(file);
	if (file->file != NULL)
	{
		write_on_disk(file, data, size);
		return;
	}
	if (file->size + size > file->room)
	{
		file->room = Max(2 * file->room, file->size + size);
		file->memory = file->memory == NULL ?
			MemoryContextAlloc(file->home->context, file->room) :
			repalloc(file->memory, file->room);
	}
	if (size > 0)
		memcpy(file->memory + file->size, data, size);
	file->size += size;
}

void
temp_file_read(JoinFile *file, uint64_t offset, void *data, size_t size)
{
	if (file->file == NULL)
	{
		if (size > 0)
			memcpy(data, file->memory + offset, size);
		return;
	}
	go_to(file, offset);
	for (size_t n; size > 0; size -= n)
	{
		n = Min(size, READ_AT_ONCE);
		CHECK_FOR_INTERRUPTS();
		if (BufFileRead(file->file, data, n) != n)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read from temporary file")));
		file->position += n;
		data = (char *) data + n;
	}
}

void
temp_file_remove(JoinFile *file)
{
	dlist_delete(&file->node);
	if (file->file != NULL)
	{
		BufFileClose(file->file);
		if (file->name[0] != '\0' && !(file->home->guest && file->published))
			delete_shared_file(file->home->set, file->name);
	}
	if (file->memory != NULL)
		pfree(file->memory);
	pfree(file);
}

/* ----------
 * Shared files
 * ----------
 */

/* Use the files of a set that processes share.  PostgreSQL deletes them with the set. */
TempFiles *
temp_files_of_set(SharedFileSet *set)
{
	TempFiles  *files = temp_files_begin(true);

	files->guest = true;
	files->set = set;
	return files;
}

/* Return a handle for temp_files_attach, after the first shared file has been written to disk. */
dsm_handle
temp_files_handle(const TempFiles *files)
{
	return dsm_segment_handle(files->segment);
}

/* Use the files of another process, which must keep them until this process has ended. */
TempFiles *
temp_files_attach(dsm_handle handle)
{
	dsm_segment *segment = dsm_attach(handle);
	TempFiles  *files;

	if (segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not map dynamic shared memory segment")));
	files = temp_files_of_set(dsm_segment_address(segment));
	files->segment = segment;
	SharedFileSetAttach(files->set, segment);
	return files;
}

JoinFile *
temp_file_create_named(TempFiles *files, const char *name)
{
	return make_file(files, name);
}

/* Let other processes open the file.  Nothing can be written to it from now on. */
void
temp_file_publish(JoinFile *file)
{
	if (file->published)
		return;
	if (file->file == NULL)
		move_to_disk(file);
	file->published = true;
	export_shared_file(file->file);
}

JoinFile *
temp_file_open(TempFiles *files, const char *name)
{
	JoinFile   *file = make_file(files, name);

	file->published = true;
	open_on_disk(file, false);
	return file;
}

const char *
temp_file_name(const JoinFile *file)
{
	return file->name;
}
