/*-------------------------------------------------------------------------
 *
 * join.c
 *		The pairs of two sets of fingerprints within a distance.
 *
 * The join sorts both sets by one block of bits after the other, as planned
 * in block_plan.c.  A block is a part of one word.  If fingerprints have
 * several words, the join handles one word after the other, each with its
 * share of the distance.  For each pair that a word finds, the join then
 * compares the whole fingerprints.
 *
 * The join compares the fingerprints of each value of a block with those of
 * all values within the block's radius.  If two values have so many
 * fingerprints that another plan pays, the join handles them in the same
 * manner by the remaining bits: a step down, with a frame of its own.  So a
 * block that is the same in many of the fingerprints costs a step, not a
 * comparison of all with all.
 *
 * The plan assumes that bits are independent of each other.  Once the sets
 * are sorted by a block, the join knows the number of pairs to compare.  It
 * estimates how many of them are near and were found by earlier blocks.  If
 * comparing all with all would have been cheaper than the blocks so far and
 * this one, the join gives the rest of the plan up and compares all with all.
 *
 * The join takes 20 bytes for each fingerprint, and counters of 4 bytes.
 * There are no more counters than fingerprints, because the frames below sort
 * in place.
 *
 * The first word whose radius contains a pair reports the pair.  Within that
 * word, the first block of the plan, in any frame, whose radius contains the
 * pair reports it.  So the join remembers no pairs, and can return pairs while
 * it goes on.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "../pigeonhole.h"
#include "join.h"
#include "radix.h"

/*
 * TILE_SIZE is the number of words of a tile.  The join compares a whole tile with one
 * fingerprint after the other, so a tile must fit in the fastest cache.  If two values
 * have more than MANY_PAIRS pairs, the join plans again for them.
 */
#ifndef JOIN_TEST_SIZES
#define TILE_SIZE		2048
#define MANY_PAIRS		(1 << 20)
#else
#define TILE_SIZE		16
#define MANY_PAIRS		32
#endif
#define MAX_PAIRS		(4 * TILE_SIZE)
#define MAX_FRAMES		8

/* Words compared between two calls of join_check_interrupts */
#define COMPARISONS_BETWEEN_CHECKS (1 << 22)

/* The number of pairs of values that count_work counts at most, about */
#define COUNTED_VISITS	(1 << 18)

/* One word of each fingerprint of a set, and the fingerprints' numbers in the set */
typedef struct Column
{
	const uint64_t *words;
	const uint32_t *numbers;	/* NULL: ascending from 0 */
	size_t		n;
} Column;

/*
 * A column in the order of a block.  The first frame has copies of its columns.  The
 * columns of a frame below are parts of these copies, and the frame sorts them in place.
 */
typedef struct SortedColumn
{
	uint64_t   *words;
	uint32_t   *numbers;
	uint32_t   *starts;
	size_t		values;			/* number of elements of "starts" */
} SortedColumn;

typedef struct Frame
{
	Column		a;
	Column		b;				/* the same as a if "self" */
	bool		self;
	uint64_t	bits;			/* bits by which no frame above has sorted */
	int			distance;		/* the largest distance in these bits */
	BlockPlan	plan;
	int			block;			/* the present block; -1 before the first */
	int			last_block;		/* the frame ends after this block */
	bool		may_give_up;	/* may it compare all with all instead? */
	BlockWork	done;			/* so far, also in frames below */
	bool		sorted;			/* by the present block */
	SortedColumn sorted_a;
	SortedColumn sorted_b;
	uint32_t   *differences;	/* XORs of values within the block's radius */
	int			ndifferences;
	int			differences_width;
	int			differences_radius;
	size_t		value;			/* the present value, of a */
	int			difference;		/* number of the next difference */
} Frame;

/*
 * A comparison of all of a with all of b: of one word, or, if "whole", of the whole
 * fingerprints of the sets.
 */
typedef struct Scan
{
	bool		active;
	bool		self;
	bool		whole;
	Column		a;
	Column		b;
	size_t		tile;			/* first of b in this tile */
	size_t		next;			/* next of a to compare with this tile */
} Scan;

