/*-------------------------------------------------------------------------
 *
 * block_join.c
 *		The blocks of a join: sorting columns by a block, and joining its values.
 *
 * A column contains one word of each of several fingerprints.  A level of the join joins two
 * columns by the blocks of one plan.  The columns of the first level of a word contain all
 * fingerprints.
 *
 * The join compares the fingerprints of each value of a block with those of all values within the
 * block's radius.  If two values have so many fingerprints that another plan is worthwhile, the
 * join opens a level for these fingerprints, with a plan for the remaining bits.  So a block that
 * is the same in many of the fingerprints costs a level, not a comparison of all with all.
 *
 * The plan assumes that bits are independent of each other.  Once a level is sorted by a block, the
 * number of pairs to compare is known.  If comparing all with all would have cost less than the
 * blocks so far and this one, the level drops the rest of the plan and compares all with all.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "../pigeonhole.h"
#include "join_state.h"
#include "../store/radix.h"

/* cost_of_block looks at about this many pairs of values at most. */
#define COUNTED_VISITS	(1 << 18)

/*
 * Begin a level.  It reuses the counters and differences that an earlier level of the same
 * depth has allocated.  The columns of a level that is not the first are ranges of
 * the first level's copies, and change order.
 */
JoinLevel *
core_level_push(Join *join, const WordColumn *a, const WordColumn *b, bool self,
				uint64_t bits, int distance)
{
	JoinLevel  *level = &join->levels[join->nlevels++];

	level->a = *a;
	level->b = *b;
	level->self = self;
	level->bits = bits;
	level->distance = distance;
	level->state = LEVEL_BLOCK;
	level->block = 0;
	level->may_give_up = true;
	level->a_is_sorted = false;
	/* the blocks of earlier words replace the same comparison of all with all */
	level->spent_before = join->nlevels == 1 ? 0 : join->spent;
	level->found_before = join->nlevels == 1 ? 0 : join->found;
	return level;
}

/*
 * The number of words that a comparison of all with all compares for each word whose blocks it
 * replaces.  It compares every word of the fingerprints, and replaces the blocks of every word that
 * has a radius.
 */
static double
share_of_all(const Join *join)
{
	int			used = 0;

	for (int word = 0; word <= join->last_word; word++)
		used += join->plan->radii[word] >= 0;
	return (double) join->fps->nwords / used;
}

void
core_level_plan(Join *join, JoinLevel *level)
{
	/* the first level gets half of the counters, the next half of the rest */
	size_t		counters = join->counters >> (level->self ? 0 : 1) >> join->nlevels;

	if (join->nlevels == MAX_LEVELS)
		level->plan.nblocks = 0;
	else
		core_plan_blocks(level->a.words, level->a.n,
						 level->self ? NULL : level->b.words, level->b.n,
						 level->bits, level->distance,
						 core_most_block_bits(counters),
						 join->nlevels == 1 ? share_of_all(join) : 1, &level->plan);
	level->last_block = level->plan.nblocks - 1;
	level->state = level->plan.nblocks == 0 ? LEVEL_ALL : LEVEL_BLOCK;
}

/* Sort one of the level's columns by its block. */
static void
sort_column(Join *join, const JoinLevel *level, const WordColumn *column, const BlockKey *key,
			SortedColumn *sorted)
{
	const Env  *env = join->env;
	int			block_bits = level->plan.block_bits;
	size_t		values = ((size_t) 1 << block_bits) + 1;

	spend(join, (long) (column->n + values));
	join->spent += COST_SORT * (double) column->n + COST_VALUE * (double) values;
	if (sorted->values < values)
	{
		env_free(env, sorted->starts);
		sorted->starts = env_alloc(env, values * sizeof(uint32_t));
		sorted->values = values;
	}
	if (level == join->levels)
	{
		if (sorted->room < column->n || sorted->words == NULL)
		{
			env_free(env, sorted->words);
			env_free(env, sorted->numbers);
			sorted->room = column->n;
			sorted->words = env_alloc(env, (column->n + COPIED_AT_ONCE) * sizeof(uint64_t));
			sorted->numbers = env_alloc(env, (column->n + COPIED_AT_ONCE) * sizeof(uint32_t));
		}
		core_sort_by_block(key, block_bits, column->words, column->n,
						   sorted->words, sorted->numbers, sorted->starts, env);
	}
	else
	{
		sorted->words = (uint64_t *) column->words;
		sorted->numbers = (uint32_t *) column->numbers;
		core_sort_in_place_by_block(key, block_bits, sorted->words, sorted->numbers,
									column->n, sorted->starts, env);
	}
}

