/*-------------------------------------------------------------------------
 *
 * keys.c
 *		Keys of passages; see keys.h.
 *
 * The grams are cut into blocks of the length of a window.  Every window consists of
 * the end of one block and the beginning of the next.  So the smallest gram of a
 * window is the smaller of two: the smallest of the end, which is computed backwards
 * when a block is complete, and the smallest of the beginning so far.  The time for a
 * gram does not depend on the window or on the text.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/feature_reader.h"
#include "keys.h"
#include "merge_sort.h"

#define KEYS_AT_FIRST 256
#define FEW_KEYS 8				/* sorted by insertion */
#define MANY_KEYS 65536			/* worth the search for duplicates */

/* Keys in any order, possibly with duplicates.  The last one is the newest. */
typedef struct KeyList
{
	int64_t    *keys;
	size_t		n;
	size_t		room;
	const Env  *env;
} KeyList;

typedef struct Winnower
{
	size_t		window;			/* grams of a window */
	size_t		filled;			/* grams of the current block */
	bool		has_block;		/* is there a block before it? */
	uint64_t	smallest;		/* of the current block */

	/*
	 * The current block.  From "filled" on, the smallest gram of the previous
	 * block from here to its end.
	 */
	uint64_t   *block;

	KeyList		list;
} Winnower;

/* ---------- sorting ---------- */

static void
sort_few_keys(int64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		int64_t		key = keys[i];
		size_t		place = i;

		for (; place > 0 && keys[place - 1] > key; place--)
			keys[place] = keys[place - 1];
		keys[place] = key;
	}
}

static void
merge_keys(const void *sorted, size_t middle, size_t n, void *merged, const Env *env)
{
	const int64_t *from = sorted;
	int64_t    *to = merged;
	size_t		a = 0;
	size_t		b = middle;
	size_t		i = 0;

	while (a < middle && b < n)
	{
		int64_t		x = from[a];
		int64_t		y = from[b];
		size_t		second = y < x;

		tick(env, i);
		/* without a branch, because the outcome is unpredictable */
		to[i++] = x ^ ((x ^ y) & -(int64_t) second);
		a += 1 - second;
		b += second;
	}
	memcpy(to + i, from + a, (middle - a) * sizeof(*to));
	i += middle - a;
	memcpy(to + i, from + b, (n - b) * sizeof(*to));
}

static void
sort_keys(int64_t *keys, size_t n, const Env *env)
{
	for (size_t i = 0; i < n; i += FEW_KEYS)
		sort_few_keys(keys + i, n - i < FEW_KEYS ? n - i : FEW_KEYS);
	core_merge_sort(keys, n, sizeof(*keys), FEW_KEYS, merge_keys, env);
}

/* Sort the keys and remove duplicates. */
static void
make_distinct(KeyList *list)
{
	size_t		n = 0;

	sort_keys(list->keys, list->n, list->env);
	for (size_t i = 0; i < list->n; i++)
	{
		if (n == 0 || list->keys[i] != list->keys[n - 1])
			list->keys[n++] = list->keys[i];
	}
	list->n = n;
}

/* ---------- winnowing ---------- */

/*
 * Make room for n more keys.  A text that repeats itself may have few keys, so in a
 * long text duplicates make room for others.
 */
static void
make_room_for_keys(KeyList *list, size_t n)
{
	if (list->room - list->n >= n)
		return;
	if (list->n >= MANY_KEYS)
	{
		int64_t		newest = list->keys[list->n - 1];

		make_distinct(list);
		list->keys[list->n++] = newest;
	}
	while (list->room / 2 < list->n + n)
		list->room *= 2;
	list->keys = env_resize(list->env, list->keys,
							list->room * sizeof(*list->keys));
}

static inline uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The block is complete. */
static void
end_block(Winnower *w)
{
	for (size_t i = w->window - 1; i > 0; i--)
		w->block[i - 1] = smaller(w->block[i - 1], w->block[i]);
	w->filled = 0;
	w->has_block = true;
	w->smallest = UINT64_MAX;
}

/*
 * Add grams to the current block, which has room for them, and the keys of the windows
 * that end there.  A key that equals the newest one is written over it: that needs no
 * branch.
 */
static void
add_to_block(Winnower *w, const uint64_t *grams, size_t n)
{
	uint64_t   *block = w->block + w->filled;
	bool		at_end = w->filled + n == w->window;
	size_t		n_windows = w->has_block ? n - at_end : 0;
	int64_t    *keys = w->list.keys;
	size_t		n_keys = w->list.n;
	int64_t		newest = n_keys > 0 ? keys[n_keys - 1] : 0;
	uint64_t	smallest = w->smallest;
	size_t		i;

	for (i = 0; i < n_windows; i++)
	{
		int64_t		key;

		block[i] = grams[i];
		smallest = smaller(smallest, grams[i]);

		/* the window begins in the previous block, whose key exists */
		key = (int64_t) smaller(smallest, block[i + 1]);
		n_keys += key != newest;
		keys[n_keys - 1] = key;
		newest = key;
	}
	for (; i < n; i++)
	{
		block[i] = grams[i];
		smallest = smaller(smallest, grams[i]);
	}
	if (at_end)
	{
		n_keys += n_keys == 0 || (int64_t) smallest != newest;
		keys[n_keys - 1] = (int64_t) smallest;
	}
	w->list.n = n_keys;
	w->filled += n;
	w->smallest = smallest;
	if (at_end)
		end_block(w);
}

static void
add_grams(Winnower *w, const uint64_t *grams, size_t n)
{
	make_room_for_keys(&w->list, n + 1);
	while (n > 0)
	{
		size_t		room = w->window - w->filled;
		size_t		n_now = n < room ? n : room;

		add_to_block(w, grams, n_now);
		grams += n_now;
		n -= n_now;
	}
}

size_t
core_choose_keys(const char *utf8, size_t len, const TextOptions *options,
				 int words, const Env *env, int64_t **keys)
{
	Tokenizer	tok;
	FeatureMaker maker;
	Winnower	w;
	uint64_t	tokens[TOKEN_BATCH];
	uint64_t	grams[FEATURE_BATCH];
	size_t		n;

	w.window = (size_t) (words - options->shingle + 1);
	w.filled = 0;
	w.has_block = false;
	w.smallest = UINT64_MAX;
	w.block = env_alloc(env, w.window * sizeof(*w.block));
	w.list.n = 0;
	w.list.room = KEYS_AT_FIRST;
	w.list.env = env;
	w.list.keys = env_alloc(env, w.list.room * sizeof(*w.list.keys));

	/* not a FeatureReader: a text of fewer than n words has no gram */
	core_tokens_init(&tok, utf8, len, options, NULL, env);
	core_features_init(&maker, options->shingle);
	while (core_tokens_next(&tok, tokens, &n))
	{
		n = core_make_features(&maker, tokens, n, grams);
		add_grams(&w, grams, n);
	}
	if (!w.has_block && w.filled > 0)
		w.list.keys[w.list.n++] = (int64_t) w.smallest;
	make_distinct(&w.list);
	env_free(env, w.block);
	*keys = w.list.keys;
	return w.list.n;
}
