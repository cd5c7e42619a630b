/*-------------------------------------------------------------------------
 *
 * external_sort.c
 *		A sort of pairs of numbers, a key and a value, in limited memory.
 *
 * Pairs in memory are sorted by radix.  If they do not all fit, each piece that has been sorted is
 * written to a file as a run, and the runs are merged while the pairs are read.  Each run has a
 * buffer, which is smaller if there are many runs.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "external_sort.h"
#include "radix.h"

#ifndef JOIN_TEST_SIZES
#define BUFFER_WORDS	2048
#define FEWEST_WORDS	96		/* of a buffer, for any amount of memory */
#define FEWEST_PAIRS	4096	/* of a run, for any amount of memory */
#else
#define BUFFER_WORDS	8
#define FEWEST_WORDS	6
#define FEWEST_PAIRS	16
#endif

/* Bytes of memory for a pair and for the copy of its key during the sort */
#define PAIR_BYTES			24
#define LONG_VALUE_BYTES	8

/* Words of a pair in the file */
#define SHORT_WORDS		2
#define LONG_WORDS		3

/* Sorted pairs in the file, and a buffer for some of them. */
typedef struct SortedRun
{
	uint64_t	next;			/* to be read from the file */
	uint64_t	left;			/* from there on */
	uint32_t   *words;			/* of the buffer */
	size_t		at;				/* the next word */
	size_t		end;
} SortedRun;

/* The order of the next pair of a run. */
typedef struct MergeEntry
{
	uint64_t	order;
	size_t		run;
} MergeEntry;

struct ExternalSort
{
	const Env  *env;
	NumberWidths widths;
	size_t		memory;
	size_t		words;			/* of a pair in the file */
	size_t		most;			/* pairs in memory */
	uint64_t   *orders;			/* of pairs in memory */

	/* The values of the keys; with LONG_VALUES, their places in "values". */
	uint32_t   *places;

	uint64_t   *values;			/* LONG_VALUES */
	size_t		room;
	size_t		n;
	size_t		at;				/* the next one to return, without runs */
	JoinFile   *file;			/* of the runs, or NULL */
	uint64_t	written;		/* pairs */
	SortedRun  *runs;
	size_t		nruns;
	uint32_t   *buffers;		/* of all runs, while they are merged */
	MergeEntry *heap;			/* of the runs that have pairs */
	size_t		nheap;
};

static inline uint64_t
order_of(NumberWidths widths, uint64_t key, uint64_t value)
{
	return widths == SHORT_NUMBERS ? key << 1 | (value > key) : key;
}

ExternalSort *
core_external_sort_begin(NumberWidths widths, size_t memory, const Env *env)
{
	ExternalSort *sort = env_alloc(env, sizeof(ExternalSort));

	memset(sort, 0, sizeof(ExternalSort));
	sort->env = env;
	sort->widths = widths;
	sort->memory = memory;
	sort->words = widths == SHORT_NUMBERS ? SHORT_WORDS : LONG_WORDS;
	sort->most = memory / (PAIR_BYTES + (widths == LONG_VALUES ? LONG_VALUE_BYTES : 0));
	if (sort->most < FEWEST_PAIRS)
		sort->most = FEWEST_PAIRS;
	if (sort->most > UINT32_MAX)
		sort->most = UINT32_MAX;
	return sort;
}

/* ----------
 * Pairs in files
 * ----------
 */

static inline void
put_pair(NumberWidths widths, uint32_t *words, uint64_t key, uint64_t value)
{
	switch (widths)
	{
		case SHORT_NUMBERS:
			words[0] = (uint32_t) key;
			words[1] = (uint32_t) value;
			break;
		case LONG_KEYS:
			words[0] = (uint32_t) (key >> 32);
			words[1] = (uint32_t) key;
			words[2] = (uint32_t) value;
			break;
		case LONG_VALUES:
			words[0] = (uint32_t) key;
			words[1] = (uint32_t) (value >> 32);
			words[2] = (uint32_t) value;
			break;
	}
}

