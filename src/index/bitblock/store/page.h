/*-------------------------------------------------------------------------
 *
 * page.h
 *		Pages of a bitblock index.
 *
 * Page 0 is the metapage.  The pages after it are the roots of the trees, and remain the
 * roots: a root that splits moves its entries to two new pages and grows one level in
 * place.  A root is never a leaf.  Each tree has a first leaf that is never removed; the
 * first leaves follow the roots.  A leaf must not become another kind of page, because
 * the pin of a leaf tells VACUUM that its entries are in use (see scan.c).  shape.h lists
 * the trees and their contents.
 *
 * A tree is ordered by (tag, window, TID).  Rows without a fingerprint, and the entries
 * of a row tree, have the lowest window.  No two entries are equal.  A page knows the
 * range of keys that it is responsible for, low <= key < high.  The rightmost page of a
 * level has no high.  The low of a page is the high of its left neighbour.
 *
 *		+----------------+-----------------------------------------------+
 *		| PageHeaderData | window 0 | window 1 | ... | window n-1 |  --> |
 *		+----------------+-----------------------------------------------+
 *		|                         free, all zero                         |
 *		+------------------------------------------+---------------------+
 *		|  <--   | rest n-1 | ... | rest 1 | rest 0 |     BBPageOpaque    |
 *		+--------------------------------------------+-------------------+
 *
 * The windows grow up from the header, and are next to each other so that one pass
 * compares them all.  A leaf of a row tree stores whole fingerprints instead of windows:
 * each entry has opaque->words words.  The rest of each entry grows down from the end.
 * pd_lower gives the number of entries.  The bytes between pd_lower and pd_upper are
 * always zero.
 *
 * In a leaf the rest of an entry is the TID, and the tag if the index has leading
 * columns.  Entries may be in any order, because an insertion appends its entry.  A leaf
 * notes how many of its first entries are sorted, so that a search need not read all of
 * them.  All entries are sorted when the page is built or split off.  In an inner page
 * the rest of an entry is the TID, the child's page number, and the tag if there is one.
 * The entries are sorted.  The key of an entry is the low of its child.  The first
 * entry's key is the low of the page.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PAGE_H
#define BITBLOCK_PAGE_H

#include "postgres.h"

#include "access/htup_details.h"
#include "index_options.h"
#include "leading_hash.h"
#include "server/compat.h"
#include "shape.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/rel.h"

#define BB_METAPAGE				0
#define BB_ROOT(tree)			((BlockNumber) (1 + (tree)))

static inline BlockNumber
bb_first_leaf(BBShape shape, int tree)
{
	return 1 + bb_trees(shape) + tree;
}

static inline BlockNumber
bb_reserved_pages(BBShape shape)
{
	return 1 + 2 * bb_trees(shape);
}

#define BB_MAX_LEVEL			16

/* The window of entries without a window: those of the trees of rows and of NULLs */
#define BB_NULL_WINDOW			BB_LOWEST_WINDOW

#define BB_PAGE_ID				0xB10C	/* in the last two bytes of each page */

/* BBPageOpaque.flags */
#define BB_DELETED				0x01	/* belongs to no tree and may be
										 * reused */
#define BB_INCOMPLETE_SPLIT		0x02	/* the right neighbour has no downlink */
#define BB_META					0x04
#define BB_TAGGED				0x08	/* its entries have tags */

/* The flags that a page other than the metapage can have */
#define BB_TREE_FLAGS			(BB_DELETED | BB_INCOMPLETE_SPLIT | BB_TAGGED)

/*
 * A key: a tag, a window, and a TID as a number in the order of TIDs.  The smallest key
 * is all zero.  No entry has the smallest key, because TIDs start at offset 1.
 */
typedef struct BBKey
{
	uint32		tag;
	BBWindow	window;
	uint64		tid;
} BBKey;

