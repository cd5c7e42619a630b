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

StaticAssertDecl(sizeof(BBPageOpaqueData) == 2 * sizeof(BBFingerprint) + 24,
				 "the page's opaque data has no holes");
StaticAssertDecl(BB_INNER_REST == 10, "an inner entry's rest has no holes");
StaticAssertDecl(BB_INNER_CAPACITY <= PG_UINT16_MAX &&
				 BB_LEAF_CAPACITY <= PG_UINT16_MAX,
				 "entries are numbered in 16 bits");

/*
 * An empty page, responsible for all keys: the caller sets its bounds.
 */
void
bb_page_init(Page page, int tree, int level)
{
	BBPageOpaque opaque;

	PageInit(page, BLCKSZ, sizeof(BBPageOpaqueData));
	((PageHeader) page)->pd_lower = MAXALIGN(SizeOfPageHeaderData);
	opaque = BBPageGetOpaque(page);
	opaque->right = InvalidBlockNumber;
	opaque->level = level;
	opaque->tree = tree;
	opaque->page_id = BB_PAGE_ID;
}

void
bb_set_low(Page page, BBKey low)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	opaque->low_fp = low.fp;
	bb_key_tid(low, &opaque->low_tid);
}

/* high is ignored, and zero in the page, if right is InvalidBlockNumber */
void
bb_set_right(Page page, BBKey high, BlockNumber right)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	if (right == InvalidBlockNumber)
		high = bb_lowest_key();
	opaque->high_fp = high.fp;
	bb_key_tid(high, &opaque->high_tid);
	opaque->right = right;
}

/* Overwrite entry i, which is below the number set by bb_set_count */
void
bb_set_entry(Page page, int i, BBKey key, BlockNumber child)
{
	BBRest	   *rest = bb_rest(page, i);

	BBPageGetFingerprints(page)[i] = key.fp;
	bb_key_tid(key, &rest->tid);
	if (BBPageGetOpaque(page)->level > 0)
	{
		rest->child[0] = (uint16) (child >> 16);
		rest->child[1] = (uint16) (child & 0xffff);
	}
}

/* Set the number of entries; what is no entry any more becomes zero */
void
bb_set_count(Page page, int n)
{
	PageHeader	header = (PageHeader) page;
	BBPageOpaque opaque = BBPageGetOpaque(page);
	int			lower = MAXALIGN(SizeOfPageHeaderData) + n * sizeof(BBFingerprint);
	int			upper = header->pd_special - n * bb_rest_size(opaque->level);

	Assert(lower <= upper);
	if (lower < header->pd_lower)
		memset((char *) page + lower, 0, header->pd_lower - lower);
	if (upper > header->pd_upper)
		memset((char *) page + header->pd_upper, 0, upper - header->pd_upper);
	header->pd_lower = lower;
	header->pd_upper = upper;
	opaque->sorted = Min(opaque->sorted, n);
}

/* Note how many of the first entries are in order, if it is a leaf */
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

/* The page has room */
void
bb_append(Page page, BBKey key, BlockNumber child)
{
	int			n = bb_count(page);

	bb_set_count(page, n + 1);
	bb_set_entry(page, n, key, child);
}

/* Insert into an inner page, which has room */
void
bb_insert_sorted(Page page, BBKey key, BlockNumber child)
{
	int			n = bb_count(page);
	int			i = bb_find_child(page, key) + 1;
	BBFingerprint *fps = BBPageGetFingerprints(page);

	bb_set_count(page, n + 1);
	memmove(fps + i + 1, fps + i, (n - i) * sizeof(BBFingerprint));
	memmove(bb_rest(page, n), bb_rest(page, n - 1), (n - i) * BB_INNER_REST);
	bb_set_entry(page, i, key, child);
}

