/*-------------------------------------------------------------------------
 *
 * stored_documents.c
 *		Ids and fingerprints of documents in temporary files.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "core/widths.h"
#include "executor/tuptable.h"
#include "server/compat.h"
#include "stored_documents.h"
#include "utils/datum.h"
#include "utils/tuplesort.h"

StoredDocuments *
stored_documents_begin(TypeCacheEntry *type, Oid collation, int nwords, const JoinEnv *env)
{
	StoredDocuments *stored = join_alloc(env, sizeof(StoredDocuments));

	memset(stored, 0, offsetof(StoredDocuments, buffer));
	stored->env = env;
	stored->type = type;
	stored->collation = collation;
	stored->set = simhash_stored_begin(nwords, env);
	stored->ids = env->create_file(env->file_arg);
	if (!type->typbyval)
		stored->places = env->create_file(env->file_arg);
	return stored;
}

/* Write the Datums or places to their file. */
static void
flush_buffer(StoredDocuments *stored)
{
	stored->env->append(stored->places != NULL ? stored->places : stored->ids, stored->buffer,
						stored->nbuffered * sizeof(uint64));
	stored->nbuffered = 0;
}

/* Add a document before any id is read.  An id that is a varlena is not toasted. */
void
stored_documents_add(StoredDocuments *stored, Datum id, const uint64 *fp)
{
	const JoinEnv *env = stored->env;

	Assert(stored->nread == 0);
	if (stored->nbuffered == STORED_IDS_BUFFER)
		flush_buffer(stored);
	if (stored->type->typbyval)
		stored->buffer[stored->nbuffered++] = id;
	else
	{
		size_t		size = datumGetSize(id, false, stored->type->typlen);

		stored->buffer[stored->nbuffered++] = stored->ids_size;
		env->append(stored->ids, DatumGetPointer(id), size);
		stored->ids_size += size;
	}
	simhash_stored_add(stored->set, fp, (uint32) stored->set->n);
}

/* The Datum of a document, or its place.  The buffer has those of some documents beside it. */
static uint64
read_entry(StoredDocuments *stored, uint64 document)
{
	const JoinEnv *env = stored->env;

	if (stored->nbuffered > 0)
		flush_buffer(stored);
	if (document < stored->first_read || document >= stored->first_read + stored->nread)
	{
		stored->first_read = document - document % STORED_IDS_BUFFER;
		stored->nread = Min(stored->set->n - stored->first_read, STORED_IDS_BUFFER);
		env->read(stored->places != NULL ? stored->places : stored->ids,
				  stored->first_read * sizeof(uint64), stored->buffer,
				  stored->nread * sizeof(uint64));
	}
	return stored->buffer[document - stored->first_read];
}

/* The id of a document, in the current memory context.  Ascending documents are fastest. */
Datum
stored_documents_id(StoredDocuments *stored, uint64 document)
{
	uint64		entry = read_entry(stored, document);
	uint64		end = stored->ids_size;
	char	   *copy;

	if (stored->type->typbyval)
		return entry;
	if (document + 1 < stored->set->n)
		end = read_entry(stored, document + 1);
	copy = MemoryContextAllocHuge(CurrentMemoryContext, end - entry);
	stored->env->read(stored->ids, entry, copy, end - entry);
	return PointerGetDatum(copy);
}

void
stored_documents_end(StoredDocuments *stored)
{
	const JoinEnv *env = stored->env;

	simhash_stored_end(stored->set);
	env->remove_file(stored->ids);
	if (stored->places != NULL)
		env->remove_file(stored->places);
	join_free(env, stored);
}

/* ----------
 * Order
 * ----------
 */

/* Do the ids of the documents ascend? */
static bool
is_sorted(StoredDocuments *stored)
{
	TypeCacheEntry *type = stored->type;
	bool		sorted = true;
	Datum		before = 0;

	for (uint64 document = 0; document < stored->set->n && sorted; document++)
	{
		Datum		id = stored_documents_id(stored, document);

		CHECK_FOR_INTERRUPTS();
		if (document > 0)
		{
			sorted = DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, stored->collation,
													 before, id)) <= 0;
			if (!type->typbyval)
				pfree(DatumGetPointer(before));
		}
		before = id;
	}
	return sorted;
}

static Tuplesortstate *
begin_sort(const StoredDocuments *stored, TupleDesc desc, size_t memory)
{
	AttrNumber	columns[2] = {1, 2};
	Oid			operators[2] = {stored->type->lt_opr, Int8LessOperator};
	Oid			collations[2] = {stored->collation, InvalidOid};
	bool		nulls_first[2] = {false, false};

	return tuplesort_begin_heap(desc, 2, columns, operators, collations, nulls_first,
								(int) Min(memory / 1024, MAX_KILOBYTES), NULL, TUPLESORT_NONE);
}

/* Put all documents into a sort by id and by number. */
static void
put_documents(StoredDocuments *stored, Tuplesortstate *sort, TupleTableSlot *slot)
{
	StoredReader reader;
	const uint64_t *fp;
	uint32_t	row;
	Size		size = (Size) stored->set->nwords * sizeof(uint64);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	SET_VARSIZE(bytes, VARHDRSZ + size);
	memset(slot->tts_isnull, 0, 3 * sizeof(bool));
	simhash_reader_begin(&reader, stored->set);
	while ((fp = simhash_reader_next(&reader, &row)) != NULL)
	{
		memcpy(VARDATA(bytes), fp, size);
		ExecClearTuple(slot);
		slot->tts_values[0] = stored_documents_id(stored, row);
		slot->tts_values[1] = Int64GetDatum(row);
		slot->tts_values[2] = PointerGetDatum(bytes);
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort, slot);
		if (!stored->type->typbyval)
			pfree(DatumGetPointer(slot->tts_values[0]));
	}
	simhash_reader_end(&reader);
	pfree(bytes);
}

/*
 * The same documents in the order of their ids.  Documents with equal ids stay in their
 * order.  The documents given end, unless they are in this order.
 */
StoredDocuments *
stored_documents_sort(StoredDocuments *stored, size_t memory)
{
	StoredDocuments *sorted;
	TupleDesc	desc = CreateTemplateTupleDesc(3);
	uint64		words[MOST_WORDS];
	TupleTableSlot *slot;
	TupleTableSlot *found;
	Tuplesortstate *sort;

	if (is_sorted(stored))
		return stored;
	sorted = stored_documents_begin(stored->type, stored->collation, stored->set->nwords,
									stored->env);
	TupleDescInitEntry(desc, 1, "id", stored->type->type_id, -1, 0);
	TupleDescInitEntry(desc, 2, "row", INT8OID, -1, 0);
	TupleDescInitEntry(desc, 3, "fp", BYTEAOID, -1, 0);
	TupleDescFinalize(desc);
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	found = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort = begin_sort(stored, desc, memory);
	put_documents(stored, sort, slot);
	stored_documents_end(stored);
	tuplesort_performsort(sort);
	while (tuplesort_gettupleslot(sort, true, false, found, NULL))
	{
		slot_getallattrs(found);
		memcpy(words, VARDATA_ANY(DatumGetPointer(found->tts_values[2])),
			   VARSIZE_ANY_EXHDR(DatumGetPointer(found->tts_values[2])));
		stored_documents_add(sorted, found->tts_values[0], words);
	}
	ExecDropSingleTupleTableSlot(found);
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(sort);
	return sorted;
}
