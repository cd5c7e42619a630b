/*-------------------------------------------------------------------------
 *
 * align.c
 *		Alignment of two texts; see align.h.
 *
 * The seeds of the shorter text, SEED_WORDS adjacent words each, are in a table.  The
 * other text is read word by word, and each of its seeds is looked up.  An equal seed
 * grows to a run.  A new run continues the best chain whose end is near enough, or
 * begins a chain.  This is dynamic programming in the order in which runs begin: the
 * best chain to a run is known when the run is found.
 *
 * Texts with many equal words could have a quadratic number of runs.  So there are
 * three limits.  At most MOST_OPEN runs cover a word of the longer text.  At most
 * MOST_TRIED places of a seed are looked at.  At most MOST_LIVE runs can be continued.
 * Ordinary texts rarely reach a limit.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/bits.h"
#include "../text/mix.h"
#include "align.h"

#define SEED_WORDS 4
#define MOST_OPEN 8
#define FIRST_TRIED 4
#define NEAREST_TRIED 12
#define MOST_TRIED (FIRST_TRIED + NEAREST_TRIED)
#define MOST_LIVE 32
#define MOST_LCS_WORDS 64		/* compared exactly in a gap */
#define PASSAGES_AT_FIRST 16
#define PASSAGES_BEFORE_CHOICE 65536

/*
 * The places of the shorter text's seeds, in ascending order for each hash.  A place
 * has 32 bits: a text of 1 GB has at most 2^31 words, because no code point gives more
 * than two for each of its bytes.
 */
typedef struct SeedTable
{
	int			shift;			/* 64 - log2 of the number of hashes */
	uint32_t   *starts;			/* one more than there are hashes */
	uint32_t   *places;
} SeedTable;

/* A run of equal words, as the end of a chain. */
typedef struct WordRun
{
	Passage		chain;			/* from its first run to the end of this one */
	int			root;			/* number of the chain's beginning */
} WordRun;

/* The beginning of several chains; only the longest of them counts. */
typedef struct Root
{
	size_t		live;			/* number of live runs that continue it */
	Passage		best;
} Root;

/* "a" is the shorter text while texts are aligned. */
typedef struct Aligner
{
	const uint64_t *a;
	const uint64_t *b;
	size_t		n_a;
	size_t		n_b;
	size_t		seed;			/* words of a seed */
	size_t		least_words;
	size_t		gap;
	const Env  *env;
	SeedTable	table;

	WordRun		runs[MOST_LIVE];
	size_t		n_runs;
	Root		roots[MOST_LIVE];
	size_t		n_open;			/* runs that end behind the current word */
	size_t		next_end;		/* the first end of an open run */
	size_t		last_a;			/* the newest run begins here */
	size_t		last_b;
	size_t		backwards;		/* words that runs may still grow backwards */
	size_t		steps;			/* since the last check for interrupts */

	Passage    *passages;
	size_t		n_passages;
	size_t		room;

	/* If there are more passages, some are chosen. */
	size_t		choice;

	uint64_t   *covered_a;		/* bitmaps of words, while passages are chosen */
	uint64_t   *covered_b;
} Aligner;

/* ---------- seeds ---------- */

static inline uint64_t
seed_hash(const uint64_t *words, size_t seed)
{
	uint64_t	sum = words[0];

	for (size_t i = 1; i < seed; i++)
		sum = sum * MIX_FACTOR + words[i];
	return mix64(sum);
}

static void
make_seed_table(Aligner *al)
{
	SeedTable  *table = &al->table;
	size_t		n = al->n_a >= al->seed ? al->n_a - al->seed + 1 : 0;
	size_t		n_hashes = 2;
	size_t		sum = 0;

	table->shift = 63;
	while (n_hashes < n)
	{
		n_hashes *= 2;
		table->shift--;
	}
	table->starts = env_alloc(al->env, (n_hashes + 1) * sizeof(*table->starts));
	table->places = env_alloc(al->env, n * sizeof(*table->places));
	memset(table->starts, 0, (n_hashes + 1) * sizeof(*table->starts));
	for (size_t i = 0; i < n; i++)
	{
		count_steps(al->env, &al->steps, 1);
		table->starts[seed_hash(al->a + i, al->seed) >> table->shift]++;
	}
	for (size_t i = 0; i <= n_hashes; i++)
	{
		count_steps(al->env, &al->steps, 1);
		sum += table->starts[i];
		table->starts[i] = (uint32_t) sum;
	}
	/* starts[h] is the end of hash h until the places are taken from there on */
	for (size_t i = n; i-- > 0;)
	{
		count_steps(al->env, &al->steps, 1);
		table->places[--table->starts[seed_hash(al->a + i, al->seed) >> table->shift]] =
			(uint32_t) i;
	}
}