typedef struct BBPageOpaqueData
{
	BBWindow	low_window;
	BBWindow	high_window;	/* not valid in the rightmost page */
	uint32		low_tag;
	uint32		high_tag;
	ItemPointerData low_tid;
	ItemPointerData high_tid;
	BlockNumber right;			/* InvalidBlockNumber in the rightmost page */
	uint8		flags;

	/*
	 * of an entry; more than one only in the leaves of the row tree of wide
	 * fingerprints
	 */
	uint8		words;
	uint8		level;			/* 0 is a leaf */
	uint8		tree;
	/* number of the first entries of a leaf that are in order */
	uint16		sorted;
	uint16		page_id;
} BBPageOpaqueData;

typedef BBPageOpaqueData *BBPageOpaque;

/* A number of 32 bits with an alignment of 2: the high half and the low half. */
typedef uint16 BBHalves[2];

/*
 * The part of an entry besides its words: its TID, in an inner page the child's page
 * number, and in an index with leading columns the tag.
 */
typedef struct BBRest
{
	ItemPointerData tid;
	/* child and tag, in this order; the tag is first if there is no child */
	BBHalves	more[2];
} BBRest;

#define BB_REST_SIZE(tagged, level) \
	(sizeof(ItemPointerData) + ((level) > 0 ? sizeof(BBHalves) : 0) + \
	 ((tagged) ? sizeof(BBHalves) : 0))

/* The most entries that a page can have, by the number of their words */
#define BB_PAGE_SPACE \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(BBPageOpaqueData)))
#ifndef BB_TEST_CAPACITY
#define BB_CAPACITY(tagged, level, words) \
	((int) (BB_PAGE_SPACE / ((words) * sizeof(uint64) + BB_REST_SIZE(tagged, level))))
#else							/* tests need deep trees of few rows */
#define BB_CAPACITY(tagged, level, words)	BB_TEST_CAPACITY
#endif

/* The most entries that any page has, and any inner page */
#define BB_MAX_ENTRIES			BB_CAPACITY(false, 0, 1)
#define BB_MAX_CHILDREN			BB_CAPACITY(false, 1, 1)

/* Read this many entries on each side of the expected ones */
#define BB_READ_MARGIN		24

/*
 * The expected number of entries of a leaf: as many as the build puts in a leaf.  Leaves
 * that have split since have 0.5 to 0.7 of their capacity.  If the number is too high, a
 * search prefetches the wrong lines of a page, and expects the nearest rows at most one
 * distance too near.
 */
static inline double
bb_usual_leaf(BBShape shape, int tree)
{
	return BB_DEFAULT_FILLFACTOR / 100.0 *
		BB_CAPACITY(bb_is_tagged(shape), 0, bb_entry_words(shape, tree, 0));
}


typedef struct BBMetaPageData
{
	uint32		magic;
	uint32		version;
	uint16		blocks;			/* of a fingerprint */
	uint16		block_bits;
	uint16		permutation;	/* of bits, by number; 0 is none */
	uint16		leading;		/* columns before the fingerprint */
} BBMetaPageData;

#define BB_MAGIC				0x42424C4B
#define BB_VERSION				3

/* An entry that is not in a page, without its tag. */
typedef struct BBEntry
{
	BBWindow	window;
	ItemPointerData tid;
} BBEntry;

/* ----------
 * Keys
 * ----------
 */

static inline uint64
bb_tid_number(const ItemPointerData *tid)
{
	return ((uint64) ItemPointerGetBlockNumberNoCheck(tid) << 16) |
		ItemPointerGetOffsetNumberNoCheck(tid);
}

static inline BBKey
bb_key(uint32 tag, BBWindow window, const ItemPointerData *tid)
{
	BBKey		key;

	key.tag = tag;
	key.window = window;
	key.tid = bb_tid_number(tid);
	return key;
}

/* The lowest key with that tag and window. */
static inline BBKey
bb_first_key(uint32 tag, BBWindow window)
{
	BBKey		key;

	key.tag = tag;
	key.window = window;
	key.tid = 0;
	return key;
}

static inline BBKey
bb_lowest_key(void)
{
	return bb_first_key(0, BB_LOWEST_WINDOW);
}

/*
 * Raise *key to the first key at or above it whose tag belongs to a scope, and set *scope
 * to the number of that scope.  The caller passes in *scope the number of that scope or
 * of an earlier one.  Returns false if there is no such key.
 */
