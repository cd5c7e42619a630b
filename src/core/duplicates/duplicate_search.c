/*-------------------------------------------------------------------------
 *
 * duplicate_search.c
 *		Which of many texts are copies of others, and which are edited versions; see duplicate_search.h.
 *
 * Texts that are connected by near fingerprints are in one part.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../groups/groups.h"
#include "../store/roots.h"
#include "duplicate_search.h"

#define NO_PLACE		UINT64_MAX
#define NOT_FOUND		UINT32_MAX

/*
 * The number of parts to aim at, and the fewest texts in a part.  A larger component is a part of its
 * own.  With more parts than processes, all processes end at about the same time.
 */
#define PARTS			32
#ifndef JOIN_TEST_SIZES
#define FEWEST_TEXTS	1024
#else
#define FEWEST_TEXTS	8
#endif

Duplicates *
core_duplicates_begin(const Env *env)
{
	Duplicates *d = env_alloc(env, sizeof(Duplicates));

	memset(d, 0, sizeof(Duplicates));
	d->env = env;
	d->file = env->create_file(env->file_arg);
	return d;
}

/* Make sure that there are places for the first n rows. */
static void
make_places(Duplicates *d, uint32_t n)
{
	uint32_t	room = d->room;

	if (n <= room)
		return;
	d->room = n < 1024 ? 1024 : n + n / 2 < n ? UINT32_MAX : n + n / 2;
	d->places = env_resize(d->env, d->places, d->room * sizeof(uint64_t));
	memset(d->places + room, 0xFF, (d->room - room) * sizeof(uint64_t));
}

void
core_duplicates_add(Duplicates *d, uint32_t row, const TitledText *added)
{
	make_places(d, row + 1);
	d->places[row] = core_write_text(d->env, d->file, &d->file_size, added);
}

bool
core_duplicates_have(const Duplicates *d, uint32_t row)
{
	return row < d->room && d->places[row] != NO_PLACE;
}

void
core_duplicates_forget(Duplicates *d, uint32_t row)
{
	if (row < d->room)
		d->places[row] = NO_PLACE;
}

/* ---------- parts ---------- */

static void
join_near(void *arg, uint32_t row, uint32_t first)
{
	Duplicates *d = arg;

	d->roots[row] = first;
	d->near[row] = d->near[first] = true;
}

void
core_duplicates_find_near(Duplicates *d, FingerprintSet *set, const bool *is_new, int distance,
						  size_t memory, const PairsSource *source)
{
	size_t		n = (size_t) set->n;

	d->set = set;
	d->is_new = is_new;
	d->roots = env_alloc(d->env, n * sizeof(uint32_t));
	d->near = env_alloc(d->env, n);
	begin_roots(d->roots, n);
	memset(d->near, false, n);
	core_components_of_new(set, is_new, distance < 0 ? 0 : distance, memory, source, join_near, d);
}

static inline bool
is_in_part(const Duplicates *d, uint32_t row)
{
	return d->near[row] && core_duplicates_have(d, row);
}

static inline uint32_t
row_at(const Duplicates *d, uint32_t rank)
{
	return d->order != NULL ? d->order[rank] : rank;
}

/* Is a component of this size a part of its own? */
static inline bool
is_own_part(uint32_t size, uint32_t least)
{
	return size >= least || size > LARGE_COMPONENT;
}

/*
 * Replace the size of each component by the number of its part.  Large components come first, and
 * each is a part.  The others share parts.
 */
static void
number_parts(DuplicateParts *parts, uint32_t *sizes, uint32_t n)
{
	uint32_t	least = parts->n_texts / PARTS < FEWEST_TEXTS ? FEWEST_TEXTS : parts->n_texts / PARTS;
	uint32_t	size = 0;

	for (uint32_t root = 0; root < n; root++)
		if (is_own_part(sizes[root], least))
			parts->n++;
	for (uint32_t root = 0, large = 0, small = parts->n; root < n; root++)
	{
		if (sizes[root] == 0)
			continue;
		if (is_own_part(sizes[root], least))
		{
			sizes[root] = large++;
			continue;
		}
		if (size >= least)
		{
			small++;
			size = 0;
		}
		size += sizes[root];
		sizes[root] = small;
		parts->n = small + 1;
	}
}

/* Store the texts of the parts: those that are known, or those that are new. */
static void
store_part_texts(Duplicates *d, const uint32_t *part_of, bool known)
{
	DuplicateParts *parts = &d->parts;

	for (uint32_t rank = 0; rank < d->set->n; rank++)
	{
		uint32_t	row = row_at(d, rank);
		PartText   *added;

		tick(d->env, rank);
		if (!is_in_part(d, row) || (d->is_new != NULL && !d->is_new[row]) != known)
			continue;
		added = &parts->texts[parts->starts[part_of[d->roots[row]] + 1]++];
		added->place = d->places[row];
		added->row = row;
		added->component = d->roots[row];
		added->rank = rank;
		added->known = known;
	}
}

