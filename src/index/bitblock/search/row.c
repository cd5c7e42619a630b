/*-------------------------------------------------------------------------
 *
 * row.c
 *		The fingerprint of a row, by its TID.
 *
 * Only the row tree stores whole wide fingerprints.  If an entry of a window tree may be
 * a match, the reader looks its TID up in the row tree.  If the row tree does not have
 * the TID, the entry belongs to a dead row: see ../store/README.md.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "index/bitblock/store/cache.h"
#include "row.h"
#include "server/compat.h"
#include "utils/snapmgr.h"

/*
 * The number of rows between two TIDs, if each page of the table has rows_of_page rows.
 * "from" and "to" are numbers of TIDs (bb_tid_number): the page, then the offset.
 */
static double
rows_between(uint64 from, uint64 to, double rows_of_page)
{
	return ((double) (to >> 16) - (double) (from >> 16)) * rows_of_page +
		(double) (to & 0xffff) - (double) (from & 0xffff);
}

/*
 * Estimate the entry of a row in a leaf that has about n rows, with TIDs from "low" to
 * before "high".  The estimate assumes that each page of the table has the same number of
 * rows.
 */
static int
expected_entry(uint64 tid, uint64 low, uint64 high, int n)
{
	double		pages = (double) (high >> 16) - (double) (low >> 16);
	double		entry = rows_between(low, tid, pages >= 1 ? n / pages : n);

	return (int) Max(0, Min(entry, n - 1));
}

/*
 * Find the place of the row with a bb_row_key in the row tree.  The function reads only
 * inner pages.  It begins at the remembered root, which may be outdated, so the place is
 * a hint.  If it reaches a page that is not on the path to the key, place->leaf becomes
 * InvalidBlockNumber.  The caller holds no page lock.
 */
