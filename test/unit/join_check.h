/*
 * Files of the join for its tests, which keep them in memory, and the pairs and groups of
 * rows in memory.
 */
#ifndef SIMHASH_JOIN_FILES_H
#define SIMHASH_JOIN_FILES_H

#include <stdlib.h>
#include <string.h>

#include "../../src/core/join/groups.h"

struct JoinFile
{
	char	   *data;
	size_t		room;
	size_t		size;
	int			copies;			/* of the set that read the file, too */
};

static long open_files;
static uint64_t bytes_read;

static inline JoinFile *
test_create_file(void *arg)
{
	(void) arg;
	open_files++;
	return calloc(1, sizeof(JoinFile));
}

static inline void
test_append(JoinFile *file, const void *data, size_t size)
{
	if (file->size + size > file->room)
	{
		file->room = (file->size + size) * 2;
		file->data = realloc(file->data, file->room);
	}
	memcpy(file->data + file->size, data, size);
	file->size += size;
}

static inline void
test_read(JoinFile *file, uint64_t offset, void *data, size_t size)
{
	if (offset + size > file->size)
		abort();
	memcpy(data, file->data + offset, size);
	bytes_read += size;
}

static inline void
test_remove_file(JoinFile *file)
{
	if (file->copies-- > 0)
		return;
	open_files--;
	free(file->data);
	free(file);
}

#define TEST_FILES	test_create_file, test_append, test_read, test_remove_file, NULL, NULL

static inline FingerprintSet *
set_of_all(const Fingerprints *fps, const JoinEnv *env)
{
	FingerprintSet *set = simhash_set_begin(fps->nwords, env);

	for (size_t row = 0; row < fps->n; row++)
		simhash_set_add(set, fingerprint_of_row(fps, row), (uint32_t) row);
	return set;
}

/* The pairs of rows, one by one */
typedef struct RowPairs
{
	FingerprintSet *set;
	NearPairs  *pairs;
	const FingerprintPair *found;
	size_t		n;
	size_t		at;
} RowPairs;

static inline RowPairs
row_pairs_begin(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env)
{
	RowPairs	rows = {0};

	rows.set = set_of_all(fps, env);
	rows.pairs = simhash_near_pairs_begin(rows.set, distance, memory, env);
	return rows;
}

static inline bool
row_pairs_next(RowPairs *rows, FingerprintPair *pair)
{
	if (rows->at == rows->n)
	{
		rows->n = simhash_near_pairs_next(rows->pairs, &rows->found);
		rows->at = 0;
		if (rows->n == 0)
		{
			/* the end stays the end */
			if (simhash_near_pairs_next(rows->pairs, &rows->found) > 0)
				abort();
			return false;
		}
	}
	*pair = rows->found[rows->at++];
	return true;
}

static inline void
row_pairs_end(RowPairs *rows)
{
	simhash_near_pairs_end(rows->pairs);
	simhash_set_end(rows->set);
}

static inline void
set_member(void *arg, uint32_t row, uint32_t first)
{
	((uint32_t *) arg)[row] = first;
}

/* For each row the first of its group */
static inline void
groups_of_rows(FindGroups * find, const Fingerprints *fps, int distance, size_t memory,
			   const JoinEnv *env, uint32_t *groups)
{
	FingerprintSet *set = set_of_all(fps, env);

	for (size_t row = 0; row < fps->n; row++)
		groups[row] = (uint32_t) row;
	find(set, distance, memory, env, &simhash_serial_pairs, set_member, groups);
	simhash_set_end(set);
}

#endif
