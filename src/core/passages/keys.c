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
#include "../text/features/feature_reader.h"
#include "../text/features/sort_hashes.h"
#include "keys.h"

#define KEYS_AT_FIRST 256
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

/* Sort the keys and remove duplicates. */
static void
make_distinct(KeyList *list)
{
	size_t		n = 0;

	/* hashes have no sign: let the negative numbers be the smallest ones */
	for (size_t i = 0; i < list->n; i++)
		list->keys[i] ^= INT64_MIN;
	core_sort_hashes((uint64_t *) list->keys, list->n, list->env);
	for (size_t i = 0; i < list->n; i++)
	{
		int64_t		key = list->keys[i] ^ INT64_MIN;

		if (n == 0 || key != list->keys[n - 1])
			list->keys[n++] = key;
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
	FeatureReader reader;
	Winnower	w;
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

	gram_reader_init(&reader, utf8, len, options, env);
	while (feature_reader_next(&reader, grams, &n))
		add_grams(&w, grams, n);
	if (!w.has_block && w.filled > 0)
		w.list.keys[w.list.n++] = (int64_t) w.smallest;
	make_distinct(&w.list);
	env_free(env, w.block);
	*keys = w.list.keys;
	return w.list.n;
}
