/*-------------------------------------------------------------------------
 *
 * document_file.c
 *		Ids and fingerprints of documents in files.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/widths.h"
#include "document_file.h"
#include "miscadmin.h"
#include "server/tuple_sort.h"
#include "utils/datum.h"

DocumentFile *
document_file_begin(TypeCacheEntry *type, Oid collation, int nwords, const Env *env)
{
	DocumentFile *documents = env_alloc(env, sizeof(DocumentFile));

	memset(documents, 0, offsetof(DocumentFile, buffer));
	documents->env = env;
	documents->type = type;
	documents->collation = collation;
	documents->set = core_set_begin(nwords, env);
	documents->ids = env->create_file(env->file_arg);
	if (!type->typbyval)
		documents->places = env->create_file(env->file_arg);
	return documents;
}

/* Write the Datums or places to their file. */
static void
flush_buffer(DocumentFile *documents)
{
	documents->env->append(documents->places != NULL ? documents->places : documents->ids,
						   documents->buffer, documents->nbuffered * sizeof(uint64));
	documents->nbuffered = 0;
}

/* Add a document before any id is read.  An id that is a varlena is not toasted. */
void
document_file_add(DocumentFile *documents, Datum id, const uint64 *fp)
{
	const Env  *env = documents->env;

	Assert(documents->nread == 0);
	if (documents->nbuffered == IDS_BUFFER)
		flush_buffer(documents);
	if (documents->type->typbyval)
		documents->buffer[documents->nbuffered++] = id;
	else
	{
		size_t		size = datumGetSize(id, false, documents->type->typlen);

		documents->buffer[documents->nbuffered++] = documents->ids_size;
		env->append(documents->ids, DatumGetPointer(id), size);
		documents->ids_size += size;
	}
	core_set_add(documents->set, fp, (uint32) documents->set->n);
}

/*
 * Return the Datum of a document's id or, if ids are passed by reference, its offset in
 * the file.  The buffer keeps those of the documents around it.
 */
static uint64
read_entry(DocumentFile *documents, uint64 document)
{
	const Env  *env = documents->env;

	if (documents->nbuffered > 0)
		flush_buffer(documents);
	if (document < documents->first_read || document >= documents->first_read + documents->nread)
	{
		documents->first_read = document - document % IDS_BUFFER;
		documents->nread = Min(documents->set->n - documents->first_read, IDS_BUFFER);
		env->read(documents->places != NULL ? documents->places : documents->ids,
				  documents->first_read * sizeof(uint64), documents->buffer,
				  documents->nread * sizeof(uint64));
	}
	return documents->buffer[document - documents->first_read];
}

/*
 * Return the id of a document, in the current memory context.  Reading ids in the order
 * of the documents is fastest.
 */
Datum
document_file_id(DocumentFile *documents, uint64 document)
{
	uint64		entry = read_entry(documents, document);
	uint64		end = documents->ids_size;
	char	   *copy;

	if (documents->type->typbyval)
		return entry;
	if (document + 1 < documents->set->n)
		end = read_entry(documents, document + 1);
	copy = MemoryContextAllocHuge(CurrentMemoryContext, end - entry);
	documents->env->read(documents->ids, entry, copy, end - entry);
	return PointerGetDatum(copy);
}

static void
end_file(DocumentFile *documents)
{
	const Env  *env = documents->env;

	core_set_end(documents->set);
	env->remove_file(documents->ids);
	if (documents->places != NULL)
		env->remove_file(documents->places);
	env_free(env, documents);
}

/* ----------
 * Order
 * ----------
 */

/* Do the ids of the documents ascend? */
static bool
ids_ascend(DocumentFile *documents)
{
	bool		sorted = true;
	Datum		before = 0;

	for (uint64 document = 0; document < documents->set->n && sorted; document++)
	{
		Datum		id = document_file_id(documents, document);

		CHECK_FOR_INTERRUPTS();
		if (document > 0)
		{
			sorted = document_file_compare(documents, before, id) <= 0;
			if (!documents->type->typbyval)
				pfree(DatumGetPointer(before));
		}
		before = id;
	}
	return sorted;
}

static TupleSort *
begin_document_sort(const DocumentFile *documents, size_t memory)
{
	TupleSortColumn columns[3] = {
		{documents->type->type_id, documents->type->lt_opr, documents->collation},
		INT8_COLUMN, {BYTEAOID}
	};

	return tuple_sort_begin(columns, 3, 2, memory, TUPLESORT_NONE);
}

/* Add all documents to a sort by id and number. */
static void
put_documents(DocumentFile *documents, TupleSort *sort)
{
	Datum		values[3];
	uint64		fp[MOST_WORDS];
	uint32_t	row;
	Size		size = (Size) documents->set->nwords * sizeof(uint64);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	SET_VARSIZE(bytes, VARHDRSZ + size);
	for (uint64 document = 0; document < documents->set->n; document++)
	{
		core_set_read(documents->set, document, 1, fp, &row);
		memcpy(VARDATA(bytes), fp, size);
		values[0] = document_file_id(documents, row);
		values[1] = Int64GetDatum(row);
		values[2] = PointerGetDatum(bytes);
		tuple_sort_put(sort, values);
		if (!documents->type->typbyval)
			pfree(DatumGetPointer(values[0]));
	}
	pfree(bytes);
}

/*
 * Sort documents by their ids.  Documents with equal ids keep their order.  If the given
 * documents are sorted already, the function returns them.  Otherwise it frees them and
 * returns new ones.
 */
DocumentFile *
document_file_sort(DocumentFile *documents, size_t memory)
{
	DocumentFile *sorted;
	uint64		words[MOST_WORDS];
	const Datum *values;
	TupleSort  *sort;

	if (ids_ascend(documents))
		return documents;
	sorted = document_file_begin(documents->type, documents->collation, documents->set->nwords,
								 documents->env);
	sort = begin_document_sort(documents, memory);
	put_documents(documents, sort);
	end_file(documents);
	tuplesort_performsort(sort->state);
	while ((values = tuple_sort_next(sort)) != NULL)
	{
		struct varlena *bytes = (struct varlena *) DatumGetPointer(values[2]);

		memcpy(words, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
		document_file_add(sorted, values[0], words);
	}
	tuple_sort_end(sort);
	return sorted;
}
