/*-------------------------------------------------------------------------
 *
 * stored.c
 *		Fingerprints in temporary files.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "stored.h"

/* Bytes that are read or written at a time */
#define BUFFER_BYTES	(64 * 1024)

#ifndef JOIN_TEST_SIZES
#define FEWEST_EXTENT_ROWS	16
#else
#define FEWEST_EXTENT_ROWS	2
#endif

static inline size_t
record_bytes(int nwords)
{
	return (size_t) nwords * sizeof(uint64_t) + sizeof(uint32_t);
}

static inline size_t
buffer_rows(int nwords)
{
	return BUFFER_BYTES / record_bytes(nwords);
}

static inline void
put_record(char *to, int nwords, const uint64_t *fp, uint32_t row)
{
	memcpy(to, fp, (size_t) nwords * sizeof(uint64_t));
	memcpy(to + (size_t) nwords * sizeof(uint64_t), &row, sizeof(uint32_t));
}

/* Read n records from "offset" on; "buffer" has room for BUFFER_BYTES. */
static void
read_records(const JoinEnv *env, JoinFile *file, uint64_t offset, size_t n, int nwords,
			 char *buffer, uint64_t *words, uint32_t *rows)
{
	size_t		bytes = record_bytes(nwords);
	size_t		most = buffer_rows(nwords);

	while (n > 0)
	{
		size_t		some = n < most ? n : most;
		const char *from = buffer;

		env->read(file, offset, buffer, some * bytes);
		for (size_t i = 0; i < some; i++, from += bytes)
		{
			memcpy(words, from, (size_t) nwords * sizeof(uint64_t));
			memcpy(rows++, from + (size_t) nwords * sizeof(uint64_t), sizeof(uint32_t));
			words += nwords;
		}
		offset += some * bytes;
		n -= some;
	}
	join_check_interrupts(env);
}

/* ----------
 * Sets
 * ----------
 */

StoredSet *
simhash_stored_begin(int nwords, const JoinEnv *env)
{
	StoredSet  *set = join_alloc(env, sizeof(StoredSet) +
								 STORED_SAMPLE * (size_t) nwords * sizeof(uint64_t));

	memset(set, 0, sizeof(StoredSet));
	set->env = env;
	set->nwords = nwords;
	set->state = 1;
	set->buffer = join_alloc(env, BUFFER_BYTES);
	set->file = env->create_file(env->file_arg);
	return set;
}

/* Write all fingerprints to the file. */
void
simhash_stored_flush(StoredSet *set)
{
	if (set->buffered > 0)
		set->env->append(set->file, set->buffer, set->buffered * record_bytes(set->nwords));
	set->buffered = 0;
	join_check_interrupts(set->env);
}

void
simhash_stored_add(StoredSet *set, const uint64_t *fp, uint32_t row)
{
	uint64_t	place = set->n;

	if (set->n >= STORED_SAMPLE)
	{
		/* each fingerprint is in the sample with the same probability */
		set->state = set->state * UINT64_C(6364136223846793005) + 1442695040888963407;
		place = (set->state >> 32) * (set->n + 1) >> 32;
	}
	if (place < STORED_SAMPLE)
		memcpy(set->sample + place * (uint64_t) set->nwords, fp,
			   (size_t) set->nwords * sizeof(uint64_t));
	put_record(set->buffer + set->buffered * record_bytes(set->nwords), set->nwords, fp, row);
	set->n++;
	if (++set->buffered == buffer_rows(set->nwords))
		simhash_stored_flush(set);
}

/* Read n fingerprints and the numbers of their rows, from the first'th on. */
void
simhash_stored_read(StoredSet *set, uint64_t first, size_t n, uint64_t *words,
					uint32_t *rows)
{
	simhash_stored_flush(set);
	read_records(set->env, set->file, first * record_bytes(set->nwords), n, set->nwords,
				 set->buffer, words, rows);
}

/* Make a set's copy in another process usable, to read the file. */
void
simhash_stored_set_file(StoredSet *set, JoinFile *file, const JoinEnv *env)
{
	set->env = env;
	set->file = file;
	set->buffer = join_alloc(env, BUFFER_BYTES);
	set->buffered = 0;
}

void
simhash_stored_end(StoredSet *set)
{
	set->env->remove_file(set->file);
	join_free(set->env, set->buffer);
	join_free(set->env, set);
}

void
simhash_reader_begin(StoredReader *reader, StoredSet *set)
{
	size_t		room = buffer_rows(set->nwords);

	memset(reader, 0, sizeof(StoredReader));
	reader->set = set;
	reader->words = join_alloc(set->env, room * (size_t) set->nwords * sizeof(uint64_t));
	reader->rows = join_alloc(set->env, room * sizeof(uint32_t));
}

/* The next fingerprint, which the next call may overwrite; NULL at the end */
const uint64_t *
simhash_reader_next(StoredReader *reader, uint32_t *row)
{
	StoredSet  *set = reader->set;

	if (reader->at == reader->n)
	{
		uint64_t	left = set->n - reader->next;
		size_t		room = buffer_rows(set->nwords);

		if (left == 0)
			return NULL;
		reader->n = left < room ? (size_t) left : room;
		reader->at = 0;
		simhash_stored_read(set, reader->next, reader->n, reader->words, reader->rows);
		reader->next += reader->n;
	}
	*row = reader->rows[reader->at];
	return reader->words + reader->at++ * (size_t) set->nwords;
}

