/*-------------------------------------------------------------------------
 *
 * stored_pairs.c
 *		The pairs of fingerprints in a temporary file, in little memory.
 *
 * The join sorts by the blocks of a plan, as the join in memory does.  For each
 * block it divides the fingerprints in parts by some bits of the block, in a
 * file.  Two parts whose bits are within the block's radius are joined in
 * memory.  A part that is too large, as that of a frequent value, is cut in
 * chunks, and each chunk is joined with each.  So two chunks at a time are in
 * memory.
 *
 * Equal fingerprints are pairs like others here.  simhash_stored_distinct
 * leaves one of them before.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "collapse.h"
#include "radix.h"
#include "stored_pairs.h"

#ifndef JOIN_TEST_SIZES
#define MOST_PART_BITS	10
#define FEWEST_ROWS		1024	/* of a chunk, for any amount of memory */
#else
#define MOST_PART_BITS	3
#define FEWEST_ROWS		8
#endif

typedef struct Chunk
{
	uint32_t	part;
	uint32_t	n;
	uint64_t	first;			/* in the part */
} Chunk;

struct StoredPairs
{
	const JoinEnv *env;
	StoredSet  *set;
	size_t		memory;
	size_t		room;			/* fingerprints of a chunk */
	WordPlan	words;
	BlockPlan	plans[MOST_WORDS];
	bool		all;			/* compare all with all, without parts */

	JoinFile   *file;			/* of the parts */
	int			word;			/* the present word and block */
	int			block;
	uint64_t	prefix;			/* the bits of the block that make parts */
	Partitions	parts;
	bool		divided;
	Chunk	   *chunks;
	size_t		nchunks;

	size_t		a;				/* chunks of the present join */
	size_t		b;				/* chunk of the next join */
	size_t		loaded;			/* the chunk that is in memory, plus 1 */
	uint64_t   *loaded_words;	/* of two chunks' fingerprints */
	uint32_t   *rows;
	Fingerprints fps;
	Join	   *join;
	bool		self;			/* is it the join of a chunk with itself? */
	FingerprintPair *found;
	size_t		room_found;
};

/* Bytes for a fingerprint of a chunk: itself and its row, a word in the join, the sorted
 * word and its number, a counter */
static inline size_t
chunk_row_bytes(int nwords)
{
	return (size_t) nwords * 8 + 4 + (nwords > 1 ? 8 : 0) + 12 + 4;
}

/* The number of bits that divide n fingerprints in parts of at most 3/4 "room", about */
static int
part_bits_for(uint64_t n, size_t room)
{
	int			bits = 0;

	while (bits < MOST_PART_BITS && n >> bits > room / 4 * 3)
		bits++;
	return bits;
}

/* Plan the blocks of all words. */
static void
plan_blocks(StoredPairs *pairs)
{
	Fingerprints sample = stored_sample(pairs->set);
	int			part_bits = part_bits_for(pairs->set->n, pairs->room);
	int			most_bits = part_bits + simhash_most_block_bits(pairs->room);
	int			used = 0;

	if (most_bits > MAX_BLOCK_BITS)
		most_bits = MAX_BLOCK_BITS;
	simhash_plan_words(&sample, pairs->words.distance, &pairs->words);
	for (int word = 0; word < sample.nwords; word++)
		used += pairs->words.radii[word] >= 0;
	for (int word = 0; word < sample.nwords; word++)
		if (pairs->words.radii[word] >= 0)
		{
			simhash_plan_parts(&sample, word, (double) pairs->set->n,
							   pairs->words.radii[word], most_bits, part_bits,
							   (double) sample.nwords / used, &pairs->plans[word]);
			pairs->all |= pairs->plans[word].nblocks == 0;
		}
}

