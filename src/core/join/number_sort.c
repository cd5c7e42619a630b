/*-------------------------------------------------------------------------
 *
 * number_sort.c
 *		A sort of pairs of numbers, a key and a value, in limited memory.
 *
 * The pairs in memory are sorted by radix.  If there are more, each sort is a
 * run in a file.  Runs are merged when the pairs are read, and before that if
 * there are more runs than buffers.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "number_sort.h"
#include "radix.h"

#ifndef JOIN_TEST_SIZES
#define BUFFER_WORDS	2048
#define FEWEST_PAIRS	4096	/* of a run, for any amount of memory */
#define FEWEST_MERGED	16		/* runs that are merged at a time */
#else
#define BUFFER_WORDS	8
#define FEWEST_PAIRS	16
#define FEWEST_MERGED	3
#endif

/* Bytes of memory for a pair and for the copy of its key during the sort */
#define PAIR_BYTES			24
#define LONG_VALUE_BYTES	8

/* Words of a pair in the file */
#define SHORT_WORDS		2
#define LONG_WORDS		3

/* Sorted pairs in the file */
typedef struct Run
{
	uint64_t	first;
	uint64_t	n;
} Run;

/* Pairs on their way to or from the file */
typedef struct Buffer
{
	size_t		n;				/* words */
	uint32_t	words[BUFFER_WORDS];
} Buffer;

/* A run that is read */
typedef struct RunReader
{
	uint64_t	next;			/* in the file */
	uint64_t	left;			/* from there on */
	size_t		at;				/* in the buffer */
	Buffer		buffer;
} RunReader;

/* The order of the first pair of a reader */
typedef struct MergeEntry
{
	uint64_t	order;
	size_t		reader;
} MergeEntry;

/* A merge: the reader with the first pair is that of heap[0]. */
typedef struct Merge
{
	JoinFile   *file;
	RunReader  *readers;
	MergeEntry *heap;
	size_t		n;
} Merge;

struct NumberSort
{
	const JoinEnv *env;
	NumberWidths widths;
	size_t		words;			/* of a pair in the file */
	size_t		most;			/* pairs in memory */
	size_t		most_merged;	/* runs */
	uint64_t   *orders;			/* of pairs in memory */
	uint32_t   *places;			/* of their values; the values unless
								 * LONG_VALUES */
	uint64_t   *values;			/* LONG_VALUES */
	size_t		room;
	size_t		n;
	size_t		at;				/* the next one to return, without runs */
	JoinFile   *file;			/* of the runs, or NULL */
	uint64_t	written;		/* pairs */
	Run		   *runs;
	size_t		nruns;
	Merge		merge;
};

static inline uint64_t
order_of(NumberWidths widths, uint64_t key, uint64_t value)
{
	return widths == SHORT_NUMBERS ? key << 1 | (value > key) : key;
}

