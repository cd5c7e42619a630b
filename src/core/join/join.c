/*-------------------------------------------------------------------------
 *
 * join.c
 *		The pairs of two sets of fingerprints within a distance, in memory.
 *
 * The join sorts both sets by one block of bits after the other, as planned in block_plan.c.  A
 * block consists of bits of one word.  If fingerprints have several words, the join processes one
 * word after the other, each with its share of the distance.  For each pair that a word finds, the
 * join then compares the whole fingerprints.
 *
 * block_join.c sorts by blocks and joins their values.  compare.c compares.
 *
 * The join needs 20 bytes for each fingerprint, and counters of 4 bytes.  There are no more
 * counters than fingerprints.  The levels below the first need only counters, because they sort in
 * place.
 *
 * Several words and blocks may find the same pair.  It is reported by the first word within whose
 * radius it is, and for that word by the first block of the plan, in any level, within whose radius
 * it is.  So the join reports no pair twice although it does not remember pairs, and can return
 * pairs before it has found all.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "join_state.h"

/*
 * Load the current word of a set's fingerprints.  *words becomes a copy, whose memory the next word
 * of the join reuses.  Only a set of successive fingerprints of one word needs no copy.
 */
static WordColumn
load_column(Join *join, const RowSet *set, uint64_t **words, size_t *room)
{
	WordColumn	column = {join->fps->words + set->first, NULL, set->n};

	if (set->rows == NULL && join->fps->nwords == 1)
		return column;
	if (*room < set->n)
	{
		env_free(join->env, *words);
		*words = env_alloc(join->env, set->n * sizeof(uint64_t));
		*room = set->n;
	}
	spend(join, (long) set->n);
	for (size_t i = 0; i < set->n; i++)
		(*words)[i] = fingerprint_of(join, set, i)[join->word];
	column.words = *words;
	return column;
}

/* Begin the first level of the current word. */
static JoinLevel *
push_first_frame(Join *join)
{
	WordColumn	a = load_column(join, &join->a, &join->column_a, &join->room_a);
	WordColumn	b = join->self ? a :
		load_column(join, &join->b, &join->column_b, &join->room_b);

	return core_level_push(join, &a, &b, join->self, ~UINT64_C(0),
						   join->plan->radii[join->word]);
}

/* Begin the current word, or the next one that has a radius; false if there is none. */
static bool
begin_word(Join *join)
{
	while (join->word <= join->last_word && join->plan->radii[join->word] < 0)
		join->word++;
	if (join->word > join->last_word)
		return false;
	core_level_plan(join, push_first_frame(join));
	return true;
}

/* ----------
 * Interface
 * ----------
 */

Join *
core_join_begin(const Fingerprints *fps, const WordPlan *plan,
				const RowSet *a, const RowSet *b, const Env *env)
{
	Join	   *join = env_alloc(env, sizeof(Join));

	/* do not clear the arrays at the end, which small joins hardly use */
	memset(join, 0, offsetof(Join, gathered));
	join->env = env;
	join->fps = fps;
	join->plan = plan;
	join->a = *a;
	join->self = b == NULL;
	join->b = join->self ? *a : *b;
	join->counters = a->n + (b == NULL ? 0 : b->n);
	join->last_word = fps->nwords - 1;
	return join;
}

/* Let the first level find the pairs of one block. */
static void
plan_block(JoinLevel *level, const BlockJoin *wanted)
{
	BlockPlan  *blocks = &level->plan;
	int			block = wanted->block;
	int			left;

	level->bits = ~wanted->prefix;
	level->distance -= wanted->distance;
	*blocks = *wanted->plan;
	blocks->masks[block] &= ~wanted->prefix;
	left = hamming_weight(blocks->masks[block]);
	blocks->block_bits = left;
	blocks->radii[block] -= wanted->distance;
	if (blocks->radii[block] > left)
		blocks->radii[block] = left;
	level->block = block;
	level->last_block = block;
	/* comparing all with all would also find pairs of other blocks */
	level->may_give_up = false;
}

Join *
core_join_begin_block(const Fingerprints *fps, const WordPlan *plan,
					  const RowSet *a, const RowSet *b,
					  const BlockJoin *wanted, const Env *env)
{
	Join	   *join = core_join_begin(fps, plan, a, b, env);

	join->word = join->last_word = wanted->word;
	plan_block(push_first_frame(join), wanted);
	join->block = wanted->block;
	join->slices = wanted->slices;
	return join;
}

void
core_join_other(Join *join, const RowSet *b, const BlockJoin *wanted)
{
	JoinLevel  *level = &join->levels[0];
	WordColumn	column_a = level->a;
	WordColumn	column_b;

	join->self = false;
	join->b = *b;
	join->word = join->last_word;
	column_b = load_column(join, b, &join->column_b, &join->room_b);
	core_level_push(join, &column_a, &column_b, false, ~UINT64_C(0),
					join->plan->radii[join->word]);
	plan_block(level, wanted);
	level->a_is_sorted = level->sorted_a.words != NULL;
}

void
core_join_slice(Join *join, int slice)
{
	JoinLevel  *level = &join->levels[0];

	join->comparison.active = false;
	join->ngathered = 0;
	join->nlevels = 1;
	join->word = join->last_word;
	join->slice = slice;
	level->block = join->block;
	if (!join->disordered && level->sorted_a.words != NULL)
		core_level_set_values(join, level);
	else
		level->state = LEVEL_BLOCK;
	join->disordered = false;
}

void
core_join_skip_connected(Join *join, uint32_t *parents, const uint32_t *rows_a,
						 const uint32_t *rows_b)
{
	join->parents = parents;
	join->rows_a = rows_a;
	join->rows_b = rows_b;
}

size_t
core_join_next(Join *join, FingerprintPair **pairs)
{
	join->npairs = 0;
	*pairs = join->pairs;
	for (;;)
	{
		if (join->comparison.active && !core_comparison_run(join))
			break;
		if (join->nlevels == 0 && !begin_word(join))
			break;
		core_level_continue(join);
	}
	return join->npairs;
}

void
core_join_end(Join *join)
{
	core_level_free(join);
	env_free(join->env, join->column_a);
	env_free(join->env, join->column_b);
	env_free(join->env, join);
}