struct Join
{
	const JoinEnv *env;
	const Fingerprints *fps;
	const WordPlan *plan;
	FingerprintSet a;
	FingerprintSet b;			/* the same as a if "self" */
	bool		self;
	int			word;			/* the present word; -1 before the first */
	int			last_word;		/* the join ends after this word */
	uint64_t   *column_a;		/* copies of that word, or NULL */
	uint64_t   *column_b;
	BlockWork	done;			/* for earlier words */
	Frame		frames[MAX_FRAMES];
	int			nframes;
	size_t		counters;		/* number for all frames */
	Scan		scan;
	long		until_interrupts;
	size_t		npairs;
	size_t		ngathered;
	uint64_t	gathered[TILE_SIZE];	/* words of b, of values near the
										 * value of a; or whole fingerprints
										 * of b */
	uint32_t	gathered_numbers[TILE_SIZE];
	uint16_t	hits[TILE_SIZE];
	FingerprintPair pairs[MAX_PAIRS];
};

/* ----------
 * Comparing
 * ----------
 */

/* Count work, in about comparisons, and check for interrupts now and then. */
static inline void
spend(Join *join, long comparisons)
{
	join->until_interrupts -= comparisons;
	if (join->until_interrupts < 0)
	{
		join_check_interrupts(join->env);
		join->until_interrupts = COMPARISONS_BETWEEN_CHECKS;
	}
}

static inline uint32_t
number_of(const Column *column, size_t i)
{
	return column->numbers == NULL ? (uint32_t) i : column->numbers[i];
}

static inline const uint64_t *
fingerprint_of(const Join *join, const FingerprintSet *set, size_t number)
{
	return fingerprint_of_row(join->fps, set->rows == NULL ? number : set->rows[number]);
}

static void
begin_scan(Join *join, Column a, Column b, bool self)
{
	Scan	   *scan = &join->scan;

	scan->active = true;
	scan->self = self;
	scan->whole = false;
	scan->a = a;
	scan->b = b;
	scan->tile = 0;
	scan->next = 0;
}

/*
 * Begin to compare the whole fingerprints of all pairs.  That finds every pair that no
 * earlier word has reported, so the present word is the last.
 */
static void
begin_whole_scan(Join *join)
{
	Column		a = {NULL, NULL, join->a.n};
	Column		b = {NULL, NULL, join->b.n};

	begin_scan(join, a, b, join->self);
	join->scan.whole = true;
	join->last_word = join->word;
}

/* Has the pair been found by an earlier block of this word? */
static inline bool
found_before(const Join *join, uint64_t difference)
{
	for (int f = 0; f < join->nframes; f++)
	{
		const Frame *frame = &join->frames[f];

		for (int block = 0; block < frame->block; block++)
			if (hamming_weight(difference & frame->plan.masks[block]) <=
				frame->plan.radii[block])
				return true;
	}
	return false;
}

/* Are two fingerprints within the distance, but in no earlier word within its radius? */
static bool
is_near(const Join *join, uint32_t a, uint32_t b, int *distance)
{
	const uint64_t *fp_a = fingerprint_of(join, &join->a, a);
	const uint64_t *fp_b = fingerprint_of(join, &join->b, b);

	*distance = hamming_between(fp_a, fp_b, join->fps->nwords);
	if (*distance > join->plan->distance)
		return false;
	for (int word = 0; word < join->word; word++)
		if (hamming_weight(fp_a[word] ^ fp_b[word]) <= join->plan->radii[word])
			return false;
	return true;
}

/*
 * Is a hit a pair that no earlier word or block has found?  "difference" is the XOR of
 * the pair's present words.  The blocks of a word find only pairs within its radius.
 */
static inline bool
is_new_pair(const Join *join, uint32_t a, uint32_t b, uint64_t difference, int *distance)
{
	*distance = hamming_weight(difference);
	if (*distance <= join->plan->radii[join->word] && found_before(join, difference))
		return false;
	return join->fps->nwords == 1 || is_near(join, a, b, distance);
}

