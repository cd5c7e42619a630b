/*
 * Keys of passages; see keys.h.
 *
 * The grams are cut into blocks of the length of a window.  Every window consists of
 * the end of one block and the beginning of the next.  So the smallest gram of a
 * window is the smaller of two: the smallest of the end, which is computed backwards
 * when a block is complete, and the smallest of the beginning so far.  The time for a
 * gram does not depend on the window or on the text.
 */
#include <string.h>

#include "../text/feature_reader.h"
#include "keys.h"

#define KEYS_AT_FIRST 256
#define FEW_KEYS 48				/* sorted by insertion */
#define DIGIT_VALUES 256
#define STEPS_BETWEEN_CHECKS (1 << 20)

/* Turns the order of unsigned numbers into the order of signed ones */
#define SIGN_BIT (UINT64_C(1) << 63)

typedef struct KeyList
{
	uint64_t   *keys;
	size_t		n;
	size_t		room;
	const TextEnv *env;
} KeyList;

typedef struct Winnower
{
	size_t		window;			/* grams of a window */
	size_t		filled;			/* grams of the current block */
	bool		has_block;		/* is there a block before it? */
	uint64_t	smallest;		/* of the current block */
	uint64_t	last;			/* key */
	uint64_t   *block;			/* the current block.  From "filled" on, the
								 * smallest gram of the previous block from
								 * here to its end */
	KeyList		list;
} Winnower;

/* ---------- sorting ---------- */

static void
sort_few(uint64_t *keys, size_t n)
{
	size_t		i;

	for (i = 1; i < n; i++)
	{
		uint64_t	key = keys[i];
		size_t		place = i;

		for (; place > 0 && keys[place - 1] > key; place--)
			keys[place] = keys[place - 1];
		keys[place] = key;
	}
}

/* Sort by one digit.  The order of equal digits stays. */
static void
sort_by_digit(const uint64_t *from, uint64_t *to, size_t n, int shift,
			  const size_t *counts, const TextEnv *env)
{
	size_t		places[DIGIT_VALUES];
	size_t		sum = 0;
	size_t		i;

	for (i = 0; i < DIGIT_VALUES; i++)
	{
		places[i] = sum;
		sum += counts[i];
	}
	for (i = 0; i < n; i++)
	{
		if (i % STEPS_BETWEEN_CHECKS == STEPS_BETWEEN_CHECKS - 1)
			env->check_interrupts(env->arg);
		to[places[from[i] >> shift & (DIGIT_VALUES - 1)]++] = from[i];
	}
}

static void
sort_keys(uint64_t *keys, size_t n, const TextEnv *env)
{
	uint64_t   *from = keys;
	uint64_t   *to;
	int			shift;

	if (n <= FEW_KEYS)
	{
		sort_few(keys, n);
		return;
	}
	to = env->resize(env->arg, NULL, n * sizeof(*to));
	for (shift = 0; shift < 64; shift += 8)
	{
		size_t		counts[DIGIT_VALUES] = {0};
		uint64_t   *sorted = to;
		size_t		i;

		for (i = 0; i < n; i++)
		{
			if (i % STEPS_BETWEEN_CHECKS == STEPS_BETWEEN_CHECKS - 1)
				env->check_interrupts(env->arg);
			counts[from[i] >> shift & (DIGIT_VALUES - 1)]++;
		}
		sort_by_digit(from, to, n, shift, counts, env);
		to = from;
		from = sorted;
	}
	/* the number of digits is even, so the sorted keys are where they came from */
	env->release(env->arg, to);
}

/* Sort the keys and remove duplicates */
static void
make_distinct(KeyList *list)
{
	size_t		n = 0;
	size_t		i;

	sort_keys(list->keys, list->n, list->env);
	for (i = 0; i < list->n; i++)
	{
		if (n == 0 || list->keys[i] != list->keys[n - 1])
			list->keys[n++] = list->keys[i];
	}
	list->n = n;
}

