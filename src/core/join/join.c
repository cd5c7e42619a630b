/*-------------------------------------------------------------------------
 *
 * join.c
 *		The pairs of two sets of fingerprints within a distance.
 *
 * The join sorts both sets by one block of bits after the other, as planned
 * in block_plan.c.  It compares the fingerprints of each value with those of
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
 * The join takes 12 bytes for each fingerprint, and counters of 4 bytes.
 * There are no more counters than fingerprints, because the frames below sort
 * in place.
 *
 * The first block of the plan, in any frame, whose radius contains a pair
 * reports the pair.  So the join remembers no pairs, and can return pairs
 * while it goes on.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "../pigeonhole.h"
#include "join.h"
#include "radix.h"

/*
 * Fingerprints compared with one at a time: they stay in the fastest cache.
 * Where two values have MANY_PAIRS, another plan for them is looked for.
 */
#ifndef JOIN_TEST_SIZES
#define CHUNK			2048
#define MANY_PAIRS		(1 << 20)
#else
#define CHUNK			16
#define MANY_PAIRS		32
#endif
#define MAX_PAIRS		(4 * CHUNK)
#define MAX_FRAMES		8

/* Comparisons between two interrupt checks */
#define INTERRUPT_INTERVAL (1 << 22)

/* Values of a block of which the pairs are counted before these are compared */
#define COUNTED_VISITS	(1 << 18)

/*
 * A set in the order of a block.  The first frame has copies of its set's fingerprints
 * and tags; the set of a frame below is a part of such copies, which it sorts.
 */
typedef struct SortedSet
{
	uint64_t   *fps;
	uint32_t   *tags;
	uint32_t   *starts;
	size_t		values;			/* for which there is room in "starts" */
} SortedSet;

typedef struct Frame
{
	FingerprintSet a;
	FingerprintSet b;			/* the same as a if "self" */
	bool		self;
	uint64_t	bits;			/* those not yet looked at */
	int			distance;		/* in these */
	BlockPlan	plan;
	int			block;			/* at which we are; -1 before the first */
	int			last_block;		/* nothing is done for those behind */
	bool		may_give_up;	/* the plan, and compare all with all? */
	BlockWork	done;			/* so far, also in frames below */
	bool		sorted;			/* by it */
	SortedSet	sorted_a;
	SortedSet	sorted_b;
	uint32_t   *differences;	/* of values that are within its radius */
	int			ndifferences;
	int			differences_width;
	int			differences_radius;
	size_t		value;			/* of a, at which we are, and */
	int			difference;		/* which of the differences is next */
} Frame;

/* A comparison of all with all */
typedef struct Scan
{
	bool		active;
	bool		self;
	FingerprintSet a;
	FingerprintSet b;
	size_t		chunk;			/* first of b of this chunk */
	size_t		next;			/* next of a to be compared with it */
} Scan;

struct Join
{
	const JoinEnv *env;
	int			distance;
	Frame		frames[MAX_FRAMES];
	int			nframes;
	size_t		counters;		/* for all frames */
	Scan		scan;
	long		until_interrupts;
	size_t		npairs;
	size_t		ngathered;
	uint64_t	gathered[CHUNK];	/* of b, near the value of a */
	uint32_t	gathered_tags[CHUNK];
	uint16_t	hits[CHUNK];
	FingerprintPair pairs[MAX_PAIRS];
};

/* ----------
 * Comparing
 * ----------
 */

/* Count what is done, in about comparisons, and let ourselves be interrupted. */
static inline void
spend(Join *join, long comparisons)
{
	join->until_interrupts -= comparisons;
	if (join->until_interrupts < 0)
	{
		join_check_interrupts(join->env);
		join->until_interrupts = INTERRUPT_INTERVAL;
	}
}

static inline uint32_t
tag_of(const FingerprintSet *set, size_t i)
{
	return set->tags == NULL ? (uint32_t) i : set->tags[i];
}

static void
begin_scan(Join *join, FingerprintSet a, FingerprintSet b, bool self)
{
	Scan	   *scan = &join->scan;

	scan->active = true;
	scan->self = self;
	scan->a = a;
	scan->b = b;
	scan->chunk = 0;
	scan->next = 0;
}

/* Has the pair been found by an earlier block? */
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