/*
 * The whole fingerprints of b with numbers from "first" to before "end", one after the
 * other
 */
static const uint64_t *
gather_whole(Join *join, size_t first, size_t end)
{
	int			nwords = join->fps->nwords;

	if (join->b.rows == NULL)
		return fingerprint_of_row(join->fps, first);
	for (size_t i = first; i < end; i++)
		memcpy(join->gathered + (i - first) * (size_t) nwords,
			   fingerprint_of(join, &join->b, i), (size_t) nwords * sizeof(uint64_t));
	return join->gathered;
}

/* Compare until the scan ends; false if there is no more room for pairs. */
static bool
run_scan(Join *join)
{
	Scan	   *scan = &join->scan;
	BlockWork  *work = &join->frames[join->nframes - 1].done;
	int			words = scan->whole ? join->fps->nwords : 1;
	int			radius = scan->whole ? join->plan->distance : join->plan->radii[join->word];
	size_t		most = (size_t) (TILE_SIZE / words);

	while (scan->tile < scan->b.n)
	{
		size_t		end = scan->b.n - scan->tile < most ? scan->b.n : scan->tile + most;
		size_t		last = scan->self ? end : scan->a.n;
		const uint64_t *tile = scan->whole ? gather_whole(join, scan->tile, end) :
			scan->b.words + scan->tile;

		for (; scan->next < last; scan->next++)
		{
			const uint64_t *fp = scan->whole ? fingerprint_of(join, &join->a, scan->next) :
				scan->a.words + scan->next;
			size_t		first = scan->tile;
			const uint64_t *others;
			int			nhits;

			if (scan->self && scan->next >= first)
				first = scan->next + 1;
			spend(join, (long) (end - first) * words + 16);
			if (join->npairs + (end - first) > MAX_PAIRS)
				return false;
			others = tile + (first - scan->tile) * (size_t) words;
			nhits = hamming_within(others, (int) (end - first), fp, words, radius,
								   join->hits);
			work->compared += (double) (end - first);
			work->hits += nhits;
			for (int i = 0; i < nhits; i++)
			{
				size_t		hit = join->hits[i];
				int			word = scan->whole ? join->word : 0;
				FingerprintPair *pair = &join->pairs[join->npairs];

				pair->a = number_of(&scan->a, scan->next);
				pair->b = number_of(&scan->b, first + hit);
				if (!is_new_pair(join, pair->a, pair->b,
								 fp[word] ^ others[hit * (size_t) words + word],
								 &pair->distance))
					continue;
				join->npairs++;
				work->found++;
			}
		}
		scan->tile = end;
		scan->next = 0;
	}
	scan->active = false;
	return true;
}

/* ----------
 * Frames
 * ----------
 */

/*
 * Begin a frame.  It uses again the counters and differences that an earlier frame at
 * this level has allocated.  The columns of a frame that is not the first are parts of
 * the first frame's copies, and change order.
 */
static Frame *
push_frame(Join *join, const Column *a, const Column *b, bool self,
		   uint64_t bits, int distance)
{
	Frame	   *frame = &join->frames[join->nframes++];

	frame->a = *a;
	frame->b = *b;
	frame->self = self;
	frame->bits = bits;
	frame->distance = distance;
	frame->block = -1;
	frame->may_give_up = true;
	memset(&frame->done, 0, sizeof(BlockWork));
	frame->sorted = false;
	return frame;
}

/*
 * A comparison of all with all compares every word of the fingerprints, and replaces the
 * blocks of every word that has a radius.  The result is the number of words to compare
 * for each word whose blocks are replaced.
 */
static double
share_of_all(const Join *join)
{
	int			used = 0;

	for (int word = 0; word <= join->last_word; word++)
		used += join->plan->radii[word] >= 0;
	return (double) join->fps->nwords / used;
}