/* The range of a sorted column that has this value of the block. */
static inline WordColumn
value_column(const SortedColumn *sorted, size_t value)
{
	WordColumn	column;

	column.words = sorted->words + sorted->starts[value];
	column.numbers = sorted->numbers + sorted->starts[value];
	column.n = sorted->starts[value + 1] - sorted->starts[value];
	return column;
}

/* List every number of "width" bits with at most "radius" bits set, fewest first. */
static void
list_differences(Join *join, JoinLevel *level, int width, int radius)
{
	double		size = pigeonhole_ball_size(width, 0, radius);
	int			n = 0;

	if (level->differences != NULL && level->differences_width == width &&
		level->differences_radius == radius)
		return;
	env_free(join->env, level->differences);
	level->differences = env_alloc(join->env, (size_t) (size + 0.5) * sizeof(uint32_t));
	level->differences[n++] = 0;
	for (int r = 1; r <= radius; r++)
	{
		uint32_t	d = ((uint32_t) 1 << r) - 1;

		while (d < (uint32_t) 1 << width)
		{
			uint32_t	lowest = d & -d;
			uint32_t	carried = d + lowest;

			level->differences[n++] = d;
			/* the next larger number with as many set bits */
			d = carried | (((d ^ carried) / lowest) >> 2);
		}
	}
	level->ndifferences = n;
	level->differences_width = width;
	level->differences_radius = radius;
}

static inline const SortedColumn *
sorted_b(const JoinLevel *level)
{
	return level->self ? &level->sorted_a : &level->sorted_b;
}

static inline bool
is_worth_a_frame(const Join *join, const WordColumn *a, const WordColumn *b)
{
	return (double) a->n * b->n > MANY_PAIRS && join->nlevels < MAX_LEVELS;
}

/*
 * Begin to compare all with all.  In the first level of fingerprints of several words,
 * this compares the whole fingerprints.
 */
static void
compare_level(Join *join, const JoinLevel *level)
{
	if (join->nlevels == 1 && join->fps->nwords > 1)
		core_comparison_begin_whole(join);
	else
		core_comparison_begin(join, level->a, level->b, level->self);
}

/*
 * Estimate the cost of the block by which the level is sorted.  If there are many pairs of values,
 * the function looks at only some of them.  Two values that get a level of their own count as
 * MANY_PAIRS pairs, because the cost of that level is not known yet.  The share of hits is that of
 * the pairs so far, and all hits are taken for pairs that were found before.
 */
static double
cost_of_block(const Join *join, const JoinLevel *level)
{
	size_t		values = (size_t) 1 << level->plan.block_bits;
	size_t		stride = values / (COUNTED_VISITS / (size_t) level->ndifferences + 1) | 1;
	double		hits = join->compared > 0 ? join->hits / join->compared : 0;
	double		visits = 0;
	double		gathered = 0;
	double		compared = 0;

	for (size_t value = 0; value < values; value += stride)
	{
		WordColumn	a = value_column(&level->sorted_a, value);

		if (a.n == 0)
			continue;
		visits += level->ndifferences;
		for (int i = 0; i < level->ndifferences; i++)
		{
			WordColumn	b = value_column(sorted_b(level), value ^ level->differences[i]);

			compared += is_worth_a_frame(join, &a, &b) ? MANY_PAIRS : (double) a.n * (double) b.n;
			if (i > 0)
				gathered += (double) b.n;
		}
	}
	if (level->self)
	{
		compared /= 2;
		gathered /= 2;
	}
	return (double) stride * (COST_VISIT * visits + COST_GATHER * gathered +
							  (COST_COMPARE + COST_AGAIN * hits) * compared);
}

/* Would comparing all with all have cost less than the level's blocks up to the current one? */
static bool
is_dearer_than_all(const Join *join, const JoinLevel *level)
{
	double		pairs = (double) level->a.n * (double) level->b.n / (level->self ? 2 : 1);
	int			words = join->nlevels == 1 ? join->fps->nwords : 1;

	return join->spent - level->spent_before + cost_of_block(join, level) >
		COST_COMPARE_ALL * words * pairs + COST_AGAIN * (join->found - level->found_before);
}

void
core_level_set_values(Join *join, JoinLevel *level)
{
	size_t		values = (size_t) 1 << level->plan.block_bits;
	bool		sliced = join->slices > 0 && level == join->levels;

	level->value = sliced ? values * (size_t) join->slice / (size_t) join->slices : 0;
	level->end_value = sliced ? values * (size_t) (join->slice + 1) / (size_t) join->slices :
		values;
	level->difference = 0;
	level->state = LEVEL_VALUES;
}

/*
 * Sort by the level's block, or by the next one if it has no radius.  If there is none, end the
 * level.  If the block is too expensive, end the level by comparing all with all.
 */
