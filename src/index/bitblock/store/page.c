/*-------------------------------------------------------------------------
 *
 * page.c
 *		Pages of a bitblock index: their initialization, their entries, and
 *		their verification after a read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "page.h"

/* The first stride of a search in an inner page: two lines of memory */
#define FIRST_STRIDE				16

StaticAssertDecl(sizeof(BBPageOpaqueData) == 2 * sizeof(BBWindow) + 32,
				 "the page's opaque data has no holes");
StaticAssertDecl(sizeof(BBRest) == BB_REST_SIZE(true, 1),
				 "an inner entry's rest has no holes");
StaticAssertDecl(BB_MAX_CHILDREN <= BB_MAX_ENTRIES && BB_MAX_ENTRIES <= PG_UINT16_MAX,
				 "entries are numbered in 16 bits");

/* Initialize an empty page that is responsible for all keys.  The caller sets its bounds. */
void
bb_page_init(Page page, BBShape shape, int tree, int level)
{
	BBPageOpaque opaque;

	PageInit(page, BLCKSZ, sizeof(BBPageOpaqueData));
	((PageHeader) page)->pd_lower = MAXALIGN(SizeOfPageHeaderData);
	opaque = BBPageGetOpaque(page);
	opaque->right = InvalidBlockNumber;
	opaque->words = bb_entry_words(shape, tree, level);
	opaque->level = level;
	opaque->tree = tree;
	opaque->page_id = BB_PAGE_ID;
	if (bb_is_tagged(shape))
		opaque->flags = BB_TAGGED;
}

void
bb_set_low(Page page, BBKey low)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	opaque->low_tag = low.tag;
	opaque->low_window = low.window;
	bb_number_tid(low.tid, &opaque->low_tid);
}

/*
 * Set the right neighbour and the high of a page.  If right is InvalidBlockNumber, the
 * page gets a high of zero.
 */
void
bb_set_right(Page page, BBKey high, BlockNumber right)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	if (right == InvalidBlockNumber)
		high = bb_lowest_key();
	opaque->high_tag = high.tag;
	opaque->high_window = high.window;
	bb_number_tid(high.tid, &opaque->high_tid);
	opaque->right = right;
}

/* Overwrite all of entry i except its words. */
static void
set_rest(Page page, int i, BBKey key, BlockNumber child)
{
	BBRest	   *rest = bb_rest(page, i);
	int			n = 0;

	bb_number_tid(key.tid, &rest->tid);
	if (BBPageGetOpaque(page)->level > 0)
		bb_set_halves(rest->more[n++], child);
	if (bb_page_is_tagged(page))
		bb_set_halves(rest->more[n], key.tag);
}

/* Overwrite entry i of a page whose entries have one word; i < bb_count(page). */
static void
set_entry(Page page, int i, BBKey key, BlockNumber child)
{
	Assert(BBPageGetOpaque(page)->words == 1);
	BBPageGetWords(page)[i] = key.window;
	set_rest(page, i, key, child);
}

/* Overwrite entry i of a page with entry j of the same page or one of the same kind. */
void
bb_copy_entry(Page to, int i, Page from, int j)
{
	BBPageOpaque opaque = BBPageGetOpaque(to);

	Assert(opaque->words == BBPageGetOpaque(from)->words &&
		   opaque->level == BBPageGetOpaque(from)->level);
	memcpy(bb_words_at(to, i), bb_words_at(from, j), opaque->words * sizeof(uint64));
	memcpy(bb_rest(to, i), bb_rest(from, j), bb_rest_size(to));
}

/* Set the number of entries.  The bytes of removed entries become zero. */
void
bb_set_count(Page page, int n)
{
	PageHeader	header = (PageHeader) page;
	BBPageOpaque opaque = BBPageGetOpaque(page);
	int			lower = MAXALIGN(SizeOfPageHeaderData) +
		n * opaque->words * sizeof(uint64);
	int			upper = header->pd_special - n * bb_rest_size(page);

	Assert(lower <= upper);
	if (lower < header->pd_lower)
		memset((char *) page + lower, 0, header->pd_lower - lower);
	if (upper > header->pd_upper)
		memset((char *) page + header->pd_upper, 0, upper - header->pd_upper);
	header->pd_lower = lower;
	header->pd_upper = upper;
	opaque->sorted = Min(opaque->sorted, n);
}

void
bb_note_sorted(Page page)
{
	int			n = bb_count(page);
	int			sorted = Min(n, 1);

	if (BBPageGetOpaque(page)->level > 0)
		return;
	while (sorted < n &&
		   bb_compare(bb_key_at(page, sorted - 1), bb_key_at(page, sorted)) < 0)
		sorted++;
	BBPageGetOpaque(page)->sorted = sorted;
}

