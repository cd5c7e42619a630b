/*-------------------------------------------------------------------------
 *
 * tokens.h
 *		Tokens: cuts normalised text into words, or characters, and hashes them.
 *
 * A word is a maximal run of letters, digits, other numerals and combining marks, with
 * three exceptions.  Superscript digits are a word of their own, as in sea[1], and so are
 * the two numbers of a fraction that is one character.  A Chinese or Japanese character with its marks is a word.  In
 * scripts whose words no space separates (Thai, Lao, Khmer, Burmese) every three
 * adjacent letters with their marks are a word, and in Hangul every two adjacent
 * syllables, because lines end within words and writers leave out spaces; these words
 * overlap.  White space and punctuation between such letters separate nothing.
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
