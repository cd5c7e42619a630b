/*-------------------------------------------------------------------------
 *
 * near_pairs.c
 *		The pairs of fingerprints of a set within a distance, in little memory.
 *
 * This file finds the pairs of a set that may be larger than memory.  It uses join.c, which joins
 * two sets in memory, or a set with itself.
 *
 * Near fingerprints agree in at least one block of bits, or nearly do (block_plan.c).  So the join
 * processes one block of a plan after the other, and for each block compares only fingerprints
 * whose values of the block are equal or near.  If there are few fingerprints, one join in memory
 * plans its blocks itself.  For more, there are three ways:
 *
 * BY_PARTS: for each block, the fingerprints are divided into parts by some bits of the block, in a
 * file.  Two parts whose bits are within the block's radius are joined in memory.  A part that is
 * too large, because its value is frequent, is cut into chunks, and each chunk is joined with each
 * other one.  So only two chunks at a time are in memory.  A task joins a chunk with itself and
 * with later chunks.
 *
 * BY_SLICES: if all fingerprints fit in memory, and have several words or radii above 0, they are
 * one chunk, which is not divided.  A task joins a slice, that is, some of the values of a block.
 *
 * ALL_WITH_ALL: if no plan is cheaper than to compare all with all, each chunk is joined with each
 * other one without a block, by joins that compare all of their fingerprints unless a plan of their
 * own is cheaper.  If only pairs with a new fingerprint are wanted, the chunks of these come last, and
 * no two of the chunks before them are joined.
 *
 * Pairs of equal fingerprints are returned like others.  A caller that does not need them calls
 * core_distinct first.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "near_pairs_tasks.h"
#include "../store/radix.h"

/* FEWEST_DIVIDED: fewer fingerprints have no parts or slices */
#ifndef JOIN_TEST_SIZES
#define MOST_PART_BITS	10
#define FEWEST_DIVIDED	(1 << 17)
#define FEWEST_ROWS		1024	/* of a chunk, for any amount of memory */
#else
#define MOST_PART_BITS	3
#define FEWEST_DIVIDED	150
#define FEWEST_ROWS		8
#endif

/* Joins of larger chunks are slower, because less of them is in a cache. */
#define MOST_CHUNK_MEMORY	((size_t) 32 * 1024 * 1024)

/* Slices of a block's values, or chunks of all with all. */
#define SLICES			32

/* This many blocks need no slices, because they are enough tasks. */
#define MANY_BLOCKS		8

/* With more fingerprints, the values of each of these blocks are divided into slices, too. */
#define MOST_TASK_ROWS	((uint64_t) 1 << 22)

/* How the fingerprints are joined. */
typedef enum Way
{
	BY_PARTS,					/* those of near parts, for each block */

	/* All in memory, by slices of each block's values. */
	BY_SLICES,

	ALL_WITH_ALL				/* all with all, without blocks */
} Way;

/* A block of the plan of a word. */
typedef struct WordBlock
{
	int			word;
	int			block;
	uint64_t	prefix;			/* the bits of the block that make parts */
} WordBlock;

/* Fingerprints of a part, or of the set, as many as fit in memory twice */
typedef struct Chunk
{
	uint32_t	part;
	uint32_t	n;
	uint64_t	first;			/* in the part */
} Chunk;

struct NearPairs
{
	FingerprintSet *set;
	WordPlan	words;
	BlockPlan	plans[MOST_WORDS];
	Way			way;

	/* Into how many slices each block, or chunks ALL_WITH_ALL, is divided. */
	int			slices;

	/*
	 * The blocks that have a radius.  nblocks is 1 for ways without blocks,
	 * and 0 if there are no pairs.
	 */
	WordBlock	blocks[MOST_WORDS * MAX_BLOCKS];
	int			nblocks;
	int			number;			/* of the current block; -1 before the first */

