/*
 * Files of the join for its tests, which keep them in memory, and comparisons of pairs, components
 * and stars with their definitions.  MOST_ROWS is the largest number of rows to compare.
 */
#ifndef SIMHASH_JOIN_CHECK_H
#define SIMHASH_JOIN_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "../../src/core/groups/groups.h"
#include "../../src/core/join/join.h"
#include "../../src/core/store/roots.h"

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

#define TEST_FILES \
	.create_file = test_create_file, .append = test_append, .read = test_read, \
	.remove_file = test_remove_file

static inline FingerprintSet *
set_of_all(const Fingerprints *fps, const Env *env)
{
	FingerprintSet *set = core_set_begin(fps->nwords, env);

	for (size_t row = 0; row < fps->n; row++)
		core_set_add(set, fingerprint_of_row(fps, row), (uint32_t) row);
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
row_pairs_begin(const Fingerprints *fps, int distance, size_t memory, const Env *env)
{
	RowPairs	rows = {0};

	rows.set = set_of_all(fps, env);
	rows.pairs = core_near_pairs_begin(rows.set, distance, memory);
	return rows;
}

static inline bool
row_pairs_next(RowPairs *rows, FingerprintPair *pair)
{
	if (rows->at == rows->n)
	{
		rows->n = core_near_pairs_next(rows->pairs, &rows->found);
		rows->at = 0;
		if (rows->n == 0)
		{
			/* the end stays the end */
			if (core_near_pairs_next(rows->pairs, &rows->found) > 0)
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
	core_near_pairs_end(rows->pairs);
	core_set_end(rows->set);
}

static inline void
set_member(void *arg, uint32_t row, uint32_t first)
{
	((uint32_t *) arg)[row] = first;
}

/* For each row the first of its group */
static inline void
groups_of_rows(FindGroups * find, const Fingerprints *fps, int distance, size_t memory,
			   const Env *env, uint32_t *groups)
{
	FingerprintSet *set = set_of_all(fps, env);

	begin_roots(groups, fps->n);
	find(set, distance, memory, &core_serial_pairs, set_member, groups);
	core_set_end(set);
}

/* ----------
 * Definitions
 * ----------
 */

#define NONE		UINT32_MAX

static uint16_t distance_of[MOST_ROWS][MOST_ROWS];
static uint8_t times_found[MOST_ROWS][MOST_ROWS];

static inline void
define_distances(const Fingerprints *fps)
{
	for (size_t a = 0; a < fps->n; a++)
		for (size_t b = 0; b < fps->n; b++)
		{
			int			sum = 0;

			for (int w = 0; w < fps->nwords; w++)
				sum += __builtin_popcountll(fingerprint_of_row(fps, a)[w] ^
											fingerprint_of_row(fps, b)[w]);
			distance_of[a][b] = (uint16_t) sum;
		}
}

/* Find components by repeatedly visiting everything within the distance. */
static inline void
define_components(size_t n, int distance, uint32_t *groups)
{
	static uint32_t stack[MOST_ROWS];

	for (size_t i = 0; i < n; i++)
		groups[i] = NONE;
	for (size_t i = 0; i < n; i++)
	{
		size_t		depth = 0;

		if (groups[i] != NONE)
			continue;
		groups[i] = (uint32_t) i;
		stack[depth++] = (uint32_t) i;
		while (depth > 0)
		{
			uint32_t	row = stack[--depth];

			for (size_t k = 0; k < n; k++)
				if (groups[k] == NONE && distance_of[row][k] <= distance)
				{
					groups[k] = (uint32_t) i;
					stack[depth++] = (uint32_t) k;
				}
		}
	}
}

static inline void
define_stars(size_t n, int distance, uint32_t *groups)
{
	for (size_t i = 0; i < n; i++)
	{
		groups[i] = (uint32_t) i;
		for (size_t k = 0; k < i; k++)
			if (groups[k] == k && distance_of[i][k] <= distance)
			{
				groups[i] = (uint32_t) k;
				break;
			}
	}
}

/* A rule that accepts some pairs, and "may" accept most of them */
static inline bool
may_by_rule(void *arg, uint32_t earlier, uint32_t row)
{
	(void) arg;
	return earlier < row && (earlier * 31 + row * 17) % 7 != 3;
}

static inline bool
is_by_rule(void *arg, uint32_t keeper, uint32_t row)
{
	return may_by_rule(arg, keeper, row) && (keeper * 5 + row) % 3 == 0;
}

static inline void
stars_by_rule(FingerprintSet *set, int distance, size_t memory,
			  const PairsSource *source, GroupMember member, void *arg)
{
	const StarRule rule = {may_by_rule, is_by_rule, NULL};

	(void) source;
	core_stars_by_rule(set, distance, memory, &rule, member, arg);
}

static inline void
define_stars_by_rule(size_t n, int distance, uint32_t *groups)
{
	for (uint32_t i = 0; i < n; i++)
	{
		groups[i] = i;
		for (uint32_t k = 0; k < i && groups[i] == i; k++)
			if (groups[k] == k && distance_of[i][k] <= distance && is_by_rule(NULL, k, i))
				groups[i] = k;
	}
}

/* ----------
 * Comparisons, after define_distances.  The results are numbers of errors.
 * ----------
 */

static inline void
forget_found(size_t n)
{
	for (size_t a = 0; a < n; a++)
		memset(times_found[a], 0, n);
}

/* Count a pair that the join has found of rows below n. */
static inline long
wrong_found(size_t n, uint32_t a, uint32_t b, int distance)
{
	uint32_t	first = a < b ? a : b;
	uint32_t	other = a < b ? b : a;

	if (other >= n || a == b || distance != distance_of[a][b])
		return 1;
	times_found[first][other]++;
	return 0;
}

/* The join reports each pair of rows once, with its distance. */
static inline long
wrong_row_pairs(const Fingerprints *fps, int distance, size_t memory, const Env *env)
{
	RowPairs	pairs = row_pairs_begin(fps, distance, memory, env);
	FingerprintPair pair;
	long		wrong = 0;

	forget_found(fps->n);
	while (row_pairs_next(&pairs, &pair))
		wrong += wrong_found(fps->n, pair.a, pair.b, pair.distance);
	row_pairs_end(&pairs);
	for (size_t a = 0; a < fps->n; a++)
		for (size_t b = a + 1; b < fps->n; b++)
			wrong += times_found[a][b] != (distance_of[a][b] <= distance);
	return wrong;
}

/* Join the last third of the rows with the others. */
static inline long
wrong_joined(const Fingerprints *fps, int distance, const Env *env)
{
	static uint32_t rows[MOST_ROWS];
	size_t		n = fps->n;
	RowSet		sides[2] = {{rows, n / 3, 0}, {rows + n / 3, n - n / 3, 0}};
	WordPlan	plan;
	FingerprintPair *pairs;
	size_t		npairs;
	Join	   *join;
	long		wrong = 0;

	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t) (n - 1 - i);
	forget_found(n);
	core_plan_words(fps, distance, &plan);
	join = core_join_begin(fps, &plan, &sides[0], &sides[1], env);
	while ((npairs = core_join_next(join, &pairs)) > 0)
		for (size_t i = 0; i < npairs; i++)
			wrong += wrong_found(n, sides[0].rows[pairs[i].a], sides[1].rows[pairs[i].b],
								 pairs[i].distance);
	core_join_end(join);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			wrong += times_found[a][b] !=
				(a < n - n / 3 && b >= n - n / 3 && distance_of[a][b] <= distance);
	return wrong;
}

static inline long
wrong_groups(const Fingerprints *fps, int distance, size_t memory, const Env *env,
			 FindGroups * find, void (*define) (size_t n, int distance, uint32_t *groups))
{
	static uint32_t expected[MOST_ROWS];
	uint32_t   *found = malloc(fps->n * sizeof(uint32_t) + 1);
	long		wrong = 0;

	define(fps->n, distance, expected);
	groups_of_rows(find, fps, distance, memory, env, found);
	for (size_t i = 0; i < fps->n; i++)
		wrong += found[i] != expected[i];
	free(found);
	return wrong;
}

#endif
