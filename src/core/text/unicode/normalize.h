/*-------------------------------------------------------------------------
 *
 * normalize.h
 *		Normalisation: the input is UTF-8, and the output is the characters of Unicode's
 *		NFKC_Casefold, but decomposed, and with one spelling of what writers may leave out or
 *		write in two ways.
 *
 * Every code point is replaced by its full compatibility decomposition, case
 * folded.  Default ignorable code points are removed, and so are marks that writers
 * may leave out after the letter before them.  A circle behind a Chinese numeral is a
 * zero.  Superscript digits and fractions have a kind of their own.  Then combining marks are put in
 * canonical order, in which a mark that follows itself counts once.  Canonically equivalent
 * texts give equal output.
 * generate_unicode.pl lists what is not in Unicode's own tables.
 *
 * The other forms (see unicode_tables.h) leave out the folding of spellings, all
 * folding, all other steps, or everything.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_NORMALIZE_H
#define SIMHASH_NORMALIZE_H

#include <stdbool.h>

#include "../bits.h"
#include "../bytes.h"
#include "../../env.h"

/*
 * A normalised character: code point in bits 0-20, kind (CHAR_SEPARATOR,
 * CHAR_WORD, CHAR_CJK, CHAR_SPACELESS, CHAR_MARK, CHAR_HANGUL or CHAR_NUMBER) in
 * bits 21-23, canonical combining class in bits 24-31.
 */
typedef uint32_t NormChar;

#define NORM_CODE_POINT(c) ((c) & 0x1FFFFF)
#define NORM_KIND(c) ((int) ((c) >> 21 & 7))
#define NORM_CCC(c) ((int) ((c) >> 24))

#define NORM_BATCH 192			/* most characters that come at a time */

typedef struct Normalizer
{
	/*
	 * The next byte.  A caller that skips whole characters may advance it
	 * between batches, while run is NULL.
	 */
	const uint8_t *p;

	const uint8_t *start;		/* of the text */
	const uint8_t *end;
	const uint8_t *checked;		/* place of the last check for interrupts */
	uint32_t	form;			/* one of UNICODE_... */
	const Env  *env;

	/*
	 * The last character with combining class 0 before "known": marks behind
	 * it may vanish.  The beginning of the text is as good as a space.
	 */
	uint32_t	base;

	/*
	 * Nasal signs since then (UNICODE_NASAL).  Only core_expand_next stores
	 * them.
	 */
	uint32_t	nasals;

	const uint8_t *known;

	/* The end of the last circle that was a zero */
	const uint8_t *zero_end;

	/*
	 * A run of combining marks may be too long to be ordered within a batch.
	 * Such a run is read once for each combining class in the run.
	 */
	const uint8_t *run;			/* the run's first character, or NULL */
	const uint8_t *run_end;
	const uint8_t *run_p;		/* place of this reading */
	int			run_ccc;		/* the class that this reading takes */
	NormChar	run_last;		/* the mark before; 0 if there is none */
	uint64_t	run_classes[4]; /* bitmap of the classes in the run */
} Normalizer;

static inline void
normalizer_init(Normalizer *norm, const char *utf8, size_t len, uint32_t form,
				const Env *env)
{
	norm->p = (const uint8_t *) utf8;
	norm->start = norm->p;
	norm->end = norm->p + len;
	norm->checked = norm->p;
	norm->form = form;
	norm->env = env;
	norm->base = ' ';
	norm->nasals = 0;
	norm->known = norm->p;
	norm->zero_end = NULL;
	norm->run = NULL;
}

static inline bool
normalizer_at_end(const Normalizer *norm)
{
	return norm->p == norm->end && norm->run == NULL;
}

/* Callers call this function regularly while they read; p is their place. */
static inline void
normalizer_check(Normalizer *norm, const uint8_t *p)
{
	if (p - norm->checked >= 32768)
	{
		norm->checked = p;
		check_interrupts(norm->env);
	}
}

/*
 * The property White_Space of Unicode, and the blank of Braille, which looks like a space between
 * words.
 */
static inline bool
is_white_space(uint32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= 9 && c <= 13);
	return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
		c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x2800 || c == 0x3000;
}

/* Do the low 3 bytes, the lowest first, spell a character from U+4E00 to U+9FFF? */
static inline bool
is_han(uint32_t bytes)
{
	uint32_t	first_two = (bytes & 0xFF) << 8 | (bytes >> 8 & 0xFF);

	return first_two - 0xE4B8 <= 0xE9BF - 0xE4B8 &&
		(bytes & 0xC0C000) == 0x808000;
}

static inline bool
han_at(const uint8_t *p, const uint8_t *end)
{
	return end - p >= 4 && is_han(load_le32(p));
}

/*
 * Most text is plain.  Callers have faster ways through stretches of ASCII and of
 * Chinese characters.  core_normalize stops where one of these functions is
 * true: there such a stretch begins.  No stretch begins with a combining mark.
 */
static inline bool
ascii_ahead(const uint8_t *p, const uint8_t *end)
{
	uint64_t	other;

	if (*p >= 0x80 || end - p < 8)
		return false;
	other = load_le64(p) & BYTES_ALL(0x80);
	return other == 0 || han_at(p + lowest_bit(other) / 8, end);
}

static inline bool
han_ahead(const uint8_t *p, const uint8_t *end)
{
	return *p >= 0xE4 && han_at(p, end) && (p[3] < 0x80 || han_at(p + 3, end));
}

/*
 * Store the next characters, at most NORM_BATCH, and return their number.  0 does
 * not mean the end.  A run of marks may continue in the next batch.
 */
extern size_t core_normalize(Normalizer *norm, NormChar *chars);

/* The most characters of a code point that is in no table. */
#define NORM_ROOM 4

/*
 * For readers that need the place of each character in the text: the characters of
 * the code point at norm->p, which is before norm->end.  They are not in canonical
 * order, and the ypogegrammeni is not folded.  Advance norm->p, point *chars at the
 * characters, and return their number, which may be 0.  room has NORM_ROOM places.
 * *vanished tells whether the code point, or a part of it, has vanished.
 */
extern int	core_expand_next(Normalizer *norm, const NormChar **chars,
							 NormChar *room, bool *vanished);

/*
 * The characters of a code point by itself, in a form, as above.  No mark vanishes, and a circle
 * is a circle and a zero.
 */
extern int	core_expand(uint32_t form, uint32_t cp, const NormChar **chars,
						NormChar *room);

#endif