/* Begin to find all pairs.  The caller keeps the set and env until the end. */
StoredPairs *
simhash_stored_pairs_begin(StoredSet *set, int distance, size_t memory, const JoinEnv *env)
{
	StoredPairs *pairs = join_alloc(env, sizeof(StoredPairs));

	memset(pairs, 0, sizeof(StoredPairs));
	pairs->env = env;
	pairs->set = set;
	pairs->memory = memory;
	pairs->room = memory / 4 * 3 / 2 / chunk_row_bytes(set->nwords);
	if (pairs->room < FEWEST_ROWS)
		pairs->room = FEWEST_ROWS;
	if (pairs->room > set->n)
		pairs->room = (size_t) set->n;
	pairs->word = -1;
	if (distance < 0 || set->n < 2)
	{
		pairs->word = set->nwords;
		return pairs;
	}
	pairs->words.distance = distance;
	plan_blocks(pairs);
	pairs->loaded_words = join_alloc(env, 2 * pairs->room * (size_t) set->nwords * sizeof(uint64_t));
	pairs->fps.words = pairs->loaded_words;
	pairs->fps.nwords = set->nwords;
	pairs->rows = join_alloc(env, 2 * pairs->room * sizeof(uint32_t));
	if (!pairs->all)
		pairs->file = env->create_file(env->file_arg);
	return pairs;
}

/* ----------
 * Parts
 * ----------
 */

static void
add_chunks(StoredPairs *pairs, uint32_t part, uint64_t n)
{
	const JoinEnv *env = pairs->env;
	uint64_t	count = (n + pairs->room - 1) / pairs->room;

	if (n == 0)
		return;
	pairs->chunks = env->resize(env->arg, pairs->chunks,
								(pairs->nchunks + count) * sizeof(Chunk));
	for (uint64_t i = 0; i < count; i++)
	{
		Chunk	   *chunk = &pairs->chunks[pairs->nchunks++];

		chunk->part = part;
		chunk->first = n * i / count;
		chunk->n = (uint32_t) (n * (i + 1) / count - chunk->first);
	}
}

/* The bits of a block that divide it in parts: its highest bits */
static uint64_t
choose_prefix(const StoredPairs *pairs, uint64_t mask)
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
end_parts(StoredPairs *pairs)
{
	if (pairs->divided)
		simhash_partitions_end(&pairs->parts);
	pairs->divided = false;
}

/* Divide all fingerprints by the present block. */
static void
divide(StoredPairs *pairs)
{
	StoredSet  *set = pairs->set;
	StoredReader reader;
	BlockKey	key;
	const uint64_t *fp;
	uint32_t	row;

	end_parts(pairs);
	pairs->prefix = choose_prefix(pairs, pairs->plans[pairs->word].masks[pairs->block]);
	simhash_block_key_init(&key, pairs->prefix);
	simhash_partitions_begin(&pairs->parts, pairs->file, set->nwords,
							 UINT32_C(1) << hamming_weight(pairs->prefix),
							 pairs->memory / 4, pairs->env);
	pairs->divided = true;
	simhash_reader_begin(&reader, set);
	while ((fp = simhash_reader_next(&reader, &row)) != NULL)
		simhash_partitions_add(&pairs->parts, simhash_block_value(&key, fp[pairs->word]),
							   fp, row);
	simhash_reader_end(&reader);
	simhash_partitions_finish(&pairs->parts);
	for (uint32_t part = 0; part < pairs->parts.nparts; part++)
		add_chunks(pairs, part, pairs->parts.rows[part]);
}

/* Go to the next block of a word that has a radius; false if there is none. */
static bool
next_block(StoredPairs *pairs)
{
	pairs->a = pairs->b = pairs->loaded = pairs->nchunks = 0;
	if (pairs->all)
	{
		/* there is one step, and its one part is the whole set */
		if (pairs->word >= 0)
			return false;
		pairs->word = 0;
		add_chunks(pairs, 0, pairs->set->n);
		return true;
	}
	if (pairs->word >= 0)
		pairs->block++;
	else
	{
		pairs->word = 0;
		pairs->block = 0;
	}
	for (; pairs->word < pairs->set->nwords; pairs->word++, pairs->block = 0)
	{
		const BlockPlan *plan = &pairs->plans[pairs->word];

		if (pairs->words.radii[pairs->word] < 0)
			continue;
		while (pairs->block < plan->nblocks && plan->radii[pairs->block] < 0)
			pairs->block++;
		if (pairs->block < plan->nblocks)
		{
			divide(pairs);
			return true;
		}
	}
	return false;
}

/* ----------
 * Joins
 * ----------
 */

