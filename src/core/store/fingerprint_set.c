/*-------------------------------------------------------------------------
 *
 * fingerprint_set.c
 *		Sets of fingerprints in files.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "random.h"
#include "fingerprint_set.h"

/* Bytes that are read or written at a time */
#define BUFFER_BYTES	(64 * 1024)

/* Divide a set in at least RANGES ranges, unless they would be shorter than FEWEST_RANGE_ROWS */
#ifndef JOIN_TEST_SIZES
#define RANGES			64
#define FEWEST_RANGE_ROWS	1024
#else
#define RANGES			4
#define FEWEST_RANGE_ROWS	8
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

/* Copies of one word, which are the most frequent, need no call. */
static inline void
copy_words(void *to, const void *from, int nwords)
{
	if (nwords == 1)
		memcpy(to, from, sizeof(uint64_t));
	else
		memcpy(to, from, (size_t) nwords * sizeof(uint64_t));
}

static inline void
put_record(char *to, int nwords, const uint64_t *fp, uint32_t row)
{
	copy_words(to, fp, nwords);
	memcpy(to + (size_t) nwords * sizeof(uint64_t), &row, sizeof(uint32_t));
}

/* Read n records from "offset" on; "buffer" has room for BUFFER_BYTES. */
static void
read_records(const Env *env, JoinFile *file, uint64_t offset, size_t n, int nwords,
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
			copy_words(words, from, nwords);
			memcpy(rows++, from + (size_t) nwords * sizeof(uint64_t), sizeof(uint32_t));
			words += nwords;
		}
		offset += some * bytes;
		n -= some;
	}
	check_interrupts(env);
}

/* ----------
 * Sets
 * ----------
 */

size_t
core_set_bytes(int nwords)
{
	return sizeof(FingerprintSet) + MOST_SAMPLED * (size_t) nwords * sizeof(uint64_t);
}

FingerprintSet *
core_set_begin(int nwords, const Env *env)
{
	FingerprintSet *set = env_alloc(env, core_set_bytes(nwords));

	memset(set, 0, sizeof(FingerprintSet));
	set->env = env;
	set->nwords = nwords;
	set->state = 1;
	set->buffer = env_alloc(env, BUFFER_BYTES);
	set->file = env->create_file(env->file_arg);
	return set;
}

void
core_set_flush(FingerprintSet *set)
{
	if (set->buffered > 0)
		set->env->append(set->file, set->buffer, set->buffered * record_bytes(set->nwords));
	set->buffered = 0;
	check_interrupts(set->env);
}

void
core_set_add(FingerprintSet *set, const uint64_t *fp, uint32_t row)
{
	uint64_t	place = set->n;

	if (set->n >= MOST_SAMPLED)
		/* each fingerprint is in the sample with the same probability */
		place = random_below(&set->state, set->n + 1);
	if (place < MOST_SAMPLED)
		memcpy(set->sample + place * (uint64_t) set->nwords, fp,
			   (size_t) set->nwords * sizeof(uint64_t));
	put_record(set->buffer + set->buffered * record_bytes(set->nwords), set->nwords, fp, row);
	set->n++;
	if (++set->buffered == buffer_rows(set->nwords))
		core_set_flush(set);
}

void
core_set_read(FingerprintSet *set, uint64_t first, size_t n, uint64_t *words,
			  uint32_t *rows)
{
	core_set_flush(set);
	read_records(set->env, set->file, first * record_bytes(set->nwords), n, set->nwords,
				 set->buffer, words, rows);
}

FingerprintSet *
core_set_copy(const FingerprintSet *set, JoinFile *file, const Env *env)
{
	size_t		bytes = core_set_bytes(set->nwords);
	FingerprintSet *copy = memcpy(env_alloc(env, bytes), set, bytes);

	copy->env = env;
	copy->file = file;
	copy->buffer = env_alloc(env, BUFFER_BYTES);
	return copy;
}

void
core_set_end(FingerprintSet *set)
{
	set->env->remove_file(set->file);
	env_free(set->env, set->buffer);
	env_free(set->env, set);
}

/* ----------
 * Parts
 * ----------
 */

void
core_parts_begin(Parts *parts, FingerprintSet *set, uint32_t nparts, size_t memory)
{
	size_t		most = memory / (2 * record_bytes(set->nwords) + sizeof(uint16_t));
	uint64_t	fewest = set->n / FEWEST_RANGE_ROWS;
	uint64_t	nranges;

	if (most < FEWEST_RANGE_ROWS)
		most = FEWEST_RANGE_ROWS;
	nranges = set->n / most + 1;
	if (fewest > RANGES)
		fewest = RANGES;
	if (nranges < fewest)
		nranges = fewest;
	memset(parts, 0, sizeof(Parts));
	parts->set = set;
	parts->nparts = nparts;
	parts->nranges = (uint32_t) nranges;
	parts->range_bytes = (sizeof(DividedRange) + nparts * sizeof(uint32_t) + 7) / 8 * 8;
}

static inline uint64_t
range_start(const Parts *parts, uint32_t range)
{
	return parts->set->n * range / parts->nranges;
}

