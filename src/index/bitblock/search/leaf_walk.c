/*-------------------------------------------------------------------------
 *
 * leaf_walk.c
 *		Reading the leaves of a tree that may hold a set of keys.
 *
 * README.md, "Reading the leaves", says why a walk misses no key and sees none twice.
 * The walk finds the next page by the right-link of the last page, by a list of leaves
 * made beforehand, or from the root.  The three ways differ only in speed, because the
 * walk uses a page only if the range of the page contains the key that it looks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "index/bitblock/store/cache.h"
#include "index/bitblock/store/tree.h"
#include "leaf_walk.h"
#include "miscadmin.h"

/*
 * Begin a walk before the first key.  If probes is NULL, all keys of the scopes are
 * wanted.  The walk then asks for leaves in advance, and for this allocates memory in the
 * context that is current at its first step.  Otherwise there must be one scope, and the
 * caller asks for the listed leaves.  The caller keeps ahead, the tags of the scopes,
 * probes and leaves until the walk ends.
 */
void
bb_walk_start(BBWalk *walk, BBAhead *ahead, int tree, BBScopes scopes,
			  const BBProbes *probes, const BBLeafList *leaves)
{
	walk->ahead = ahead;
	walk->index = ahead->index;
	walk->tree = tree;
	walk->scopes = scopes;
	walk->scope = 0;
	walk->probes = probes;
	walk->probe = 0;
	walk->done = false;
	walk->position = bb_first_key(scopes.tags[0], BB_LOWEST_WINDOW);
	walk->right = InvalidBlockNumber;
	walk->leaves = leaves != NULL && leaves->complete ? leaves : NULL;
	walk->leaf = 0;
	walk->level = NULL;
}

/* Set *key to the first wanted key that has not been seen; false if there is none. */
static bool
next_wanted(BBWalk *walk, BBKey *key)
{
	BBWindow	low;

	*key = walk->position;
	if (walk->done || !bb_skip_to_scope(&walk->scopes, &walk->scope, key))
		return false;
	if (walk->probes == NULL)
		return true;

	while (walk->probe < walk->probes->n &&
		   bb_probe_high(walk->probes, walk->probe) < walk->position.window)
		walk->probe++;
	if (walk->probe == walk->probes->n)
		return false;
	low = bb_probe_low(walk->probes, walk->probe);
	if (walk->position.window < low)
		*key = bb_first_key(walk->position.tag, low);
	return true;
}

/*
 * Read a page, and return it pinned and locked for share if it is the leaf that is
 * responsible for key.  If not, return InvalidBuffer, and set *passed to whether the page
 * is useless for later keys too.
 */
