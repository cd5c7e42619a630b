/*-------------------------------------------------------------------------
 *
 * tokens.h
 *		Tokens: cuts normalised text into words, or characters, and hashes them.
 *
 * A word is a maximal run of letters, digits, other numerals and combining marks, with
 * three exceptions.  Superscript digits are a word of their own, as in sea[1], and so are
 * the two numbers of a fraction that is one character.  A Chinese or Japanese character
 * with its marks is a word.  In scripts whose words no space separates (Thai, Lao, Khmer,
 * Burmese) every three adjacent letters with their marks are a word, and in Hangul every
 * two adjacent syllables, because lines end within words and writers leave out spaces;
 * these words overlap.  White space and punctuation between such letters separate nothing.
 *
 * One or two of the signs + and # directly behind an ASCII letter of a word without Greek
 * and Cyrillic letters belong to the word, if neither a third sign nor a word of letters
 * follows: C++ and C#, but not a+b.
 *
 * In a word with a Greek or Cyrillic letter, letters of ASCII count as the letters of that
 * script that look like them, small or in capitals, if the text is folded and normalised.
 * Those before the first such letter do if it is among the first 64 bytes of the word.
 *
 * Dictionary words are maximal runs of any letters, digits and marks that no
 * boundary of dictionary.h cuts.
 *
 * A character is a letter or digit with its marks.  A Hangul syllable is
 * decomposed, and so is two or three characters.  A full stop or a comma between two digits
 * is a character, too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TOKENS_H
#define SIMHASH_TOKENS_H

#include "../kernels/token_hash.h"
#include "../text_options.h"
#include "../unicode/normalize.h"
#include "../unicode/unicode.h"

#define TOKEN_BATCH 512			/* most tokens in a batch */
#define MOST_WORD_SIGNS 2		/* most signs + and # of a word */

/* Scripts with letters that look like letters of ASCII */
typedef enum WordScript
{
	NO_SCRIPT,
	CYRILLIC,
	GREEK
} WordScript;

#define FIRST_CYRILLIC 0x400
#define MOST_BEFORE_SCRIPT 64	/* most bytes of a word before its first letter of these */

/*
 * A token that is being read: its last bytes.  The bytes before them are
 * already hashed.
 */
typedef struct TokenBuilder
{
	size_t		length;
	bool		streaming;		/* does state contain bytes? */
	uint8_t		bytes[256];
	XXH3_state_t state;
} TokenBuilder;

/*
 * A listener sees the tokens, not only their hashes.  It gets the bytes of each
 * complete token, in the order of the hashes.
 */
typedef struct TokenListener
{
	void		(*token) (void *arg, const uint8_t *bytes, size_t len);
	void	   *arg;
} TokenListener;

/*
 * The bytes of a long token, for a listener.  The memory comes from the
 * environment.
 */
typedef struct TokenBytes
{
	uint8_t    *bytes;
	size_t		length;
	size_t		room;
} TokenBytes;

typedef struct Tokenizer
{
	Normalizer	norm;			/* its end may be a boundary within the text */
	const uint8_t *text;
	const uint8_t *end;
	TokenKind	kinds;
	uint64_t	ascii_fold;		/* turns 8 ASCII letters to lower case */
	const TokenListener *listener;	/* or NULL */

	/*
	 * The open token or, in a script without spaces, stretch of tokens: its
	 * kind, or CHAR_SEPARATOR if none is open.
	 */
	int			kind;

	/*
	 * The builder of the open token, or of the first one of a stretch.  A
	 * stretch has one builder for each of its last letters: at most
	 * stretch_letters(kind).
	 */
	size_t		oldest;
	size_t		letters;

	/* Of the first Greek or Cyrillic letter of the open word, in folded text. */
	WordScript	script;

	/* Signs + and # behind the letters of the open word, which may belong to it. */
	size_t		n_signs;
	uint8_t		signs[MOST_WORD_SIGNS];

	/* For characters: a full stop or comma directly behind a digit, or 0. */
	uint8_t		sign;

	TokenBuilder builders[3];
	TokenBytes	spilled[3];		/* one per builder, if there is a listener */
} Tokenizer;

static inline bool
is_ascii_digit(uint32_t c)
{
	return c - '0' <= '9' - '0';
}

static inline bool
is_greek_or_cyrillic(uint32_t c)
{
	return c - 0x370 < 0x530 - 0x370;
}

/* Is the character a sign that may belong to the word before it? */
static inline bool
is_word_sign(uint32_t c)
{
	return c == '+' || c == '#';
}

/* Does a character of a kind continue a word of letters?  Then signs before it do not belong to the word. */
static inline bool
continues_word(int kind)
{
	return kind == CHAR_WORD || kind == CHAR_MARK;
}

/* A word of Greek or Cyrillic continues in a block: a sign behind it does not belong to it. */
static inline uint64_t
without_first_sign(uint64_t signs, uint64_t word)
{
	return signs & ~((word ^ (word + 1)) & ~word);
}

/*
 * Add the signs of words to the set of bytes of words in a block of n bytes of ASCII; "signs" has the
 * bytes that are such signs.  Does a word end at the end of the block, and does the block begin
 * behind a letter?  Return n, or fewer bytes, before signs of which only the text behind the block
 * tells whether they belong to a word.
 */
extern size_t core_add_signs(const uint8_t *bytes, size_t n, bool ended, bool behind_letter,
							 uint64_t signs, uint64_t *word);

/*
 * The letters of a token in stretches of this kind, which no separator ends; 0 for other
 * kinds.
 */
static inline size_t
stretch_letters(int kind)
{
	return kind == CHAR_SPACELESS ? 3 : kind == CHAR_HANGUL ? 2 : 0;
}

/*
 * Does a character of a stretch begin a letter?  Marks do not, nor do the vowels and final
 * consonants of Hangul, unless they begin the stretch.
 */
static inline bool
begins_letter(int kind, uint32_t cp)
{
	if (kind == CHAR_HANGUL)
		return !((cp >= 0x1160 && cp <= 0x11FF) || (cp >= 0xD7B0 && cp <= 0xD7FB));
	return kind == CHAR_SPACELESS;
}

/* The form of a text (see unicode_tables.h) that these options compare. */
extern uint32_t core_unicode_form(const TextOptions *options);

/* The listener, or NULL, gets the tokens while core_tokens_next runs. */
extern void core_tokens_init(Tokenizer *tok, const char *utf8, size_t len,
							 const TextOptions *options,
							 const TokenListener *listener,
							 const Env *env);

/* Needed only with a listener. */
extern void core_tokens_free(Tokenizer *tok);

/*
 * Store the hashes of the next tokens, at most TOKEN_BATCH and possibly none.
 * Return false at the end of the text.
 */
extern bool core_tokens_next(Tokenizer *tok, uint64_t *hashes, size_t *n);

#endif