/* Begin a sort that takes about "memory" bytes. */
NumberSort *
simhash_number_sort_begin(NumberWidths widths, size_t memory, const JoinEnv *env)
{
	NumberSort *sort = join_alloc(env, sizeof(NumberSort));

	memset(sort, 0, sizeof(NumberSort));
	sort->env = env;
	sort->widths = widths;
	sort->words = widths == SHORT_NUMBERS ? SHORT_WORDS : LONG_WORDS;
	sort->most = memory / (PAIR_BYTES + (widths == LONG_VALUES ? LONG_VALUE_BYTES : 0));
	if (sort->most < FEWEST_PAIRS)
		sort->most = FEWEST_PAIRS;
	if (sort->most > UINT32_MAX)
		sort->most = UINT32_MAX;
	sort->most_merged = memory / sizeof(RunReader);
	if (sort->most_merged < FEWEST_MERGED)
		sort->most_merged = FEWEST_MERGED;
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

/* Pair number i in memory, in order */
static inline void
get_in_memory(const NumberSort *sort, size_t i, uint64_t *key, uint64_t *value)
{
	*key = sort->widths == SHORT_NUMBERS ? sort->orders[i] >> 1 : sort->orders[i];
	*value = sort->widths == LONG_VALUES ? sort->values[sort->places[i]] : sort->places[i];
}

static void
begin_run(NumberSort *sort)
{
	const JoinEnv *env = sort->env;

	if (sort->file == NULL)
		sort->file = env->create_file(env->file_arg);
	sort->runs = env->resize(env->arg, sort->runs, (sort->nruns + 1) * sizeof(Run));
	sort->runs[sort->nruns].first = sort->written;
	sort->runs[sort->nruns++].n = 0;
}

static void
flush(NumberSort *sort, Buffer *buffer)
{
	size_t		n = buffer->n / sort->words;

	sort->env->append(sort->file, buffer->words, buffer->n * sizeof(uint32_t));
	sort->runs[sort->nruns - 1].n += n;
	sort->written += n;
	buffer->n = 0;
	join_check_interrupts(sort->env);
}

/* Write a pair to the last run. */
static inline void
write_pair(NumberSort *sort, Buffer *buffer, uint64_t key, uint64_t value)
{
	if (buffer->n + sort->words > BUFFER_WORDS)
		flush(sort, buffer);
	put_pair(sort->widths, buffer->words + buffer->n, key, value);
	buffer->n += sort->words;
}

/* Move the pairs in memory to a run. */
static void
write_run(NumberSort *sort)
{
	Buffer		buffer;
	uint64_t	key;
	uint64_t	value;

	simhash_sort_fps(sort->orders, sort->places, sort->n, sort->env);
	begin_run(sort);
	buffer.n = 0;
	for (size_t i = 0; i < sort->n; i++)
	{
		get_in_memory(sort, i, &key, &value);
		write_pair(sort, &buffer, key, value);
	}
	flush(sort, &buffer);
	sort->n = 0;
}

/* ----------
 * Pairs in memory
 * ----------
 */

static void
grow(NumberSort *sort)
{
	const JoinEnv *env = sort->env;

	sort->room = sort->room < FEWEST_PAIRS ? FEWEST_PAIRS : sort->room * 2;
	if (sort->room > sort->most)
		sort->room = sort->most;
	sort->orders = env->resize(env->arg, sort->orders, sort->room * sizeof(uint64_t));
	sort->places = env->resize(env->arg, sort->places, sort->room * sizeof(uint32_t));
	if (sort->widths == LONG_VALUES)
		sort->values = env->resize(env->arg, sort->values, sort->room * sizeof(uint64_t));
	join_check_interrupts(env);
}

void
simhash_number_sort_add(NumberSort *sort, uint64_t key, uint64_t value)
{
	if (sort->n == sort->most)
		write_run(sort);
	if (sort->n == sort->room)
		grow(sort);
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
 * Merges
 * ----------
 */

/* Have a pair in the buffer, and set its order; false at the end of the run. */
static bool
fill(NumberSort *sort, RunReader *reader, uint64_t *order)
{
	uint64_t	key;
	uint64_t	value;

	if (reader->at == reader->buffer.n)
	{
		uint64_t	most = BUFFER_WORDS / sort->words;
		size_t		n = (size_t) (reader->left < most ? reader->left : most);

		if (n == 0)
			return false;
		reader->buffer.n = n * sort->words;
		reader->at = 0;
		sort->env->read(sort->merge.file, reader->next * sort->words * sizeof(uint32_t),
						reader->buffer.words, reader->buffer.n * sizeof(uint32_t));
		reader->next += n;
		reader->left -= n;
		join_check_interrupts(sort->env);
	}
	get_pair(sort->widths, reader->buffer.words + reader->at, &key, &value);
	*order = order_of(sort->widths, key, value);
	return true;
}

/* Runs are in the order in which their pairs were added. */
static inline bool
comes_before(MergeEntry a, MergeEntry b)
{
	return a.order < b.order || (a.order == b.order && a.reader < b.reader);
}

static void
sift_down(Merge *merge, size_t place)
{
	MergeEntry	moved = merge->heap[place];

	for (;;)
	{
		size_t		child = 2 * place + 1;

		if (child + 1 < merge->n && comes_before(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (child >= merge->n || comes_before(moved, merge->heap[child]))
			break;
		merge->heap[place] = merge->heap[child];
		place = child;
	}
	merge->heap[place] = moved;
}

static void
begin_merge(NumberSort *sort, JoinFile *file, const Run *runs, size_t nruns)
{
	Merge	   *merge = &sort->merge;

	merge->file = file;
	merge->readers = join_alloc(sort->env, nruns * sizeof(RunReader));
	merge->heap = join_alloc(sort->env, nruns * sizeof(MergeEntry));
	merge->n = 0;
	for (size_t i = 0; i < nruns; i++)
	{
		RunReader  *reader = &merge->readers[i];

		reader->next = runs[i].first;
		reader->left = runs[i].n;
		reader->at = reader->buffer.n = 0;
		merge->heap[merge->n].reader = i;
		if (fill(sort, reader, &merge->heap[merge->n].order))
			merge->n++;
	}
	for (size_t place = merge->n / 2; place-- > 0;)
		sift_down(merge, place);
}

/* The next pair of all runs of the merge; false at the end */
static bool
next_merged(NumberSort *sort, uint64_t *key, uint64_t *value)
{
	Merge	   *merge = &sort->merge;
	RunReader  *reader;

	if (merge->n == 0)
		return false;
	reader = &merge->readers[merge->heap[0].reader];
	get_pair(sort->widths, reader->buffer.words + reader->at, key, value);
	reader->at += sort->words;
	if (!fill(sort, reader, &merge->heap[0].order))
	{
		merge->heap[0] = merge->heap[--merge->n];
		if (merge->n == 0)
			return true;
	}
	sift_down(merge, 0);
	return true;
}

static void
end_merge(NumberSort *sort)
{
	join_free(sort->env, sort->merge.readers);
	join_free(sort->env, sort->merge.heap);
	memset(&sort->merge, 0, sizeof(Merge));
}

/* Replace all runs by fewer. */
static void
merge_runs(NumberSort *sort)
{
	const JoinEnv *env = sort->env;
	JoinFile   *file = sort->file;
	Run		   *runs = sort->runs;
	size_t		nruns = sort->nruns;
	Buffer		buffer;
	uint64_t	key;
	uint64_t	value;

	sort->file = NULL;
	sort->runs = NULL;
	sort->nruns = 0;
	sort->written = 0;
	buffer.n = 0;
	for (size_t done = 0; done < nruns; done += sort->most_merged)
	{
		size_t		left = nruns - done;

		begin_merge(sort, file, runs + done,
					left < sort->most_merged ? left : sort->most_merged);
		begin_run(sort);
		while (next_merged(sort, &key, &value))
			write_pair(sort, &buffer, key, value);
		flush(sort, &buffer);
		end_merge(sort);
	}
	join_free(env, runs);
	env->remove_file(file);
}

static void
free_memory(NumberSort *sort)
{
	join_free(sort->env, sort->orders);
	join_free(sort->env, sort->places);
	join_free(sort->env, sort->values);
	sort->orders = NULL;
	sort->places = NULL;
	sort->values = NULL;
}

/* All pairs have been added: simhash_number_sort_next gives them. */
void
simhash_number_sort_finish(NumberSort *sort)
{
	if (sort->nruns == 0)
	{
		simhash_sort_fps(sort->orders, sort->places, sort->n, sort->env);
		return;
	}
	if (sort->n > 0)
		write_run(sort);
	free_memory(sort);
	while (sort->nruns > sort->most_merged)
		merge_runs(sort);
	begin_merge(sort, sort->file, sort->runs, sort->nruns);
}

/* The next pair in order; false at the end */
bool
simhash_number_sort_next(NumberSort *sort, uint64_t *key, uint64_t *value)
{
	if (sort->nruns > 0)
		return next_merged(sort, key, value);
	if (sort->at == sort->n)
		return false;
	get_in_memory(sort, sort->at++, key, value);
	if (sort->at % ROWS_BETWEEN_CHECKS == 0)
		join_check_interrupts(sort->env);
	return true;
}

void
simhash_number_sort_end(NumberSort *sort)
{
	end_merge(sort);
	if (sort->file != NULL)
		sort->env->remove_file(sort->file);
	join_free(sort->env, sort->runs);
	free_memory(sort);
	join_free(sort->env, sort);
}
