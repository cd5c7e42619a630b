/*-------------------------------------------------------------------------
 *
 * join.c
 *		The pairs of two sets of fingerprints within a distance, in memory.
 *
 * The join sorts both sets by one block of bits after the other, as planned
 * in block_plan.c.  A block is some bits of one word.  If fingerprints have
 * several words, the join handles one word after the other, each with its
 * share of the distance.  For each pair that a word finds, the join then
 * compares the whole fingerprints.
 *
 * block_join.c sorts by blocks and joins their values.  compare.c compares.
 *
 * The join takes 20 bytes for each fingerprint, and counters of 4 bytes.
 * There are no more counters than fingerprints, because the levels below sort
 * in place.
 *
 * The first word whose radius contains a pair reports the pair.  Within that
 * word, the first block of the plan, in any level, whose radius contains the
 * pair reports it.  So the join remembers no pairs, and can return pairs while
 * it goes on.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../hamming.h"
#include "join_state.h"

/*
 * The present word of a set's fingerprints.  "words" receives a copy.  The next word of
 * the join uses the same memory.  A set of all rows of one word needs no
 * copy.
 */
static WordColumn
load_column(Join *join, const RowSet *set, uint64_t **words, size_t *room)
{
	WordColumn	column = {join->fps->words + set->first, NULL, set->n};

	if (set->rows == NULL && join->fps->nwords == 1)
		return column;
	if (*room < set->n)
	{
		join_free(join->env, *words);
		*words = join_alloc(join->env, set->n * sizeof(uint64_t));
		*room = set->n;
	}
	spend(join, (long) set->n);
	for (size_t i = 0; i < set->n; i++)
		(*words)[i] = fingerprint_of(join, set, i)[join->word];
	column.words = *words;
	return column;
}

/* Begin the first level of the present word. */
static JoinLevel *
push_first_frame(Join *join)
{
	WordColumn	a = load_column(join, &join->a, &join->column_a, &join->room_a);
	WordColumn	b = join->self ? a :
		load_column(join, &join->b, &join->column_b, &join->room_b);

	return simhash_level_push(join, &a, &b, join->self, ~UINT64_C(0),
							  join->plan->radii[join->word]);
}

/* Begin the present word, or the next one that has a radius; false if there is none. */
static bool
begin_word(Join *join)
{
	while (join->word <= join->last_word && join->plan->radii[join->word] < 0)
		join->word++;
	if (join->word > join->last_word)
		return false;
	simhash_level_plan(join, push_first_frame(join));
	return true;
}

/* ----------
 * Interface
 * ----------
 */

static Join *
make_join(const Fingerprints *fps, const WordPlan *plan, const RowSet *a,
		  const RowSet *b, const JoinEnv *env)
{
	Join	   *join = join_alloc(env, sizeof(Join));

	/* most joins of few rows touch little of the arrays behind */
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

/*
 * Begin to join a with b, or a with itself if b is NULL.  The caller keeps the
 * fingerprints, the plan, the rows and env until the end.  Equal fingerprints within a
 * set are pairs like others, and their number is quadratic.
 */
Join *
simhash_join_begin(const Fingerprints *fps, const WordPlan *plan,
				   const RowSet *a, const RowSet *b, const JoinEnv *env)
{
	return make_join(fps, plan, a, b, env);
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
	/* all with all would find pairs of other blocks, too */
	level->may_give_up = false;
}

/*
 * Begin the join of a with b, or of a with itself if b is NULL, that returns only the pairs
 * that the block finds, and that no earlier block or word finds.  If it has slices, it
 * returns the pairs of the first one.
 */
Join *
simhash_join_begin_block(const Fingerprints *fps, const WordPlan *plan,
						 const RowSet *a, const RowSet *b,
						 const BlockJoin *wanted, const JoinEnv *env)
{
	Join	   *join = make_join(fps, plan, a, b, env);

	join->word = join->last_word = wanted->word;
	plan_block(push_first_frame(join), wanted);
	join->block = wanted->block;
	join->slices = wanted->slices;
	return join;
}

/*
 * Go on with the join of a, which is the same as before, with another set b, after all pairs
 * have been returned.  The block is the same, and only the distance may differ.  a stays sorted.
 */
void
simhash_join_other(Join *join, const RowSet *b, const BlockJoin *wanted)
{
	JoinLevel  *level = &join->levels[0];
	WordColumn	column_a = level->a;
	WordColumn	column_b;

	join->self = false;
	join->b = *b;
	join->word = join->last_word;
	column_b = load_column(join, b, &join->column_b, &join->room_b);
	simhash_level_push(join, &column_a, &column_b, false, ~UINT64_C(0),
					   join->plan->radii[join->word]);
	plan_block(level, wanted);
	level->a_is_sorted = level->sorted_a.words != NULL;
}

/*
 * Go on with any slice, after the end of another.  The pairs do not depend on the slices
 * before, nor does their order.
 */
void
simhash_join_slice(Join *join, int slice)
{
	JoinLevel  *level = &join->levels[0];

	join->comparison.active = false;
	join->ngathered = 0;
	join->nlevels = 1;
	join->word = join->last_word;
	join->slice = slice;
	level->block = join->block;
	if (!join->disordered && level->sorted_a.words != NULL)
		simhash_level_set_values(join, level);
	else
		level->state = LEVEL_BLOCK;
	join->disordered = false;
}

/*
 * Begin to join a with b, or a with itself if b is NULL, without any memory, by comparing
 * all with all.
 */
Join *
simhash_join_begin_all(const Fingerprints *fps, const WordPlan *plan,
					   const RowSet *a, const RowSet *b,
					   const JoinEnv *env)
{
	WordColumn	column_a = {fps->words + a->first, NULL, a->n}; /* not used for several
																 * words */
	WordColumn	column_b = column_a;
	Join	   *join = make_join(fps, plan, a, b, env);

	if (b != NULL)
	{
		column_b.words = fps->words + b->first;
		column_b.n = b->n;
	}
	join->word = join->last_word = 0;
	simhash_level_push(join, &column_a, &column_b, b == NULL, 0,
					   plan->distance)->state = LEVEL_ALL;
	return join;
}

/*
 * Leave out pairs of rows in the same tree (roots.h), which the caller may join between two calls of
 * simhash_join_next.  rows_a and rows_b are the rows of the fingerprints of a and of b.  If
 * the caller joins the trees of each pair, the connected components are those of all pairs.
 */
void
simhash_join_skip_connected(Join *join, uint32_t *parents, const uint32_t *rows_a,
							const uint32_t *rows_b)
{
	join->parents = parents;
	join->rows_a = rows_a;
	join->rows_b = rows_b;
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
		if (join->comparison.active && !simhash_comparison_run(join))
			break;
		if (join->nlevels == 0 && !begin_word(join))
			break;
		simhash_level_continue(join);
	}
	return join->npairs;
}

void
simhash_join_end(Join *join)
{
	simhash_level_free(join);
	join_free(join->env, join->column_a);
	join_free(join->env, join->column_b);
	join_free(join->env, join);
}