/* Remove an entry of an inner page */
void
bb_remove_sorted(Page page, int i)
{
	int			n = bb_count(page);
	BBFingerprint *fps = BBPageGetFingerprints(page);

	memmove(fps + i, fps + i + 1, (n - 1 - i) * sizeof(BBFingerprint));
	memmove(bb_rest(page, n - 2), bb_rest(page, n - 1), (n - 1 - i) * BB_INNER_REST);
	bb_set_count(page, n - 1);
}

/* Remove an entry of a leaf: the last one takes its place */
void
bb_remove_unsorted(Page page, int i)
{
	int			last = bb_count(page) - 1;

	if (i < last)
	{
		BBPageOpaque opaque = BBPageGetOpaque(page);

		bb_set_entry(page, i, bb_key_at(page, last), InvalidBlockNumber);
		opaque->sorted = Min(opaque->sorted, i);
	}
	bb_set_count(page, last);
}

/*
 * The entry of an inner page whose child is responsible for key, or -1 if key
 * is below the page's low.
 */
int
bb_find_child(Page page, BBKey key)
{
	BBFingerprint *fps = BBPageGetFingerprints(page);
	int			low = 0;
	int			n = bb_count(page);

	/* without branches; entries below "low" have smaller fingerprints */
	while (n > 0)
	{
		int			half = (n + 1) / 2;

		low += bb_compare_fps(fps[low + half - 1], key.fp) < 0 ? half : 0;
		n -= half;
	}

	/* among equal fingerprints the TID decides */
	n = bb_count(page);
	if (low < n && bb_compare_fps(fps[low], key.fp) == 0)
	{
		int			high = n;

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
 * Find the window from .. to - 1 of a leaf's sorted entries that holds all
 * entries with a block value first .. last in front.  Fingerprints are like
 * random, so a value's place in the page's range nearly gives its place in the
 * leaf.  The window around that place is widened until it holds all these
 * entries.  It is not made tight, because comparing a few more entries takes
 * less time than finding the limits.
 */
void
bb_find_sorted(Page page, int first, int last, int *from, int *to)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);
	BBFingerprint *fps = BBPageGetFingerprints(page);
	int			n = opaque->sorted;
	BBFingerprint low = opaque->low_fp;
	BBFingerprint high = bb_is_rightmost(page) ?
		bb_last_of_prefix(BB_BLOCK_VALUES - 1) : opaque->high_fp;
	BBFingerprint begin = bb_from_prefix(first);
	int			i = (int) (bb_share(begin, low, high) * n) - BB_WINDOW_MARGIN;

	for (int step = BB_WINDOW_MARGIN;
		 i > 0 && bb_compare_fps(fps[i], begin) >= 0; step *= 2)
		i -= step;
	*from = Max(i, 0);

	i = n;
	if (last + 1 < BB_BLOCK_VALUES)
	{
		BBFingerprint end = bb_from_prefix(last + 1);

		i = (int) (bb_share(end, low, high) * n) + BB_WINDOW_MARGIN;
		for (int step = BB_WINDOW_MARGIN;
			 i < n && bb_compare_fps(fps[i], end) < 0; step *= 2)
			i += step;
	}
	*to = Min(i, n);
}

/* ----------
 * Metapage
 * ----------
 */

static void
metapage_init(Page page)
{
	BBMetaPageData *meta;

	bb_page_init(page, 0, 0);
	BBPageGetOpaque(page)->flags = BB_META;
	meta = BBPageGetMeta(page);
	memset(meta, 0, sizeof(BBMetaPageData));
	meta->magic = BB_MAGIC;
	meta->version = BB_VERSION;
	meta->words = BB_WORDS;
	meta->blocks = BB_BLOCKS;
	meta->block_bits = BB_BLOCK_BITS;
	((PageHeader) page)->pd_lower = (char *) (meta + 1) - (char *) page;
}

