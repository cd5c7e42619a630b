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
 * whose values of the block are equal or near.  There are four ways:
 *
 * WHOLE: if there are few fingerprints, a single join in memory finds all pairs, and plans its
 * blocks itself.
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
 * ALL_WITH_ALL: if no plan is cheaper, all fingerprints are compared with all, in chunks.
 *
 * Pairs of equal fingerprints are returned like others.  A caller that does not need them calls
 * simhash_distinct first.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "near_pairs_tasks.h"
#include "radix.h"

#ifndef JOIN_TEST_SIZES
#define MOST_PART_BITS	10
#define FEWEST_DIVIDED	(1 << 17)	/* fewer fingerprints are one join */
#define FEWEST_ROWS		1024	/* of a chunk, for any amount of memory */
#else
#define MOST_PART_BITS	3
#define FEWEST_DIVIDED	150
#define FEWEST_ROWS		8
#endif

/* Joins of larger chunks are slower, because less of them is in a cache. */
#define MOST_CHUNK_MEMORY	((size_t) 32 * 1024 * 1024)

#define SLICES			32		/* of a block's values, or chunks of all with
								 * all */
#define MANY_BLOCKS		8		/* this many need no slices, because they are
								 * enough tasks */
#define MOST_TASK_ROWS	((uint64_t) 1 << 22)	/* of a block that needs no
												 * slices */

typedef struct Chunk
{
	uint32_t	part;
	uint32_t	n;
	uint64_t	first;			/* in the part */
} Chunk;

/* How the fingerprints are joined. */
typedef enum Way
{
	BY_PARTS,					/* those of near parts, for each block */
	WHOLE,						/* all in memory, by a join that plans itself */
	BY_SLICES,					/* all in memory, by slices of each block's
								 * values */
	ALL_WITH_ALL				/* all with all, without blocks */
} Way;

/* A block of the plan of a word. */
typedef struct WordBlock
{
	int			word;
	int			block;
} WordBlock;

struct NearPairs
{
	const Env *env;
	FingerprintSet *set;
	size_t		memory;
	size_t		room;			/* fingerprints of a chunk */
	WordPlan	words;
	BlockPlan	plans[MOST_WORDS];
	Way			way;
	int			slices;			/* of each block's values, or chunks of
								 * ALL_WITH_ALL */
	WordBlock	blocks[MOST_WORDS * MAX_BLOCKS];	/* those that have a
													 * radius */
	int			nblocks;		/* 1 if they are not used; 0: no pairs */
	int			number;			/* of the current block; -1 before the first */
	int			word;			/* of the current block */
	int			block;			/* in the word's plan */
	uint64_t	prefix;			/* the bits of the block that make parts */
	bool		owns_parts;		/* are the files of the parts the join's? */
	Parts		parts;
	Chunk	   *chunks;
	size_t		nchunks;