static inline void
get_pair(NumberWidths widths, const uint32_t *words, uint64_t *key, uint64_t *value)
{
	*key = words[0];
	*value = words[1];
	if (widths == LONG_KEYS)
	{
		*key = *key << 32 | words[1];
		*value = words[2];
	}
	else if (widths == LONG_VALUES)
		*value = *value << 32 | words[2];
}

/* Pair number i in memory, in order. */
static inline void
get_in_memory(const ExternalSort *sort, size_t i, uint64_t *key, uint64_t *value)
{
	*key = sort->widths == SHORT_NUMBERS ? sort->orders[i] >> 1 : sort->orders[i];
	*value = sort->widths == LONG_VALUES ? sort->values[sort->places[i]] : sort->places[i];
}

/* Move the pairs in memory to a run at the end of the file. */
static void
write_run(ExternalSort *sort)
{
	const Env  *env = sort->env;
	SortedRun	run = {sort->written, sort->n, NULL, 0, 0};
	uint32_t	buffer[BUFFER_WORDS];
	size_t		used = 0;
	uint64_t	key;
	uint64_t	value;

	core_sort_fps(sort->orders, sort->places, sort->n, env);
	if (sort->file == NULL)
		sort->file = env->create_file(env->file_arg);
	for (size_t i = 0; i < sort->n; i++)
	{
		get_in_memory(sort, i, &key, &value);
		put_pair(sort->widths, buffer + used, key, value);
		used += sort->words;
		if (used + sort->words > BUFFER_WORDS || i + 1 == sort->n)
		{
			env->append(sort->file, buffer, used * sizeof(uint32_t));
			used = 0;
			check_interrupts(env);
		}
	}
	sort->runs = env_resize(env, sort->runs, (sort->nruns + 1) * sizeof(SortedRun));
	sort->runs[sort->nruns++] = run;
	sort->written += sort->n;
	sort->n = 0;
}

/* ----------
 * Pairs in memory
 * ----------
 */

static void
grow_pairs(ExternalSort *sort)
{
	const Env  *env = sort->env;

	sort->room = sort->room == 0 ? FEWEST_PAIRS / 16 : sort->room * 2;
	if (sort->room > sort->most)
		sort->room = sort->most;
	sort->orders = env_resize(env, sort->orders, sort->room * sizeof(uint64_t));
	sort->places = env_resize(env, sort->places, sort->room * sizeof(uint32_t));
	if (sort->widths == LONG_VALUES)
		sort->values = env_resize(env, sort->values, sort->room * sizeof(uint64_t));
	check_interrupts(env);
}

void
core_external_sort_add(ExternalSort *sort, uint64_t key, uint64_t value)
{
	if (sort->n == sort->most)
		write_run(sort);
	if (sort->n == sort->room)
		grow_pairs(sort);
	sort->orders[sort->n] = order_of(sort->widths, key, value);
	if (sort->widths == LONG_VALUES)
	{
		sort->places[sort->n] = (uint32_t) sort->n;
		sort->values[sort->n] = value;
	}
	else
		sort->places[sort->n] = (uint32_t) value;
	sort->n++;
}

/* ----------
 * Merge
 * ----------
 */

/* The number of words of a run's buffer. */
static size_t
buffer_words(const ExternalSort *sort)
{
	size_t		words = sort->memory / sort->nruns / sizeof(uint32_t);

	return words > BUFFER_WORDS ? BUFFER_WORDS : words < FEWEST_WORDS ? FEWEST_WORDS : words;
}

/*
 * Make sure that the run's buffer contains its next pair, and set *order to the pair's order.
 * Returns false at the end of the run.
 */
static bool
fill_buffer(ExternalSort *sort, SortedRun *run, uint64_t *order)
{
	uint64_t	key;
	uint64_t	value;

	if (run->at == run->end)
	{
		uint64_t	most = buffer_words(sort) / sort->words;
		size_t		n = (size_t) (run->left < most ? run->left : most);

		if (n == 0)
			return false;
		run->at = 0;
		run->end = n * sort->words;
		sort->env->read(sort->file, run->next * sort->words * sizeof(uint32_t), run->words,
						run->end * sizeof(uint32_t));
		run->next += n;
		run->left -= n;
		check_interrupts(sort->env);
	}
	get_pair(sort->widths, run->words + run->at, &key, &value);
	*order = order_of(sort->widths, key, value);
	return true;
}