static void
plan_frame(Join *join, Frame *frame)
{
	/* the first frame gets half of the counters, the next half of the rest */
	size_t		counters = join->counters >> (frame->self ? 0 : 1) >> join->nframes;

	if (join->nframes == MAX_FRAMES)
		frame->plan.nblocks = 0;
	else
		simhash_plan_blocks(frame->a.words, frame->a.n,
							frame->self ? NULL : frame->b.words, frame->b.n,
							frame->bits, frame->distance,
							simhash_most_block_bits(counters),
							join->nframes == 1 ? share_of_all(join) : 1, &frame->plan);
	frame->last_block = frame->plan.nblocks - 1;
}

/* Sort one of the frame's columns by its block. */
static void
sort_column(Join *join, const Frame *frame, const Column *column, const BlockKey *key,
			SortedColumn *sorted)
{
	const JoinEnv *env = join->env;
	int			block_bits = frame->plan.block_bits;
	size_t		values = ((size_t) 1 << block_bits) + 1;

	spend(join, (long) (column->n + values));
	if (sorted->values < values)
	{
		join_free(env, sorted->starts);
		sorted->starts = join_alloc(env, values * sizeof(uint32_t));
		sorted->values = values;
	}
	if (frame == join->frames)
	{
		if (sorted->words == NULL)
		{
			sorted->words = join_alloc(env, column->n * sizeof(uint64_t));
			sorted->numbers = join_alloc(env, column->n * sizeof(uint32_t));
		}
		simhash_sort_by_block(key, block_bits, column->words, column->n,
							  sorted->words, sorted->numbers, sorted->starts, env);
	}
	else
	{
		sorted->words = (uint64_t *) column->words;
		sorted->numbers = (uint32_t *) column->numbers;
		simhash_sort_in_place_by_block(key, block_bits, sorted->words, sorted->numbers,
									   column->n, sorted->starts, env);
	}
}

/* The part of a sorted column that has this value of the block */
static inline Column
value_column(const SortedColumn *sorted, size_t value)
{
	Column		column;

	column.words = sorted->words + sorted->starts[value];
	column.numbers = sorted->numbers + sorted->starts[value];
	column.n = sorted->starts[value + 1] - sorted->starts[value];
	return column;
}

/* List every number of "width" bits with at most "radius" bits set, fewest first. */
static void
list_differences(Join *join, Frame *frame, int width, int radius)
{
	double		size = pigeonhole_ball_size(width, 0, radius);
	int			n = 0;

	if (frame->differences != NULL && frame->differences_width == width &&
		frame->differences_radius == radius)
		return;
	join_free(join->env, frame->differences);
	frame->differences = join_alloc(join->env, (size_t) (size + 0.5) * sizeof(uint32_t));
	frame->differences[n++] = 0;
	for (int r = 1; r <= radius; r++)
	{
		uint32_t	d = ((uint32_t) 1 << r) - 1;

		while (d < (uint32_t) 1 << width)
		{
			uint32_t	lowest = d & -d;
			uint32_t	carried = d + lowest;

			frame->differences[n++] = d;
			/* the next larger number with as many set bits */
			d = carried | (((d ^ carried) / lowest) >> 2);
		}
	}
	frame->ndifferences = n;
	frame->differences_width = width;
	frame->differences_radius = radius;
}

static inline const SortedColumn *
sorted_b(const Frame *frame)
{
	return frame->self ? &frame->sorted_a : &frame->sorted_b;
}

static inline bool
is_worth_a_frame(const Join *join, const Column *a, const Column *b)
{
	return (double) a->n * b->n > MANY_PAIRS && join->nframes < MAX_FRAMES;
}

static void
add_work(BlockWork *sum, const BlockWork *work)
{
	sum->sorted += work->sorted;
	sum->visits += work->visits;
	sum->gathered += work->gathered;
	sum->compared += work->compared;
	sum->hits += work->hits;
	sum->found += work->found;
}

/*
 * Estimate the work for the block by which the frame is sorted.  If there are many pairs
 * of values, the function looks at only some of them.  Two values that get a frame of
 * their own count as MANY_PAIRS pairs, because the cost of that frame is not known yet.
 */
