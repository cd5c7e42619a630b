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
 * The leaf responsible for key by the remembered root, which may be outdated, pinned and
 * locked; or InvalidBuffer.
 */
static Buffer
try_remembered(Relation index, int tree, BBKey key)
{
	Page		page = bb_remembered_root(index, tree);
	Buffer		buffer = InvalidBuffer;
	int			level;

	if (page == NULL)
	{
		buffer = bb_read(index, BB_ROOT(tree), BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		bb_remember_root(index, tree, page);
	}
	level = BBPageGetOpaque(page)->level;
	while (level > 0)
	{
		int			i = bb_find_child(page, key);
		BlockNumber child = i < 0 ? InvalidBlockNumber : bb_child(page, i);

		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
		if (i < 0)
			return InvalidBuffer;
		buffer = bb_read(index, child, BUFFER_LOCK_SHARE);
		page = BufferGetPage(buffer);
		level--;
		if (!bb_is_on_path(page, tree, level, key) || bb_is_right_of(key, page))
		{
			UnlockReleaseBuffer(buffer);
			bb_forget_roots(index);
			return InvalidBuffer;
		}
	}
	return buffer;
}

/* The entry of a leaf with that TID, or -1.  TIDs mostly arrive in ascending order. */
static int
find_tid(Page page, uint64 tid)
{
	int			n = bb_count(page);
	int			sorted = BBPageGetOpaque(page)->sorted;
	int			low = 0;
	int			high = sorted;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		uint64		at = bb_tid_number(&bb_rest(page, middle)->tid);

		if (at == tid)
			return middle;
		if (at < tid)
			low = middle + 1;
		else
			high = middle;
	}
	for (int i = sorted; i < n; i++)
		if (bb_tid_number(&bb_rest(page, i)->tid) == tid)
			return i;
	return -1;
}

/* The leaf of the row tree for a TID, pinned and locked, and its entry or -1 */
static Buffer
find_in_row_tree(Relation index, BBShape shape, const ItemPointerData *tid, int *entry)
{
	int			tree = bb_row_tree(shape);
	BBKey		key = bb_key(BB_NULL_WINDOW, tid);
	Buffer		buffer = try_remembered(index, tree, key);

	if (!BufferIsValid(buffer))
		buffer = bb_find(index, tree, key, 0, BUFFER_LOCK_SHARE, NULL);
	*entry = find_tid(BufferGetPage(buffer), key.tid);
	return buffer;
}

/* The wide fingerprint of the row at tid; false if there is none. */
bool
bb_find_row(Relation index, BBShape shape, const ItemPointerData *tid, uint64 *fp)
{
	int			entry;
	Buffer		buffer = find_in_row_tree(index, shape, tid, &entry);

	if (entry >= 0)
		bb_copy_fp(shape, fp, bb_words_at(BufferGetPage(buffer), entry));
	UnlockReleaseBuffer(buffer);
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
	Buffer		buffer = bb_is_wide(shape) ?
		find_in_row_tree(index, shape, tid, &entry) :
		find_entry(index, bb_row_tree(shape), bb_key(fp[0], tid), &entry);
	bool		found = entry >= 0 &&
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
