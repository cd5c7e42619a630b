/*-------------------------------------------------------------------------
 *
 * row.c
 *		The fingerprint of a row, by its TID.
 *
 * A wide fingerprint is stored whole in the row tree only.  An entry of a window tree
 * that may be a match is looked up there.  If the row tree does not have the TID, the
 * entry is a dead row's: see vacuum.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "row.h"
#include "tree.h"

/*
 * How many rows are between two TIDs, if a page of the table has so many.  TIDs are
 * numbered by page and place (bb_tid_number).
 */
static double
rows_between(uint64 from, uint64 to, double rows_of_page)
{
	return ((double) (to >> 16) - (double) (from >> 16)) * rows_of_page +
		(double) (to & 0xffff) - (double) (from & 0xffff);
}

/*
 * The entry of a row in a leaf for rows from "low" up to "high" that has n of them,
 * about.  The table's rows are taken to be in order, as many on each page.
 */
static int
expected_entry(uint64 tid, uint64 low, uint64 high, int n)
{
	double		pages = (double) (high >> 16) - (double) (low >> 16);
	double		entry = rows_between(low, tid, pages >= 1 ? n / pages : n);

	return (int) Max(0, Min(entry, n - 1));
}

/*
 * Find the place of a row by inner pages, beginning with the remembered root, which may
 * be outdated.  previous is the place of another row, which may be in the same leaf, or
 * NULL.
 */
