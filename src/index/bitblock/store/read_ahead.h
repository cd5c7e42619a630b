/*-------------------------------------------------------------------------
 *
 * read_ahead.h
 *		Asking for the pages of a bitblock index before they are read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_READ_AHEAD_H
#define BITBLOCK_READ_AHEAD_H

#include "tree.h"

/* The reading of an index by one scan, insertion, VACUUM or check. */
typedef struct BBAhead
{
	Relation	index;
	bool		maintenance;	/* is the depth maintenance_io_concurrency? */
	int			depth;			/* pages under way; -1: not looked up yet */
} BBAhead;

/* The path from a root to the leaf that is responsible for a key. */
typedef struct BBPath
{
	int			tree;
	BBKey		key;
} BBPath;

/*
 * The pages of a level that a walk will read, from left to right.  The level above names
 * them.
 */
typedef struct BBAheadLevel
{
	BBAhead    *ahead;
	int			tree;
	int			level;
	const BBScopes *scopes;		/* the wanted keys have their tags */
	int			scope;			/* number of the first that may be ahead */
	bool		begun;
	bool		done;			/* has the level above no more pages? */
	BBKey		from;			/* the low of the next page of the level above */
	/* approximate number of pages asked for and not read yet */
	int			under_way;
	int			next;			/* number of the next page to ask for */
	int			n;
	BBKey		lows[BB_MAX_CHILDREN];
	BlockNumber blknos[BB_MAX_CHILDREN];
} BBAheadLevel;

/*
 * The rows of a table that an index scan returns.  The executor visits each row after the
 * scan has returned it.
 */
typedef struct BBAheadRows
{
	Relation	table;			/* or NULL: the scan asks for no rows */
	bool		maintenance;	/* as in BBAhead */
	BlockNumber npages;			/* of the table; 0: not looked up yet */
	int			depth;
	int			cold;			/* as in BBTokenHead */
	/* bb_pages_read when the last row was returned */
	int64		read;
	int			returned;		/* rows, in all */
	/* number of the next rows whose pages were asked for */
	int			asked;
} BBAheadRows;

/* The TID of the row that is returned after n others; NULL if it is not known yet. */
typedef const ItemPointerData *(*BBComing) (void *arg, int n);

/* Initialize the reading of an index by one scan or command. */
extern void bb_ahead_init(BBAhead *ahead, Relation index, bool maintenance);

/* Find the value of bb_depth for a cold index. */
extern int	bb_find_depth(BBAhead *ahead);

/* Ask for a page that will be read soon. */
extern void bb_ask(BBAhead *ahead, BlockNumber blkno);

/* Ask for the pages of n paths, level by level. */
extern void bb_ask_paths(BBAhead *ahead, const BBPath *paths, int n, bool leaves);

/* Prepare for a walk over the pages of a level. */
extern void bb_ahead_level_init(BBAheadLevel *state, BBAhead *ahead, int tree, int level,
								const BBScopes *scopes);

/* Prepare for a scan that returns rows of a table, or for visits to them. */
extern void bb_ahead_rows_init(BBAheadRows *rows, Relation table, bool maintenance);

/* Ask for the table pages of the rows that will be returned next. */
extern void bb_ask_rows(BBAheadRows *rows, BBComing coming, void *arg);

/* Ask for the pages that a walk will read after its next page. */
extern void bb_ask_level(BBAheadLevel *state, BBKey position);

/*
 * The number of pages that may be under way; 0 if nothing should be asked for.  The
 * caller holds no page lock.
 */
static inline int
bb_depth(BBAhead *ahead)
{
	return likely(!bb_is_cold(ahead->index)) ? 0 : bb_find_depth(ahead);
}

/* Has the executor read pages from disk since the last row was returned? */
static inline bool
bb_rows_are_cold(BBAheadRows *rows)
{
	if (unlikely(bb_pages_read() != rows->read) && rows->returned > 0)
		rows->cold = BB_COLD_ASKS;
	return rows->cold > 0;
}

/* Note that a row is returned. */
static inline void
bb_note_row(BBAheadRows *rows)
{
	rows->returned++;
	rows->read = bb_pages_read();
	if (rows->asked > 0)
		rows->asked--;
}

#endif							/* BITBLOCK_READ_AHEAD_H */
