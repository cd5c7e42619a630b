/*
 * Temporary files of the join for its tests, which keep them in memory, and the pairs and
 * groups of rows that are in such a file.
 */
#ifndef SIMHASH_JOIN_FILES_H
#define SIMHASH_JOIN_FILES_H

#include <stdlib.h>
#include <string.h>

#include "../../src/core/join/groups.h"
#include "../../src/core/join/row_pairs.h"
#include "../../src/core/join/stored_groups.h"
#include "../../src/core/join/stored_pairs.h"

/* More memory than this is plenty: nothing is in files. */
#define PLENTY		((size_t) 1 << 28)

struct JoinFile
{
	char	   *data;
	size_t		room;
	size_t		size;
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
	open_files--;
	free(file->data);
	free(file);
}

#define TEST_FILES	test_create_file, test_append, test_read, test_remove_file, NULL

static inline StoredSet *
store_all(const Fingerprints *fps, const JoinEnv *env)
{
	StoredSet  *set = simhash_stored_begin(fps->nwords, env);

	for (size_t row = 0; row < fps->n; row++)
		simhash_stored_add(set, fingerprint_of_row(fps, row), (uint32_t) row);
	return set;
}

/* The pairs of rows, in memory or in files */
typedef struct AnyPairs
{
	RowPairs   *pairs;
	StoredSet  *set;
	StoredPairs *stored;
	const FingerprintPair *found;
	size_t		n;
	size_t		at;
} AnyPairs;

static inline AnyPairs
any_pairs_begin(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env)
{
	AnyPairs	any = {0};

	if (memory > PLENTY)
		any.pairs = simhash_row_pairs_begin(fps, distance, ALL_PAIRS, env);
	else
	{
		any.set = store_all(fps, env);
		any.stored = simhash_stored_pairs_begin(any.set, distance, memory, env);
	}
	return any;
}

static inline bool
any_pairs_next(AnyPairs *any, FingerprintPair *pair)
{
	if (any->pairs != NULL)
		return simhash_row_pairs_next(any->pairs, pair);
	if (any->at == any->n)
	{
		any->n = simhash_stored_pairs_next(any->stored, &any->found);
		any->at = 0;
		if (any->n == 0)
		{
			/* the end stays the end */
			if (simhash_stored_pairs_next(any->stored, &any->found) > 0)
				abort();
			return false;
		}
	}
	*pair = any->found[any->at++];
	return true;
}

static inline void
any_pairs_end(AnyPairs *any)
{
	if (any->pairs != NULL)
	{
		simhash_row_pairs_end(any->pairs);
		return;
	}
	simhash_stored_pairs_end(any->stored);
	simhash_stored_end(any->set);
}

static inline void
set_member(void *arg, uint32_t row, uint32_t first)
{
	((uint32_t *) arg)[row] = first;
}

typedef void (*AnyGroups) (const Fingerprints *fps, int distance, size_t memory,
						   const JoinEnv *env, uint32_t *clusters);

static inline void
any_stored_groups(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env,
				  uint32_t *clusters,
				  void (*method) (StoredSet *, int, size_t, const JoinEnv *,
								 const PairsSource *, GroupMember, void *))
{
	StoredSet  *set = store_all(fps, env);

	for (size_t row = 0; row < fps->n; row++)
		clusters[row] = (uint32_t) row;
	method(set, distance, memory, env, &simhash_serial_pairs, set_member, clusters);
	simhash_stored_end(set);
}

static inline void
any_components(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env,
			   uint32_t *clusters)
{
	if (memory > PLENTY)
		simhash_components(fps, distance, env, clusters);
	else
		any_stored_groups(fps, distance, memory, env, clusters, simhash_stored_components);
}

/* In memory, too, stars may be found in chunks. */
static inline void
any_stars(const Fingerprints *fps, int distance, size_t memory, const JoinEnv *env,
		  uint32_t *clusters)
{
	if (memory > PLENTY || memory % 2 == 0)
		simhash_stars(fps, distance, memory, env, clusters);
	else
		any_stored_groups(fps, distance, memory, env, clusters, simhash_stored_stars);
}

#endif