/* ---------- chains ---------- */

static void choose_passages(Aligner *al);

static void
put_passage(Aligner *al, const Passage *passage)
{
	if (al->n_passages == al->choice)
	{
		choose_passages(al);
		if (al->n_passages > al->choice / 2)
			al->choice *= 2;
	}
	if (al->n_passages == al->room)
	{
		al->room *= 2;
		al->passages = env_resize(al->env, al->passages,
								  al->room * sizeof(*al->passages));
	}
	al->passages[al->n_passages++] = *passage;
}

/* No run will continue this one. */
static void
remove_run(Aligner *al, size_t i)
{
	Root	   *root = &al->roots[al->runs[i].root];

	if (al->runs[i].chain.words > root->best.words)
		root->best = al->runs[i].chain;
	if (--root->live == 0 && root->best.words >= al->least_words)
		put_passage(al, &root->best);
	al->runs[i] = al->runs[--al->n_runs];
}

/* The longer text was read up to word j.  Runs too far behind cannot be continued. */
static void
update_runs(Aligner *al, size_t j)
{
	size_t		i = 0;

	al->n_open = 0;
	al->next_end = SIZE_MAX;
	while (i < al->n_runs)
	{
		size_t		end = al->runs[i].chain.b_end;

		if (end > j)
		{
			al->n_open++;
			if (end < al->next_end)
				al->next_end = end;
		}
		else if (j - end > al->gap)
		{
			remove_run(al, i);
			continue;
		}
		i++;
	}
}

/* Make room for one more run.  The shortest chain gives way. */
static void
forget_shortest(Aligner *al)
{
	size_t		shortest = 0;

	for (size_t i = 1; i < al->n_runs; i++)
	{
		if (al->runs[i].chain.words < al->runs[shortest].chain.words)
			shortest = i;
	}
	remove_run(al, shortest);
}

/* The longest common subsequence of two gaps, as far as they are compared. */
static size_t
equal_words(Aligner *al, size_t a, size_t a_end, size_t b, size_t b_end)
{
	uint64_t	unmatched = ~UINT64_C(0);	/* bit-parallel: bits of a */
	size_t		n_a = a_end - a;
	size_t		n_b = b_end - b;
	size_t		n_equal = 0;

	if (n_a > MOST_LCS_WORDS)
		n_a = MOST_LCS_WORDS;
	if (n_b > MOST_LCS_WORDS)
		n_b = MOST_LCS_WORDS;
	if (n_a == 0 || n_b == 0)
		return 0;
	for (size_t j = 0; j < n_b; j++)
	{
		uint64_t	equal = 0;

		for (size_t i = 0; i < n_a; i++)
			equal |= (uint64_t) (al->a[a + i] == al->b[b + j]) << i;
		unmatched = (unmatched + (unmatched & equal)) | (unmatched & ~equal);
	}
	count_steps(al->env, &al->steps, n_b);
	for (size_t i = 0; i < n_a; i++)
		n_equal += (~unmatched >> i & 1);
	return n_equal;
}

/*
 * The number of words by which a chain must be cut so that a run can follow its end,
 * or SIZE_MAX if the run cannot follow.
 */
static inline size_t
overlap_with(const Aligner *al, const Passage *chain, const Passage *run)
{
	size_t		overlap = 0;

	if (chain->a_end > run->a_start)
		overlap = chain->a_end - run->a_start;
	if (chain->b_end > run->b_start && chain->b_end - run->b_start > overlap)
		overlap = chain->b_end - run->b_start;
	if (overlap >= run->words ||
		run->a_start + overlap - chain->a_end > al->gap ||
		run->b_start + overlap - chain->b_end > al->gap)
		return SIZE_MAX;
	return overlap;
}

static int
new_root(Aligner *al)
{
	int			root = 0;

	while (al->roots[root].live > 0)
		root++;
	al->roots[root].best.words = 0;
	return root;
}

/* Let a new run continue the best chain, or begin one. */
static void
add_run(Aligner *al, const Passage *run)
{
	const WordRun *best = NULL;
	size_t		best_words = 0;
	size_t		best_overlap = 0;
	WordRun		added = {*run, 0};

	if (al->n_runs == MOST_LIVE)
		forget_shortest(al);
	for (size_t i = 0; i < al->n_runs; i++)
	{
		const Passage *chain = &al->runs[i].chain;
		size_t		overlap = overlap_with(al, chain, run);

		if (overlap != SIZE_MAX && chain->words - overlap > best_words &&
			chain->words > overlap)
		{
			best = &al->runs[i];
			best_words = chain->words - overlap;
			best_overlap = overlap;
		}
	}
	if (best != NULL)
	{
		const Passage *chain = &best->chain;

		added.root = best->root;
		added.chain.a_start = chain->a_start;
		added.chain.b_start = chain->b_start;
		added.chain.words += best_words +
			equal_words(al, chain->a_end, run->a_start + best_overlap,
						chain->b_end, run->b_start + best_overlap);
	}
	else
		added.root = new_root(al);
	al->roots[added.root].live++;
	al->runs[al->n_runs++] = added;
	al->n_open++;
	if (run->b_end < al->next_end)
		al->next_end = run->b_end;
	al->last_a = run->a_start;
	al->last_b = run->b_start;
}

