/*-------------------------------------------------------------------------
 *
 * leaf_walk.c
 *		Reading the leaves of a tree that may hold a set of keys.
 *
 * README.md, "Search", says why a walk misses no key and sees none twice.  The walk finds the
 * next page by the last page's right-link, by a list of leaves made beforehand, or from the
 * root.  The three ways differ in speed only, because the walk takes a page only if the
 * page's range holds the wanted key.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "leaf_walk.h"
#include "miscadmin.h"
#include "tree.h"

/*
 * Begin a walk before the first key.  If probes is NULL, all keys of the scopes are wanted,
 * and the walk asks for their leaves ahead, in memory of the context of its first step.
 * Otherwise there is one scope, and the caller asks for the listed leaves.  The caller keeps
 * ahead, the tags of the scopes, probes and leaves until the walk ends.
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
		   bb_is_before(bb_probe_high(walk->probes, walk->probe), walk->position.window))
		walk->probe++;
	if (walk->probe == walk->probes->n)
		return false;
	low = bb_probe_low(walk->probes, walk->probe);
	if (bb_is_before(walk->position.window, low))
		*key = bb_first_key(walk->position.tag, low);
	return true;
}

/*
 * The leaf of this page number, pinned and locked, if it is responsible for key; else InvalidBuffer.
 * Then *passed says whether the page is useless for later keys, too.
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

/* Ask for the leaves of a walk over all keys of the scopes. */
static void
ask_for_leaves(BBWalk *walk, BBKey key)
{
	if (walk->level == NULL)
	{
		walk->level = palloc(sizeof(BBAheadLevel));
		bb_ahead_level_init(walk->level, walk->ahead, walk->tree, 0,
							&walk->scopes);
	}
	bb_ask_level(walk->level, key);
}

/* The scopes from the present one on that may have keys below the position. */
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
 * The next leaf, pinned and locked for share; InvalidBuffer at the end.  The function sets
 * walk->filter and walk->from for the leaf.
 */
Buffer
bb_walk_next(BBWalk *walk)
{
	BBKey		key;
	Buffer		buffer = InvalidBuffer;
	Page		page;
	bool		passed = true;

	CHECK_FOR_INTERRUPTS();
	if (!next_wanted(walk, &key))
		return InvalidBuffer;
	if (walk->probes == NULL && bb_depth(walk->ahead) > 0)
		ask_for_leaves(walk, key);

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
			break;
	}
	if (!BufferIsValid(buffer) && walk->right != InvalidBlockNumber &&
		bb_compare(key, walk->position) == 0)
		buffer = try_leaf(walk, walk->right, key, &passed);
	if (!BufferIsValid(buffer))
	{
		if (walk->leaves != NULL)
			bb_forget_roots(walk->index);
		buffer = bb_find(walk->index, walk->tree, key, 0, BUFFER_LOCK_SHARE, NULL);
	}

	page = BufferGetPage(buffer);
	walk->from = walk->position;
	walk->filter = bb_compare(bb_low(page), walk->position) < 0;
	walk->right = BBPageGetOpaque(page)->right;
	if (bb_is_rightmost(page))
		walk->done = true;
	else
		walk->position = bb_high(page);
	walk->leaf_scopes = scopes_of_leaf(walk);
	if (walk->probes == NULL && !walk->done &&
		(walk->scopes.all || last_tag(&walk->leaf_scopes) == walk->position.tag))
		bb_prefetch(walk->index, walk->right, 0, BB_PREFETCH_LEAF);
	if (walk->probes != NULL)
	{
		BBWindow	end = walk->done || walk->position.tag != last_tag(&walk->leaf_scopes) ?
			BB_HIGHEST_WINDOW : walk->position.window;
		int			i = walk->probe;

		walk->first = bb_probe_low(walk->probes, i);
		while (i + 1 < walk->probes->n && !bb_is_before(end, bb_probe_low(walk->probes, i + 1)))
			i++;
		walk->last = bb_probe_high(walk->probes, i);
	}
	return buffer;
}