static Buffer
try_leaf(BBWalk *walk, BlockNumber blkno, BBKey key, bool *passed)
{
	Buffer		buffer;
	Page		page;
	BBPageOpaque opaque;

	buffer = bb_read(walk->index, blkno, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	opaque = BBPageGetOpaque(page);

	if (bb_is_on_path(page, walk->tree, 0, key))
	{
		if (!bb_is_right_of(key, page))
			return buffer;
		*passed = true;
	}
	else
		*passed = opaque->tree != walk->tree || opaque->level != 0 ||
			(opaque->flags & BB_DELETED);
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}

/* Ask in advance for leaves of a walk over all keys of the scopes. */
static void
ask_for_coming_leaves(BBWalk *walk, BBKey key)
{
	if (walk->level == NULL)
	{
		walk->level = palloc(sizeof(BBAheadLevel));
		bb_ahead_level_init(walk->level, walk->ahead, walk->tree, 0,
							&walk->scopes);
	}
	bb_ask_level(walk->level, key);
}

/*
 * The scopes of the leaf that was read last: from the current scope on, those that may
 * have keys below the position, which is the end of the leaf.
 */
static BBScopes
scopes_of_leaf(const BBWalk *walk)
{
	int			n = 1;

	while (walk->scope + n < walk->scopes.n &&
		   (walk->done || walk->scopes.tags[walk->scope + n] <= walk->position.tag))
		n++;
	return bb_part_of_scopes(&walk->scopes, walk->scope, n);
}

static inline uint32
last_tag(const BBScopes *scopes)
{
	return scopes->tags[scopes->n - 1];
}

/*
 * Find the leaf that is responsible for a key.  The cheapest way comes first: the list,
 * then the right-link of the last leaf, then the way down from the root.  Each way
 * returns a leaf only after it has locked it and seen that the key is in its range.  So
 * an outdated list, a split or a merge costs time, but the walk misses no key.
 *
 * A listed leaf that ends before the key, or is not a leaf of this tree any more, is
 * useless for later keys too, because keys ascend.  The loop skips it.  A leaf that
 * begins after the key remains the next of the list, for a later key.
 */
static Buffer
find_leaf(BBWalk *walk, BBKey key)
{
	Buffer		buffer = InvalidBuffer;
	bool		passed = true;

	while (passed && walk->leaves != NULL && walk->leaf < walk->leaves->n)
	{
		buffer = try_leaf(walk, walk->leaves->leaves[walk->leaf].blkno, key, &passed);
		if (BufferIsValid(buffer) || passed)
		{
			int			ahead = walk->leaf++ + BB_PREFETCH_LEAVES;

			if (ahead < walk->leaves->n)
				bb_prefetch(walk->index, walk->leaves->leaves[ahead].blkno,
							walk->leaves->leaves[ahead].entry, BB_PREFETCH_VALUE);
		}
		if (BufferIsValid(buffer))
			return buffer;
	}
	/* the right neighbour begins at the position, so try it if the key does */
	if (walk->right != InvalidBlockNumber && bb_compare(key, walk->position) == 0)
		buffer = try_leaf(walk, walk->right, key, &passed);
	if (BufferIsValid(buffer))
		return buffer;
	if (walk->leaves != NULL)
		bb_forget_roots(walk->index);
	return bb_find(walk->index, walk->tree, key, 0, BUFFER_LOCK_SHARE, NULL);
}

/*
 * When the caller has read a leaf, all keys below its end have been seen, and its end
 * becomes the new position.  If the leaf begins before the old position, for example
 * because VACUUM has merged two leaves, the caller must leave out its keys below that
 * position.
 */
static void
move_to_end(BBWalk *walk, Page page)
{
	walk->from = walk->position;
	walk->filter = bb_compare(bb_low(page), walk->position) < 0;
	walk->right = BBPageGetOpaque(page)->right;
	if (bb_is_rightmost(page))
		walk->done = true;
	else
		walk->position = bb_high(page);
	walk->leaf_scopes = scopes_of_leaf(walk);
}

/*
 * The wanted windows in a leaf begin with the first window of the current probe.  They
 * end with the last window of the last probe that does not begin after the end of the
 * leaf.
 */
static void
set_windows(BBWalk *walk)
{
	BBWindow	end = walk->done || walk->position.tag != last_tag(&walk->leaf_scopes) ?
		BB_HIGHEST_WINDOW : walk->position.window;
	int			i = walk->probe;

	walk->first = bb_probe_low(walk->probes, i);
	while (i + 1 < walk->probes->n && bb_probe_low(walk->probes, i + 1) <= end)
		i++;
	walk->last = bb_probe_high(walk->probes, i);
}

/*
 * Return the next leaf that may hold wanted keys, pinned and locked for share, or
 * InvalidBuffer at the end.  The function also sets the members of the walk that describe
 * the leaf.  The caller holds no page lock.
 */
Buffer
bb_walk_next(BBWalk *walk)
{
	BBKey		key;
	Buffer		buffer;

	CHECK_FOR_INTERRUPTS();
	if (!next_wanted(walk, &key))
		return InvalidBuffer;
	if (walk->probes == NULL && bb_depth(walk->ahead) > 0)
		ask_for_coming_leaves(walk, key);
	buffer = find_leaf(walk, key);
	move_to_end(walk, BufferGetPage(buffer));
	if (walk->probes != NULL)
		set_windows(walk);

	/*
	 * unless the last scope of the leaf ends here, the right neighbour is
	 * next
	 */
	else if (!walk->done &&
			 (walk->scopes.all || last_tag(&walk->leaf_scopes) == walk->position.tag))
		bb_prefetch(walk->index, walk->right, 0, BB_PREFETCH_LEAF);
	return buffer;
}