void
simhash_reader_end(StoredReader *reader)
{
	join_free(reader->set->env, reader->words);
	join_free(reader->set->env, reader->rows);
}

/* ----------
 * Parts
 * ----------
 */

/*
 * Begin to divide fingerprints in parts, in a file that is empty.  While the parts are written
 * they take about "memory" bytes.  The file stays the caller's.
 */
void
simhash_partitions_begin(Partitions *parts, JoinFile *file, int nwords, uint32_t nparts,
						 size_t memory, const JoinEnv *env)
{
	size_t		bytes = record_bytes(nwords);

	memset(parts, 0, sizeof(Partitions));
	parts->env = env;
	parts->file = file;
	parts->nwords = nwords;
	parts->nparts = nparts;
	parts->extent_rows = memory / nparts / bytes;
	if (parts->extent_rows > buffer_rows(nwords))
		parts->extent_rows = buffer_rows(nwords);
	if (parts->extent_rows < FEWEST_EXTENT_ROWS)
		parts->extent_rows = FEWEST_EXTENT_ROWS;
	parts->buffers = join_alloc(env, parts->extent_rows * bytes * nparts);
	parts->buffered = join_alloc(env, nparts * sizeof(uint32_t));
	parts->rows = join_alloc(env, nparts * sizeof(uint64_t));
	memset(parts->buffered, 0, nparts * sizeof(uint32_t));
	memset(parts->rows, 0, nparts * sizeof(uint64_t));
}

/* Write the extent of a part.  All extents have the same size, also those that are not full. */
static void
write_extent(Partitions *parts, uint32_t part)
{
	const JoinEnv *env = parts->env;
	size_t		bytes = parts->extent_rows * record_bytes(parts->nwords);

	if (parts->nextents == parts->room)
	{
		parts->room = parts->room == 0 ? 256 : parts->room * 2;
		parts->parts = env->resize(env->arg, parts->parts, parts->room * sizeof(uint32_t));
	}
	parts->parts[parts->nextents++] = part;
	env->append(parts->file, parts->buffers + part * bytes, bytes);
	parts->buffered[part] = 0;
	join_check_interrupts(env);
}

void
simhash_partitions_add(Partitions *parts, uint32_t part, const uint64_t *fp, uint32_t row)
{
	size_t		bytes = record_bytes(parts->nwords);

	put_record(parts->buffers + (part * parts->extent_rows + parts->buffered[part]) * bytes,
			   parts->nwords, fp, row);
	parts->rows[part]++;
	if (++parts->buffered[part] == parts->extent_rows)
		write_extent(parts, part);
}

/* All fingerprints have been added: they can be read from now on. */
void
simhash_partitions_finish(Partitions *parts)
{
	const JoinEnv *env = parts->env;
	uint32_t	sum = 0;

	for (uint32_t part = 0; part < parts->nparts; part++)
		if (parts->buffered[part] > 0)
			write_extent(parts, part);
	join_free(env, parts->buffers);
	join_free(env, parts->buffered);
	parts->buffered = NULL;
	parts->buffers = join_alloc(env, BUFFER_BYTES);

	parts->starts = join_alloc(env, (parts->nparts + 1) * sizeof(uint32_t));
	parts->extents = join_alloc(env, parts->nextents * sizeof(uint32_t));
	memset(parts->starts, 0, (parts->nparts + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < parts->nextents; i++)
		parts->starts[parts->parts[i]]++;
	for (uint32_t part = 0; part <= parts->nparts; part++)
		parts->starts[part] = sum += parts->starts[part];
	for (uint32_t i = parts->nextents; i-- > 0;)
		parts->extents[--parts->starts[parts->parts[i]]] = i;
	join_free(env, parts->parts);
	parts->parts = NULL;
}

/* Read n fingerprints of a part and the numbers of their rows, from the first'th on. */
void
simhash_partitions_read(Partitions *parts, uint32_t part, uint64_t first, size_t n,
						uint64_t *words, uint32_t *rows)
{
	size_t		bytes = record_bytes(parts->nwords);

	while (n > 0)
	{
		uint64_t	extent = parts->extents[parts->starts[part] + first / parts->extent_rows];
		size_t		place = first % parts->extent_rows;
		size_t		some = parts->extent_rows - place;

		if (some > n)
			some = n;
		read_records(parts->env, parts->file, (extent * parts->extent_rows + place) * bytes,
					 some, parts->nwords, parts->buffers, words, rows);
		words += some * (size_t) parts->nwords;
		rows += some;
		first += some;
		n -= some;
	}
}

/* Make a copy in another process usable, to read the file. */
void
simhash_partitions_set_file(Partitions *parts, JoinFile *file, const JoinEnv *env)
{
	parts->env = env;
	parts->file = file;
	parts->buffers = join_alloc(env, BUFFER_BYTES);
}

void
simhash_partitions_end(Partitions *parts)
{
	join_free(parts->env, parts->buffers);
	join_free(parts->env, parts->buffered);
	join_free(parts->env, parts->rows);
	join_free(parts->env, parts->parts);
	join_free(parts->env, parts->extents);
	join_free(parts->env, parts->starts);
}