	Parts		parts;			/* of the current block, BY_PARTS */
	size_t		room;			/* fingerprints of a chunk */
	Chunk	   *chunks;
	size_t		nchunks;
	size_t		nknown;			/* the first chunks, no two of which are joined */
	uint64_t   *fp_words;		/* of the chunks in memory, or NULL */
	uint32_t   *rows;
	size_t		loaded;			/* the first chunk in memory, from 1 on; 0: none */
	size_t		task;
	size_t		b;				/* the chunk to join next with the task's */
	Fingerprints fps;			/* of the joined chunks */
	Join	   *join;			/* of the task's chunk and others in turn */
	const uint32_t *rows_a;		/* rows of the two chunks, or of the same one */
	const uint32_t *rows_b;
	bool		joining;		/* may it have more pairs of the current two? */
	uint32_t   *parents;		/* of connected rows, or NULL */
};

/*
 * Bytes for a fingerprint of a chunk: itself and its row, a word in the join, the sorted word
 * and its number, a counter.
 */
static inline size_t
chunk_row_bytes(int nwords)
{
	return (size_t) nwords * 8 + 4 + (nwords > 1 ? 8 : 0) + 12 + 4;
}

/* The number of bits that divide n fingerprints into parts of at most about 3/4 of "room". */
static int
part_bits_for(uint64_t n, size_t room)
{
	int			bits = 0;

	while (bits < MOST_PART_BITS && n >> bits > room / 4 * 3)
		bits++;
	return bits;
}

/* Does the join omit pairs of two known fingerprints? */
static inline bool
omits_known(const FingerprintSet *set)
{
	return set->n_new > 0 && set->n_new < set->n;
}

static void
plan_words(NearPairs *pairs)
{
	Fingerprints sample = sample_of_set(pairs->set);

	core_plan_words(&sample, pairs->words.distance, &pairs->words);
}

/*
 * Plan the blocks of all words in this way, or choose ALL_WITH_ALL if that is cheaper.  Returns the
 * largest radius of a block.
 */
static int
plan_blocks(NearPairs *pairs, Way way)
{
	size_t		room = pairs->room;
	bool		in_parts = way == BY_PARTS;
	Fingerprints sample = sample_of_set(pairs->set);
	int			part_bits = in_parts ? part_bits_for(pairs->set->n, room) : 0;
	int			most_bits = part_bits +
		core_most_block_bits(in_parts ? room : 2 * room);
	int			used = 0;
	int			largest = 0;

	if (most_bits > MAX_BLOCK_BITS)
		most_bits = MAX_BLOCK_BITS;
	pairs->way = way;
	pairs->nblocks = 0;
	core_plan_words(&sample, pairs->words.distance, &pairs->words);
	for (int word = 0; word < sample.nwords; word++)
		used += pairs->words.radii[word] >= 0;
	for (int word = 0; word < sample.nwords; word++)
	{
		BlockPlan  *plan = &pairs->plans[word];

		if (pairs->words.radii[word] < 0)
			continue;
		core_plan_parts(&sample, word, (double) pairs->set->n, pairs->words.radii[word],
						most_bits, part_bits, (double) sample.nwords / used, plan);
		if (plan->nblocks == 0)
			pairs->way = ALL_WITH_ALL;
		for (int block = 0; block < plan->nblocks; block++)
		{
			WordBlock	added = {word, block, 0};

			if (plan->radii[block] >= 0)
				pairs->blocks[pairs->nblocks++] = added;
			if (plan->radii[block] > largest)
				largest = plan->radii[block];
		}
	}
	if (pairs->way == ALL_WITH_ALL)
		pairs->nblocks = 1;
	return largest;
}

/*
 * Choose the way, and plan.  For fingerprints that fit in memory parts are faster than
 * slices if the values of a part need not be joined with others, because parts fit in a
 * cache.  But dividing fingerprints of several words takes longer than that saves.
 */