static void
count_work(Join *join, const Frame *frame, BlockWork *work)
{
	size_t		values = (size_t) 1 << frame->plan.block_bits;
	size_t		step = values / (COUNTED_VISITS / (size_t) frame->ndifferences + 1) | 1;
	double		share = frame->self ? 0.5 : 1;

	memset(work, 0, sizeof(BlockWork));
	for (size_t value = 0; value < values; value += step)
	{
		Column		a = value_column(&frame->sorted_a, value);

		if (a.n == 0)
			continue;
		spend(join, frame->ndifferences);
		work->visits += frame->ndifferences;
		for (int i = 0; i < frame->ndifferences; i++)
		{
			Column		b = value_column(sorted_b(frame), value ^ frame->differences[i]);

			work->compared += share *
				(is_worth_a_frame(join, &a, &b) ? MANY_PAIRS : (double) a.n * b.n);
			if (i > 0)
				work->gathered += share * b.n;
		}
	}
	work->visits *= step;
	work->compared *= step;
	work->gathered *= step;
	work->sorted = (double) frame->a.n + (frame->self ? 0 : frame->b.n);
}

/*
 * Do the frame's blocks up to the present one cost more than to compare all with all?
 * The cost of the first frame includes earlier words.  If the answer is no, add the work
 * of the present block to the frame's work, except for comparisons.
 */
static bool
is_dearer_than_all(Join *join, Frame *frame)
{
	BlockWork	block;
	BlockWork	all = {0};
	double		before = frame->done.compared;
	double		visits;
	double		gathered;
	int			words = 1;

	count_work(join, frame, &block);
	visits = block.visits;
	gathered = block.gathered;
	if (before > 0)
		block.hits = block.compared * frame->done.hits / before;
	all.compared = frame->self ? (double) frame->a.n * (frame->a.n - 1) / 2 :
		(double) frame->a.n * frame->b.n;
	all.hits = frame->done.found;
	add_work(&block, &frame->done);
	if (join->nframes == 1)
	{
		add_work(&block, &join->done);
		all.hits += join->done.found;
		words = join->fps->nwords;
	}
	if (simhash_cost_of_work(&block) > simhash_cost_of_all(&all, words))
		return true;
	/* run_scan counts the comparisons */
	frame->done.sorted += (double) frame->a.n + (frame->self ? 0 : frame->b.n);
	frame->done.visits += visits;
	frame->done.gathered += gathered;
	return false;
}

/*
 * Begin to compare all with all.  In the first frame of fingerprints of several words,
 * this compares the whole fingerprints.
 */
static void
scan_frame(Join *join, const Frame *frame)
{
	if (join->nframes == 1 && join->fps->nwords > 1)
		begin_whole_scan(join);
	else
		begin_scan(join, frame->a, frame->b, frame->self);
}

/*
 * Go to the next block, and sort by it, or give up the plan and begin to compare all
 * with all; false if there is no more block.
 */
static bool
next_block(Join *join, Frame *frame)
{
	BlockKey	key;

	do
		frame->block++;
	while (frame->block <= frame->last_block && frame->plan.radii[frame->block] < 0);
	if (frame->block > frame->last_block)
		return false;
	simhash_block_key_init(&key, frame->plan.masks[frame->block]);
	sort_column(join, frame, &frame->a, &key, &frame->sorted_a);
	if (!frame->self)
		sort_column(join, frame, &frame->b, &key, &frame->sorted_b);
	list_differences(join, frame, frame->plan.block_bits,
					 frame->plan.radii[frame->block]);
	if (frame->may_give_up && is_dearer_than_all(join, frame))
	{
		/* the scan does not report pairs that earlier blocks have found */
		frame->last_block = frame->block;
		scan_frame(join, frame);
		return true;
	}
	frame->value = 0;
	frame->difference = 0;
	frame->sorted = true;
	return true;
}

/*
 * Begin to compare the fingerprints of two values, or begin a frame for them if they
 * are many.  The values differ in "distance" bits.
 */
