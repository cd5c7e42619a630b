/*-------------------------------------------------------------------------
 *
 * candidates.c
 *		Which texts of a large component are compared with which earlier ones; see candidates.h.
 *
 * Four sorts follow each other, each of which takes little memory: words bring together the texts that
 * have them, texts their rarest words, keys the texts that share them, and texts their candidates.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../store/external_sort.h"
#include "../text/features/counts.h"
#include "../text/mix.h"
#include "candidates.h"

/* A word in the order of rarity: the logarithm of its number of texts, and its hash without the last bits */
#define CLASS_BITS		6
#define CLASS_SHIFT		(64 - CLASS_BITS)

/* The classes of the rarest words of a text so far, ascending, CLASS_BITS - 1 bits for each */
#define SMALL_CLASS_BITS	(CLASS_BITS - 1)
#define SMALL_CLASS_MASK	((1 << SMALL_CLASS_BITS) - 1)

/* Pairs that are read from the file at once */
#define PAIRS_READ		1024

typedef struct TextPair
{
	uint32_t	text;
	uint32_t	earlier;
} TextPair;

struct Candidates
{
	const Env  *env;
	size_t		memory;
	uint32_t	n_known;
	const uint8_t *left_out;
	ExternalSort *words;		/* with their texts */
	ExternalSort *rarest;		/* texts with their rarest words */
	ExternalSort *keys;			/* with their texts */
	ExternalSort *found;		/* texts with earlier ones */
	uint32_t   *classes;		/* of the rarest words of each text */
	uint8_t    *rare;			/* see core_candidates_rare */
	JoinFile   *pairs;			/* in ascending order */
	uint64_t	n_pairs;
	uint64_t	n_read;
	TextPair	read[PAIRS_READ];
	size_t		at;				/* in "read" */
	size_t		end;
	uint32_t   *earlier;		/* of a text */
	size_t		room;
};

Candidates *
core_candidates_begin(uint32_t n, uint32_t n_known, size_t memory, const Env *env)
{
	Candidates *c = env_alloc(env, sizeof(Candidates));

	memset(c, 0, sizeof(Candidates));
	c->env = env;
	c->memory = memory;
	c->n_known = n_known;
	c->words = core_external_sort_begin(LONG_KEYS, memory, env);
	c->classes = env_alloc(env, n * sizeof(uint32_t));
	memset(c->classes, 0xFF, n * sizeof(uint32_t));
	c->rare = env_alloc(env, n);
	memset(c->rare, false, n);
	return c;
}

void
core_candidates_add(Candidates *c, uint32_t text, const WordList *words)
{
	FeatureCounts seen;

	core_counts_init(&seen, c->env);
	for (size_t i = 0; i < words->n; i++)
	{
		uint32_t	times = ++*core_counts_reserve(&seen, words->words[i]);

		tick(c->env, i);
		if ((times & (times - 1)) == 0)
			core_external_sort_add(c->words, core_repeated_word(words->words[i], times), text);
	}
	core_counts_free(&seen);
}

/* ----------
 * Keys
 * ----------
 */

static inline int
class_at(uint32_t classes, int i)
{
	return (int) (classes >> i * SMALL_CLASS_BITS & SMALL_CLASS_MASK);
}

/* Is a word of this class one of the rarest words of a text, of those so far? */
static bool
take_class(uint32_t *classes, int class)
{
	uint32_t	taken = 0;
	int			n = 0;

	if (class >= class_at(*classes, RAREST_WORDS - 1))
		return false;
	while (class_at(*classes, n) <= class)
		n++;
	for (int i = 0; i < RAREST_WORDS; i++)
		taken |= (uint32_t) (i < n ? class_at(*classes, i) : i == n ? class : class_at(*classes, i - 1))
			<< i * SMALL_CLASS_BITS;
	*classes = taken;
	return true;
}

/* A KeyVisitor: the texts that have a word */
static void
take_word(void *arg, uint64_t word, uint32_t *texts, size_t n)
{
	Candidates *c = arg;
	size_t		n_left = 0;
	int			class = 0;

	for (size_t i = 0; i < n; i++)
		if (!c->left_out[texts[i]])
			texts[n_left++] = texts[i];
	while (n_left >> (class + 1) > 0)
		class++;
	for (size_t i = 0; i < n_left; i++)
	{
		tick(c->env, i);
		if (n_left <= FEW_TEXTS)
			c->rare[texts[i]] = true;
		if (n_left > 1 && take_class(&c->classes[texts[i]], class))
			core_external_sort_add(c->rarest, texts[i],
								   (uint64_t) class << CLASS_SHIFT | word >> CLASS_BITS);
	}
}

/* Add the keys of a text, which has n rarest words in their order. */
static void
add_keys(Candidates *c, uint32_t text, const uint64_t *words, int n)
{
	for (int i = 0; i < n; i++)
	{
		core_external_sort_add(c->keys, mix64(words[i]), text);
		/* all texts that share a rare word are candidates already */
		if (UINT64_C(1) << (words[i] >> CLASS_SHIFT) < FEW_TEXTS)
			continue;
		for (int j = i + 1; j < n; j++)
			core_external_sort_add(c->keys, mix64(mix64(words[i]) * MIX_FACTOR + words[j]), text);
	}
}

