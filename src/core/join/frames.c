/*-------------------------------------------------------------------------
 *
 * frames.c
 *		The blocks of a join: sorting columns by a block, and joining its values.
 *
 * A frame joins two columns, words of fingerprints, by the blocks of one plan.
 * The first frame of a word has all fingerprints.
 *
 * The join compares the fingerprints of each value of a block with those of
 * all values within the block's radius.  If two values have so many
 * fingerprints that another plan pays, the join handles them in the same
 * manner by the remaining bits, in a frame of their own.  So a block that is
 * the same in many of the fingerprints costs a frame, not a comparison of all
 * with all.
 *
 * The plan assumes that bits are independent of each other.  Once the sets
 * are sorted by a block, the join knows the number of pairs to compare.  It
 * estimates how many of them are near and were found by earlier blocks.  If
 * comparing all with all would have been cheaper than the blocks so far and
 * this one, the frame gives the rest of the plan up and compares all with all.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "../pigeonhole.h"
#include "join_state.h"
#include "radix.h"

/* The number of pairs of values that count_work counts at most, about */
#define COUNTED_VISITS	(1 << 18)

/*
 * Begin a frame.  It uses again the counters and differences that an earlier frame at
 * this level has allocated.  The columns of a frame that is not the first are ranges of
 * the first frame's copies, and change order.
 */