static void
choose_way(NearPairs *pairs, size_t memory)
{
	if (omits_known(pairs->set))
	{
		pairs->way = ALL_WITH_ALL;
		pairs->nblocks = 1;
		if (pairs->room > pairs->set->n)
			pairs->room = (size_t) pairs->set->n;
		plan_words(pairs);
		return;
	}
	if (core_near_pairs_whole_bytes(pairs->set) > memory)
	{
		plan_blocks(pairs, BY_PARTS);
		return;
	}
	if (pairs->set->n < FEWEST_DIVIDED)
	{
		/* the only chunk is joined with itself */
		pairs->way = ALL_WITH_ALL;
		pairs->nblocks = 1;
		pairs->room = (size_t) (pairs->set->n + 1) / 2;
		plan_words(pairs);
		return;
	}
	if (pairs->set->nwords == 1)
	{
		pairs->room = (size_t) (pairs->set->n / SLICES) * 2;
		if (plan_blocks(pairs, BY_PARTS) == 0 && pairs->way == BY_PARTS)
			return;
	}
	pairs->room = (size_t) (pairs->set->n + 1) / 2;
	plan_blocks(pairs, BY_SLICES);

	/*
	 * each process that joins a slice has to sort by the block, so more
	 * slices cost more
	 */
	if (pairs->way == BY_SLICES && pairs->nblocks >= MANY_BLOCKS)
		pairs->slices = 1 + (int) (pairs->set->n / MOST_TASK_ROWS);
}

size_t
core_near_pairs_whole_bytes(const FingerprintSet *set)
{
	return (size_t) set->n * chunk_row_bytes(set->nwords);
}

/* The bits of a block that divide it in parts: its highest bits. */
static uint64_t
choose_prefix(uint64_t mask, int bits)
{
	uint64_t	prefix = 0;

	for (int bit = 63; bit >= 0 && bits > 0; bit--)
		if ((mask >> bit & 1) != 0)
		{
			prefix |= UINT64_C(1) << bit;
			bits--;
		}
	return prefix;
}

/* Choose how to divide the fingerprints by each block.  All blocks make as many parts. */
static void
plan_parts(NearPairs *pairs, size_t memory)
{
	int			bits = part_bits_for(pairs->set->n, pairs->room);

	for (int number = 0; number < pairs->nblocks; number++)
	{
		WordBlock  *block = &pairs->blocks[number];

		block->prefix = choose_prefix(pairs->plans[block->word].masks[block->block], bits);
	}
	core_parts_begin(&pairs->parts, pairs->set, UINT32_C(1) << bits, memory / 4 * 3);
}

NearPairs *
core_near_pairs_begin(FingerprintSet *set, int distance, size_t memory)
{
	NearPairs  *pairs = env_alloc(set->env, sizeof(NearPairs));
	size_t		room = (memory < MOST_CHUNK_MEMORY ? memory : MOST_CHUNK_MEMORY) / 4 * 3 / 2 /
		chunk_row_bytes(set->nwords);

	memset(pairs, 0, sizeof(NearPairs));
	pairs->set = set;
	pairs->room = room < FEWEST_ROWS ? FEWEST_ROWS : room;
	pairs->slices = set->n < FEWEST_DIVIDED ? 1 : SLICES;
	pairs->number = -1;
	pairs->words.distance = distance;
	if (distance >= 0 && set->n >= 2)
		choose_way(pairs, memory);
	if (pairs->way == BY_PARTS && pairs->nblocks > 0)
		plan_parts(pairs, memory);
	return pairs;
}

/* ----------
 * Parts
 * ----------
 */

/*
 * The room of a chunk for ALL_WITH_ALL.  If there are many fingerprints, there are several chunks,
 * and so several tasks.  Few fingerprints are one chunk, if memory holds them.
 */
static size_t
chunk_room_of_all(const NearPairs *pairs)
{
	size_t		room = (size_t) (pairs->set->n / (uint64_t) pairs->slices) + 1;

	if (pairs->set->n <= 2 * pairs->room && pairs->slices == 1)
		return 2 * pairs->room;
	return room < pairs->room ? room : pairs->room;
}

static void
end_join(NearPairs *pairs)
{
	if (pairs->join != NULL)
		core_join_end(pairs->join);
	pairs->join = NULL;
	pairs->joining = false;
}

/*
 * Cut the fingerprints of a part from "first" to before "end" into chunks of about equal size, with at
 * most "room" each.
 */