static void
begin_block(Join *join, JoinLevel *level)
{
	BlockKey	key;

	while (level->block <= level->last_block && level->plan.radii[level->block] < 0)
		level->block++;
	if (level->block > level->last_block)
	{
		/* the end of the first level is that of its word */
		if (--join->nlevels == 0)
			join->word++;
		return;
	}
	core_block_key_init(&key, level->plan.masks[level->block]);
	if (!level->a_is_sorted)
		sort_column(join, level, &level->a, &key, &level->sorted_a);
	if (!level->self)
		sort_column(join, level, &level->b, &key, &level->sorted_b);
	list_differences(join, level, level->plan.block_bits,
					 level->plan.radii[level->block]);
	if (level->may_give_up && is_dearer_than_all(join, level))
	{
		/* the comparison does not report pairs that earlier blocks have found */
		compare_level(join, level);
		level->last_block = level->block - 1;
		return;
	}
	core_level_set_values(join, level);
}

/*
 * Begin to compare the fingerprints of two values, or begin a level for them if they
 * are many.  The values differ in "distance" bits.
 */
static void
join_values(Join *join, JoinLevel *level, const WordColumn *a, const WordColumn *b, bool self,
			int distance)
{
	if (is_worth_a_frame(join, a, b))
	{
		JoinLevel  *below = core_level_push(join, a, b, self,
											level->bits & ~level->plan.masks[level->block],
											level->distance - distance);

		join->disordered = true;
		core_level_plan(join, below);
	}
	else
		core_comparison_begin(join, *a, *b, self);
}

/*
 * Add some fingerprints to the gathered ones.  Most columns are so short that copies of a fixed
 * size are faster.
 */
static inline void
gather(Join *join, const WordColumn *column)
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
compare_gathered(Join *join, const WordColumn *a)
{
	WordColumn	b;

	if (join->ngathered == 0)
		return false;
	b.words = join->gathered;
	b.numbers = join->gathered_numbers;
	b.n = join->ngathered;
	join->spent += COST_GATHER * (double) b.n;
	join->ngathered = 0;
	core_comparison_begin(join, *a, b, false);
	return true;
}

/*
 * Find the next values of the current block that must be compared, and begin the comparison.
 * Returns false if there are none.  Values with few fingerprints are gathered and compared
 * together.
 */
static bool
next_value(Join *join, JoinLevel *level)
{
	for (; level->value < level->end_value; level->value++, level->difference = 0)
	{
		WordColumn	a = value_column(&level->sorted_a, level->value);

		if (a.n == 0)
			continue;
		spend(join, level->ndifferences);
		join->spent += COST_VISIT * level->ndifferences;
		while (level->difference < level->ndifferences)
		{
			uint32_t	difference = level->differences[level->difference];
			size_t		value = level->value ^ difference;
			WordColumn	b = value_column(sorted_b(level), value);
			bool		self = level->self && difference == 0;

			/* join two values of the same set only once */
			if (b.n == 0 || (level->self && value < level->value) || (self && b.n == 1))
			{
				level->difference++;
				continue;
			}
			if (self || level->ndifferences == 1 || b.n > TILE_SIZE / 4)
			{
				/*
				 * compare the gathered ones first, because a new level would
				 * gather others
				 */
				if (compare_gathered(join, &a))
					return true;
				level->difference++;
				join_values(join, level, &a, &b, self, hamming_weight(difference));
				return true;
			}
			if (join->ngathered + b.n > TILE_SIZE)
				return compare_gathered(join, &a);
			level->difference++;
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

void
core_level_continue(Join *join)
{
	JoinLevel  *level = &join->levels[join->nlevels - 1];

	switch (level->state)
	{
		case LEVEL_ALL:
			/* the plan has no block, so the level ends next */
			compare_level(join, level);
			level->state = LEVEL_BLOCK;
			break;
		case LEVEL_BLOCK:
			begin_block(join, level);
			break;
		case LEVEL_VALUES:
			if (!next_value(join, level))
			{
				level->block++;
				level->state = LEVEL_BLOCK;
			}
			break;
	}
}

void
core_level_free(Join *join)
{
	for (int f = 0; f < MAX_LEVELS; f++)
	{
		JoinLevel  *level = &join->levels[f];
		SortedColumn *sorted[2] = {&level->sorted_a, &level->sorted_b};

		for (int i = 0; i < 2; i++)
		{
			if (f == 0)
			{
				env_free(join->env, sorted[i]->words);
				env_free(join->env, sorted[i]->numbers);
			}
			env_free(join->env, sorted[i]->starts);
		}
		env_free(join->env, level->differences);
	}
}