static void
join_values(Join *join, Frame *frame, const Column *a, const Column *b, bool self,
			int distance)
{
	if (is_worth_a_frame(join, a, b))
	{
		Frame	   *below = push_frame(join, a, b, self,
									   frame->bits & ~frame->plan.masks[frame->block],
									   frame->distance - distance);

		plan_frame(join, below);
	}
	else
		begin_scan(join, *a, *b, self);
}

/* Begin to compare a with the gathered fingerprints; false if there are none. */
static bool
scan_gathered(Join *join, const Column *a)
{
	Column		b;

	if (join->ngathered == 0)
		return false;
	b.words = join->gathered;
	b.numbers = join->gathered_numbers;
	b.n = join->ngathered;
	join->ngathered = 0;
	begin_scan(join, *a, b, false);
	return true;
}

/*
 * Go on to the next values of the present block that must be compared, and
 * begin the comparison; false if there are none.  Values with few
 * fingerprints are gathered and compared together.
 */
static bool
next_value(Join *join, Frame *frame)
{
	size_t		values = (size_t) 1 << frame->plan.block_bits;

	for (; frame->value < values; frame->value++, frame->difference = 0)
	{
		Column		a = value_column(&frame->sorted_a, frame->value);

		if (a.n == 0)
			continue;
		spend(join, frame->ndifferences);
		while (frame->difference < frame->ndifferences)
		{
			uint32_t	difference = frame->differences[frame->difference];
			size_t		value = frame->value ^ difference;
			Column		b = value_column(sorted_b(frame), value);
			bool		self = frame->self && difference == 0;

			/* join two values of the same set only once */
			if (b.n == 0 || (frame->self && value < frame->value) || (self && b.n == 1))
			{
				frame->difference++;
				continue;
			}
			if (self || frame->ndifferences == 1 || b.n > TILE_SIZE / 4)
			{
				/* compare these first, because a frame would gather, too */
				if (scan_gathered(join, &a))
					return true;
				frame->difference++;
				join_values(join, frame, &a, &b, self, hamming_weight(difference));
				return true;
			}
			if (join->ngathered + b.n > TILE_SIZE)
				return scan_gathered(join, &a);
			frame->difference++;
			memcpy(join->gathered + join->ngathered, b.words, b.n * sizeof(uint64_t));
			memcpy(join->gathered_numbers + join->ngathered, b.numbers,
				   b.n * sizeof(uint32_t));
			join->ngathered += b.n;
		}
		if (scan_gathered(join, &a))
			return true;
	}
	return false;
}

/* ----------
 * Words
 * ----------
 */

/*
 * The present word of a set's fingerprints.  "room" receives a copy of the words.  The
 * next word of the join uses the same memory.  A set of all rows of one word needs no
 * copy.
 */
static Column
load_column(Join *join, const FingerprintSet *set, uint64_t **room)
{
	Column		column = {join->fps->words, NULL, set->n};

	if (set->rows == NULL && join->fps->nwords == 1)
		return column;
	if (*room == NULL)
		*room = join_alloc(join->env, set->n * sizeof(uint64_t));
	spend(join, (long) set->n);
	for (size_t i = 0; i < set->n; i++)
		(*room)[i] = fingerprint_of(join, set, i)[join->word];
	column.words = *room;
	return column;
}

/* Begin the first frame of the present word. */
static Frame *
push_first_frame(Join *join)
{
	Column		a = load_column(join, &join->a, &join->column_a);
	Column		b = join->self ? a : load_column(join, &join->b, &join->column_b);

	return push_frame(join, &a, &b, join->self, ~UINT64_C(0), join->plan->radii[join->word]);
}

/* Go to the next word; false if there is no more. */
static bool
next_word(Join *join)
{
	do
		join->word++;
	while (join->word <= join->last_word && join->plan->radii[join->word] < 0);
	if (join->word > join->last_word)
		return false;
	plan_frame(join, push_first_frame(join));
	return true;
}