Frame *
simhash_frame_push(Join *join, const Column *a, const Column *b, bool self,
				   uint64_t bits, int distance)
{
	Frame	   *frame = &join->frames[join->nframes++];

	frame->a = *a;
	frame->b = *b;
	frame->self = self;
	frame->bits = bits;
	frame->distance = distance;
	frame->state = FRAME_BLOCK;
	frame->block = 0;
	frame->may_give_up = true;
	frame->a_is_sorted = false;
	memset(&frame->done, 0, sizeof(BlockWork));
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

/* Choose the blocks of a frame, or to compare all with all. */
void
simhash_frame_plan(Join *join, Frame *frame)
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
	frame->state = frame->plan.nblocks == 0 ? FRAME_ALL : FRAME_BLOCK;
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
		if (sorted->room < column->n || sorted->words == NULL)
		{
			join_free(env, sorted->words);
			join_free(env, sorted->numbers);
			sorted->room = column->n;
			sorted->words = join_alloc(env, (column->n + COPIED_AT_ONCE) * sizeof(uint64_t));
			sorted->numbers = join_alloc(env, (column->n + COPIED_AT_ONCE) * sizeof(uint32_t));
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

/* The range of a sorted column that has this value of the block */
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
	size_t		stride = values / (COUNTED_VISITS / (size_t) frame->ndifferences + 1) | 1;
	double		share = frame->self ? 0.5 : 1;

	memset(work, 0, sizeof(BlockWork));
	for (size_t value = 0; value < values; value += stride)
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
	work->visits *= stride;
	work->compared *= stride;
	work->gathered *= stride;
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
	/* simhash_comparison_run counts the comparisons */
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
compare_frame(Join *join, const Frame *frame)
{
	if (join->nframes == 1 && join->fps->nwords > 1)
		simhash_comparison_begin_whole(join);
	else
		simhash_comparison_begin(join, frame->a, frame->b, frame->self);
}

/* Begin to join the values of the frame's block, or those of the present slice. */
void
simhash_frame_set_values(Join *join, Frame *frame)
{
	size_t		values = (size_t) 1 << frame->plan.block_bits;
	bool		sliced = join->slices > 0 && frame == join->frames;

	frame->value = sliced ? values * (size_t) join->slice / (size_t) join->slices : 0;
	frame->end_value = sliced ? values * (size_t) (join->slice + 1) / (size_t) join->slices :
		values;
	frame->difference = 0;
	frame->state = FRAME_VALUES;
}

/*
 * Sort by the frame's block, or by the next one that has a radius; or give up the plan and
 * begin to compare all with all.
 */
static void
begin_block(Join *join, Frame *frame)
{
	BlockKey	key;

	while (frame->block <= frame->last_block && frame->plan.radii[frame->block] < 0)
		frame->block++;
	if (frame->block > frame->last_block)
	{
		frame->state = FRAME_END;
		return;
	}
	simhash_block_key_init(&key, frame->plan.masks[frame->block]);
	if (!frame->a_is_sorted)
		sort_column(join, frame, &frame->a, &key, &frame->sorted_a);
	if (!frame->self)
		sort_column(join, frame, &frame->b, &key, &frame->sorted_b);
	list_differences(join, frame, frame->plan.block_bits,
					 frame->plan.radii[frame->block]);
	if (frame->may_give_up && is_dearer_than_all(join, frame))
	{
		/* the comparison does not report pairs that earlier blocks have found */
		compare_frame(join, frame);
		frame->state = FRAME_END;
		return;
	}
	simhash_frame_set_values(join, frame);
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
		Frame	   *below = simhash_frame_push(join, a, b, self,
											   frame->bits & ~frame->plan.masks[frame->block],
											   frame->distance - distance);

		join->disordered = true;
		simhash_frame_plan(join, below);
	}
	else
		simhash_comparison_begin(join, *a, *b, self);
}

/*
 * Add some fingerprints to the gathered ones.  Most columns are so short that copies of a fixed
 * size are faster.
 */
static inline void
gather(Join *join, const Column *column)
{
	uint64_t   *words = join->gathered + join->ngathered;
	uint32_t   *numbers = join->gathered_numbers + join->ngathered;

	for (size_t i = 0; i < column->n; i += COPIED_AT_ONCE)
	{
		memcpy(words + i, column->words + i, COPIED_AT_ONCE * sizeof(uint64_t));
		memcpy(numbers + i, column->numbers + i, COPIED_AT_ONCE * sizeof(uint32_t));
	}
	join->ngathered += column->n;
}

/* Begin to compare a with the gathered fingerprints; false if there are none. */
static bool
compare_gathered(Join *join, const Column *a)
{
	Column		b;

	if (join->ngathered == 0)
		return false;
	b.words = join->gathered;
	b.numbers = join->gathered_numbers;
	b.n = join->ngathered;
	join->ngathered = 0;
	simhash_comparison_begin(join, *a, b, false);
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
	for (; frame->value < frame->end_value; frame->value++, frame->difference = 0)
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
				if (compare_gathered(join, &a))
					return true;
				frame->difference++;
				join_values(join, frame, &a, &b, self, hamming_weight(difference));
				return true;
			}
			if (join->ngathered + b.n > TILE_SIZE)
				return compare_gathered(join, &a);
			frame->difference++;
			gather(join, &b);
		}
		if (compare_gathered(join, &a))
			return true;
	}
	return false;
}

/* ----------
 * Interface
 * ----------
 */

/* End the last frame.  If it is the first one of a word, the word is done. */
static void
pop_frame(Join *join)
{
	const Frame *frame = &join->frames[--join->nframes];

	if (join->nframes > 0)
		add_work(&join->frames[join->nframes - 1].done, &frame->done);
	else
	{
		add_work(&join->done, &frame->done);
		join->word++;
	}
}

/* Go on with the last frame until it begins a comparison, or another frame, or ends. */
void
simhash_frame_continue(Join *join)
{
	Frame	   *frame = &join->frames[join->nframes - 1];

	switch (frame->state)
	{
		case FRAME_ALL:
			compare_frame(join, frame);
			frame->state = FRAME_END;
			break;
		case FRAME_BLOCK:
			begin_block(join, frame);
			break;
		case FRAME_VALUES:
			if (!next_value(join, frame))
			{
				frame->block++;
				frame->state = FRAME_BLOCK;
			}
			break;
		case FRAME_END:
			pop_frame(join);
			break;
	}
}

void
simhash_frames_free(Join *join)
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
}