void
bb_locate_row(Relation index, BBShape shape, const ItemPointerData *tid,
			  const BBRowPlace *previous, BBRowPlace *place)
{
	int			tree = bb_row_tree(shape);
	BBKey		key = bb_key(BB_NULL_WINDOW, tid);
	Page		page = bb_remembered_root(index, tree);
	Buffer		buffer = InvalidBuffer;
	int			level;

	if (previous != NULL && previous->leaf != InvalidBlockNumber &&
		previous->low <= key.tid && key.tid < previous->high)
	{
		*place = *previous;
		place->entry = expected_entry(key.tid, place->low, place->high,
									  (int) BB_USUAL_LEAF(shape.words));
		return;
	}
	place->leaf = InvalidBlockNumber;
	place->entry = 0;
	if (page == NULL)
	{
		buffer = bb_read(index, BB_ROOT(tree), BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		bb_remember_root(index, tree, page);
	}
	for (level = BBPageGetOpaque(page)->level;; level--)
	{
		int			i = bb_find_child(page, key);
		BlockNumber child = i < 0 ? InvalidBlockNumber : bb_child(page, i);

		if (i >= 0 && level == 1)
		{
			place->leaf = child;
			place->low = bb_key_at(page, i).tid;
			place->high = i + 1 < bb_count(page) ? bb_key_at(page, i + 1).tid :
				bb_is_rightmost(page) ? key.tid + 1 : bb_high(page).tid;
			place->entry = expected_entry(key.tid, place->low, place->high,
										  (int) BB_USUAL_LEAF(shape.words));
		}
		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
		if (i < 0 || level == 1)
			return;
		buffer = bb_read(index, child, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		if (!bb_is_on_path(page, tree, level - 1, key) || bb_is_right_of(key, page))
		{
			UnlockReleaseBuffer(buffer);
			bb_forget_roots(index);
			return;
		}
	}
}

/* Ask for the row from memory. */
void
bb_prefetch_row(Relation index, BBShape shape, const BBRowPlace *place)
{
	if (place->leaf != InvalidBlockNumber)
		bb_prefetch_entry(index, place->leaf, place->entry, shape.words);
}

/* The entry of a leaf with that TID, or -1; expected near the given one */
static int
find_tid(Page page, uint64 tid, int expected)
{
	int			n = bb_count(page);
	int			sorted = BBPageGetOpaque(page)->sorted;
	int			low = 0;
	int			high = sorted;
	int			middle = Min(expected, sorted - 1);

	/* from the expected entry on in steps that double, then by halves */
	for (int step = 1; low < high;)
	{
		uint64		at = bb_tid_number(&bb_rest(page, middle)->tid);

		if (at == tid)
			return middle;
		if (at < tid)
		{
			low = middle + 1;
			middle = Min(middle + step, (low + high) / 2);
		}
		else
		{
			high = middle;
			middle = Max(middle - step, (low + high) / 2);
		}
		middle = Max(low, Min(middle, high - 1));
		step *= 2;
	}
	for (int i = sorted; i < n; i++)
		if (bb_tid_number(&bb_rest(page, i)->tid) == tid)
			return i;
	return -1;
}

/* The leaf of the row tree for a TID, pinned and locked, and its entry or -1 */
static Buffer
find_in_row_tree(Relation index, BBShape shape, const ItemPointerData *tid,
				 const BBRowPlace *place, int *entry)
{
	int			tree = bb_row_tree(shape);
	BBKey		key = bb_key(BB_NULL_WINDOW, tid);
	Buffer		buffer = InvalidBuffer;

	if (place->leaf != InvalidBlockNumber)
	{
		Page		page;

		buffer = bb_read(index, place->leaf, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		if (!bb_is_on_path(page, tree, 0, key) || bb_is_right_of(key, page))
		{
			UnlockReleaseBuffer(buffer);
			bb_forget_roots(index);
			buffer = InvalidBuffer;
		}
	}
	if (!BufferIsValid(buffer))
		buffer = bb_find(index, tree, key, 0, BUFFER_LOCK_SHARE, NULL);
	*entry = find_tid(BufferGetPage(buffer), key.tid, place->entry);
	return buffer;
}

/*
 * The wide fingerprint of the row at tid; false if there is none.  *leaf is a leaf of the
 * row tree, pinned and locked, or InvalidBuffer.  It is used if it is the right one, and
 * is replaced if not.  The caller releases the last one, before it locks another page.
 */
bool
bb_find_row(Relation index, BBShape shape, const ItemPointerData *tid,
			const BBRowPlace *place, Buffer *leaf, uint64 *fp)
{
	BBKey		key = bb_key(BB_NULL_WINDOW, tid);
	int			entry;

	if (BufferIsValid(*leaf) &&
		(bb_compare(key, bb_low(BufferGetPage(*leaf))) < 0 ||
		 bb_is_right_of(key, BufferGetPage(*leaf))))
	{
		UnlockReleaseBuffer(*leaf);
		*leaf = InvalidBuffer;
	}
	if (BufferIsValid(*leaf))
		entry = find_tid(BufferGetPage(*leaf), key.tid, place->entry);
	else
		*leaf = find_in_row_tree(index, shape, tid, place, &entry);
	if (entry >= 0)
		bb_copy_fp(shape, fp, bb_words_at(BufferGetPage(*leaf), entry));
	return entry >= 0;
}

/* The leaf responsible for an entry of one word, pinned and locked, and its entry or -1 */
static Buffer
find_entry(Relation index, int tree, BBKey key, int *entry)
{
	Buffer		buffer = bb_find(index, tree, key, 0, BUFFER_LOCK_SHARE, NULL);
	Page		page = BufferGetPage(buffer);
	int			n = bb_count(page);

	*entry = -1;
	for (int i = 0; i < n && *entry < 0; i++)
		if (bb_compare_windows(BBPageGetWords(page)[i], key.window) == 0 &&
			bb_compare(bb_key_at(page, i), key) == 0)
			*entry = i;
	return buffer;
}

bool
bb_has_entry(Relation index, int tree, BBKey key)
{
	int			entry;

	UnlockReleaseBuffer(find_entry(index, tree, key, &entry));
	return entry >= 0;
}

/*
 * Pin the leaf that holds a row's whole fingerprint; false if the row is gone, or the
 * TID has become another row's.
 */
bool
bb_pin_row(Relation index, BBShape shape, const ItemPointerData *tid, const uint64 *fp,
		   Buffer *pin)
{
	int			entry;
	Buffer		buffer;
	bool		found;

	if (bb_is_wide(shape))
	{
		BBRowPlace	place;

		bb_locate_row(index, shape, tid, NULL, &place);
		buffer = find_in_row_tree(index, shape, tid, &place, &entry);
	}
	else
		buffer = find_entry(index, bb_row_tree(shape),
							bb_key(bb_window(shape, fp, 0), tid), &entry);
	found = entry >= 0 &&
		bb_equal_fps(shape, bb_words_at(BufferGetPage(buffer), entry), fp);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (found)
		*pin = buffer;
	else
		ReleaseBuffer(buffer);
	return found;
}

/* Does the row tree have that row? */
bool
bb_has_row(Relation index, BBShape shape, const ItemPointerData *tid, const uint64 *fp)
{
	Buffer		pin;

	if (!bb_pin_row(index, shape, tid, fp, &pin))
		return false;
	ReleaseBuffer(pin);
	return true;
}