/* ---------- runs ---------- */

/* Is the pair of words (i, j) in an open run? */
static bool
in_open_run(const Aligner *al, size_t i, size_t j)
{
	for (size_t r = 0; r < al->n_runs; r++)
	{
		const Passage *chain = &al->runs[r].chain;

		/* the last run of the chain ends there and has the pair's diagonal */
		if (chain->b_end > j && chain->a_end - i == chain->b_end - j)
			return true;
	}
	return false;
}

/* Grow a seed at words i and j in both directions, as far as words are equal. */
static void
grow_seed(Aligner *al, size_t i, size_t j)
{
	Passage		run = {i, i + al->seed, j, j + al->seed, 0};

	while (run.a_start > 0 && run.b_start > 0 && al->backwards > 0 &&
		   al->a[run.a_start - 1] == al->b[run.b_start - 1])
	{
		run.a_start--;
		run.b_start--;
		al->backwards--;
		count_steps(al->env, &al->steps, 1);
	}
	while (run.a_end < al->n_a && run.b_end < al->n_b &&
		   al->a[run.a_end] == al->b[run.b_end])
	{
		run.a_end++;
		run.b_end++;
		count_steps(al->env, &al->steps, 1);
	}
	run.words = run.a_end - run.a_start;
	add_run(al, &run);
}

/*
 * The places of the seed of word j of the longer text.  Of many places these are
 * looked at: the first ones, because a run may grow longest from there, and those
 * nearest to the place where the newest run would be now.
 */
typedef struct SeedPlaces
{
	const uint32_t *first;
	const uint32_t *nearest;
	size_t		n_first;
	size_t		n;
} SeedPlaces;

static SeedPlaces
places_of(const Aligner *al, size_t j)
{
	const SeedTable *table = &al->table;
	uint64_t	hash = seed_hash(al->b + j, al->seed) >> table->shift;
	size_t		low = table->starts[hash];
	size_t		end = table->starts[hash + 1];
	SeedPlaces	result = {table->places + low, NULL, end - low, end - low};

	if (result.n > MOST_TRIED)
	{
		size_t		expected = al->last_a + (j - al->last_b);
		size_t		start = low + FIRST_TRIED;
		size_t		high = end;

		result.n_first = FIRST_TRIED;
		result.n = MOST_TRIED;
		low = start;
		while (low < high)
		{
			size_t		middle = low + (high - low) / 2;

			if (table->places[middle] < expected)
				low = middle + 1;
			else
				high = middle;
		}

		/*
		 * a third of them before the expected place, if there are enough
		 * behind
		 */
		low = low - start > NEAREST_TRIED / 3 ? low - NEAREST_TRIED / 3 : start;
		if (end - low < NEAREST_TRIED)
			low = end - NEAREST_TRIED;
		result.nearest = table->places + low;
	}
	return result;
}

static void
find_runs(Aligner *al)
{
	for (size_t j = 0; j + al->seed <= al->n_b; j++)
	{
		SeedPlaces	places;

		count_steps(al->env, &al->steps, 1);
		if (j >= al->next_end)
			update_runs(al, j);
		if (al->n_open >= MOST_OPEN)
			continue;
		places = places_of(al, j);
		for (size_t p = 0; p < places.n && al->n_open < MOST_OPEN; p++)
		{
			size_t		i = p < places.n_first ? places.first[p] : places.nearest[p - places.n_first];

			if (memcmp(al->a + i, al->b + j, al->seed * sizeof(*al->a)) != 0)
				continue;
			if (i > 0 && j > 0 && al->a[i - 1] == al->b[j - 1] &&
				in_open_run(al, i, j))
				continue;
			/* ended runs are removed now, so that they do not fill the room */
			if (al->n_runs == MOST_LIVE)
				update_runs(al, j);
			grow_seed(al, i, j);
		}
	}
	while (al->n_runs > 0)
		remove_run(al, al->n_runs - 1);
}

/* ---------- choosing passages ---------- */

/* Does the passage p come before q? */
static inline bool
is_before(const Passage *p, const Passage *q)
{
	if (p->words != q->words)
		return p->words > q->words;
	if (p->a_start != q->a_start)
		return p->a_start < q->a_start;
	return p->b_start < q->b_start;
}

