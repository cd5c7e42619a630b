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
	char		name[NAMEDATALEN];	/* of a shared file */
	bool		published;		/* can other processes open it? */
};

/* Files of the current memory context and resource owner */
TempFiles *
temp_files_begin(bool shared)
{
	TempFiles  *files = palloc0(sizeof(TempFiles));

	files->context = CurrentMemoryContext;
	files->owner = CurrentResourceOwner;
	files->shared = shared;
	dlist_init(&files->open);
	return files;
}

/* Remove all files that are left.  A guest only closes them. */
void
temp_files_end(TempFiles *files)
{
	while (!dlist_is_empty(&files->open))
		temp_file_remove(dlist_head_element(JoinFile, node, &files->open));
	if (files->segment != NULL)
		dsm_detach(files->segment);
	files->segment = NULL;
}

/* Where the names of shared files are.  Without a segment the files are for this process only. */
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

/*
 * Make a file, or open it if "create" is false.  It belongs to the resource owner of all the
 * files.  A file without a name is for this process only.
 */
static JoinFile *
make_file(TempFiles *files, const char *name, bool create)
{
	MemoryContext old = MemoryContextSwitchTo(files->context);
	ResourceOwner owner = CurrentResourceOwner;
	JoinFile   *file = palloc0(sizeof(JoinFile));

	file->home = files;
	CurrentResourceOwner = files->owner;
	PG_TRY();
	{
		if (name != NULL && files->segment == NULL)
			make_file_set(files);
		if (name == NULL || !files->shared)
			file->file = BufFileCreateTemp(false);
		else
		{
			strlcpy(file->name, name, NAMEDATALEN);
			file->published = !create;
			file->file = create ? create_shared_file(files->set, name) :
				open_shared_file(files->set, name);
		}
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

JoinFile *
temp_file_create(void *temp_files)
{
	TempFiles  *files = temp_files;
	char		name[NAMEDATALEN];

	if (!files->shared)
		return make_file(files, NULL, true);
	snprintf(name, NAMEDATALEN, "file.%u", files->created++);
	return make_file(files, name, true);
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
temp_file_remove(JoinFile *file)
{
	dlist_delete(&file->node);
	BufFileClose(file->file);
	if (file->name[0] != '\0' && !file->home->guest)
		delete_shared_file(file->home->set, file->name);
	pfree(file);
}

/* ----------
 * Shared files
 * ----------
 */

/* For temp_files_attach, after the first file has been made */
dsm_handle
temp_files_handle(const TempFiles *files)
{
	return dsm_segment_handle(files->segment);
}

/* The files of another process, which keeps them until this process has ended */
TempFiles *
temp_files_attach(dsm_handle handle)
{
	TempFiles  *files = temp_files_begin(true);

	files->guest = true;
	files->segment = dsm_attach(handle);
	if (files->segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not map dynamic shared memory segment")));
	files->set = dsm_segment_address(files->segment);
	SharedFileSetAttach(files->set, files->segment);
	return files;
}

JoinFile *
temp_file_create_named(TempFiles *files, const char *name)
{
	return make_file(files, name, true);
}

/* Let other processes open the file.  Nothing can be written to it from now on. */
void
temp_file_publish(JoinFile *file)
{
	if (file->published)
		return;
	file->published = true;
	export_shared_file(file->file);
}

JoinFile *
temp_file_open(TempFiles *files, const char *name)
{
	return make_file(files, name, false);
}

const char *
temp_file_name(const JoinFile *file)
{
	return file->name;
}