static inline bool
bb_skip_to_scope(const BBScopes *scopes, int *scope, BBKey *key)
{
	if (scopes->all)
		return true;
	while (*scope < scopes->n && scopes->tags[*scope] < key->tag)
		(*scope)++;
	if (*scope == scopes->n)
		return false;
	if (scopes->tags[*scope] > key->tag)
		*key = bb_first_key(scopes->tags[*scope], BB_LOWEST_WINDOW);
	return true;
}

/* The key of a row in a row tree of wide fingerprints, or in the tree of NULLs. */
static inline BBKey
bb_row_key(uint32 tag, const ItemPointerData *tid)
{
	return bb_key(tag, BB_NULL_WINDOW, tid);
}

static inline int
bb_compare(BBKey a, BBKey b)
{
	if (a.tag != b.tag)
		return a.tag < b.tag ? -1 : 1;
	if (a.window != b.window)
		return a.window < b.window ? -1 : 1;
	return (a.tid > b.tid) - (a.tid < b.tid);
}

/* The inverse of bb_tid_number. */
static inline void
bb_number_tid(uint64 number, ItemPointerData *tid)
{
	ItemPointerSet(tid, (BlockNumber) (number >> 16), (OffsetNumber) (number & 0xffff));
}

/* Can a row have this TID?  A TIDBitmap does not accept a higher offset. */
static inline bool
bb_tid_is_valid(const ItemPointerData *tid)
{
	return ItemPointerGetBlockNumberNoCheck(tid) != InvalidBlockNumber &&
		ItemPointerGetOffsetNumberNoCheck(tid) != InvalidOffsetNumber &&
		ItemPointerGetOffsetNumberNoCheck(tid) <= MaxHeapTuplesPerPage;
}

/* ----------
 * Pages
 * ----------
 */

#define BBPageGetOpaque(page)	((BBPageOpaque) PageGetSpecialPointer(page))
#define BBPageGetMeta(page)		((BBMetaPageData *) PageGetContents(page))
#define BBPageGetWords(page)	((uint64 *) PageGetContents(page))

static inline int
bb_count(Page page)
{
	int			words = (((PageHeader) page)->pd_lower - MAXALIGN(SizeOfPageHeaderData)) /
		sizeof(uint64);

	return likely(BBPageGetOpaque(page)->words == 1) ? words :
		words / BBPageGetOpaque(page)->words;
}

/* The words of entry i. */
static inline uint64 *
bb_words_at(Page page, int i)
{
	return BBPageGetWords(page) + i * BBPageGetOpaque(page)->words;
}

static inline bool
bb_page_is_tagged(Page page)
{
	return (BBPageGetOpaque(page)->flags & BB_TAGGED) != 0;
}

static inline int
bb_rest_size(Page page)
{
	return BB_REST_SIZE(bb_page_is_tagged(page), BBPageGetOpaque(page)->level);
}

static inline int
bb_capacity(Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);
	bool		tagged = bb_page_is_tagged(page);

	/* entries of one word need no division */
	if (opaque->level > 0)
		return tagged ? BB_CAPACITY(true, 1, 1) : BB_CAPACITY(false, 1, 1);
	if (likely(opaque->words == 1))
		return tagged ? BB_CAPACITY(true, 0, 1) : BB_CAPACITY(false, 0, 1);
	return BB_CAPACITY(tagged, 0, opaque->words);
}

/* The rest of entry i. */
static inline BBRest *
bb_rest(Page page, int i)
{
	return (BBRest *) ((char *) page + ((PageHeader) page)->pd_special -
					   (i + 1) * bb_rest_size(page));
}

static inline void
bb_set_halves(BBHalves halves, uint32 number)
{
	halves[0] = (uint16) (number >> 16);
	halves[1] = (uint16) (number & 0xffff);
}

static inline uint32
bb_get_halves(const BBHalves halves)
{
	return ((uint32) halves[0] << 16) | halves[1];
}

/* The tag of entry i of a page whose entries have tags. */
static inline uint32
bb_entry_tag(Page page, int i)
{
	return bb_get_halves(bb_rest(page, i)->more[BBPageGetOpaque(page)->level > 0 ? 1 : 0]);
}