void
bb_append(Page page, BBKey key, BlockNumber child)
{
	int			n = bb_count(page);

	bb_set_count(page, n + 1);
	set_entry(page, n, key, child);
}

void
bb_append_entries(Page page, uint32 tag, const BBEntry *entries, int n)
{
	int			from = bb_count(page);
	bool		tagged = bb_page_is_tagged(page);

	bb_set_count(page, from + n);
	for (int i = 0; i < n; i++)
	{
		BBRest	   *rest = bb_rest(page, from + i);

		BBPageGetWords(page)[from + i] = entries[i].window;
		rest->tid = entries[i].tid;
		if (tagged)
			bb_set_halves(rest->more[0], tag);
	}
}

/* Append an entry to a leaf that has room.  fp is for the row tree of wide fingerprints. */
void
bb_append_to_leaf(Page page, BBKey key, const uint64 *fp)
{
	int			words = BBPageGetOpaque(page)->words;
	int			n = bb_count(page);

	bb_set_count(page, n + 1);
	if (likely(words == 1))
		BBPageGetWords(page)[n] = key.window;
	else
		memcpy(bb_words_at(page, n), fp, words * sizeof(uint64));
	set_rest(page, n, key, InvalidBlockNumber);
}

void
bb_insert_sorted(Page page, BBKey key, BlockNumber child)
{
	int			n = bb_count(page);
	int			i = bb_find_child(page, key) + 1;
	BBWindow   *windows = BBPageGetWords(page);

	bb_set_count(page, n + 1);
	memmove(windows + i + 1, windows + i, (n - i) * sizeof(BBWindow));
	memmove(bb_rest(page, n), bb_rest(page, n - 1), (n - i) * bb_rest_size(page));
	set_entry(page, i, key, child);
}

void
bb_remove_sorted(Page page, int i)
{
	int			n = bb_count(page);
	BBWindow   *windows = BBPageGetWords(page);

	memmove(windows + i, windows + i + 1, (n - 1 - i) * sizeof(BBWindow));
	memmove(bb_rest(page, n - 2), bb_rest(page, n - 1), (n - 1 - i) * bb_rest_size(page));
	bb_set_count(page, n - 1);
}

/* Remove an entry of a leaf.  The last entry takes its place. */
void
bb_remove_unsorted(Page page, int i)
{
	int			last = bb_count(page) - 1;

	if (i < last)
	{
		BBPageOpaque opaque = BBPageGetOpaque(page);

		bb_copy_entry(page, i, page, last);
		opaque->sorted = Min(opaque->sorted, i);
	}
	bb_set_count(page, last);
}

/* ----------
 * Search in a page
 * ----------
 */

/*
 * Count the entries with a tag below the given one among the first n entries of a page,
 * which are in order.  "tag" may be one above the highest tag.
 */
static int
count_lower_tags(Page page, int n, uint64 tag)
{
	int			low = 0;

	while (low < n)
	{
		int			middle = (low + n) / 2;

		if (bb_entry_tag(page, middle) < tag)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The part of bb_find_tag for pages with tags.  The caller has set *from to 0 and *to to n. */
void
bb_find_tag_among(Page page, int n, uint32 tag, int *from, int *to)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	if (opaque->low_tag != tag)
		*from = count_lower_tags(page, n, tag);
	if ((bb_is_rightmost(page) || opaque->high_tag != tag) && bb_entry_tag(page, n - 1) != tag)
		*to = count_lower_tags(page, n, (uint64) tag + 1);
}

/* The lowest window that a page can hold with that tag. */
static inline BBWindow
low_window(Page page, uint32 tag)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return opaque->low_tag == tag ? opaque->low_window : BB_LOWEST_WINDOW;
}

/* The highest window that a page can hold with that tag, or a higher one. */
static inline BBWindow
high_window(Page page, uint32 tag)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return !bb_is_rightmost(page) && opaque->high_tag == tag ? opaque->high_window :
		BB_HIGHEST_WINDOW;
}

/*
 * Find the first entry of an inner page, from "from" to "to" - 1, whose window is not
 * lower than the given one; "to" if there is none.  All these entries have the given tag
 * (bb_find_tag).  Windows are distributed like random numbers, so a window's place in the
 * page's range nearly gives its place in the page.  The search begins there and moves in
 * strides that double.
 */