/* ---------- winnowing ---------- */

/* A text that repeats itself has few keys, so duplicates make room for others. */
static void
make_room(KeyList *list)
{
	make_distinct(list);
	if (list->n > list->room / 2)
	{
		list->room *= 2;
		list->keys = list->env->resize(list->env->arg, list->keys,
									   list->room * sizeof(*list->keys));
	}
}

static inline void
put_key(Winnower *w, uint64_t gram)
{
	KeyList    *list = &w->list;

	if (gram == w->last && list->n > 0)
		return;
	if (list->n == list->room)
		make_room(list);
	w->last = gram;
	list->keys[list->n++] = gram ^ SIGN_BIT;
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
	size_t		i;

	for (i = w->window - 1; i > 0; i--)
		w->block[i - 1] = smaller(w->block[i - 1], w->block[i]);
	w->filled = 0;
	w->has_block = true;
	w->smallest = UINT64_MAX;
}

static void
add_grams(Winnower *w, const uint64_t *grams, size_t n)
{
	while (n > 0)
	{
		size_t		room = w->window - w->filled;
		size_t		n_now = n < room ? n : room;
		uint64_t   *block = w->block + w->filled;
		size_t		i;

		for (i = 0; i < n_now; i++)
		{
			block[i] = grams[i];
			w->smallest = smaller(w->smallest, grams[i]);

			/* the window that ends here begins in the previous block */
			if (w->has_block && i + 1 < room)
				put_key(w, smaller(w->smallest, block[i + 1]));
		}
		w->filled += n_now;
		grams += n_now;
		n -= n_now;
		if (w->filled == w->window)
		{
			put_key(w, w->smallest);
			end_block(w);
		}
	}
}

size_t
simhash_passage_keys(const char *utf8, size_t len, const TextOptions *options,
					 int words, const TextEnv *env, int64_t **keys)
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
	w.last = 0;
	w.block = env->resize(env->arg, NULL, w.window * sizeof(*w.block));
	w.list.n = 0;
	w.list.room = KEYS_AT_FIRST;
	w.list.env = env;
	w.list.keys = env->resize(env->arg, NULL, w.list.room * sizeof(*w.list.keys));

	/* not a FeatureReader: a text of fewer than n words has no gram */
	simhash_tokens_init(&tok, utf8, len, options, NULL, env);
	simhash_features_init(&maker, options->shingle);
	while (simhash_tokens_next(&tok, tokens, &n))
	{
		n = simhash_make_features(&maker, tokens, n, grams);
		add_grams(&w, grams, n);
	}
	if (!w.has_block && w.filled > 0)
		put_key(&w, w.smallest);
	make_distinct(&w.list);
	env->release(env->arg, w.block);
	*keys = (int64_t *) w.list.keys;
	for (n = 0; n < w.list.n; n++)
		w.list.keys[n] ^= SIGN_BIT;
	return w.list.n;
}

/* ---------- comparing ---------- */

size_t
simhash_shared_keys(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
					const TextEnv *env)
{
	size_t		shared = 0;
	size_t		steps = 0;
	size_t		i = 0;
	size_t		j = 0;

	while (i < n_a && j < n_b)
	{
		int64_t		x = a[i];
		int64_t		y = b[j];

		if (++steps % STEPS_BETWEEN_CHECKS == 0)
			env->check_interrupts(env->arg);
		shared += x == y;
		i += x <= y;
		j += y <= x;
	}
	return shared;
}

bool
simhash_keys_ascend(const int64_t *keys, size_t n, const TextEnv *env)
{
	size_t		i;

	for (i = 1; i < n; i++)
	{
		if (i % STEPS_BETWEEN_CHECKS == STEPS_BETWEEN_CHECKS - 1)
			env->check_interrupts(env->arg);
		if (keys[i - 1] >= keys[i])
			return false;
	}
	return true;
}