void
bb_locate_row(Relation index, BBShape shape, BBKey key, BBRowPlace *place)
{
	int			tree = bb_row_tree(shape);
	Buffer		buffer;
	Page		page = bb_read_inner(index, tree, BB_ROOT(tree), &buffer);

	place->leaf = InvalidBlockNumber;
	place->entry = 0;
	for (int level = BBPageGetOpaque(page)->level;; level--)
	{
		int			i = bb_find_child(page, key);
		BlockNumber child = i < 0 ? InvalidBlockNumber : bb_child(page, i);

		if (i >= 0 && level == 1)
		{
			bool		last = i + 1 == bb_count(page);
			BBKey		low = bb_key_at(page, i);
			BBKey		high = last ? bb_high(page) : bb_key_at(page, i + 1);

			/* only TIDs of one tag are evenly distributed */
			place->leaf = child;
			if (low.tag == key.tag)
				place->entry = expected_entry(key.tid, low.tid,
											  (last && bb_is_rightmost(page)) || high.tag != key.tag ?
											  key.tid + 1 : high.tid,
											  (int) bb_usual_leaf(shape, tree));
		}
		bb_release_inner(buffer);
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

void
bb_prefetch_row(Relation index, BBShape shape, const BBRowPlace *place)
{
	if (place->leaf != InvalidBlockNumber)
		bb_prefetch_row_at(index, shape, place->leaf, place->entry);
}

/* Compare an entry of the row tree with a bb_row_key. */
static inline int
compare_row(Page page, int i, BBKey key)
{
	uint32		tag = bb_tag_at(page, i);
	uint64		tid = bb_tid_number(&bb_rest(page, i)->tid);

	if (tag != key.tag)
		return tag < key.tag ? -1 : 1;
	return (tid > key.tid) - (tid < key.tid);
}

/* The entry of a leaf with that bb_row_key, or -1.  The search begins at entry "expected". */
static int
find_row(Page page, BBKey key, int expected)
{
	int			n = bb_count(page);
	int			sorted = BBPageGetOpaque(page)->sorted;
	int			low = 0;
	int			high = sorted;
	int			middle = Min(expected, sorted - 1);

	/*
	 * take strides that double from the expected entry on, then halve the
	 * rest
	 */
	for (int stride = 1; low < high;)
	{
		int			order = compare_row(page, middle, key);

		if (order == 0)
			return middle;
		if (order < 0)
		{
			low = middle + 1;
			middle = Min(middle + stride, (low + high) / 2);
		}
		else
		{
			high = middle;
			middle = Max(middle - stride, (low + high) / 2);
		}
		middle = Max(low, Min(middle, high - 1));
		stride *= 2;
	}
	for (int i = sorted; i < n; i++)
		if (compare_row(page, i, key) == 0)
			return i;
	return -1;
}

/*
 * Find the leaf of the row tree that is responsible for a bb_row_key, and return it
 * pinned and locked for share.  *entry becomes the row's entry, or -1.
 */
static Buffer
find_in_row_tree(Relation index, BBShape shape, BBKey key, const BBRowPlace *place,
				 int *entry)
{
	int			tree = bb_row_tree(shape);
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
	*entry = find_row(BufferGetPage(buffer), key, place->entry);
	return buffer;
}

/*
 * Copy the wide fingerprint of the row with that bb_row_key to fp; false if the row tree
 * does not have the row.  "place" is from bb_locate_row.
 */
bool
bb_find_row(Relation index, BBShape shape, Snapshot snapshot, BBKey key,
			const BBRowPlace *place, uint64 *fp)
{
	int			entry;
	Buffer		leaf = find_in_row_tree(index, shape, key, place, &entry);

	TestForOldSnapshot(snapshot, index, BufferGetPage(leaf));
	if (entry >= 0)
		bb_copy_fp(shape, fp, bb_words_at(BufferGetPage(leaf), entry));
	UnlockReleaseBuffer(leaf);
	return entry >= 0;
}

/*
 * Find the leaf that is responsible for a key in a tree whose entries have one word, and
 * return it pinned and locked for share.  *entry becomes the key's entry, or -1.
 */
static Buffer
find_entry(Relation index, int tree, BBKey key, int *entry)
{
	Buffer		buffer = bb_find(index, tree, key, 0, BUFFER_LOCK_SHARE, NULL);
	Page		page = BufferGetPage(buffer);
	int			n = bb_count(page);

	*entry = -1;
	for (int i = 0; i < n && *entry < 0; i++)
		if (BBPageGetWords(page)[i] == key.window &&
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
 * Pin the leaf of the row tree that has the row's entry.  Returns false if the row is
 * gone, or if another row has its TID now.  snapshot may be NULL.  *pin changes only if
 * the result is true, and the caller releases it.
 */
bool
bb_pin_row(Relation index, BBShape shape, Snapshot snapshot, uint32 tag,
		   const ItemPointerData *tid, const uint64 *fp, Buffer *pin)
{
	int			entry;
	Buffer		buffer;
	bool		found;

	if (bb_is_wide(shape))
	{
		BBKey		key = bb_row_key(tag, tid);
		BBRowPlace	place;

		bb_locate_row(index, shape, key, &place);
		buffer = find_in_row_tree(index, shape, key, &place, &entry);
	}
	else
		buffer = find_entry(index, bb_row_tree(shape),
							bb_key(tag, bb_window(shape, fp, 0), tid), &entry);
	TestForOldSnapshot(snapshot, index, BufferGetPage(buffer));
	found = entry >= 0 &&
		bb_equal_fps(shape, bb_words_at(BufferGetPage(buffer), entry), fp);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (found)
		*pin = buffer;
	else
		ReleaseBuffer(buffer);
	return found;
}

/* Does the row tree have the row at tid with that tag and the fingerprint fp? */
bool
bb_has_row(Relation index, BBShape shape, uint32 tag, const ItemPointerData *tid,
		   const uint64 *fp)
{
	Buffer		pin;

	if (!bb_pin_row(index, shape, NULL, tag, tid, fp, &pin))
		return false;
	ReleaseBuffer(pin);
	return true;
}