static void
load_chunk(StoredPairs *pairs, const Chunk *chunk, size_t place)
{
	uint64_t   *fps = pairs->loaded_words + place * (size_t) pairs->set->nwords;
	uint32_t   *rows = pairs->rows + place;

	if (pairs->all)
		simhash_stored_read(pairs->set, chunk->first, chunk->n, fps, rows);
	else
		simhash_partitions_read(&pairs->parts, chunk->part, chunk->first, chunk->n, fps, rows);
}

static void
begin_join(StoredPairs *pairs)
{
	const Chunk *a = &pairs->chunks[pairs->a];
	const Chunk *b = &pairs->chunks[pairs->b];
	FingerprintSet set_a = {NULL, a->n, 0};
	FingerprintSet set_b = {NULL, b->n, a->n};
	const FingerprintSet *other = a == b ? NULL : &set_b;
	JoinPart	part = {pairs->word, &pairs->plans[pairs->word], pairs->block, pairs->prefix,
	hamming_weight(a->part ^ b->part)};

	if (pairs->loaded != pairs->a + 1)
		load_chunk(pairs, a, 0);
	pairs->loaded = pairs->a + 1;
	if (other != NULL)
		load_chunk(pairs, b, a->n);
	pairs->self = other == NULL;
	pairs->fps.n = (size_t) a->n + (pairs->self ? 0 : b->n);
	if (pairs->all)
		pairs->join = simhash_join_begin_all(&pairs->fps, &pairs->words, &set_a, other, pairs->env);
	else
		pairs->join = simhash_join_begin_part(&pairs->fps, &pairs->words, &set_a, other, &part,
											  pairs->env);
}

/* Are two chunks' values of the parts within the block's radius? */
static inline bool
are_near(const StoredPairs *pairs, size_t a, size_t b)
{
	return pairs->all ||
		hamming_weight(pairs->chunks[a].part ^ pairs->chunks[b].part) <=
		pairs->plans[pairs->word].radii[pairs->block];
}

/* Begin the next join of two chunks; false if there is none. */
static bool
next_join(StoredPairs *pairs)
{
	for (;;)
	{
		for (; pairs->a < pairs->nchunks; pairs->b = ++pairs->a)
			for (; pairs->b < pairs->nchunks; pairs->b++)
				if (are_near(pairs, pairs->a, pairs->b))
				{
					begin_join(pairs);
					pairs->b++;
					return true;
				}
		if (!next_block(pairs))
			return false;
	}
}

/*
 * The next pairs of rows, and their number; 0 at the end, also in later calls.  The next call overwrites the
 * pairs.
 */
size_t
simhash_stored_pairs_next(StoredPairs *pairs, const FingerprintPair **found)
{
	const JoinEnv *env = pairs->env;

	for (;;)
	{
		const FingerprintPair *joined;
		const uint32_t *rows = pairs->rows;
		const uint32_t *rows_b;
		size_t		n;

		if (pairs->join == NULL && !next_join(pairs))
			return 0;
		n = simhash_join_next(pairs->join, &joined);
		if (n == 0)
		{
			simhash_join_end(pairs->join);
			pairs->join = NULL;
			continue;
		}
		if (n > pairs->room_found)
		{
			pairs->found = env->resize(env->arg, pairs->found, n * sizeof(FingerprintPair));
			pairs->room_found = n;
		}
		rows_b = pairs->self ? rows : rows + pairs->chunks[pairs->a].n;
		for (size_t i = 0; i < n; i++)
		{
			pairs->found[i].a = rows[joined[i].a];
			pairs->found[i].b = rows_b[joined[i].b];
			pairs->found[i].distance = joined[i].distance;
		}
		*found = pairs->found;
		return n;
	}
}

void
simhash_stored_pairs_end(StoredPairs *pairs)
{
	const JoinEnv *env = pairs->env;

	if (pairs->join != NULL)
		simhash_join_end(pairs->join);
	end_parts(pairs);
	if (pairs->file != NULL)
		env->remove_file(pairs->file);
	join_free(env, pairs->chunks);
	join_free(env, pairs->loaded_words);
	join_free(env, pairs->rows);
	join_free(env, pairs->found);
	join_free(env, pairs);
}