static void
add_chunks(NearPairs *pairs, uint32_t part, uint64_t first, uint64_t end, size_t room)
{
	uint64_t	n = end - first;
	uint64_t	count = (n + room - 1) / room;

	if (n == 0)
		return;
	pairs->chunks = env_resize(pairs->set->env, pairs->chunks,
							   (pairs->nchunks + count) * sizeof(Chunk));
	for (uint64_t i = 0; i < count; i++)
	{
		Chunk	   *chunk = &pairs->chunks[pairs->nchunks++];

		chunk->part = part;
		chunk->first = first + n * i / count;
		chunk->n = (uint32_t) (first + n * (i + 1) / count - chunk->first);
	}
}

/* Make chunks of the known fingerprints, and of the new ones. */
static void
add_known_and_new(NearPairs *pairs)
{
	uint64_t	n_known = pairs->set->n - pairs->set->n_new;

	add_chunks(pairs, 0, 0, n_known, pairs->room);
	pairs->nknown = pairs->nchunks;
	add_chunks(pairs, 0, n_known, pairs->set->n, pairs->room);
}

static void
load_chunk(NearPairs *pairs, const Chunk *chunk, size_t place)
{
	uint64_t   *fps = pairs->fp_words + place * (size_t) pairs->set->nwords;
	uint32_t   *rows = pairs->rows + place;

	if (pairs->way == BY_PARTS)
		core_parts_read(&pairs->parts, chunk->part, chunk->first, chunk->n, fps, rows);
	else
		core_set_read(pairs->set, chunk->first, chunk->n, fps, rows);
}

/* Read chunk a, unless it is in memory, and behind it chunk b, unless it is the same. */
static void
load_chunks(NearPairs *pairs, size_t a, size_t b)
{
	const Env  *env = pairs->set->env;
	size_t		nwords = (size_t) pairs->set->nwords;

	if (pairs->fp_words == NULL)
	{
		pairs->fp_words = env_alloc(env, 2 * pairs->room * nwords * sizeof(uint64_t));
		pairs->rows = env_alloc(env, 2 * pairs->room * sizeof(uint32_t));
	}
	if (pairs->loaded != a + 1)
		load_chunk(pairs, &pairs->chunks[a], 0);
	pairs->loaded = a + 1;
	if (b != a)
		load_chunk(pairs, &pairs->chunks[b], pairs->chunks[a].n);
}

/* End the join of a block, and forget its parts and chunks. */
static void
end_block(NearPairs *pairs)
{
	end_join(pairs);
	core_parts_end(&pairs->parts);
	env_free(pairs->set->env, pairs->chunks);
	pairs->chunks = NULL;
	pairs->nchunks = pairs->nknown = pairs->loaded = 0;
}

/* Free the memory of the fingerprints. */
static void
unload_chunks(NearPairs *pairs)
{
	env_free(pairs->set->env, pairs->fp_words);
	env_free(pairs->set->env, pairs->rows);
	pairs->fp_words = NULL;
	pairs->rows = NULL;
	pairs->loaded = 0;
}

static void
parts_by_prefix(const void *arg, const uint64_t *fps, size_t n, uint16_t *parts)
{
	const NearPairs *pairs = arg;
	const WordBlock *block = &pairs->blocks[pairs->number];
	size_t		nwords = (size_t) pairs->set->nwords;
	BlockKey	key;

	core_block_key_init(&key, block->prefix);
	fps += block->word;
	for (size_t i = 0; i < n; i++, fps += nwords)
		parts[i] = (uint16_t) core_block_value(&key, *fps);
}

/* The number of blocks; 0 if there are no pairs. */
int
core_near_pairs_blocks(const NearPairs *pairs)
{
	return pairs->nblocks;
}

bool
core_near_pairs_next_block(NearPairs *pairs)
{
	/*
	 * only BY_PARTS goes from block to block; otherwise the first block has
	 * the tasks of all
	 */
	int			nblocks = pairs->way == BY_PARTS ? pairs->nblocks : 1;

	end_block(pairs);
	pairs->b = 0;
	if (pairs->number + 1 >= nblocks)
		return false;
	pairs->number++;
	/* no join takes memory while the parts are written */
	if (pairs->way == BY_PARTS)
		unload_chunks(pairs);
	return true;
}

