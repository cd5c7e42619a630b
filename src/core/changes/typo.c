/*-------------------------------------------------------------------------
 *
 * typo.c
 *		Is a word a typo of another one? See typo.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/tokens/tokens.h"
#include "typo.h"

#define FEWEST_LETTERS 4
#define LETTERS_OF_TWO 8		/* from this length on, two letters may differ */

typedef struct Word
{
	uint64_t	hash;
	bool		is_read;
	int			n;				/* letters; 0: they cannot be a typo's */
	uint32_t	letters[MOST_TYPO_LETTERS];
} Word;

/* A listener of the tokenizer, which reads the letters of one word */
static void
read_letters(void *arg, const uint8_t *bytes, size_t len)
{
	Word	   *word = arg;
	size_t		n_digits = 0;
	size_t		n = 0;

	if (word->is_read || token_hash(bytes, len) != word->hash)
		return;
	word->is_read = true;
	for (size_t i = 0; i < len; n++)
	{
		uint32_t	c = bytes[i];
		int			length = utf8_decode(bytes + i, bytes + len, &c);

		n_digits += c >= '0' && c <= '9';
		if (n < MOST_TYPO_LETTERS)
			word->letters[n] = c;
		i += length > 0 ? (size_t) length : 1;
	}
	if (n_digits == 0 && n >= FEWEST_LETTERS && n <= MOST_TYPO_LETTERS)
		word->n = (int) n;
}

/* Read a word of a text.  One that stands for several words has no letters. */
static void
read_word(const ReadText *text, size_t number, const Env *env, Word *word)
{
	const TokenListener listener = {read_letters, word};
	uint64_t	hashes[TOKEN_BATCH];
	Tokenizer	tok;
	size_t		n;

	word->hash = text->list.words[number];
	word->is_read = false;
	word->n = 0;
	core_tokens_init(&tok, text->utf8, text->len, &core_words_of_changes, &listener, env);
	while (!word->is_read && core_tokens_next(&tok, hashes, &n))
		;
	core_tokens_free(&tok);
}

static inline int
least(int a, int b)
{
	return a < b ? a : b;
}

/* Is a word within a distance of another one that begins with the same letter? */
static bool
are_near_words(const Word *a, const Word *b, int bound)
{
	int			rows[3][MOST_TYPO_LETTERS + 1];

	if (a->letters[0] != b->letters[0] || a->n - b->n > bound || b->n - a->n > bound)
		return false;
	for (int j = 0; j <= b->n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= a->n; i++)
	{
		int		   *row = rows[i % 3];
		const int  *above = rows[(i + 2) % 3];

		row[0] = i;
		for (int j = 1; j <= b->n; j++)
		{
			row[j] = least(least(above[j], row[j - 1]) + 1,
						   above[j - 1] + (a->letters[i - 1] != b->letters[j - 1]));
			if (i > 1 && j > 1 && a->letters[i - 1] == b->letters[j - 2] &&
				a->letters[i - 2] == b->letters[j - 1])
				row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[a->n % 3][b->n] <= bound;
}

bool
core_differ_by_typo(const ReadText *a, const ReadText *b, bool numbers, const Env *env)
{
	size_t		i = next_word(a, 0, numbers, env);
	size_t		j = next_word(b, 0, numbers, env);
	size_t		n_words = 0;
	size_t		in_a = SIZE_MAX;	/* the word that differs */
	size_t		in_b = SIZE_MAX;
	Word		word_a;
	Word		word_b;

	while (i < a->list.n && j < b->list.n && n_words++ < MOST_TYPO_WORDS)
	{
		if (a->list.words[i] != b->list.words[j])
		{
			if (in_a != SIZE_MAX)
				return false;
			in_a = i;
			in_b = j;
		}
		i = next_word(a, i + 1, numbers, env);
		j = next_word(b, j + 1, numbers, env);
	}
	if (in_a == SIZE_MAX || i < a->list.n || j < b->list.n)
		return false;
	read_word(a, in_a, env, &word_a);
	read_word(b, in_b, env, &word_b);
	return word_a.n > 0 && word_b.n > 0 &&
		are_near_words(&word_a, &word_b,
					   word_a.n >= LETTERS_OF_TWO && word_b.n >= LETTERS_OF_TWO ? 2 : 1);
}