/* Initialize one of the reserved pages, as it is in an empty index */
void
bb_reserved_page_init(Page page, BlockNumber block)
{
	if (block == BB_METAPAGE)
		metapage_init(page);
	else if (block < BB_FIRST_LEAF(0))
	{
		int			tree = block - BB_ROOT(0);

		bb_page_init(page, tree, 1);
		bb_append(page, bb_lowest_key(), BB_FIRST_LEAF(tree));
	}
	else
		bb_page_init(page, block - BB_FIRST_LEAF(0), 0);
}

/*
 * Raises an error unless the index is one that this code can work on.  page is a
 * copy of its metapage.
 */
void
bb_check_metapage_form(Relation index, Page page)
{
	BBMetaPageData *meta = BBPageGetMeta(page);

	if (PageIsNew(page) || meta->magic != BB_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" is not a bitblock index",
						RelationGetRelationName(index)),
				 errhint("Please REINDEX it.")));
	if (meta->version != BB_VERSION || meta->words != BB_WORDS ||
		meta->blocks != BB_BLOCKS || meta->block_bits != BB_BLOCK_BITS)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" has an unsupported bitblock version",
						RelationGetRelationName(index)),
				 errdetail("The index has version %u with %u words of %u blocks. This server needs version %u with %u words of %u blocks.",
						   meta->version, meta->words, meta->blocks,
						   BB_VERSION, BB_WORDS, BB_BLOCKS),
				 errhint("Please REINDEX it.")));
}

/* ----------
 * Verification of what is read
 * ----------
 */

/* "damage" is the message without the name of the index, which follows it. */
void
bb_report_corruption(Relation index, BlockNumber block, const char *damage)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("%s in index \"%s\"", damage, RelationGetRelationName(index)),
			 errdetail_internal("The error was found at block %u.", block),
			 errhint("Please REINDEX it.")));
}

/*
 * Roots and first leaves never move.
 */
static bool
is_in_its_place(BlockNumber block, BBPageOpaque opaque)
{
	if (block >= BB_RESERVED_PAGES)
		return true;
	if (opaque->flags & BB_DELETED)
		return false;
	if (block < BB_FIRST_LEAF(0))
		return opaque->tree == block - BB_ROOT(0) && opaque->level > 0 &&
			!(opaque->flags & BB_INCOMPLETE_SPLIT);
	return opaque->tree == block - BB_FIRST_LEAF(0) && opaque->level == 0;
}

/*
 * Raises an error unless the page has the form of a page of
 * a tree or of a deleted one.  What is read is then inside the page.
 */
void
bb_check_page(Relation index, BlockNumber block, Page page)
{
	PageHeader	header = (PageHeader) page;
	BBPageOpaque opaque;
	int			bytes;

	if (unlikely(PageIsNew(page)))
		bb_report_corruption(index, block, "unexpected zero page");
	if (unlikely(header->pd_special != BLCKSZ - MAXALIGN(sizeof(BBPageOpaqueData))))
		bb_report_corruption(index, block, "wrong size of special space");
	opaque = BBPageGetOpaque(page);
	bytes = header->pd_lower - (int) MAXALIGN(SizeOfPageHeaderData);
	if (unlikely(opaque->page_id != BB_PAGE_ID || (opaque->flags & BB_META) ||
				 opaque->level > BB_MAX_LEVEL || opaque->tree >= BB_TREES))
		bb_report_corruption(index, block,
							 "page has no valid tree, level or page identifier");
	if (unlikely(bytes < 0 || bytes % sizeof(BBFingerprint) != 0 ||
				 bb_count(page) > bb_capacity(opaque->level) ||
				 opaque->sorted > bb_count(page) ||
				 header->pd_upper != header->pd_special -
				 bb_count(page) * bb_rest_size(opaque->level)))
		bb_report_corruption(index, block, "wrong number of entries");
	if (unlikely(!is_in_its_place(block, opaque)))
		bb_report_corruption(index, block,
							 "page is not the expected root or first leaf");
	if (unlikely(!bb_is_rightmost(page) && bb_compare(bb_low(page), bb_high(page)) >= 0))
		bb_report_corruption(index, block, "page has an empty range of keys");
}