/* ----------
 * Ranges
 * ----------
 */

const Parts *
core_near_pairs_parts(const NearPairs *pairs)
{
	return pairs->parts.set != NULL ? &pairs->parts : NULL;
}

/* Report a range or a task of the current block; numbers are from 0 on. */
static void
report(const NearPairs *pairs, bool divides, size_t number, size_t n)
{
	if (pairs->set->env->report != NULL)
		pairs->set->env->report(divides, pairs->number + 1, pairs->nblocks, number + 1, n);
}

void
core_near_pairs_divide(NearPairs *pairs, uint32_t range, PartsWriter *writer, char *ranges)
{
	report(pairs, true, range, pairs->parts.nranges);
	core_parts_divide(&pairs->parts, range, writer, parts_by_prefix, pairs,
					  divided_range(&pairs->parts, ranges, range));
}

/* ----------
 * Joins
 * ----------
 */

/* The number of the task's chunk */
static inline size_t
chunk_of_task(const NearPairs *pairs)
{
	return pairs->way == BY_SLICES ? 0 : pairs->task;
}

static void
begin_join(NearPairs *pairs)
{
	const Chunk *a = &pairs->chunks[chunk_of_task(pairs)];
	const Chunk *b = &pairs->chunks[pairs->b];
	const WordBlock *block = &pairs->blocks[pairs->number];
	RowSet		set_a = {NULL, a->n, 0};
	RowSet		set_b = {NULL, b->n, a->n};
	const RowSet *other = a == b ? NULL : &set_b;
	bool		swap = pairs->nknown > 0 && b->n < a->n;	/* so that fewer values are visited */
	BlockJoin	wanted = {block->word, &pairs->plans[block->word], block->block, block->prefix,
		hamming_weight(a->part ^ b->part), pairs->way == BY_SLICES ? pairs->slices : 0
	};
	const Env  *env = pairs->set->env;

	pairs->joining = true;
	load_chunks(pairs, chunk_of_task(pairs), pairs->b);
	pairs->rows_a = pairs->rows + (swap ? a->n : 0);
	pairs->rows_b = pairs->rows + (swap || other == NULL ? 0 : a->n);
	pairs->fps.words = pairs->fp_words;
	pairs->fps.nwords = pairs->set->nwords;
	pairs->fps.n = (size_t) a->n + (other == NULL ? 0 : b->n);
	if (pairs->way == ALL_WITH_ALL)
		pairs->join = core_join_begin(&pairs->fps, &pairs->words, swap ? &set_b : &set_a,
									  swap ? &set_a : other, env);
	else if (pairs->join != NULL)
		core_join_other(pairs->join, other, &wanted);
	else
		pairs->join = core_join_begin_block(&pairs->fps, &pairs->words, &set_a, other, &wanted,
											env);
	core_join_skip_connected(pairs->join, pairs->parents, pairs->rows_a, pairs->rows_b);
}

/* Are the values of the parts of two chunks within the block's radius? */
static inline bool
are_near(const NearPairs *pairs, size_t a, size_t b)
{
	const Chunk *chunks = pairs->chunks;
	const WordBlock *block = &pairs->blocks[pairs->number];

	if (b < pairs->nknown)
		return false;
	return pairs->way != BY_PARTS ||
		hamming_weight(chunks[a].part ^ chunks[b].part) <=
		pairs->plans[block->word].radii[block->block];
}

static size_t
count_tasks(const NearPairs *pairs)
{
	if (pairs->way != BY_SLICES)
		return pairs->nchunks;
	return (size_t) pairs->nblocks * (size_t) pairs->slices;
}