	size_t		task;
	size_t		a;				/* the chunk of the task */
	size_t		b;				/* the chunk of its next join */
	size_t		loaded;			/* the chunk that is in memory, plus 1 */
	uint64_t   *loaded_words;	/* of two chunks' fingerprints */
	uint32_t   *rows;
	Fingerprints fps;
	Join	   *join;			/* of the task's chunk with one after the
								 * other */
	const uint32_t *other_rows; /* rows of the other chunk, or of the same one */
	bool		joining;		/* may it have more pairs of the current two? */
	uint32_t   *parents;		/* of connected rows, or NULL */
	FingerprintPair *found;
	size_t		room_found;
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

/*
 * Plan the blocks of all words in this way, or choose ALL_WITH_ALL if that is cheaper.  Returns the
 * largest radius of a block.
 */
static int
plan_blocks(NearPairs *pairs, Way way)
{
	bool		in_parts = way == BY_PARTS;
	Fingerprints sample = sample_of_set(pairs->set);
	int			part_bits = in_parts ? part_bits_for(pairs->set->n, pairs->room) : 0;
	int			most_bits = part_bits +
		simhash_most_block_bits(in_parts ? pairs->room : 2 * pairs->room);
	int			used = 0;
	int			largest = 0;

	if (most_bits > MAX_BLOCK_BITS)
		most_bits = MAX_BLOCK_BITS;
	pairs->way = way;
	pairs->nblocks = 0;
	simhash_plan_words(&sample, pairs->words.distance, &pairs->words);
	for (int word = 0; word < sample.nwords; word++)
		used += pairs->words.radii[word] >= 0;
	for (int word = 0; word < sample.nwords; word++)
	{
		BlockPlan  *plan = &pairs->plans[word];

		if (pairs->words.radii[word] < 0)
			continue;
		simhash_plan_parts(&sample, word, (double) pairs->set->n, pairs->words.radii[word],
						   most_bits, part_bits, (double) sample.nwords / used, plan);
		if (plan->nblocks == 0)
			pairs->way = ALL_WITH_ALL;
		for (int block = 0; block < plan->nblocks; block++)
		{
			if (plan->radii[block] >= 0)
				pairs->blocks[pairs->nblocks++] = (WordBlock)
			{
				word, block
			};
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
choose_way(NearPairs *pairs)
{
	if (simhash_near_pairs_whole_bytes(pairs->set) > pairs->memory)
	{
		plan_blocks(pairs, BY_PARTS);
		return;
	}
	if (pairs->set->n < FEWEST_DIVIDED)
	{
		Fingerprints sample = sample_of_set(pairs->set);

		pairs->way = WHOLE;
		pairs->nblocks = 1;
		pairs->room = (size_t) (pairs->set->n + 1) / 2;
		simhash_plan_words(&sample, pairs->words.distance, &pairs->words);
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

/* Allocate room for two chunks, if there is none. */
static void
alloc_chunks(NearPairs *pairs)
{
	const Env *env = pairs->env;
	size_t		nwords = (size_t) pairs->set->nwords;

	if (pairs->loaded_words != NULL)
		return;
	pairs->loaded_words = env_alloc(env, 2 * pairs->room * nwords * sizeof(uint64_t));
	pairs->rows = env_alloc(env, 2 * pairs->room * sizeof(uint32_t));
	pairs->fps.words = pairs->loaded_words;
	pairs->fps.nwords = pairs->set->nwords;
}

static void
free_chunks(NearPairs *pairs)
{
	env_free(pairs->env, pairs->loaded_words);
	env_free(pairs->env, pairs->rows);
	pairs->loaded_words = NULL;
	pairs->rows = NULL;
	pairs->loaded = 0;
}

/* The memory in which the set is one chunk. */
size_t
simhash_near_pairs_whole_bytes(const FingerprintSet *set)
{
	return (size_t) set->n * chunk_row_bytes(set->nwords);
}

/* Begin to find all pairs.  The caller keeps the set and env until the end. */
NearPairs *
simhash_near_pairs_begin(FingerprintSet *set, int distance, size_t memory, const Env *env)
{
	NearPairs  *pairs = env_alloc(env, sizeof(NearPairs));

	memset(pairs, 0, sizeof(NearPairs));
	pairs->env = env;
	pairs->set = set;
	pairs->memory = memory;
	pairs->room = (memory < MOST_CHUNK_MEMORY ? memory : MOST_CHUNK_MEMORY) / 4 * 3 / 2 /
		chunk_row_bytes(set->nwords);
	if (pairs->room < FEWEST_ROWS)
		pairs->room = FEWEST_ROWS;
	pairs->slices = set->n < FEWEST_DIVIDED ? 1 : SLICES;
	pairs->number = -1;
	pairs->words.distance = distance;
	if (distance >= 0 && set->n >= 2)
		choose_way(pairs);
	return pairs;
}

/* ----------
 * Parts
 * ----------
 */

static void
add_chunks(NearPairs *pairs, uint32_t part, uint64_t n, size_t room)
{
	const Env *env = pairs->env;
	uint64_t	count = (n + room - 1) / room;

	if (n == 0)
		return;
	pairs->chunks = env_resize(env, pairs->chunks,
								(pairs->nchunks + count) * sizeof(Chunk));
	for (uint64_t i = 0; i < count; i++)
	{
		Chunk	   *chunk = &pairs->chunks[pairs->nchunks++];

		chunk->part = part;
		chunk->first = n * i / count;
		chunk->n = (uint32_t) (n * (i + 1) / count - chunk->first);
	}
}

/*
 * The room of a chunk for ALL_WITH_ALL.  If there are many fingerprints, there are several chunks,
 * and so several tasks.
 */
static size_t
chunk_room_of_all(const NearPairs *pairs)
{
	size_t		room = (size_t) (pairs->set->n / (uint64_t) pairs->slices) + 1;

	return room < pairs->room ? room : pairs->room;
}

/* The bits of a block that divide it in parts: its highest bits. */
static uint64_t
choose_prefix(const NearPairs *pairs, uint64_t mask)
{
	int			bits = part_bits_for(pairs->set->n, pairs->room);
	uint64_t	prefix = 0;

	for (int bit = 63; bit >= 0 && bits > 0; bit--)
		if ((mask >> bit & 1) != 0)
		{
			prefix |= UINT64_C(1) << bit;
			bits--;
		}
	return prefix;
}

static void
end_join(NearPairs *pairs)
{
	if (pairs->join != NULL)
		simhash_join_end(pairs->join);
	pairs->join = NULL;
	pairs->joining = false;
}

static void
init_parts(const NearPairs *pairs, Parts *parts, int bits)
{
	simhash_parts_begin(parts, pairs->set, UINT32_C(1) << bits, pairs->memory / 4 * 3);
}

/* Begin to divide all fingerprints by the current block. */
static void
begin_parts(NearPairs *pairs)
{
	pairs->prefix = choose_prefix(pairs, pairs->plans[pairs->word].masks[pairs->block]);
	/* no join takes memory while the parts are written */
	free_chunks(pairs);
	init_parts(pairs, &pairs->parts, hamming_weight(pairs->prefix));
}

static void
parts_by_prefix(const void *arg, const uint64_t *fps, size_t n, uint16_t *parts)
{
	const NearPairs *pairs = arg;
	size_t		nwords = (size_t) pairs->set->nwords;
	BlockKey	key;

	simhash_block_key_init(&key, pairs->prefix);
	fps += pairs->word;
	for (size_t i = 0; i < n; i++, fps += nwords)
		parts[i] = (uint16_t) simhash_block_value(&key, *fps);
}

static void
end_parts(NearPairs *pairs)
{
	if (pairs->owns_parts)
		simhash_parts_end(&pairs->parts);
	pairs->owns_parts = false;
}

/* Make a block the current one.  Its number counts the blocks of all words. */
static void
go_to_block(NearPairs *pairs, int number)
{
	pairs->number = number;
	pairs->word = pairs->blocks[number].word;
	pairs->block = pairs->blocks[number].block;
}

/* The number of blocks; 0 if there are no pairs. */
int
simhash_near_pairs_blocks(const NearPairs *pairs)
{
	return pairs->nblocks;
}

/*
 * Go to the next block.  Returns false if there is none.  If the block has parts, their ranges
 * must be divided before its tasks begin.
 */
bool
simhash_near_pairs_next_block(NearPairs *pairs)
{
	/*
	 * only BY_PARTS goes from block to block; otherwise the first block has
	 * the tasks of all
	 */
	int			nblocks = pairs->way == BY_PARTS ? pairs->nblocks : 1;

	pairs->a = pairs->b = pairs->loaded = pairs->nchunks = 0;
	end_join(pairs);
	end_parts(pairs);
	if (pairs->number + 1 >= nblocks)
		return false;
	go_to_block(pairs, pairs->number + 1);
	if (pairs->way == BY_PARTS)
		begin_parts(pairs);
	else
		add_chunks(pairs, 0, pairs->set->n,
				   pairs->way == ALL_WITH_ALL ? chunk_room_of_all(pairs) : 2 * pairs->room);
	return true;
}

/* ----------
 * Ranges
 * ----------
 */

/* The parts of the current block, or NULL if it has none. */
Parts *
simhash_near_pairs_parts(NearPairs *pairs)
{
	return pairs->way == BY_PARTS ? &pairs->parts : NULL;
}

/* The size of the ranges of the parts of a block, which is the same for all blocks. */
size_t
simhash_near_pairs_ranges_bytes(const NearPairs *pairs)
{
	Parts		parts;

	if (pairs->way != BY_PARTS || pairs->set->n < 2)
		return 0;
	init_parts(pairs, &parts, part_bits_for(pairs->set->n, pairs->room));
	return parts.nranges * parts.range_bytes;
}

/* Report a range or a task of the current block; numbers are from 0 on. */
static void
report(const NearPairs *pairs, bool divides, size_t number, size_t n)
{
	if (pairs->env->report != NULL)
		pairs->env->report(divides, pairs->number + 1, pairs->nblocks, number + 1, n);
}

/* Divide a range.  The caller has set the array parts->ranges, which processes may share. */
void
simhash_near_pairs_divide(NearPairs *pairs, uint32_t range, PartsWriter *writer)
{
	report(pairs, true, range, pairs->parts.nranges);
	simhash_parts_divide(&pairs->parts, range, writer, parts_by_prefix, pairs,
						 divided_range(&pairs->parts, range));
}

/* ----------
 * Joins
 * ----------
 */

static void
load_chunk(NearPairs *pairs, const Chunk *chunk, size_t place)
{
	uint64_t   *fps = pairs->loaded_words + place * (size_t) pairs->set->nwords;
	uint32_t   *rows = pairs->rows + place;

	if (pairs->way == BY_PARTS)
		simhash_parts_read(&pairs->parts, chunk->part, chunk->first, chunk->n, fps, rows);
	else
		simhash_set_read(pairs->set, chunk->first, chunk->n, fps, rows);
}

static void
begin_join(NearPairs *pairs)
{
	const Chunk *a = &pairs->chunks[pairs->a];
	const Chunk *b = &pairs->chunks[pairs->b];
	RowSet		set_a = {NULL, a->n, 0};
	RowSet		set_b = {NULL, b->n, a->n};
	const RowSet *other = a == b ? NULL : &set_b;
	BlockJoin	wanted = {pairs->word, &pairs->plans[pairs->word], pairs->block, pairs->prefix,
		hamming_weight(a->part ^ b->part), pairs->way == BY_SLICES ? pairs->slices : 0
	};

	alloc_chunks(pairs);
	pairs->joining = true;
	if (pairs->loaded != pairs->a + 1)
		load_chunk(pairs, a, 0);
	pairs->loaded = pairs->a + 1;
	if (other != NULL)
		load_chunk(pairs, b, a->n);
	pairs->other_rows = pairs->rows + (other == NULL ? 0 : a->n);
	pairs->fps.n = (size_t) a->n + (other == NULL ? 0 : b->n);
	if (pairs->way == WHOLE)
		pairs->join = simhash_join_begin(&pairs->fps, &pairs->words, &set_a, NULL, pairs->env);
	else if (pairs->way == ALL_WITH_ALL)
		pairs->join = simhash_join_begin_all(&pairs->fps, &pairs->words, &set_a, other, pairs->env);
	else if (pairs->join != NULL)
		simhash_join_other(pairs->join, other, &wanted);
	else
		pairs->join = simhash_join_begin_block(&pairs->fps, &pairs->words, &set_a, other, &wanted,
											   pairs->env);
	simhash_join_skip_connected(pairs->join, pairs->parents, pairs->rows, pairs->other_rows);
}

/* Are the values of two chunks' parts within the block's radius? */
static inline bool
are_near(const NearPairs *pairs, size_t a, size_t b)
{
	return pairs->way != BY_PARTS ||
		hamming_weight(pairs->chunks[a].part ^ pairs->chunks[b].part) <=
		pairs->plans[pairs->word].radii[pairs->block];
}

static size_t
count_tasks(const NearPairs *pairs)
{
	if (pairs->way != BY_SLICES)
		return pairs->nchunks;
	return (size_t) pairs->nblocks * (size_t) pairs->slices;
}

/*
 * Begin the tasks of the current block, and return their number.  All ranges have been divided, and
 * the caller has set the array parts->files.
 */
size_t
simhash_near_pairs_begin_tasks(NearPairs *pairs)
{
	if (pairs->way == BY_PARTS)
		for (uint32_t part = 0; part < pairs->parts.nparts; part++)
			add_chunks(pairs, part, simhash_parts_rows(&pairs->parts, part), pairs->room);
	return count_tasks(pairs);
}

/*
 * Begin a task of the current block: the joins of a chunk with itself and with later ones, or
 * of some values of the only chunk.
 */
void
simhash_near_pairs_begin_task(NearPairs *pairs, size_t task)
{
	pairs->task = task;
	report(pairs, false, task, count_tasks(pairs));
	if (pairs->way == BY_SLICES)
	{
		int			number = (int) (task / (size_t) pairs->slices);

		if (pairs->join == NULL || number != pairs->number)
		{
			end_join(pairs);
			go_to_block(pairs, number);
			pairs->a = pairs->b = 0;
			begin_join(pairs);
		}
		simhash_join_slice(pairs->join, (int) (task % (size_t) pairs->slices));
		pairs->joining = true;
		pairs->b = 1;
		return;
	}
	end_join(pairs);
	pairs->a = pairs->b = task;
}

/* Begin the next join of the task; false if there is none. */
static bool
next_join(NearPairs *pairs)
{
	while (pairs->b < pairs->nchunks && !are_near(pairs, pairs->a, pairs->b))
		pairs->b++;
	if (pairs->b >= pairs->nchunks)
		return false;
	begin_join(pairs);
	pairs->b++;
	return true;
}

static void
make_room(NearPairs *pairs, size_t n)
{
	const Env *env = pairs->env;

	if (n <= pairs->room_found)
		return;
	pairs->found = env_resize(env, pairs->found, n * sizeof(FingerprintPair));
	pairs->room_found = n;
}

/* Translate pairs of fingerprints in memory to pairs of rows. */
static void
translate(NearPairs *pairs, const FingerprintPair *joined, size_t n)
{
	const uint32_t *rows = pairs->rows;
	const uint32_t *rows_b = pairs->other_rows;

	make_room(pairs, n);
	for (size_t i = 0; i < n; i++)
	{
		pairs->found[i].a = rows[joined[i].a];
		pairs->found[i].b = rows_b[joined[i].b];
		pairs->found[i].distance = joined[i].distance;
	}
}

/*
 * Set *found to the next pairs of rows of the task, and return their number, 0 at its end.  The
 * next call overwrites the pairs.
 */
size_t
simhash_near_pairs_next_in_task(NearPairs *pairs, const FingerprintPair **found)
{
	while (pairs->joining || next_join(pairs))
	{
		const FingerprintPair *joined;
		size_t		n = simhash_join_next(pairs->join, &joined);

		if (n > 0)
		{
			translate(pairs, joined, n);
			report(pairs, false, pairs->task, count_tasks(pairs));
			*found = pairs->found;
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
	if (pairs->nchunks > 0 && pairs->task + 1 < count_tasks(pairs))
		simhash_near_pairs_begin_task(pairs, pairs->task + 1);
	else if (simhash_near_pairs_next_block(pairs))
	{
		if (pairs->way == BY_PARTS)
		{
			pairs->owns_parts = true;
			simhash_parts_divide_all(&pairs->parts, parts_by_prefix, pairs);
		}
		simhash_near_pairs_begin_tasks(pairs);
		simhash_near_pairs_begin_task(pairs, 0);
	}
	else
		return false;
	return true;
}

/*
 * Omit pairs of rows that are in the same tree (roots.h), like simhash_join_skip_connected.
 */
void
simhash_near_pairs_skip_connected(NearPairs *pairs, uint32_t *parents)
{
	pairs->parents = parents;
}

/*
 * Set *found to the next pairs of rows, and return their number, 0 at the end and in later calls.
 * The next call overwrites the pairs.
 */
size_t
simhash_near_pairs_next(NearPairs *pairs, const FingerprintPair **found)
{
	size_t		n;

	while ((n = simhash_near_pairs_next_in_task(pairs, found)) == 0 && next_task(pairs))
		;
	return n;
}

void
simhash_near_pairs_end(NearPairs *pairs)
{
	const Env *env = pairs->env;

	end_join(pairs);
	end_parts(pairs);
	free_chunks(pairs);
	env_free(env, pairs->chunks);
	env_free(env, pairs->found);
	env_free(env, pairs);
}

/* ----------
 * A source of pairs
 * ----------
 */

static void *
begin_alone(void *arg, FingerprintSet *set, int distance, uint64_t most, uint32_t *parents,
			size_t memory, const Env *env)
{
	NearPairs  *pairs = simhash_near_pairs_begin(set, distance, memory, env);

	(void) arg;
	(void) most;
	simhash_near_pairs_skip_connected(pairs, parents);
	return pairs;
}

static size_t
next_alone(void *pairs, const FingerprintPair **found)
{
	return simhash_near_pairs_next(pairs, found);
}

static void
end_alone(void *pairs)
{
	simhash_near_pairs_end(pairs);
}

const PairsSource simhash_serial_pairs = {begin_alone, next_alone, end_alone, NULL};