/* ----------
 * Interface
 * ----------
 */

static Join *
make_join(const Fingerprints *fps, const WordPlan *plan, const FingerprintSet *a,
		  const FingerprintSet *b, const JoinEnv *env)
{
	Join	   *join = join_alloc(env, sizeof(Join));

	memset(join, 0, sizeof(Join));
	join->env = env;
	join->fps = fps;
	join->plan = plan;
	join->a = *a;
	join->self = b == NULL;
	join->b = join->self ? *a : *b;
	join->counters = a->n + (b == NULL ? 0 : b->n);
	join->word = -1;
	join->last_word = fps->nwords - 1;
	return join;
}

/*
 * Begin to join a with b, or a with itself if b is NULL.  The caller keeps the
 * fingerprints, the plan, the rows and env until the end.  Equal fingerprints within a
 * set are pairs like others, and their number is quadratic.
 */
Join *
simhash_join_begin(const Fingerprints *fps, const WordPlan *plan,
				   const FingerprintSet *a, const FingerprintSet *b, const JoinEnv *env)
{
	return make_join(fps, plan, a, b, env);
}

/*
 * Begin the join of a with itself that returns only the pairs that one block of a word
 * finds, and that no earlier block or word finds.
 */
Join *
simhash_join_begin_block(const Fingerprints *fps, const WordPlan *plan,
						 const FingerprintSet *a, int word, const BlockPlan *blocks,
						 int block, const JoinEnv *env)
{
	Join	   *join = make_join(fps, plan, a, NULL, env);
	Frame	   *frame;

	join->word = join->last_word = word;
	frame = push_first_frame(join);
	frame->plan = *blocks;
	frame->block = block - 1;
	frame->last_block = block;
	/* all with all would find pairs of other blocks, too */
	frame->may_give_up = false;
	return join;
}

/* Begin to join all fingerprints without any memory, by comparing all with all. */
Join *
simhash_join_begin_all(const Fingerprints *fps, const WordPlan *plan, const JoinEnv *env)
{
	FingerprintSet all = {NULL, fps->n};
	Column		column = {fps->words, NULL, fps->n};	/* not used for several
														 * words */
	Join	   *join = make_join(fps, plan, &all, NULL, env);

	join->word = join->last_word = 0;
	push_frame(join, &column, &column, true, 0, plan->distance)->plan.nblocks = 0;
	return join;
}

/*
 * The next pairs, and their number; 0 at the end.  The next call overwrites the pairs.
 */
size_t
simhash_join_next(Join *join, const FingerprintPair **pairs)
{
	join->npairs = 0;
	*pairs = join->pairs;
	for (;;)
	{
		Frame	   *frame;

		if (join->scan.active && !run_scan(join))
			break;
		if (join->nframes == 0 && !next_word(join))
			break;
		frame = &join->frames[join->nframes - 1];
		if (frame->sorted)
		{
			if (!next_value(join, frame))
				frame->sorted = false;
		}
		else if (frame->plan.nblocks == 0 && frame->block < 0)
		{
			frame->block = 0;
			scan_frame(join, frame);
		}
		else if (frame->plan.nblocks == 0 || !next_block(join, frame))
		{
			join->nframes--;
			add_work(join->nframes > 0 ? &join->frames[join->nframes - 1].done : &join->done,
					 &frame->done);
		}
	}
	return join->npairs;
}

void
simhash_join_end(Join *join)
{
	for (int f = 0; f < MAX_FRAMES; f++)
	{
		Frame	   *frame = &join->frames[f];
		SortedColumn *sorted[2] = {&frame->sorted_a, &frame->sorted_b};

		for (int i = 0; i < 2; i++)
		{
			if (f == 0)
			{
				join_free(join->env, sorted[i]->words);
				join_free(join->env, sorted[i]->numbers);
			}
			join_free(join->env, sorted[i]->starts);
		}
		join_free(join->env, frame->differences);
	}
	join_free(join->env, join->column_a);
	join_free(join->env, join->column_b);
	join_free(join->env, join);
}