/* Compare until there is no room for pairs (false) or the end is reached. */
static bool
run_scan(Join *join)
{
	Scan	   *scan = &join->scan;
	BlockWork  *work = &join->frames[join->nframes - 1].done;

	while (scan->chunk < scan->b.n)
	{
		size_t		end = scan->b.n - scan->chunk < CHUNK ? scan->b.n : scan->chunk + CHUNK;
		size_t		last = scan->self ? end : scan->a.n;

		for (; scan->next < last; scan->next++)
		{
			uint64_t	fp = scan->a.fps[scan->next];
			size_t		first = scan->chunk;
			int			nhits;

			if (scan->self && scan->next >= first)
				first = scan->next + 1;
			spend(join, (long) (end - first) + 16);
			if (join->npairs + (end - first) > MAX_PAIRS)
				return false;
			nhits = hamming_within(scan->b.fps + first, (int) (end - first), &fp,
								   1, join->distance, join->hits);
			work->compared += (double) (end - first);
			work->hits += nhits;
			for (int i = 0; i < nhits; i++)
			{
				size_t		hit = first + join->hits[i];
				uint64_t	difference = fp ^ scan->b.fps[hit];
				FingerprintPair *pair = &join->pairs[join->npairs];

				if (found_before(join, difference))
					continue;
				pair->a = tag_of(&scan->a, scan->next);
				pair->b = tag_of(&scan->b, hit);
				pair->distance = hamming_weight(difference);
				join->npairs++;
				work->found++;
			}
		}
		scan->chunk = end;
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
 * The counters and differences that the frame has allocated stay, for its next use.
 * The sets of a frame that is not the first are the join's own, and change order.
 */
static Frame *
push_frame(Join *join, const FingerprintSet *a, const FingerprintSet *b, bool self,
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

static void
plan_frame(Join *join, Frame *frame)
{
	/* half of the counters for the first frame, half of the rest for the next */
	size_t		counters = join->counters >> (frame->self ? 0 : 1) >> join->nframes;

	if (join->nframes == MAX_FRAMES)
		frame->plan.nblocks = 0;
	else
		simhash_plan_blocks(frame->a.fps, frame->a.n,
							frame->self ? NULL : frame->b.fps, frame->b.n,
							frame->bits, frame->distance,
							simhash_most_block_bits(counters), &frame->plan);
	frame->last_block = frame->plan.nblocks - 1;
}

/* Sort one of the frame's sets by its block. */
static void
sort_set(Join *join, const Frame *frame, const FingerprintSet *set, const BlockKey *key,
		 SortedSet *sorted)
{
	const JoinEnv *env = join->env;
	int			block_bits = frame->plan.block_bits;
	size_t		values = ((size_t) 1 << block_bits) + 1;

	if (sorted->values < values)
	{
		join_free(env, sorted->starts);
		sorted->starts = join_alloc(env, values * sizeof(uint32_t));
		sorted->values = values;
	}
	if (frame == join->frames)
	{
		if (sorted->fps == NULL)
		{
			sorted->fps = join_alloc(env, set->n * sizeof(uint64_t));
			sorted->tags = join_alloc(env, set->n * sizeof(uint32_t));
		}
		simhash_sort_by_block(key, block_bits, set->fps, set->tags, set->n,
							  sorted->fps, sorted->tags, sorted->starts, env);
	}
	else
	{
		sorted->fps = (uint64_t *) set->fps;
		sorted->tags = (uint32_t *) set->tags;
		simhash_sort_in_place_by_block(key, block_bits, sorted->fps, sorted->tags,
									   set->n, sorted->starts, env);
	}
}

/* The fingerprints with that value of the block */
static inline FingerprintSet
value_set(const SortedSet *sorted, size_t value)
{
	FingerprintSet set;

	set.fps = sorted->fps + sorted->starts[value];
	set.tags = sorted->tags + sorted->starts[value];
	set.n = sorted->starts[value + 1] - sorted->starts[value];
	return set;
}

/* Every number of "width" bits of which at most "radius" are set, fewest first */
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
			/* the next larger number with as many bits */
			d = carried | (((d ^ carried) / lowest) >> 2);
		}
	}
	frame->ndifferences = n;
	frame->differences_width = width;
	frame->differences_radius = radius;
}

static inline const SortedSet *
sorted_b(const Frame *frame)
{
	return frame->self ? &frame->sorted_a : &frame->sorted_b;
}

