/*-------------------------------------------------------------------------
 *
 * row_links.c
 *		A sort of links between two rows, in limited memory.
 *
 * The links in memory are sorted by radix.  If there are more, each sort is a
 * run in a file.  Runs are merged when the links are read, and before that if
 * there are more runs than buffers.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "radix.h"
#include "row_links.h"

#ifndef JOIN_TEST_SIZES
#define LINKS_IN_BUFFER	1024
#define FEWEST_LINKS	4096	/* of a run, for any amount of memory */
#define FEWEST_MERGED	16		/* runs that are merged at a time */
#else
#define LINKS_IN_BUFFER	4
#define FEWEST_LINKS	16
#define FEWEST_MERGED	3
#endif

typedef struct Link
{
	uint32_t	row;
	uint32_t	other;
} Link;

/* Sorted links in the file */
typedef struct Run
{
	uint64_t	first;
	uint64_t	n;
} Run;

/* A run that is read */
typedef struct RunReader
{
	uint64_t	next;			/* in the file */
	uint64_t	left;			/* from there on */
	size_t		at;				/* in the buffer */
	size_t		buffered;
	Link		buffer[LINKS_IN_BUFFER];
} RunReader;

/* A merge: the reader with the first link is readers[heap[0]]. */
typedef struct Merge
{
	JoinFile   *file;
	RunReader  *readers;
	uint32_t   *heap;
	size_t		n;
} Merge;

struct RowLinks
{
	const JoinEnv *env;
	size_t		most;			/* links in memory */
	size_t		most_merged;	/* runs */
	uint64_t   *keys;			/* of links in memory */
	uint32_t   *others;
	size_t		room;
	size_t		n;
	size_t		at;				/* the next one to return, without runs */
	JoinFile   *file;			/* of the runs, or NULL */
	uint64_t	written;		/* links */
	Run		   *runs;
	size_t		nruns;
	Merge		merge;
};

/* The links of a row to earlier rows come before those to later rows. */
static inline uint64_t
link_key(uint32_t row, uint32_t other)
{
	return (uint64_t) row << 1 | (other > row);
}

/* Begin a sort that takes about "memory" bytes. */
RowLinks *
simhash_links_begin(size_t memory, const JoinEnv *env)
{
	RowLinks   *links = join_alloc(env, sizeof(RowLinks));

	memset(links, 0, sizeof(RowLinks));
	links->env = env;
	links->most = memory / LINK_BYTES;
	if (links->most < FEWEST_LINKS)
		links->most = FEWEST_LINKS;
	links->most_merged = memory / sizeof(RunReader);
	if (links->most_merged < FEWEST_MERGED)
		links->most_merged = FEWEST_MERGED;
	return links;
}

/* ----------
 * Runs
 * ----------
 */

static void
begin_run(RowLinks *links)
{
	const JoinEnv *env = links->env;

	if (links->file == NULL)
		links->file = env->create_file(env->file_arg);
	links->runs = env->resize(env->arg, links->runs, (links->nruns + 1) * sizeof(Run));
	links->runs[links->nruns].first = links->written;
	links->runs[links->nruns++].n = 0;
}

/* Write links to the last run. */
static void
write_links(RowLinks *links, const Link *some, size_t n)
{
	links->env->append(links->file, some, n * sizeof(Link));
	links->runs[links->nruns - 1].n += n;
	links->written += n;
	join_check_interrupts(links->env);
}

/* Move the links in memory to a run. */
static void
write_run(RowLinks *links)
{
	Link		some[LINKS_IN_BUFFER];
	size_t		n = 0;

	simhash_sort_fps(links->keys, links->others, links->n, links->env);
	begin_run(links);
	for (size_t i = 0; i < links->n; i++)
	{
		some[n].row = (uint32_t) (links->keys[i] >> 1);
		some[n++].other = links->others[i];
		if (n == LINKS_IN_BUFFER || i + 1 == links->n)
		{
			write_links(links, some, n);
			n = 0;
		}
	}
	links->n = 0;
}

/* Add a link of a row to another one. */
void
simhash_links_add(RowLinks *links, uint32_t row, uint32_t other)
{
	const JoinEnv *env = links->env;

	if (links->n == links->most)
		write_run(links);
	if (links->n == links->room)
	{
		links->room = links->room < FEWEST_LINKS ? FEWEST_LINKS : links->room * 2;
		if (links->room > links->most)
			links->room = links->most;
		links->keys = env->resize(env->arg, links->keys, links->room * sizeof(uint64_t));
		links->others = env->resize(env->arg, links->others, links->room * sizeof(uint32_t));
		join_check_interrupts(env);
	}
	links->keys[links->n] = link_key(row, other);
	links->others[links->n++] = other;
}

/* ----------
 * Merges
 * ----------
 */

