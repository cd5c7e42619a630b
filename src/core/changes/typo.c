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
	int			n;				/* letters; 0: they cannot be a typo's */
	uint32_t	letters[MOST_TYPO_LETTERS];
} Word;

/* The words of a short text, as a listener of the tokenizer gets them */
typedef struct ShortText
{
	Word		words[MOST_TYPO_WORDS];
	size_t		n;				/* above MOST_TYPO_WORDS: too long */
	bool		numbers;
} ShortText;

/* Read the letters of a word.  Return whether all of them are digits. */
static bool
read_letters(Word *word, const uint8_t *bytes, size_t len)
{
	size_t		n_digits = 0;
	size_t		n = 0;

	word->n = 0;
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
	return n_digits == n;
}

static void
add_short_word(void *arg, const uint8_t *bytes, size_t len)
{
	ShortText  *text = arg;
	Word		word;

	if (text->n > MOST_TYPO_WORDS || (read_letters(&word, bytes, len) && !text->numbers))
		return;
	if (text->n < MOST_TYPO_WORDS)
	{
		word.hash = XXH3_64bits(bytes, len);
		text->words[text->n] = word;
	}
	text->n++;
}

/* Read a text, and stop when it has too many words. */
static void
read_short_text(const char *utf8, size_t len, bool numbers, const Env *env, ShortText *text)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	const TokenListener listener = {add_short_word, text};
	uint64_t	hashes[TOKEN_BATCH];
	Tokenizer	tok;
	size_t		n;

	text->n = 0;
	text->numbers = numbers;
	core_tokens_init(&tok, utf8, len, &options, &listener, env);
	while (text->n <= MOST_TYPO_WORDS && core_tokens_next(&tok, hashes, &n))
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
core_differ_by_typo(const char *a, size_t a_len, const char *b, size_t b_len, bool numbers,
					const Env *env)
{
	ShortText	of_a;
	ShortText	of_b;
	size_t		i = 0;

	read_short_text(a, a_len, numbers, env, &of_a);
	read_short_text(b, b_len, numbers, env, &of_b);
	if (of_a.n != of_b.n || of_a.n > MOST_TYPO_WORDS)
		return false;
	while (i < of_a.n && of_a.words[i].hash == of_b.words[i].hash)
		i++;
	if (i == of_a.n || of_a.words[i].n == 0 || of_b.words[i].n == 0 ||
		!are_near_words(&of_a.words[i], &of_b.words[i],
						of_a.words[i].n >= LETTERS_OF_TWO && of_b.words[i].n >= LETTERS_OF_TWO ? 2 : 1))
		return false;
	while (++i < of_a.n)
		if (of_a.words[i].hash != of_b.words[i].hash)
			return false;
	return true;
}
