/*-------------------------------------------------------------------------
 *
 * match.c
 *		Matching words; see match.h.
 *
 * A stretch is a part of both texts.  The words at its beginning that are equal are matched, and so
 * are the words at its end.  Among the remaining words, those that occur once in the stretch of
 * each text are anchors.  The longest chain of anchors that ascends in both texts divides the
 * stretch, and each part is matched in the same way (patience diff).  If no word is an anchor, or
 * if the stretch is small, a table finds the longest common subsequence.  Words of a large stretch
 * without anchors remain unmatched.
 *
 * A stretch is divided at most MOST_DEPTH times, and a table has at most MOST_PRODUCTS places.
 * So the time is near-linear.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../text/features/counts.h"
#include "match.h"

#define FEW_PRODUCTS 1024		/* a table is better than anchors */
#define MOST_PRODUCTS 65536		/* of a table */
#define MOST_DEPTH 20
#define MOST_EXPECTED 1024		/* distinct words for which memory is allocated at once */
#define NO_WORD UINT64_MAX		/* of b: the word does not occur in a */

/*
 * A distinct word of a.  While a stretch is read, "a" and "b" are its places in the two texts:
 * NO_PLACE if it does not occur in the stretch, MANY_PLACES if it occurs several times.
 */
#define NO_PLACE SIZE_MAX
#define MANY_PLACES (SIZE_MAX - 1)

typedef struct Word
{
	size_t		a;
	size_t		b;
} Word;

typedef struct Stretch
{
	size_t		a;
	size_t		a_end;
	size_t		b;
	size_t		b_end;
} Stretch;

typedef struct Anchor
{
	size_t		a;
	size_t		b;
	size_t		previous;		/* number of the anchor before it in the chain */
} Anchor;

typedef struct Matcher
{
	uint64_t   *a;				/* hashes of words, then their numbers */
	uint64_t   *b;
	size_t	   *matches;
	const Env  *env;
	size_t		steps;			/* since the last check for interrupts */

	Word	   *words;
	Anchor	   *anchors;
	size_t	   *chains;			/* for each length of a chain, its last anchor */
	size_t		anchors_room;
	uint16_t   *table;
} Matcher;

/* ---------- numbers of words ---------- */

/* Replace the hashes of words by numbers. */
static void
number_words(Matcher *m, size_t n_a, size_t n_b)
{
	FeatureCounts numbers;		/* from 1 on, in place of counts */

	core_counts_init(&numbers, m->env);
	core_counts_expect(&numbers, n_a < MOST_EXPECTED ? n_a : MOST_EXPECTED);
	for (size_t i = 0; i < n_a; i++)
	{
		uint32_t   *number = core_counts_reserve(&numbers, m->a[i]);

		count_steps(m->env, &m->steps, 1);
		if (*number == 0)
			*number = (uint32_t) numbers.n_keys;
		m->a[i] = *number - 1;
	}
	for (size_t i = 0; i < n_b; i++)
	{
		count_steps(m->env, &m->steps, 1);
		m->b[i] = (uint64_t) *core_counts_of(&numbers, m->b[i]) - 1;
	}
	m->words = env_alloc(m->env, numbers.n_keys * sizeof(Word));
	for (size_t i = 0; i < numbers.n_keys; i++)
	{
		count_steps(m->env, &m->steps, 1);
		m->words[i].a = m->words[i].b = NO_PLACE;
	}
	core_counts_free(&numbers);
}

static inline bool
same_word(const Matcher *m, size_t a, size_t b)
{
	return m->a[a] == m->b[b];
}

/* ---------- anchors ---------- */

static inline void
put_place(size_t *place, size_t at)
{
	*place = *place == NO_PLACE ? at : MANY_PLACES;
}

/* Note the places of the words of a stretch, or forget them. */
static void
read_places(Matcher *m, const Stretch *s, bool forget)
{
	for (size_t i = s->a; i < s->a_end; i++)
	{
		count_steps(m->env, &m->steps, 1);
		if (forget)
			m->words[m->a[i]].a = NO_PLACE;
		else
			put_place(&m->words[m->a[i]].a, i);
	}
	for (size_t i = s->b; i < s->b_end; i++)
	{
		count_steps(m->env, &m->steps, 1);
		if (m->b[i] == NO_WORD)
			continue;
		if (forget)
			m->words[m->b[i]].b = NO_PLACE;
		else
			put_place(&m->words[m->b[i]].b, i);
	}
}

