/*-------------------------------------------------------------------------
 *
 * document_file.c
 *		Ids and fingerprints of documents in files.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "core/widths.h"
#include "executor/tuptable.h"
#include "server/compat.h"
#include "document_file.h"
#include "utils/datum.h"
#include "utils/tuplesort.h"

DocumentFile *
document_file_begin(TypeCacheEntry *type, Oid collation, int nwords, const JoinEnv *env)
{
	DocumentFile *documents = join_alloc(env, sizeof(DocumentFile));

	memset(documents, 0, offsetof(DocumentFile, buffer));
	documents->env = env;
	documents->type = type;
	documents->collation = collation;
	documents->set = simhash_set_begin(nwords, env);
	documents->ids = env->create_file(env->file_arg);
	if (!type->typbyval)
		documents->places = env->create_file(env->file_arg);
	return documents;
}

/* Write the Datums or places to their file. */
static void
flush_buffer(DocumentFile *documents)
{
	documents->env->append(documents->places != NULL ? documents->places : documents->ids, documents->buffer,
						documents->nbuffered * sizeof(uint64));
	documents->nbuffered = 0;
}

/* Add a document before any id is read.  An id that is a varlena is not toasted. */
void
document_file_add(DocumentFile *documents, Datum id, const uint64 *fp)
{
	const JoinEnv *env = documents->env;

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
	simhash_set_add(documents->set, fp, (uint32) documents->set->n);
}

/* The Datum of a document, or its place.  The buffer has those of some documents beside it. */
static uint64
read_entry(DocumentFile *documents, uint64 document)
{
	const JoinEnv *env = documents->env;

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

/* The id of a document, in the current memory context.  Ascending documents are fastest. */
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

void
document_file_end(DocumentFile *documents)
{
	const JoinEnv *env = documents->env;

	simhash_set_end(documents->set);
	env->remove_file(documents->ids);
	if (documents->places != NULL)
		env->remove_file(documents->places);
	join_free(env, documents);
}

/* ----------
 * Order
 * ----------
 */

/* Do the ids of the documents ascend? */
static bool
is_sorted(DocumentFile *documents)
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

static Tuplesortstate *
begin_sort(const DocumentFile *documents, TupleDesc desc, size_t memory)
{
	AttrNumber	columns[2] = {1, 2};
	Oid			operators[2] = {documents->type->lt_opr, Int8LessOperator};
	Oid			collations[2] = {documents->collation, InvalidOid};
	bool		nulls_first[2] = {false, false};

	return tuplesort_begin_heap(desc, 2, columns, operators, collations, nulls_first,
								(int) Min(memory / 1024, MAX_KILOBYTES), NULL, TUPLESORT_NONE);
}

/* Put all documents into a sort by id and by number. */
static void
put_documents(DocumentFile *documents, Tuplesortstate *sort, TupleTableSlot *slot)
{
	SetReader reader;
	const uint64_t *fp;
	uint32_t	row;
	Size		size = (Size) documents->set->nwords * sizeof(uint64);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	SET_VARSIZE(bytes, VARHDRSZ + size);
	memset(slot->tts_isnull, 0, 3 * sizeof(bool));
	simhash_set_reader_begin(&reader, documents->set);
	while ((fp = simhash_set_reader_next(&reader, &row)) != NULL)
	{
		memcpy(VARDATA(bytes), fp, size);
		ExecClearTuple(slot);
		slot->tts_values[0] = document_file_id(documents, row);
		slot->tts_values[1] = Int64GetDatum(row);
		slot->tts_values[2] = PointerGetDatum(bytes);
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort, slot);
		if (!documents->type->typbyval)
			pfree(DatumGetPointer(slot->tts_values[0]));
	}
	simhash_set_reader_end(&reader);
	pfree(bytes);
}

/*
 * The same documents in the order of their ids.  Documents with equal ids stay in their
 * order.  The documents given end, unless they are in this order.
 */
DocumentFile *
document_file_sort(DocumentFile *documents, size_t memory)
{
	DocumentFile *sorted;
	TupleDesc	desc = CreateTemplateTupleDesc(3);
	uint64		words[MOST_WORDS];
	TupleTableSlot *slot;
	TupleTableSlot *found;
	Tuplesortstate *sort;

	if (is_sorted(documents))
		return documents;
	sorted = document_file_begin(documents->type, documents->collation, documents->set->nwords,
									documents->env);
	TupleDescInitEntry(desc, 1, "id", documents->type->type_id, -1, 0);
	TupleDescInitEntry(desc, 2, "row", INT8OID, -1, 0);
	TupleDescInitEntry(desc, 3, "fp", BYTEAOID, -1, 0);
	TupleDescFinalize(desc);
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	found = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort = begin_sort(documents, desc, memory);
	put_documents(documents, sort, slot);
	document_file_end(documents);
	tuplesort_performsort(sort);
	while (tuplesort_gettupleslot(sort, true, false, found, NULL))
	{
		slot_getallattrs(found);
		memcpy(words, VARDATA_ANY(DatumGetPointer(found->tts_values[2])),
			   VARSIZE_ANY_EXHDR(DatumGetPointer(found->tts_values[2])));
		document_file_add(sorted, found->tts_values[0], words);
	}
	ExecDropSingleTupleTableSlot(found);
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(sort);
	return sorted;
}