size_t
core_near_pairs_begin_tasks(NearPairs *pairs, char *ranges, JoinFile **files)
{
	Parts	   *parts = &pairs->parts;

	parts->ranges = ranges;
	parts->files = files;
	for (uint32_t part = 0; part < parts->nparts; part++)
		add_chunks(pairs, part, 0, core_parts_rows(parts, part), pairs->room);
	if (omits_known(pairs->set))
		add_known_and_new(pairs);
	else if (pairs->way != BY_PARTS)
		add_chunks(pairs, 0, 0, pairs->set->n,
				   pairs->way == ALL_WITH_ALL ? chunk_room_of_all(pairs) : 2 * pairs->room);
	return count_tasks(pairs);
}

void
core_near_pairs_begin_task(NearPairs *pairs, size_t task)
{
	pairs->task = task;
	report(pairs, false, task, count_tasks(pairs));
	if (pairs->way == BY_SLICES)
	{
		int			number = (int) (task / (size_t) pairs->slices);

		if (pairs->join == NULL || number != pairs->number)
		{
			end_join(pairs);
			pairs->number = number;
			pairs->b = 0;
			begin_join(pairs);
		}
		core_join_slice(pairs->join, (int) (task % (size_t) pairs->slices));
		pairs->joining = true;
		pairs->b = 1;
		return;
	}
	end_join(pairs);
	pairs->b = task;
}

/* Begin the next join of the task; false if there is none. */
static bool
next_join(NearPairs *pairs)
{
	while (pairs->b < pairs->nchunks && !are_near(pairs, chunk_of_task(pairs), pairs->b))
		pairs->b++;
	if (pairs->b >= pairs->nchunks)
		return false;
	begin_join(pairs);
	pairs->b++;
	return true;
}

size_t
core_near_pairs_next_in_task(NearPairs *pairs, const FingerprintPair **found)
{
	while (pairs->joining || next_join(pairs))
	{
		FingerprintPair *joined;
		size_t		n = core_join_next(pairs->join, &joined);

		if (n > 0)
		{
			for (size_t i = 0; i < n; i++)
			{
				joined[i].a = pairs->rows_a[joined[i].a];
				joined[i].b = pairs->rows_b[joined[i].b];
			}
			report(pairs, false, pairs->task, count_tasks(pairs));
			*found = joined;
			return n;
		}
		pairs->joining = false;
		if (pairs->way == ALL_WITH_ALL)
			end_join(pairs);
	}
	return 0;
}

/* Go to the next task of all blocks; false if there is none. */
static bool
next_task(NearPairs *pairs)
{
	Parts	   *parts = &pairs->parts;

	if (pairs->nchunks > 0 && pairs->task + 1 < count_tasks(pairs))
		core_near_pairs_begin_task(pairs, pairs->task + 1);
	else if (core_near_pairs_next_block(pairs))
	{
		if (pairs->way == BY_PARTS)
			core_parts_divide_all(parts, parts_by_prefix, pairs);
		core_near_pairs_begin_tasks(pairs, parts->ranges, parts->files);
		core_near_pairs_begin_task(pairs, 0);
	}
	else
		return false;
	return true;
}

void
core_near_pairs_skip_connected(NearPairs *pairs, uint32_t *parents)
{
	pairs->parents = parents;
}

size_t
core_near_pairs_next(NearPairs *pairs, const FingerprintPair **found)
{
	size_t		n;

	while ((n = core_near_pairs_next_in_task(pairs, found)) == 0 && next_task(pairs))
		;
	return n;
}

void
core_near_pairs_end(NearPairs *pairs)
{
	end_block(pairs);
	unload_chunks(pairs);
	env_free(pairs->set->env, pairs);
}

/* ----------
 * A source of pairs
 * ----------
 */

static void *
begin_alone(void *arg, FingerprintSet *set, int distance, uint64_t most, uint32_t *parents,
			size_t memory)
{
	NearPairs  *pairs = core_near_pairs_begin(set, distance, memory);

	(void) arg;
	(void) most;
	core_near_pairs_skip_connected(pairs, parents);
	return pairs;
}

static size_t
next_alone(void *pairs, const FingerprintPair **found)
{
	return core_near_pairs_next(pairs, found);
}

static void
end_alone(void *pairs)
{
	core_near_pairs_end(pairs);
}

const PairsSource core_serial_pairs = {begin_alone, next_alone, end_alone, NULL};