static void
add_anchor(Matcher *m, size_t n, size_t a, size_t b)
{
	if (n == m->anchors_room)
	{
		m->anchors_room += m->anchors_room / 2 + 256;
		m->anchors = env_resize(m->env, m->anchors, m->anchors_room * sizeof(Anchor));
		m->chains = env_resize(m->env, m->chains, m->anchors_room * sizeof(size_t));
	}
	m->anchors[n].a = a;
	m->anchors[n].b = b;
}

/* Match the longest ascending chain of the anchors, which are in the order of a. */
static void
match_chain(Matcher *m, size_t n)
{
	size_t		length = 0;

	for (size_t i = 0; i < n; i++)
	{
		size_t		low = 0;
		size_t		high = length;

		/* usually the anchor continues the longest chain */
		if (length > 0 && m->anchors[m->chains[length - 1]].b < m->anchors[i].b)
			low = length;
		while (low < high)
		{
			size_t		middle = low + (high - low) / 2;

			if (m->anchors[m->chains[middle]].b < m->anchors[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		m->anchors[i].previous = low > 0 ? m->chains[low - 1] : NO_PLACE;
		m->chains[low] = i;
		if (low == length)
			length++;
		count_steps(m->env, &m->steps, 1);
	}
	for (size_t i = m->chains[length - 1]; i != NO_PLACE; i = m->anchors[i].previous)
		m->matches[m->anchors[i].a] = m->anchors[i].b;
}

/* Match words of a stretch that are anchors.  Return false if there are none. */
static bool
match_anchors(Matcher *m, const Stretch *s)
{
	size_t		n = 0;

	read_places(m, s, false);
	for (size_t i = s->a; i < s->a_end; i++)
	{
		const Word *word = &m->words[m->a[i]];

		count_steps(m->env, &m->steps, 1);
		if (word->a < MANY_PLACES && word->b < MANY_PLACES)
			add_anchor(m, n++, i, word->b);
	}
	read_places(m, s, true);
	if (n == 0)
		return false;
	match_chain(m, n);
	return true;
}

/* ---------- the table ---------- */

/*
 * Match the longest common subsequence.  If there are several, match the one whose words come first
 * in a.
 */
static void
match_by_table(Matcher *m, const Stretch *s)
{
	size_t		n_a = s->a_end - s->a;
	size_t		n_b = s->b_end - s->b;
	size_t		row = n_b + 1;
	uint16_t   *table;
	size_t		j;

	if (m->table == NULL)
		m->table = env_alloc(m->env,
							 2 * (MOST_PRODUCTS + 1) * sizeof(uint16_t));
	table = m->table;
	count_steps(m->env, &m->steps, n_a * n_b);
	memset(table + n_a * row, 0, row * sizeof(uint16_t));
	for (size_t i = n_a; i-- > 0;)
	{
		table[i * row + n_b] = 0;
		for (j = n_b; j-- > 0;)
		{
			uint16_t	below = table[(i + 1) * row + j];
			uint16_t	right = table[i * row + j + 1];

			if (same_word(m, s->a + i, s->b + j))
				table[i * row + j] = table[(i + 1) * row + j + 1] + 1;
			else
				table[i * row + j] = below > right ? below : right;
		}
	}
	for (size_t i = j = 0; i < n_a && j < n_b;)
	{
		if (same_word(m, s->a + i, s->b + j))
			m->matches[s->a + i++] = s->b + j++;
		else if (table[(i + 1) * row + j] > table[i * row + j + 1])
			i++;
		else
			j++;
	}
}

/* ---------- stretches ---------- */

static bool
has_products(const Stretch *s, size_t most)
{
	return s->a_end - s->a <= most / (s->b_end - s->b);
}

/*
 * Match words of a stretch.  Return true if anchors have divided it; *s is then shortened to the
 * stretch between its equal ends.
 */
static bool
match_stretch(Matcher *m, Stretch *s, bool divide)
{
	for (; s->a < s->a_end && s->b < s->b_end && same_word(m, s->a, s->b); s->a++, s->b++)
	{
		m->matches[s->a] = s->b;
		count_steps(m->env, &m->steps, 1);
	}
	for (; s->a < s->a_end && s->b < s->b_end && same_word(m, s->a_end - 1, s->b_end - 1);
		 s->a_end--, s->b_end--)
	{
		m->matches[s->a_end - 1] = s->b_end - 1;
		count_steps(m->env, &m->steps, 1);
	}
	if (s->a == s->a_end || s->b == s->b_end)
		return false;
	if (has_products(s, FEW_PRODUCTS))
		match_by_table(m, s);
	else if (divide && match_anchors(m, s))
		return true;
	else if (has_products(s, MOST_PRODUCTS))
		match_by_table(m, s);
	return false;
}

/*
 * Return the next part of a divided stretch, which ends at the next anchor or at the end of the
 * stretch.  Remove the part from the stretch.
 */
static Stretch
take_part(Matcher *m, Stretch *s)
{
	Stretch		part = *s;

	for (part.a_end = s->a; part.a_end < s->a_end; part.a_end++)
	{
		count_steps(m->env, &m->steps, 1);
		if (m->matches[part.a_end] == NO_MATCH)
			continue;
		part.b_end = m->matches[part.a_end];
		s->a = part.a_end + 1;
		s->b = part.b_end + 1;
		return part;
	}
	s->a = s->a_end;
	s->b = s->b_end;
	return part;
}

/* Match the words of a stretch without equal ends.  Places are relative to its beginning. */
static void
match_middle(const WordList *a, const WordList *b, const Stretch *middle, const Env *env,
			 size_t *matches)
{
	size_t		n_a = middle->a_end - middle->a;
	size_t		n_b = middle->b_end - middle->b;
	Matcher		m = {.matches = matches,.env = env};
	Stretch		divided[MOST_DEPTH + 1];
	Stretch		part = {0, n_a, 0, n_b};
	int			depth = 0;

	m.a = env_alloc(env, (n_a + n_b) * sizeof(uint64_t));
	m.b = m.a + n_a;
	memcpy(m.a, a->words + middle->a, n_a * sizeof(uint64_t));
	memcpy(m.b, b->words + middle->b, n_b * sizeof(uint64_t));
	number_words(&m, n_a, n_b);
	for (;;)
	{
		if (match_stretch(&m, &part, depth < MOST_DEPTH))
			divided[depth++] = part;
		while (depth > 0 && divided[depth - 1].a == divided[depth - 1].a_end &&
			   divided[depth - 1].b == divided[depth - 1].b_end)
			depth--;
		if (depth == 0)
			break;
		part = take_part(&m, &divided[depth - 1]);
	}
	env_free(env, m.a);
	env_free(env, m.words);
	env_free(env, m.anchors);
	env_free(env, m.chains);
	env_free(env, m.table);
}

/*
 * Match the words of the text that comes first with those of the other one.  The tables and chains
 * prefer words of the first text, so its choice decides among equally good matchings.
 */
static void
match_in_order(const WordList *a, const WordList *b, const Env *env, size_t *matches)
{
	Stretch		s = {0, a->n, 0, b->n};

	for (; s.a < s.a_end && s.b < s.b_end && a->words[s.a] == b->words[s.b]; s.a++, s.b++)
	{
		matches[s.a] = s.b;
		tick(env, s.a);
	}
	for (; s.a < s.a_end && s.b < s.b_end && a->words[s.a_end - 1] == b->words[s.b_end - 1];
		 s.a_end--, s.b_end--)
	{
		matches[s.a_end - 1] = s.b_end - 1;
		tick(env, s.a_end);
	}
	for (size_t i = s.a; i < s.a_end; i++)
		matches[i] = NO_MATCH;
	/* words have numbers of 32 bits */
	if (s.a == s.a_end || s.b == s.b_end || s.a_end - s.a >= UINT32_MAX)
		return;
	match_middle(a, b, &s, env, matches + s.a);
	for (size_t i = s.a; i < s.a_end; i++)
		if (matches[i] != NO_MATCH)
			matches[i] += s.b;
}

/* Does a come before b?  The shorter text comes first, then the one with the smaller hashes. */
static bool
comes_first(const WordList *a, const WordList *b, const Env *env)
{
	if (a->n != b->n)
		return a->n < b->n;
	for (size_t i = 0; i < a->n; i++)
	{
		if (a->words[i] != b->words[i])
			return a->words[i] < b->words[i];
		tick(env, i);
	}
	return true;
}

void
core_match_words(const WordList *a, const WordList *b, const Env *env, size_t *matches)
{
	size_t	   *of_b;

	if (comes_first(a, b, env))
	{
		match_in_order(a, b, env, matches);
		return;
	}
	of_b = env_alloc(env, (b->n + 1) * sizeof(size_t));
	match_in_order(b, a, env, of_b);
	for (size_t i = 0; i < a->n; i++)
		matches[i] = NO_MATCH;
	for (size_t i = 0; i < b->n; i++)
		if (of_b[i] != NO_MATCH)
			matches[of_b[i]] = i;
	env_free(env, of_b);
}