static inline bool
is_worth_a_frame(const Join *join, const FingerprintSet *a, const FingerprintSet *b)
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
 * What there is to do for the block by which the frame is sorted.  If there are many
 * values near others, only some of them are looked at.  Two values that get a frame of
 * their own count for as many pairs as just do without: what they cost is known
 * afterwards.
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
		FingerprintSet a = value_set(&frame->sorted_a, value);

		if (a.n == 0)
			continue;
		spend(join, frame->ndifferences);
		work->visits += frame->ndifferences;
		for (int i = 0; i < frame->ndifferences; i++)
		{
			FingerprintSet b = value_set(sorted_b(frame), value ^ frame->differences[i]);

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
 * Will the frame's blocks up to that by which it is sorted have cost more than to
 * compare all with all?
 */
static bool
is_dearer_than_all(Join *join, Frame *frame)
{
	BlockWork	block;
	BlockWork	all = {0};
	double		before = frame->done.compared;
	double		visits;
	double		gathered;

	count_work(join, frame, &block);
	visits = block.visits;
	gathered = block.gathered;
	if (before > 0)
		block.hits = block.compared * frame->done.hits / before;
	all.compared = frame->self ? (double) frame->a.n * (frame->a.n - 1) / 2 :
		(double) frame->a.n * frame->b.n;
	all.hits = frame->done.found;
	add_work(&block, &frame->done);
	if (simhash_cost_of_work(&block) > simhash_cost_of_all(&all))
		return true;
	/* the scans count what they do, this here what it takes to get at them */
	frame->done.sorted += (double) frame->a.n + (frame->self ? 0 : frame->b.n);
	frame->done.visits += visits;
	frame->done.gathered += gathered;
	return false;
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
	sort_set(join, frame, &frame->a, &key, &frame->sorted_a);
	if (!frame->self)
		sort_set(join, frame, &frame->b, &key, &frame->sorted_b);
	list_differences(join, frame, frame->plan.block_bits,
					 frame->plan.radii[frame->block]);
	if (frame->may_give_up && is_dearer_than_all(join, frame))
	{
		/* the pairs of earlier blocks have been found before */
		frame->last_block = frame->block;
		begin_scan(join, frame->a, frame->b, frame->self);
		return true;
	}
	frame->value = 0;
	frame->difference = 0;
	frame->sorted = true;
	return true;
}

/*
 * Compare the fingerprints of two values, or begin a frame for them if they are
 * many.
 */
static void
join_values(Join *join, Frame *frame, const FingerprintSet *a, const FingerprintSet *b,
			bool self, int distance)
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

/* Compare a with what was gathered, if anything was. */
static bool
scan_gathered(Join *join, const FingerprintSet *a)
{
	FingerprintSet b;

	if (join->ngathered == 0)
		return false;
	b.fps = join->gathered;
	b.tags = join->gathered_tags;
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
		FingerprintSet a = value_set(&frame->sorted_a, frame->value);

		if (a.n == 0)
			continue;
		spend(join, frame->ndifferences);
		while (frame->difference < frame->ndifferences)
		{
			uint32_t	difference = frame->differences[frame->difference];
			size_t		value = frame->value ^ difference;
			FingerprintSet b = value_set(sorted_b(frame), value);
			bool		self = frame->self && difference == 0;

			/* of a set with itself each two values are to be joined once */
			if (b.n == 0 || (frame->self && value < frame->value) || (self && b.n == 1))
			{
				frame->difference++;
				continue;
			}
			if (self || frame->ndifferences == 1 || b.n > CHUNK / 4)
			{
				/* a frame for them would gather, too */
				if (scan_gathered(join, &a))
					return true;
				frame->difference++;
				join_values(join, frame, &a, &b, self, hamming_weight(difference));
				return true;
			}
			if (join->ngathered + b.n > CHUNK)
				return scan_gathered(join, &a);
			frame->difference++;
			memcpy(join->gathered + join->ngathered, b.fps, b.n * sizeof(uint64_t));
			memcpy(join->gathered_tags + join->ngathered, b.tags, b.n * sizeof(uint32_t));
			join->ngathered += b.n;
		}
		if (scan_gathered(join, &a))
			return true;
	}
	return false;
}

/* ----------
 * Interface
 * ----------
 */

static Join *
make_join(size_t counters, int distance, const JoinEnv *env)
{
	Join	   *join = join_alloc(env, sizeof(Join));

	memset(join, 0, sizeof(Join));
	join->env = env;
	join->counters = counters;
	join->distance = distance;
	return join;
}

/*
 * Begin to join a with b, or a with itself if b is NULL.  The fingerprints of a
 * set are all different, and stay where they are until the end.  There are fewer
 * than 2^32 of them.
 */
Join *
simhash_join_begin(const FingerprintSet *a, const FingerprintSet *b, int distance,
				   const JoinEnv *env)
{
	Join	   *join = make_join(a->n + (b == NULL ? 0 : b->n), distance, env);

	if (distance >= 0)
		plan_frame(join, push_frame(join, a, b == NULL ? a : b, b == NULL,
									~UINT64_C(0), distance));
	return join;
}

/*
 * Begin the join of a with itself that returns only the pairs which one block
 * of a plan finds, and no earlier block.
 */
Join *
simhash_join_begin_block(const FingerprintSet *a, int distance, const BlockPlan *plan,
						 int block, const JoinEnv *env)
{
	Join	   *join = make_join(a->n, distance, env);
	Frame	   *frame = push_frame(join, a, a, true, ~UINT64_C(0), distance);

	frame->plan = *plan;
	frame->block = block - 1;
	frame->last_block = block;
	/* all with all would find others, too */
	frame->may_give_up = false;
	return join;
}

/*
 * More pairs, and how many they are; 0 at the end.  They are there until the next
 * call.
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
		if (join->nframes == 0)
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
			begin_scan(join, frame->a, frame->b, frame->self);
		}
		else if (frame->plan.nblocks == 0 || !next_block(join, frame))
		{
			if (--join->nframes > 0)
				add_work(&join->frames[join->nframes - 1].done, &frame->done);
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
		SortedSet  *sorted[2] = {&frame->sorted_a, &frame->sorted_b};

		for (int i = 0; i < 2; i++)
		{
			if (f == 0)
			{
				join_free(join->env, sorted[i]->fps);
				join_free(join->env, sorted[i]->tags);
			}
			join_free(join->env, sorted[i]->starts);
		}
		join_free(join->env, frame->differences);
	}
	join_free(join->env, join);
}