static void
alloc_writer(const Parts *parts, PartsWriter *writer)
{
	const Env  *env = parts->set->env;
	size_t		room = (size_t) (parts->set->n / parts->nranges) + 1;
	size_t		bytes = room * (size_t) parts->set->nwords * sizeof(uint64_t);

	writer->env = env;
	writer->words = env_alloc(env, bytes);
	writer->sorted_words = env_alloc(env, bytes);
	writer->rows = env_alloc(env, room * sizeof(uint32_t));
	writer->sorted_rows = env_alloc(env, room * sizeof(uint32_t));
	writer->parts = env_alloc(env, room * sizeof(uint16_t));
}

void
core_parts_writer_end(PartsWriter *writer)
{
	const Env  *env = writer->env;

	if (env == NULL)
		return;
	env_free(env, writer->words);
	env_free(env, writer->sorted_words);
	env_free(env, writer->rows);
	env_free(env, writer->sorted_rows);
	env_free(env, writer->parts);
	writer->env = NULL;
}

/*
 * Sort n fingerprints by their parts.  ends[part] is the start of the part before the call, and its
 * end afterwards.
 */
static inline void
sort_range(const PartsWriter *writer, size_t n, int nwords, uint32_t *ends)
{
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	to = ends[writer->parts[i]]++;

		copy_words(writer->sorted_words + to * (size_t) nwords,
				   writer->words + i * (size_t) nwords, nwords);
		writer->sorted_rows[to] = writer->rows[i];
	}
}

void
core_parts_divide(const Parts *parts, uint32_t range, PartsWriter *writer,
				  PartsOf parts_of, const void *arg, DividedRange *divided)
{
	FingerprintSet *set = parts->set;
	uint64_t	start = range_start(parts, range);
	size_t		n = (size_t) (range_start(parts, range + 1) - start);
	uint32_t   *ends = divided->ends;
	uint32_t	sum = 0;

	if (writer->env == NULL)
		alloc_writer(parts, writer);
	core_set_read(set, start, n, writer->words, writer->rows);
	parts_of(arg, writer->words, n, writer->parts);
	memset(ends, 0, parts->nparts * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
		ends[writer->parts[i]]++;
	for (uint32_t part = 0; part < parts->nparts; part++)
	{
		uint32_t	count = ends[part];

		ends[part] = sum;
		sum += count;
	}
	if (set->nwords == 1)
		sort_range(writer, n, 1, ends);
	else
		sort_range(writer, n, set->nwords, ends);
	check_interrupts(set->env);
	divided->offset = writer->size;
	divided->file = writer->number;
	divided->n = (uint32_t) n;
	if (n == 0)
		return;
	set->env->append(writer->file, writer->sorted_words,
					 n * (size_t) set->nwords * sizeof(uint64_t));
	set->env->append(writer->file, writer->sorted_rows, n * sizeof(uint32_t));
	writer->size += n * record_bytes(set->nwords);
}

void
core_parts_divide_all(Parts *parts, PartsOf parts_of, const void *arg)
{
	const Env  *env = parts->set->env;
	PartsWriter writer;

	memset(&writer, 0, sizeof(PartsWriter));
	parts->own_file = writer.file = env->create_file(env->file_arg);
	parts->files = &parts->own_file;
	parts->ranges = env_alloc(env, parts->nranges * parts->range_bytes);
	for (uint32_t range = 0; range < parts->nranges; range++)
		core_parts_divide(parts, range, &writer, parts_of, arg,
						  divided_range(parts, parts->ranges, range));
	core_parts_writer_end(&writer);
}

uint64_t
core_parts_rows(const Parts *parts, uint32_t part)
{
	uint64_t	rows = 0;

	for (uint32_t range = 0; range < parts->nranges; range++)
	{
		const uint32_t *ends = divided_range(parts, parts->ranges, range)->ends;

		rows += ends[part] - (part == 0 ? 0 : ends[part - 1]);
	}
	return rows;
}

void
core_parts_read(const Parts *parts, uint32_t part, uint64_t first, size_t n,
				uint64_t *words, uint32_t *rows)
{
	const Env  *env = parts->set->env;
	size_t		fp_bytes = (size_t) parts->set->nwords * sizeof(uint64_t);

	for (uint32_t range = 0; n > 0; range++)
	{
		const DividedRange *divided = divided_range(parts, parts->ranges, range);
		JoinFile   *file = parts->files[divided->file];
		uint64_t	start = part == 0 ? 0 : divided->ends[part - 1];
		uint64_t	some = divided->ends[part] - start;

		if (first >= some)
		{
			first -= some;
			continue;
		}
		start += first;
		some -= first;
		first = 0;
		if (some > n)
			some = n;
		env->read(file, divided->offset + start * fp_bytes, words, (size_t) some * fp_bytes);
		env->read(file, divided->offset + divided->n * fp_bytes + start * sizeof(uint32_t),
				  rows, (size_t) some * sizeof(uint32_t));
		check_interrupts(env);
		words += some * (uint64_t) parts->set->nwords;
		rows += some;
		n -= (size_t) some;
	}
}

void
core_parts_end(Parts *parts)
{
	if (parts->own_file == NULL)
		return;
	parts->set->env->remove_file(parts->own_file);
	env_free(parts->set->env, parts->ranges);
	parts->own_file = NULL;
}