void
core_duplicates_divide(Duplicates *d, const uint32_t *order)
{
	DuplicateParts *parts = &d->parts;
	uint32_t	n = (uint32_t) d->set->n;
	uint32_t   *part_of;		/* by roots */

	d->order = order;
	part_of = env_alloc(d->env, n * sizeof(uint32_t));
	memset(part_of, 0, n * sizeof(uint32_t));
	for (uint32_t row = 0; row < n; row++)
		if (is_in_part(d, row))
		{
			part_of[d->roots[row]]++;
			parts->n_texts++;
		}
	number_parts(parts, part_of, n);
	parts->texts = env_alloc(d->env, parts->n_texts * sizeof(PartText));
	parts->starts = env_alloc(d->env, (parts->n + 2) * sizeof(uint32_t));
	memset(parts->starts, 0, (parts->n + 2) * sizeof(uint32_t));

	/*
	 * Count the texts of each part in starts[part + 2].  The sums make
	 * starts[part + 1] the start of the part, and it moves to the end of the
	 * part while the texts are stored.
	 */
	for (uint32_t row = 0; row < n; row++)
		if (is_in_part(d, row))
			parts->starts[part_of[d->roots[row]] + 2]++;
	for (uint32_t part = 2; part < parts->n + 2; part++)
		parts->starts[part] += parts->starts[part - 1];
	if (d->is_new != NULL)
		store_part_texts(d, part_of, true);
	store_part_texts(d, part_of, false);
	env_free(d->env, part_of);
	env_free(d->env, d->places);
	env_free(d->env, d->near);
	d->places = NULL;
	d->near = NULL;
	d->found_of_row = d->roots;
	d->roots = NULL;
	memset(d->found_of_row, 0xFF, n * sizeof(uint32_t));
	d->found = env_alloc(d->env, parts->n_texts * sizeof(Duplicate));
}

/* ---------- duplicates ---------- */

static void
take_larger(TextCount *count, const TextCount *other)
{
	if (other->n > count->n || (other->n == count->n && other->rank < count->rank))
		*count = *other;
}

void
core_add_counts(DuplicateCounts *sum, const DuplicateCounts *counts)
{
	take_larger(&sum->siblings, &counts->siblings);
	take_larger(&sum->versions, &counts->versions);
	if (counts->limited.n > 0 && (sum->limited.n == 0 || counts->limited.rank < sum->limited.rank))
	{
		sum->limited.row = counts->limited.row;
		sum->limited.rank = counts->limited.rank;
	}
	sum->limited.n += counts->limited.n;
	sum->number_siblings += counts->number_siblings;
	sum->compared += counts->compared;
	sum->sketch_pairs += counts->sketch_pairs;
	sum->text_pairs += counts->text_pairs;
	sum->texts_read += counts->texts_read;
}

void
core_duplicates_take(Duplicates *d, const Duplicate *found, uint32_t n)
{
	if (n > 0)
		memmove(d->found + d->n_found, found, n * sizeof(Duplicate));
	for (uint32_t i = d->n_found; i < d->n_found + n; i++)
		d->found_of_row[d->found[i].row] = i;
	d->n_found += n;
}

void
core_duplicates_find(Duplicates *d, PartSearch *search, uint32_t part)
{
	const DuplicateParts *parts = &d->parts;
	Duplicate  *found = d->found + d->n_found;
	uint32_t	start = parts->starts[part];
	DuplicateCounts counts;

	search->texts = d->file;
	search->set = d->set;
	core_duplicates_take(d, found,
						 core_find_in_part(search, parts->texts + start,
										   parts->starts[part + 1] - start, found, &counts));
	core_add_counts(&d->counts, &counts);
}

bool
core_duplicates_next(Duplicates *d, Duplicate *duplicate)
{
	while (d->next < d->set->n)
	{
		uint32_t	i = d->found_of_row[row_at(d, d->next++)];

		if (i == NOT_FOUND)
			continue;
		*duplicate = d->found[i];
		return true;
	}
	return false;
}

void
core_duplicates_end(Duplicates *d)
{
	d->env->remove_file(d->file);
	env_free(d->env, d->places);
	env_free(d->env, d->roots);
	env_free(d->env, d->near);
	env_free(d->env, d->parts.texts);
	env_free(d->env, d->parts.starts);
	env_free(d->env, d->found);
	env_free(d->env, d->found_of_row);
	env_free(d->env, d);
}