int
bb_skip_lower(Page page, int from, int to, uint32 tag, BBWindow window)
{
	const BBWindow *windows = BBPageGetWords(page);
	int			low = from + (int) (bb_share(window, low_window(page, tag),
											 high_window(page, tag)) * (to - from));
	int			end = low;
	int			n;

	/*
	 * move "low" and "end" until entries before "low" are lower than the
	 * window, and entries from "end" on are not
	 */
	for (int stride = FIRST_STRIDE; end < to && windows[end] < window; stride *= 2)
	{
		low = end + 1;
		end += stride;
	}
	if (low < end)
		end = Min(end, to);
	else
		for (int stride = FIRST_STRIDE; low > from && windows[low - 1] >= window;
			 stride *= 2)
		{
			end = low - 1;
			low = Max(low - stride, from);
		}

	/* halve the rest, without branches */
	n = end - low;
	while (n > 0)
	{
		int			half = (n + 1) / 2;

		low += windows[low + half - 1] < window ? half : 0;
		n -= half;
	}
	return low;
}

/*
 * The entry of an inner page whose child is responsible for key, or -1 if key is below
 * the page's low.
 */
int
bb_find_child(Page page, BBKey key)
{
	const BBWindow *windows = BBPageGetWords(page);
	int			from;
	int			to;
	int			low;

	bb_find_tag(page, bb_count(page), key.tag, &from, &to);
	low = bb_skip_lower(page, from, to, key.tag, key.window);

	/* among equal windows the TID decides */
	if (low < to && windows[low] == key.window)
	{
		int			high = to;

		while (low < high)
		{
			int			middle = (low + high) / 2;

			if (bb_compare(bb_key_at(page, middle), key) <= 0)
				low = middle + 1;
			else
				high = middle;
		}
	}
	return low - 1;
}

/*
 * Find a range from *from to *to - 1 of a leaf's sorted entries that contains all entries
 * with a tag and a window from first to last.  Windows are distributed like random
 * numbers, so a window's place in the page's range nearly gives its place among the
 * entries with the tag.  The range around that place is widened until it contains all
 * these entries.  It may be too wide, because comparing a few more entries takes less
 * time than finding the exact limits.
 */
void
bb_find_sorted(Page page, uint32 tag, BBWindow first, BBWindow last, int *from, int *to)
{
	const BBWindow *windows = BBPageGetWords(page);
	BBWindow	low = low_window(page, tag);
	BBWindow	high = high_window(page, tag);
	int			least;
	int			n;
	int			i;

	bb_find_tag(page, BBPageGetOpaque(page)->sorted, tag, &least, &n);
	i = least + (int) (bb_share(first, low, high) * (n - least)) - BB_READ_MARGIN;
	for (int stride = BB_READ_MARGIN;
		 i > least && windows[i] >= first; stride *= 2)
		i -= stride;
	*from = Max(i, least);

	i = n;
	if (last < BB_HIGHEST_WINDOW)
	{
		i = least + (int) (bb_share(last, low, high) * (n - least)) + BB_READ_MARGIN;
		for (int stride = BB_READ_MARGIN;
			 i < n && windows[i] <= last; stride *= 2)
			i += stride;
	}
	*to = Min(i, n);
}

/* ----------
 * Metapage
 * ----------
 */

static void
metapage_init(Page page, BBShape shape)
{
	BBMetaPageData *meta;

	bb_page_init(page, shape, 0, 0);
	BBPageGetOpaque(page)->flags |= BB_META;
	meta = BBPageGetMeta(page);
	memset(meta, 0, sizeof(BBMetaPageData));
	meta->magic = BB_MAGIC;
	meta->version = BB_VERSION;
	meta->blocks = shape.blocks;
	meta->block_bits = BB_BLOCK_BITS;
	meta->permutation = bb_is_wide(shape) ? 1 : 0;
	meta->leading = shape.leading;
	((PageHeader) page)->pd_lower = (char *) (meta + 1) - (char *) page;
}

void
bb_reserved_page_init(Page page, BBShape shape, BlockNumber blkno)
{
	if (blkno == BB_METAPAGE)
		metapage_init(page, shape);
	else if (blkno < bb_first_leaf(shape, 0))
	{
		int			tree = blkno - BB_ROOT(0);

		bb_page_init(page, shape, tree, 1);
		bb_append(page, bb_lowest_key(), bb_first_leaf(shape, tree));
	}
	else
		bb_page_init(page, shape, blkno - bb_first_leaf(shape, 0), 0);
}

/*
 * Return the shape of an index, whose metapage is given as a copy.  Raises an error
 * unless this code can work on the index, and every field of the metapage has the value
 * that follows from the shape.  If the catalog does not give the width, the caller has to
 * check that the width is right.
 */
