/*-------------------------------------------------------------------------
 *
 * join_state.h
 *		The state of a join, for join.c (words), block_join.c (blocks of a word) and
 *		compare.c (comparisons).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_STATE_H
#define SIMHASH_JOIN_STATE_H

#include "join.h"

/*
 * TILE_SIZE is the number of words of a tile.  The join compares a whole tile with one fingerprint
 * after the other, so a tile must fit in the fastest cache.  If two values have more than
 * MANY_PAIRS pairs, the join makes another plan for them.  If a fingerprint has more than MANY_HITS
 * hits in a tile, it takes less time to find out which of them are connected than to make pairs of
 * all.
 */
#ifndef JOIN_TEST_SIZES
#define TILE_SIZE		2048
#define MANY_PAIRS		(1 << 20)
#define MANY_HITS		32
#else
#define TILE_SIZE		16
#define MANY_PAIRS		32
#define MANY_HITS		2
#endif
#define MAX_PAIRS		(4 * TILE_SIZE)
#define MAX_LEVELS		8

/* Words compared between two calls of check_interrupts */
#define COMPARISONS_BETWEEN_CHECKS (1 << 22)

/*
 * Copy this many gathered fingerprints at once.  The arrays on both sides have room for this many
 * more.
 */
#define COPIED_AT_ONCE	4

/* One word of each fingerprint of a set, and the fingerprints' numbers in the set. */
typedef struct WordColumn
{
	const uint64_t *words;
	const uint32_t *numbers;	/* NULL: ascending from 0 */
	size_t		n;
} WordColumn;

/*
 * A column in the order of a block.  The first level has copies of its columns.  The
 * columns of a level below are ranges of these copies, and the level sorts them in place.
 */
typedef struct SortedColumn
{
	uint64_t   *words;
	uint32_t   *numbers;
	size_t		room;			/* of the first level's copies */
	uint32_t   *starts;
	size_t		values;			/* number of elements of "starts" */
} SortedColumn;

/* What a level does next. */
typedef enum LevelState
{
	LEVEL_ALL,					/* compare all with all */

	/* Sort by the block, or by the next one that has a radius, or end. */
	LEVEL_BLOCK,

	LEVEL_VALUES				/* join the values of the block */
} LevelState;

typedef struct JoinLevel
{
	LevelState	state;
	WordColumn	a;
	WordColumn	b;				/* the same as a if "self" */
	bool		self;
	uint64_t	bits;			/* bits by which no level above has sorted */
	int			distance;		/* the largest distance in these bits */
	BlockPlan	plan;
	int			block;			/* the current block; those before it are done */
	int			last_block;		/* the level ends after this block */
	bool		a_is_sorted;	/* by the current block, for an earlier b? */
	bool		may_give_up;	/* may it compare all with all instead? */
	/* of the join, when the level began */
	double		spent_before;
	double		found_before;
	SortedColumn sorted_a;
	SortedColumn sorted_b;
	uint32_t   *differences;	/* XORs of values within the block's radius */
	int			ndifferences;
	int			differences_width;
	int			differences_radius;
	size_t		value;			/* the current value, of a */
	size_t		end_value;		/* the level ends before this one */
	int			difference;		/* number of the next difference */
} JoinLevel;

/*
 * A comparison of all of a with all of b: of one word, or, if "whole", of the whole
 * fingerprints of the sets.
 */
typedef struct Comparison
{
	bool		active;
	bool		self;
	bool		whole;
	WordColumn	a;
	WordColumn	b;
	size_t		tile;			/* first of b in this tile */
	size_t		next;			/* next of a to compare with this tile */
	size_t		connected;		/* hits in this tile that were left out */
	uint32_t	left_out;		/* the root of those that were left out last */

	/*
	 * Are all fingerprints of the tile except the others connected to "row"?
	 */
	bool		split;

	uint32_t	row;
	size_t		nothers;

	/* The number of the first of the others to compare with "next". */
	size_t		next_other;
} Comparison;

struct Join
{
	const Env  *env;
	const Fingerprints *fps;
	const WordPlan *plan;
	RowSet		a;
	RowSet		b;				/* the same as a if "self" */
	bool		self;
	int			word;			/* the current word; those before it are done */
	int			last_word;		/* the join ends after this word */
	uint64_t   *column_a;		/* copies of that word, or NULL */
	uint64_t   *column_b;
	size_t		room_a;			/* of these copies */
	size_t		room_b;
	uint32_t   *parents;		/* see core_join_skip_connected */
	const uint32_t *rows_a;		/* by number */
	const uint32_t *rows_b;
	JoinLevel	levels[MAX_LEVELS];
	int			nlevels;
	size_t		counters;		/* number for all levels */
	Comparison	comparison;
	int			block;			/* of a join that has slices; see BlockJoin */
	int			slices;			/* 0: it has none */
	int			slice;			/* the current one */
	bool		disordered;		/* has a level below sorted in place? */
	long		until_interrupts;
	double		spent;			/* estimate of the cost so far, in nanoseconds */
	double		compared;		/* pairs */
	double		hits;			/* pairs whose words are within the radius */
	double		found;			/* hits that were returned */
	size_t		npairs;
	size_t		ngathered;

	/*
	 * Words of b that belong to values near the value of a; or whole
	 * fingerprints of b.
	 */
	uint64_t	gathered[TILE_SIZE + COPIED_AT_ONCE];

	uint32_t	gathered_numbers[TILE_SIZE + COPIED_AT_ONCE];
	uint16_t	places[TILE_SIZE];	/* of hits in a tile */

	/* Some fingerprints of a tile, and their places in it. */
	uint64_t	others[TILE_SIZE];

	uint16_t	other_places[TILE_SIZE];
	FingerprintPair pairs[MAX_PAIRS];
};

/* Count work, in units of about one comparison, and check for interrupts now and then. */
static inline void
spend(Join *join, long comparisons)
{
	join->until_interrupts -= comparisons;
	if (join->until_interrupts < 0)
	{
		check_interrupts(join->env);
		join->until_interrupts = COMPARISONS_BETWEEN_CHECKS;
	}
}

static inline const uint64_t *
fingerprint_of(const Join *join, const RowSet *set, size_t number)
{
	return fingerprint_of_row(join->fps, set->rows == NULL ? set->first + number :
							  set->rows[number]);
}

/* compare.c */
extern void core_comparison_begin(Join *join, WordColumn a, WordColumn b, bool self);

/*
 * Begin to compare the whole fingerprints of all pairs.  That finds every pair that no
 * earlier word has reported, so the current word is the last.
 */
extern void core_comparison_begin_whole(Join *join);

/* Compare until the comparison ends.  Returns false if there is no room for more pairs. */
extern bool core_comparison_run(Join *join);

/* block_join.c */
extern JoinLevel *core_level_push(Join *join, const WordColumn *a, const WordColumn *b, bool self,
								  uint64_t bits, int distance);

/* Choose the blocks of a level, or to compare all with all. */
extern void core_level_plan(Join *join, JoinLevel *level);

/* Begin to join the values of the level's block, or those of the current slice. */
extern void core_level_set_values(Join *join, JoinLevel *level);

/*
 * Do the next step of the last level, which may begin a comparison or another level, or end the
 * level.
 */
extern void core_level_continue(Join *join);

/* Free the memory of all levels. */
extern void core_level_free(Join *join);

#endif							/* SIMHASH_JOIN_STATE_H */