/* Keep the rarest words of each text, and add its keys. */
static void
find_keys(Candidates *c)
{
	uint64_t	words[RAREST_WORDS];
	uint64_t	before = 0;
	uint64_t	text;
	uint64_t	word;
	int			n = 0;

	core_external_sort_finish(c->rarest);
	while (core_external_sort_next(c->rarest, &text, &word))
	{
		int			place;

		if (text != before)
		{
			add_keys(c, (uint32_t) before, words, n);
			n = 0;
		}
		before = text;
		if (n == RAREST_WORDS && word > words[n - 1])
			continue;
		for (place = n < RAREST_WORDS ? n++ : n - 1; place > 0 && words[place - 1] > word; place--)
			words[place] = words[place - 1];
		words[place] = word;
	}
	add_keys(c, (uint32_t) before, words, n);
}

/* ----------
 * Pairs
 * ----------
 */

/* A KeyVisitor: the texts that share a key */
static void
take_key(void *arg, uint64_t key, uint32_t *texts, size_t n)
{
	Candidates *c = arg;

	(void) key;
	for (size_t i = 0; i < n; i++)
	{
		tick(c->env, i);
		c->rare[texts[i]] |= n <= FEW_TEXTS;
		if (texts[i] < c->n_known)
			continue;
		for (size_t j = 0; j < i && j < (n <= FEW_TEXTS ? FEW_TEXTS : FIRST_TEXTS); j++)
			core_external_sort_add(c->found, (uint64_t) texts[i] << 32 | texts[j], 0);
	}
}

/* Write each pair once. */
static void
write_pairs(Candidates *c)
{
	TextPair	some[PAIRS_READ];
	size_t		n = 0;
	uint64_t	before = 0;		/* no text is earlier than itself */
	uint64_t	pair;
	uint64_t	unused;

	core_external_sort_finish(c->found);
	while (core_external_sort_next(c->found, &pair, &unused))
	{
		if (pair == before)
			continue;
		before = pair;
		some[n].text = (uint32_t) (pair >> 32);
		some[n++].earlier = (uint32_t) pair;
		c->n_pairs++;
		if (n == PAIRS_READ)
		{
			c->env->append(c->pairs, some, sizeof(some));
			n = 0;
		}
	}
	if (n > 0)
		c->env->append(c->pairs, some, n * sizeof(TextPair));
}

void
core_candidates_find(Candidates *c, const uint8_t *left_out)
{
	c->left_out = left_out;
	c->rarest = core_external_sort_begin(LONG_VALUES, c->memory / 2, c->env);
	core_external_sort_visit(c->words, take_word, c);
	c->words = NULL;
	c->keys = core_external_sort_begin(LONG_KEYS, c->memory / 2, c->env);
	find_keys(c);
	core_external_sort_end(c->rarest);
	c->found = core_external_sort_begin(LONG_KEYS, c->memory / 2, c->env);
	core_external_sort_visit(c->keys, take_key, c);
	c->pairs = c->env->create_file(c->env->file_arg);
	write_pairs(c);
	core_external_sort_end(c->found);
}

bool
core_candidates_rare(const Candidates *c, uint32_t text)
{
	return c->rare[text];
}

void
core_candidates_rewind(Candidates *c)
{
	c->n_read = 0;
	c->at = c->end = 0;
}

/* Get the next pair, or NULL at the end. */
static const TextPair *
next_pair(Candidates *c)
{
	if (c->at == c->end)
	{
		uint64_t	left = c->n_pairs - c->n_read;

		c->at = 0;
		c->end = left < PAIRS_READ ? (size_t) left : PAIRS_READ;
		if (c->end == 0)
			return NULL;
		c->env->read(c->pairs, c->n_read * sizeof(TextPair), c->read, c->end * sizeof(TextPair));
		c->n_read += c->end;
		check_interrupts(c->env);
	}
	return &c->read[c->at];
}

size_t
core_candidates_of(Candidates *c, uint32_t text, const uint32_t **earlier)
{
	const TextPair *pair;
	size_t		n = 0;

	for (; (pair = next_pair(c)) != NULL && pair->text <= text; c->at++)
	{
		if (pair->text < text)
			continue;
		if (n == c->room)
		{
			c->room = 2 * c->room + FEW_TEXTS;
			c->earlier = env_resize(c->env, c->earlier, c->room * sizeof(uint32_t));
		}
		c->earlier[n++] = pair->earlier;
	}
	*earlier = c->earlier;
	return n;
}

void
core_candidates_end(Candidates *c)
{
	if (c->words != NULL)
		core_external_sort_end(c->words);
	if (c->pairs != NULL)
		c->env->remove_file(c->pairs);
	env_free(c->env, c->classes);
	env_free(c->env, c->rare);
	env_free(c->env, c->earlier);
	env_free(c->env, c);
}