/* Sort the passages, the longest first, by merging: the time depends only on their number. */
static void
sort_passages(Aligner *al)
{
	Passage    *from = al->passages;
	Passage    *to = env_alloc(al->env, al->room * sizeof(Passage));
	size_t		n = al->n_passages;

	for (size_t length = 1; length < n; length *= 2)
	{
		Passage    *merged = to;
		size_t		end;

		for (size_t start = 0; start < n; start = end)
		{
			size_t		middle = n - start < length ? n : start + length;
			size_t		a = start;
			size_t		b = middle;

			end = n - middle < length ? n : middle + length;
			for (size_t i = start; i < end; i++)
			{
				count_steps(al->env, &al->steps, 1);
				if (b == end || (a < middle && !is_before(&from[b], &from[a])))
					to[i] = from[a++];
				else
					to[i] = from[b++];
			}
		}
		to = from;
		from = merged;
	}
	al->passages = from;
	env_free(al->env, to);
}

/* Set the bits from start to before end, and return how many were not set. */
static size_t
cover(Aligner *al, uint64_t *bits, size_t start, size_t end, bool set)
{
	size_t		n = 0;

	while (start < end)
	{
		size_t		in_word = 64 - start % 64;
		size_t		n_bits = end - start < in_word ? end - start : in_word;
		uint64_t	mask = ~UINT64_C(0) >> (64 - n_bits) << start % 64;
		uint64_t	uncovered = mask & ~bits[start / 64];

		n += (size_t) count_bits(uncovered);
		if (set)
			bits[start / 64] |= mask;
		start += n_bits;
		count_steps(al->env, &al->steps, 1);
	}
	return n;
}

/* Keep only passages with enough words that no longer passage covers. */
static void
choose_passages(Aligner *al)
{
	size_t		n = 0;

	sort_passages(al);
	if (al->n_passages > 1)
	{
		memset(al->covered_a, 0, (al->n_a / 64 + 1) * sizeof(*al->covered_a));
		memset(al->covered_b, 0, (al->n_b / 64 + 1) * sizeof(*al->covered_b));
	}
	for (size_t i = 0; i < al->n_passages; i++)
	{
		Passage		p = al->passages[i];

		if (n > 0 &&
			cover(al, al->covered_a, p.a_start, p.a_end, false) < al->least_words &&
			cover(al, al->covered_b, p.b_start, p.b_end, false) < al->least_words)
			continue;
		if (al->n_passages > 1)
		{
			cover(al, al->covered_a, p.a_start, p.a_end, true);
			cover(al, al->covered_b, p.b_start, p.b_end, true);
		}
		al->passages[n++] = p;
	}
	al->n_passages = n;
}

/* The texts change places. */
static void
swap_texts(Aligner *al)
{
	for (size_t i = 0; i < al->n_passages; i++)
	{
		Passage		p = al->passages[i];

		al->passages[i].a_start = p.b_start;
		al->passages[i].a_end = p.b_end;
		al->passages[i].b_start = p.a_start;
		al->passages[i].b_end = p.a_end;
	}
	sort_passages(al);
}

size_t
core_align(const WordList *a, const WordList *b, size_t least_words,
		   size_t gap, const Env *env, Passage **passages)
{
	bool		swapped = b->n < a->n;
	const WordList *shorter = swapped ? b : a;
	const WordList *longer = swapped ? a : b;
	Aligner		al;

	memset(&al, 0, sizeof(al));
	al.a = shorter->words;
	al.n_a = shorter->n;
	al.b = longer->words;
	al.n_b = longer->n;
	al.seed = least_words < SEED_WORDS ? least_words : SEED_WORDS;
	al.least_words = least_words;
	al.gap = gap;
	al.env = env;
	al.next_end = SIZE_MAX;
	al.backwards = MOST_OPEN * (al.n_a + al.n_b);
	al.room = PASSAGES_AT_FIRST;
	al.choice = PASSAGES_BEFORE_CHOICE;
	al.passages = env_alloc(env, al.room * sizeof(*al.passages));
	make_seed_table(&al);
	al.covered_a = env_alloc(env, (al.n_a / 64 + 1) * sizeof(*al.covered_a));
	al.covered_b = env_alloc(env, (al.n_b / 64 + 1) * sizeof(*al.covered_b));

	find_runs(&al);
	choose_passages(&al);
	if (swapped)
		swap_texts(&al);

	env_free(env, al.covered_b);
	env_free(env, al.covered_a);
	env_free(env, al.table.places);
	env_free(env, al.table.starts);
	*passages = al.passages;
	return al.n_passages;
}
