/*-------------------------------------------------------------------------
 *
 * shape.h
 *		The form of an index's fingerprints, which depends on their width.
 *
 * A fingerprint of n bits has n / 16 blocks, and the index has a window tree for each
 * block: tree t holds the window that begins at block t.  If a fingerprint is one window
 * (n = 64), every entry has all of it.  A wide fingerprint (n > 64) is stored whole in
 * one more tree, the row tree, in the order of TIDs.
 *
 *		tree					holds
 *		0 .. blocks - 1			windows
 *		blocks					the rows without a fingerprint
 *		blocks + 1				wide: whole fingerprints
 *
 * A fingerprint is the last column of an index.  The hash of the leading columns is the
 * tag (leading_hash.h), which comes before the window in every tree.
 *
 * In memory a fingerprint is an array of words of 64 bits.  Block 0 is the most
 * significant block of word 0.  The bits after the last block are zero.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_SHAPE_H
#define BITBLOCK_SHAPE_H

#include "postgres.h"

#include "core/widths.h"
#include "port/pg_bitutils.h"
#include "storage/itemptr.h"
#include "utils/rel.h"
#include "window.h"

#define BB_MAX_BLOCKS			(MOST_BITS / BB_BLOCK_BITS)
#define BB_MAX_WORDS			MOST_WORDS
#define BB_MAX_TREES			(BB_MAX_BLOCKS + 2)

/* The kind of values that the column has. */
typedef enum BBValueKind
{
	BB_SIMHASH,
	BB_SIMHASH_BALL,			/* the index stores the centers of balls */
	BB_BIT,
	BB_BIT_BALL
} BBValueKind;

/* The form of an index's fingerprints; small, and passed by value. */
typedef struct BBShape
{
	uint16		blocks;			/* of a fingerprint */
	uint8		words;			/* of a fingerprint */
	uint8		kind;			/* a BBValueKind */
	uint8		leading;		/* number of columns before the fingerprint */
} BBShape;

/* Room for any fingerprint. */
typedef struct BBFingerprint
{
	uint64		words[BB_MAX_WORDS];
} BBFingerprint;

/* All fingerprints within "radius" of "center". */
typedef struct BBBall
{
	int			radius;
	uint64		center[BB_MAX_WORDS];
} BBBall;

/*
 * A fingerprint and the TID of its row.  fp has as many words as the shape says, so an
 * array of matches needs bb_match_size and bb_match_at.
 */
typedef struct BBMatch
{
	ItemPointerData tid;
	uint64		fp[FLEXIBLE_ARRAY_MEMBER];	/* not set in the tree of NULLs */
} BBMatch;

static inline int
bb_bits(BBShape shape)
{
	return shape.blocks * BB_BLOCK_BITS;
}

/* Do entries have a tag? */
static inline bool
bb_is_tagged(BBShape shape)
{
	return shape.leading > 0;
}

/* Are the values bit strings or balls of bit strings? */
static inline bool
bb_is_bit(BBShape shape)
{
	return shape.kind == BB_BIT || shape.kind == BB_BIT_BALL;
}

static inline bool
bb_is_wide(BBShape shape)
{
	return shape.blocks > BB_WINDOW_BLOCKS;
}

static inline int
bb_null_tree(BBShape shape)
{
	return shape.blocks;
}

/*
 * The row tree.  A row's entry is inserted into the row tree first, and removed from it
 * last: see README.md.  If the fingerprints are narrow, the first window tree is the row
 * tree.
 */
static inline int
bb_row_tree(BBShape shape)
{
	return bb_is_wide(shape) ? shape.blocks + 1 : 0;
}

static inline int
bb_trees(BBShape shape)
{
	return shape.blocks + (bb_is_wide(shape) ? 2 : 1);
}

/* Is the tree a row tree that is not a window tree? */
static inline bool
bb_is_row_tree(BBShape shape, int tree)
{
	return tree > shape.blocks;
}

/* The number of words of an entry, in a page of that tree and level. */
static inline int
bb_entry_words(BBShape shape, int tree, int level)
{
	return level == 0 && bb_is_row_tree(shape, tree) ? shape.words : 1;
}

/* Block b of a fingerprint. */
static inline int
bb_block(const uint64 *fp, int b)
{
	return bb_window_block(fp[b / BB_WINDOW_BLOCKS], b % BB_WINDOW_BLOCKS);
}

/* The window of a fingerprint that begins at block b. */
static inline BBWindow
bb_window(BBShape shape, const uint64 *fp, int b)
{
	int			word = b / BB_WINDOW_BLOCKS;
	int			bits = b % BB_WINDOW_BLOCKS * BB_BLOCK_BITS;
	BBWindow	window;

	if (b + BB_WINDOW_BLOCKS <= shape.blocks)
		return bits == 0 ? fp[word] :
			fp[word] << bits | fp[word + 1] >> (BB_WINDOW_BITS - bits);
	if (shape.words == 1)
		return bb_rotate_window(fp[0], b);
	window = 0;
	for (int i = 0; i < BB_WINDOW_BLOCKS; i++)
		window = window << BB_BLOCK_BITS | bb_block(fp, (b + i) % shape.blocks);
	return window;
}

static inline int
bb_distance(BBShape shape, const uint64 *a, const uint64 *b)
{
	int			distance = 0;

	for (int i = 0; i < shape.words; i++)
		distance += pg_popcount64(a[i] ^ b[i]);
	return distance;
}

static inline bool
bb_equal_fps(BBShape shape, const uint64 *a, const uint64 *b)
{
	return memcmp(a, b, shape.words * sizeof(uint64)) == 0;
}

static inline void
bb_copy_fp(BBShape shape, uint64 *to, const uint64 *from)
{
	for (int i = 0; i < shape.words; i++)
		to[i] = from[i];
}

/* The size of a match in an array of matches. */
static inline Size
bb_match_size(BBShape shape)
{
	return offsetof(BBMatch, fp) + shape.words * sizeof(uint64);
}

static inline BBMatch *
bb_match_at(BBShape shape, void *matches, int64 i)
{
	return (BBMatch *) ((char *) matches + i * bb_match_size(shape));
}

/* Does the index have balls? */
static inline bool
bb_holds_balls(BBShape shape)
{
	return shape.kind == BB_SIMHASH_BALL || shape.kind == BB_BIT_BALL;
}

/* Return the kind of an index's values. */
extern BBValueKind bb_kind(Relation index);

/* Return the number of bits of the column's type; 0 if it has none. */
extern int	bb_bits_of_type(Relation index);

/* Return the shape of an index with the given number of blocks. */
extern BBShape bb_shape_of_blocks(Relation index, uint16 blocks);

/* Find the shape of a new index. */
extern BBShape bb_shape_to_build(Relation index);

#endif							/* BITBLOCK_SHAPE_H */