static inline uint32
bb_tag_at(Page page, int i)
{
	return bb_page_is_tagged(page) ? bb_entry_tag(page, i) : BB_NO_TAG;
}

static inline BBKey
bb_key_at(Page page, int i)
{
	return bb_key(bb_tag_at(page, i),
				  likely(BBPageGetOpaque(page)->words == 1) ?
				  BBPageGetWords(page)[i] : BB_NULL_WINDOW,
				  &bb_rest(page, i)->tid);
}

static inline BlockNumber
bb_child(Page page, int i)
{
	return bb_get_halves(bb_rest(page, i)->more[0]);
}

static inline BBKey
bb_low(Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return bb_key(opaque->low_tag, opaque->low_window, &opaque->low_tid);
}

static inline BBKey
bb_high(Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return bb_key(opaque->high_tag, opaque->high_window, &opaque->high_tid);
}

static inline bool
bb_is_rightmost(Page page)
{
	return BBPageGetOpaque(page)->right == InvalidBlockNumber;
}

/* Is key at or above the high key of the page? */
static inline bool
bb_is_right_of(BBKey key, Page page)
{
	return !bb_is_rightmost(page) && bb_compare(key, bb_high(page)) >= 0;
}

/* Initialize an empty page that is responsible for all keys. */
extern void bb_page_init(Page page, BBShape shape, int tree, int level);

/* Set the low of a page. */
extern void bb_set_low(Page page, BBKey low);

/* Set the right neighbour and the high of a page. */
extern void bb_set_right(Page page, BBKey high, BlockNumber right);

/* Overwrite entry i of a page with entry j of a page of the same kind. */
extern void bb_copy_entry(Page to, int i, Page from, int j);

/* Set the number of entries. */
extern void bb_set_count(Page page, int n);

/* If the page is a leaf, note how many of its first entries are in order. */
extern void bb_note_sorted(Page page);

/* Append an entry of one word to a page that has room. */
extern void bb_append(Page page, BBKey key, BlockNumber child);

/* Append entries with one tag to a leaf that has room. */
extern void bb_append_entries(Page page, uint32 tag, const BBEntry *entries, int n);

/* Append an entry to a leaf that has room. */
extern void bb_append_to_leaf(Page page, BBKey key, const uint64 *fp);

/* Insert an entry into an inner page that has room. */
extern void bb_insert_sorted(Page page, BBKey key, BlockNumber child);

/* Remove an entry of an inner page. */
extern void bb_remove_sorted(Page page, int i);

/* Remove an entry of a leaf. */
extern void bb_remove_unsorted(Page page, int i);

/* Find the entry of an inner page whose child is responsible for key. */
extern int	bb_find_child(Page page, BBKey key);

/* Find the first entry of a range whose window is not lower than the given one. */
extern int	bb_skip_lower(Page page, int from, int to, uint32 tag, BBWindow window);

/* The part of bb_find_tag for pages with tags */
extern void bb_find_tag_among(Page page, int n, uint32 tag, int *from, int *to);

/* Find a range that has all sorted entries with windows from first to last. */
extern void bb_find_sorted(Page page, uint32 tag, BBWindow first, BBWindow last,
						   int *from, int *to);

/* Initialize one of the reserved pages for an empty index. */
extern void bb_reserved_page_init(Page page, BBShape shape, BlockNumber blkno);

/*
 * Find the range from *from to *to - 1 of the entries with a tag among the first n
 * entries, which are in order.
 */
static inline void
bb_find_tag(Page page, int n, uint32 tag, int *from, int *to)
{
	*from = 0;
	*to = n;
	if (unlikely(bb_page_is_tagged(page)) && n > 0)
		bb_find_tag_among(page, n, tag, from, to);
}

/* Check the metapage, and return the shape of the index. */
extern BBShape bb_check_metapage(Relation index, Page page);

/* Raise an error unless the page has the form of a page. */
extern void bb_check_page(Relation index, BBShape shape, BlockNumber blkno, Page page);

/* Raise the error that a page is damaged. */
pg_noreturn extern void bb_report_corruption(Relation index, BlockNumber blkno,
											 const char *damage);

#endif							/* BITBLOCK_PAGE_H */
