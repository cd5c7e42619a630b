/*-------------------------------------------------------------------------
 *
 * window.h
 *		Windows: the 64 bits of a fingerprint that decide its place in a tree.
 *
 * A window is BB_WINDOW_BLOCKS blocks of 16 bits that follow each other in the
 * fingerprint; block 0 follows the last block.  The first block of a window is in front:
 * it has the most significant bits.  Windows have the order of unsigned numbers.  Only
 * the functions in this file and in shape.h take windows apart.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_WINDOW_H
#define BITBLOCK_WINDOW_H

#include "postgres.h"

#define BB_WINDOW_BLOCKS		4
#define BB_BLOCK_BITS			16
#define BB_BLOCK_VALUES			(1 << BB_BLOCK_BITS)
#define BB_WINDOW_BITS			(BB_WINDOW_BLOCKS * BB_BLOCK_BITS)

typedef uint64 BBWindow;

#define BB_LOWEST_WINDOW		((BBWindow) 0)
#define BB_HIGHEST_WINDOW		(~(BBWindow) 0)

/* Block b of the window, counted from the front. */
static inline int
bb_window_block(BBWindow w, int b)
{
	return (int) (w >> (BB_WINDOW_BITS - BB_BLOCK_BITS * (b + 1))) & (BB_BLOCK_VALUES - 1);
}

/* The lowest window with that block in front. */
static inline BBWindow
bb_from_prefix(int value)
{
	return (BBWindow) value << (BB_WINDOW_BITS - BB_BLOCK_BITS);
}

/* The lowest window with that pair of blocks in front. */
static inline BBWindow
bb_from_pair(uint32 pair)
{
	return (BBWindow) pair << (BB_WINDOW_BITS - 2 * BB_BLOCK_BITS);
}

/*
 * The place of a window in the range from low to high, as a number from 0 (at low or
 * below) to just below 1.
 */
static inline double
bb_share(BBWindow w, BBWindow low, BBWindow high)
{
	if (w <= low)
		return 0;
	if (w >= high)
		return 1 - 1e-9;
	return (double) (w - low) / ((double) (high - low) + 1);
}

/* Rotate a window: block b comes to the front, and block 0 follows the last block. */
static inline BBWindow
bb_rotate_window(BBWindow w, int b)
{
	int			bits = b * BB_BLOCK_BITS;

	return bits == 0 ? w : w << bits | w >> (BB_WINDOW_BITS - bits);
}

#endif							/* BITBLOCK_WINDOW_H */