/* Have a link in the buffer; false at the end of the run. */
static bool
fill(RowLinks *links, RunReader *reader)
{
	if (reader->at < reader->buffered)
		return true;
	if (reader->left == 0)
		return false;
	reader->buffered = reader->left < LINKS_IN_BUFFER ? (size_t) reader->left : LINKS_IN_BUFFER;
	reader->at = 0;
	links->env->read(links->merge.file, reader->next * sizeof(Link), reader->buffer,
					 reader->buffered * sizeof(Link));
	reader->next += reader->buffered;
	reader->left -= reader->buffered;
	join_check_interrupts(links->env);
	return true;
}

static inline uint64_t
first_key(const Merge *merge, size_t place)
{
	const RunReader *reader = &merge->readers[merge->heap[place]];

	return link_key(reader->buffer[reader->at].row, reader->buffer[reader->at].other);
}

static void
sift_down(Merge *merge, size_t place)
{
	for (;;)
	{
		size_t		child = 2 * place + 1;
		uint32_t	moved = merge->heap[place];

		if (child + 1 < merge->n && first_key(merge, child + 1) < first_key(merge, child))
			child++;
		if (child >= merge->n || first_key(merge, place) <= first_key(merge, child))
			return;
		merge->heap[place] = merge->heap[child];
		merge->heap[child] = moved;
		place = child;
	}
}

static void
begin_merge(RowLinks *links, JoinFile *file, const Run *runs, size_t nruns)
{
	Merge	   *merge = &links->merge;

	merge->file = file;
	merge->readers = join_alloc(links->env, nruns * sizeof(RunReader));
	merge->heap = join_alloc(links->env, nruns * sizeof(uint32_t));
	merge->n = 0;
	for (size_t i = 0; i < nruns; i++)
	{
		RunReader  *reader = &merge->readers[i];

		reader->next = runs[i].first;
		reader->left = runs[i].n;
		reader->at = reader->buffered = 0;
		if (fill(links, reader))
			merge->heap[merge->n++] = (uint32_t) i;
	}
	for (size_t place = merge->n / 2; place-- > 0;)
		sift_down(merge, place);
}

/* The next link of all runs of the merge; false at the end */
static bool
next_merged(RowLinks *links, Link *link)
{
	Merge	   *merge = &links->merge;
	RunReader  *reader;

	if (merge->n == 0)
		return false;
	reader = &merge->readers[merge->heap[0]];
	*link = reader->buffer[reader->at++];
	if (!fill(links, reader))
		merge->heap[0] = merge->heap[--merge->n];
	sift_down(merge, 0);
	return true;
}

static void
end_merge(RowLinks *links)
{
	join_free(links->env, links->merge.readers);
	join_free(links->env, links->merge.heap);
	memset(&links->merge, 0, sizeof(Merge));
}

/* Replace all runs by fewer. */
static void
merge_runs(RowLinks *links)
{
	const JoinEnv *env = links->env;
	JoinFile   *file = links->file;
	Run		   *runs = links->runs;
	size_t		nruns = links->nruns;
	Link		some[LINKS_IN_BUFFER];
	size_t		n = 0;

	links->file = NULL;
	links->runs = NULL;
	links->nruns = 0;
	links->written = 0;
	for (size_t done = 0; done < nruns; done += links->most_merged)
	{
		size_t		left = nruns - done;

		begin_merge(links, file, runs + done,
					left < links->most_merged ? left : links->most_merged);
		begin_run(links);
		while (next_merged(links, &some[n]))
			if (++n == LINKS_IN_BUFFER)
			{
				write_links(links, some, n);
				n = 0;
			}
		write_links(links, some, n);
		n = 0;
		end_merge(links);
	}
	join_free(env, runs);
	env->remove_file(file);
}

/* All links have been added: simhash_links_next gives them. */
void
simhash_links_sort(RowLinks *links)
{
	const JoinEnv *env = links->env;

	if (links->nruns == 0)
	{
		simhash_sort_fps(links->keys, links->others, links->n, env);
		return;
	}
	if (links->n > 0)
		write_run(links);
	join_free(env, links->keys);
	join_free(env, links->others);
	links->keys = NULL;
	links->others = NULL;
	while (links->nruns > links->most_merged)
		merge_runs(links);
	begin_merge(links, links->file, links->runs, links->nruns);
}

/*
 * The next link in the order of rows; false at the end.  The links of a row to earlier rows
 * come before those to later rows.
 */
bool
simhash_links_next(RowLinks *links, uint32_t *row, uint32_t *other)
{
	Link		link;

	if (links->nruns > 0)
	{
		if (!next_merged(links, &link))
			return false;
		*row = link.row;
		*other = link.other;
		return true;
	}
	if (links->at == links->n)
		return false;
	*row = (uint32_t) (links->keys[links->at] >> 1);
	*other = links->others[links->at++];
	if (links->at % ROWS_BETWEEN_CHECKS == 0)
		join_check_interrupts(links->env);
	return true;
}

void
simhash_links_end(RowLinks *links)
{
	const JoinEnv *env = links->env;

	end_merge(links);
	if (links->file != NULL)
		env->remove_file(links->file);
	join_free(env, links->runs);
	join_free(env, links->keys);
	join_free(env, links->others);
	join_free(env, links);
}