/*
 * If two pairs have the same order, the one that was added first comes first, which is in the
 * earlier run.
 */
static inline bool
comes_before(MergeEntry a, MergeEntry b)
{
	return a.order < b.order || (a.order == b.order && a.run < b.run);
}

static void
sift_down(ExternalSort *sort, size_t place)
{
	MergeEntry *heap = sort->heap;
	MergeEntry	moved = heap[place];

	for (;;)
	{
		size_t		child = 2 * place + 1;

		if (child + 1 < sort->nheap && comes_before(heap[child + 1], heap[child]))
			child++;
		if (child >= sort->nheap || comes_before(moved, heap[child]))
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moved;
}

static void
begin_merge(ExternalSort *sort)
{
	size_t		words = buffer_words(sort);

	sort->buffers = env_alloc(sort->env, sort->nruns * words * sizeof(uint32_t));
	sort->heap = env_alloc(sort->env, sort->nruns * sizeof(MergeEntry));
	for (size_t i = 0; i < sort->nruns; i++)
	{
		MergeEntry *entry = &sort->heap[sort->nheap++];

		entry->run = i;
		sort->runs[i].words = sort->buffers + i * words;
		fill_buffer(sort, &sort->runs[i], &entry->order);
	}
	for (size_t place = sort->nheap / 2; place-- > 0;)
		sift_down(sort, place);
}

/* Return the next pair of all runs.  The result is false at the end. */
static bool
next_merged(ExternalSort *sort, uint64_t *key, uint64_t *value)
{
	MergeEntry *first = &sort->heap[0];
	SortedRun  *run;

	if (sort->nheap == 0)
		return false;
	run = &sort->runs[first->run];
	get_pair(sort->widths, run->words + run->at, key, value);
	run->at += sort->words;
	if (!fill_buffer(sort, run, &first->order))
		*first = sort->heap[--sort->nheap];
	if (sort->nheap > 0)
		sift_down(sort, 0);
	return true;
}

/* ----------
 * Order
 * ----------
 */

static void
free_memory(ExternalSort *sort)
{
	env_free(sort->env, sort->orders);
	env_free(sort->env, sort->places);
	env_free(sort->env, sort->values);
	sort->orders = NULL;
	sort->places = NULL;
	sort->values = NULL;
}

void
core_external_sort_finish(ExternalSort *sort)
{
	if (sort->nruns == 0)
	{
		core_sort_fps(sort->orders, sort->places, sort->n, sort->env);
		return;
	}
	if (sort->n > 0)
		write_run(sort);
	free_memory(sort);
	begin_merge(sort);
}

bool
core_external_sort_next(ExternalSort *sort, uint64_t *key, uint64_t *value)
{
	if (sort->nruns > 0)
		return next_merged(sort, key, value);
	if (sort->at == sort->n)
		return false;
	get_in_memory(sort, sort->at++, key, value);
	tick(sort->env, sort->at);
	return true;
}

void
core_external_sort_end(ExternalSort *sort)
{
	if (sort->file != NULL)
		sort->env->remove_file(sort->file);
	env_free(sort->env, sort->runs);
	env_free(sort->env, sort->buffers);
	env_free(sort->env, sort->heap);
	free_memory(sort);
	env_free(sort->env, sort);
}

void
core_external_sort_visit(ExternalSort *sort, KeyVisitor visit, void *arg)
{
	const Env  *env = sort->env;
	uint32_t   *values = NULL;
	size_t		n = 0;
	size_t		room = 0;
	uint64_t	before = 0;
	uint64_t	key;
	uint64_t	value;

	core_external_sort_finish(sort);
	while (core_external_sort_next(sort, &key, &value))
	{
		if (n > 0 && key != before)
		{
			visit(arg, before, values, n);
			n = 0;
		}
		if (n == room)
		{
			room = 2 * room + 64;
			values = env_resize(env, values, room * sizeof(uint32_t));
		}
		values[n++] = (uint32_t) value;
		before = key;
	}
	if (n > 0)
		visit(arg, before, values, n);
	env_free(env, values);
	core_external_sort_end(sort);
}