BBShape
bb_check_metapage(Relation index, Page page)
{
	BBMetaPageData *meta = BBPageGetMeta(page);
	int			bits = bb_bits_of_type(index);
	BBShape		shape;
	PGAlignedBlock expected;

	if (PageIsNew(page) || meta->magic != BB_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" is not a bitblock index",
						RelationGetRelationName(index)),
				 errhint("Please REINDEX it.")));
	if (meta->version != BB_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" has an unsupported bitblock version",
						RelationGetRelationName(index)),
				 errdetail("The index has version %u. This server needs version %u.",
						   meta->version, BB_VERSION),
				 errhint("Please REINDEX it.")));
	if (meta->blocks < FEWEST_BITS / BB_BLOCK_BITS || meta->blocks > BB_MAX_BLOCKS ||
		(bits != 0 && meta->blocks * BB_BLOCK_BITS != bits))
		bb_report_corruption(index, BB_METAPAGE, "wrong number of blocks");

	/*
	 * the server sets the LSN and the checksum, and nothing else changes
	 * after the build
	 */
	shape = bb_shape_of_blocks(index, meta->blocks);
	bb_reserved_page_init(expected.data, shape, BB_METAPAGE);
	((PageHeader) expected.data)->pd_lsn = ((PageHeader) page)->pd_lsn;
	((PageHeader) expected.data)->pd_checksum = ((PageHeader) page)->pd_checksum;
	if (memcmp(page, expected.data, BLCKSZ) != 0)
		bb_report_corruption(index, BB_METAPAGE, "damaged metapage");
	return shape;
}

/* ----------
 * Verification of what is read
 * ----------
 */

/* Raise an error.  "damage" is the message, without the names of index and page. */
void
bb_report_corruption(Relation index, BlockNumber blkno, const char *damage)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("%s in index \"%s\"", damage, RelationGetRelationName(index)),
			 errdetail_internal("The error was found at block %u.", blkno),
			 errhint("Please REINDEX it.")));
}

/* Do the tree and the level of a page fit its number?  Roots and first leaves never move. */
static bool
is_in_its_place(BBShape shape, BlockNumber blkno, BBPageOpaque opaque)
{
	if (blkno >= bb_reserved_pages(shape))
		return true;
	if (opaque->flags & BB_DELETED)
		return false;
	if (blkno < bb_first_leaf(shape, 0))
		return opaque->tree == blkno - BB_ROOT(0) && opaque->level > 0 &&
			!(opaque->flags & BB_INCOMPLETE_SPLIT);
	return opaque->tree == blkno - bb_first_leaf(shape, 0) && opaque->level == 0;
}

/*
 * Raises an error unless the page has the form of a page of a tree or of a deleted page.
 * If the page passes, no code reads beyond its end.
 */
void
bb_check_page(Relation index, BBShape shape, BlockNumber blkno, Page page)
{
	PageHeader	header = (PageHeader) page;
	BBPageOpaque opaque;
	int			n;

	if (unlikely(PageIsNew(page)))
		bb_report_corruption(index, blkno, "unexpected zero page");
	if (unlikely(header->pd_special != BLCKSZ - MAXALIGN(sizeof(BBPageOpaqueData))))
		bb_report_corruption(index, blkno, "wrong size of special space");
	opaque = BBPageGetOpaque(page);
	if (unlikely(opaque->page_id != BB_PAGE_ID || (opaque->flags & ~BB_TREE_FLAGS) ||
				 opaque->level > BB_MAX_LEVEL || opaque->tree >= bb_trees(shape) ||
				 opaque->words != bb_entry_words(shape, opaque->tree, opaque->level) ||
				 bb_page_is_tagged(page) != bb_is_tagged(shape)))
		bb_report_corruption(index, blkno,
							 "page has no valid tree, level or page identifier");
	n = bb_count(page);
	if (unlikely(n < 0 || n > bb_capacity(page) || opaque->sorted > n ||
				 header->pd_lower != MAXALIGN(SizeOfPageHeaderData) +
				 n * opaque->words * sizeof(uint64) ||
				 header->pd_upper != header->pd_special - n * bb_rest_size(page)))
		bb_report_corruption(index, blkno, "wrong number of entries");
	if (unlikely(!is_in_its_place(shape, blkno, opaque)))
		bb_report_corruption(index, blkno,
							 "page is not the expected root or first leaf");
	if (unlikely(!bb_is_rightmost(page) && bb_compare(bb_low(page), bb_high(page)) >= 0))
		bb_report_corruption(index, blkno, "page has an empty range of keys");
}
