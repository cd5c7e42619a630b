/*-------------------------------------------------------------------------
 *
 * places.c
 *		Places of words; see places.h.
 *
 * The tokeniser does not record where its characters come from, because that would
 * make every fingerprint slower.  So this file reads the text again.  It decides
 * where words begin and end as add_chars in tokens.c does, but without their bytes.
 * The canonical order of marks moves no boundary, with one exception: case folding
 * turns an ypogegrammeni into a letter behind all marks of its run.
 *
 *-------------------------------------------------------------------------
 */
#include "../unicode/ascii_block.h"
#include "../unicode/numerals.h"
#include "../unicode/unicode.h"
#include "places.h"
#include "tokens.h"

#define YPOGEGRAMMENI_CCC 240
#define IOTA 0x03B9
#define ZERO 0x3007				/* of Chinese numerals */
#define HAN_AT_ONCE 8192		/* Chinese characters that are skipped before a check for interrupts */

static void
put_word(PlaceReader *reader, size_t start)
{
	WordPlace  *place = &reader->recent[reader->n_words % RECENT_WORDS];

	place->word = reader->n_words++;
	place->start = start;
	place->end = reader->end;
	place->is_number = reader->is_number;
	place->has_digit = reader->has_digit;
}

static void
close_word(PlaceReader *reader)
{
	if (reader->kind == CHAR_SEPARATOR)
		return;
	if (reader->n_signs > 0)
	{
		reader->end = reader->signs_end;
		reader->is_number = false;
	}
	reader->n_signs = 0;
	put_word(reader, reader->starts[reader->oldest]);
	reader->kind = CHAR_SEPARATOR;
}

static void
open_word(PlaceReader *reader, int kind, size_t start)
{
	reader->kind = kind;
	reader->oldest = 0;
	reader->starts[0] = start;
	reader->is_number = true;
	reader->has_digit = false;
	reader->n_signs = 0;
	reader->behind_letter = false;
	reader->has_script = false;
}

/* As keep_sign in tokens.c */
static bool
keep_sign(PlaceReader *reader, int kind, uint32_t c, size_t end)
{
	if (is_word_sign(c) && reader->n_signs < MOST_WORD_SIGNS &&
		(reader->n_signs > 0 || reader->behind_letter))
	{
		reader->n_signs++;
		reader->signs_end = end;
		return true;
	}
	if (reader->n_signs > 0)
	{
		if (is_word_sign(c) || continues_word(kind))
			reader->n_signs = 0;
		close_word(reader);
	}
	return false;
}

static inline bool
may_be_numeral(int kind)
{
	return kind == CHAR_WORD || kind == CHAR_CJK || kind == CHAR_NUMBER;
}

/*
 * Add a character of a kind (tokens.h), which comes from a code point: the bytes from start to end.  A folded
 * ypogegrammeni comes after marks that follow it in the text.
 */
static void
add_char(PlaceReader *reader, int kind, uint32_t c, size_t start, size_t end)
{
	bool		is_numeral;

	if (reader->kind == CHAR_WORD && keep_sign(reader, kind, c, end))
		return;
	switch (kind)
	{
		case CHAR_SEPARATOR:
			/* nothing in a stretch of a script without spaces */
			if (stretch_letters(reader->kind) == 0)
				close_word(reader);
			return;

		case CHAR_WORD:
		case CHAR_NUMBER:
			if (reader->kind != kind)
			{
				close_word(reader);
				open_word(reader, kind, start);
			}
			else if (start < reader->starts[0])
				reader->starts[0] = start;
			break;

		case CHAR_CJK:
			close_word(reader);
			open_word(reader, CHAR_CJK, start);
			break;

		case CHAR_SPACELESS:
		case CHAR_HANGUL:
			if (reader->kind != kind)
			{
				close_word(reader);
				open_word(reader, kind, start);
				reader->letters = 1;
			}
			else if (begins_letter(kind, c))
			{
				size_t		most = stretch_letters(kind);

				if (reader->letters < most)
					reader->starts[reader->letters++] = start;
				else
				{
					put_word(reader, reader->starts[reader->oldest]);
					reader->starts[reader->oldest] = start;
					reader->oldest = reader->oldest + 1 < most ? reader->oldest + 1 : 0;
				}
			}
			break;

		case CHAR_MARK:
			if (reader->kind == CHAR_SEPARATOR)
				open_word(reader, CHAR_WORD, start);
			break;
	}
	is_numeral = reader->is_roman || (may_be_numeral(kind) && is_any_numeral(c));
	reader->is_number &= is_numeral;
	reader->has_digit |= is_numeral;
	reader->has_script |= kind == CHAR_WORD && is_greek_or_cyrillic(c) &&
		reader->norm.form == UNICODE_FOLDED_NORMALIZED;
	reader->behind_letter = !reader->has_script && c < 0x80 && is_ascii_letter((uint8_t) c);
	if (end > reader->end)
		reader->end = end;
}

/* A run of marks ends. */
static void
end_marks(PlaceReader *reader)
{
	if (!reader->has_iota)
		return;
	add_char(reader, CHAR_WORD, IOTA, reader->iota_start, reader->iota_end);
	reader->has_iota = false;
}

static void
add_any_char(PlaceReader *reader, NormChar c, size_t start, size_t end)
{
	if (NORM_CCC(c) == 0)
		end_marks(reader);
	if (NORM_CCC(c) != YPOGEGRAMMENI_CCC)
	{
		add_char(reader, NORM_KIND(c), NORM_CODE_POINT(c), start, end);
		return;
	}
	if (!reader->has_iota)
		reader->iota_start = start;
	reader->iota_end = end;
	reader->has_iota = true;
}

/* The high bit of each of 8 bytes: is it an ASCII digit? */
static inline uint64_t
digit_bytes(uint64_t bytes)
{
	uint64_t	ascii = bytes & BYTES_ALL(0x7F);

	return BYTES_AT_LEAST(ascii, '0') & ~BYTES_AT_LEAST(ascii, '9' + 1) & ~bytes & BYTES_ALL(0x80);
}

/* A bit for each byte of a block: is it an ASCII digit? */
static uint64_t
digit_bits(const uint8_t *p)
{
	uint64_t	digits = 0;

	for (int i = 0; i < ASCII_BLOCK; i += 8)
		digits |= (uint64_t) bytes_high_bits(digit_bytes(load_le64(p + i))) << i;
	return digits;
}

/* Add the bytes of a word in a block, up to "end", to the open word or to a new one. */
static inline void
add_run(PlaceReader *reader, size_t at, uint64_t run, size_t end, uint64_t digits)
{
	if (run == 0)
		return;
	if (reader->kind == CHAR_SEPARATOR)
		open_word(reader, CHAR_WORD, at + (size_t) lowest_bit(run));
	reader->is_number &= (run & ~digits) == 0;
	reader->has_digit |= (run & digits) != 0;
	reader->end = at + end;
}

/*
 * Read the ASCII at the beginning of the next block.  If none of its words is wanted, count them
 * without their places.  Return false if nothing was read, because of signs that may belong to a word.
 */
static bool
read_ascii(PlaceReader *reader)
{
	const uint8_t *p = reader->norm.p;
	size_t		at = (size_t) (p - reader->text);
	uint64_t	digits = digit_bits(p);
	uint64_t	other;
	uint64_t	signs;
	uint64_t	word = ascii_block(p, &other, &signs);
	size_t		n_bytes = other != 0 ? (size_t) lowest_bit(other) : ASCII_BLOCK;
	uint64_t	ascii = ~UINT64_C(0) >> (ASCII_BLOCK - n_bytes);
	bool		behind_letter;
	bool		closed_number;
	uint64_t	rest;			/* words that have not been read */
	uint64_t	ends;			/* the bytes behind words */
	bool		stored;			/* are places stored? */

	/* the block ends a number of its own, or a Chinese numeral */
	closed_number = reader->kind != CHAR_WORD && reader->kind != CHAR_SEPARATOR && reader->has_digit;
	end_marks(reader);
	if (reader->kind != CHAR_WORD)
		close_word(reader);
	behind_letter = reader->kind == CHAR_WORD && reader->behind_letter;
	word &= ascii;
	signs &= ascii;
	if (reader->kind == CHAR_WORD && reader->has_script)
		signs = without_first_sign(signs, word);
	if ((signs & (word << 1 | behind_letter)) != 0)
	{
		n_bytes = core_add_signs(p, n_bytes, false, behind_letter, signs, &word);
		if (n_bytes == 0)
			return false;
		ascii = ~UINT64_C(0) >> (ASCII_BLOCK - n_bytes);
	}
	rest = word & ascii;
	ends = (word << 1 | (reader->kind == CHAR_WORD)) & ~word & ascii;
	if (reader->wanted == ANY_WITH_DIGIT)
		stored = (digits & ascii) != 0 || closed_number ||
			(reader->kind == CHAR_WORD && reader->has_digit);
	else
		stored = reader->n_words + (size_t) count_bits(ends) > reader->wanted;
	for (; ends != 0; ends &= ends - 1)
	{
		uint64_t	before = (ends & -ends) - 1;

		if (stored)
		{
			add_run(reader, at, rest & before, (size_t) lowest_bit(ends), digits);
			close_word(reader);
		}
		else
		{
			reader->kind = CHAR_SEPARATOR;
			reader->known = ++reader->n_words;
		}
		rest &= ~before;
	}
	add_run(reader, at, rest, n_bytes, digits);
	reader->behind_letter = !(reader->kind == CHAR_WORD && reader->has_script) &&
		is_ascii_letter(p[n_bytes - 1]);
	reader->norm.p += n_bytes;
	normalizer_check(&reader->norm, reader->norm.p);
	return true;
}

/* Is a character of normalised text a separator? */
static inline bool
is_separator(const Normalizer *norm, uint32_t c)
{
	return (unicode_value(norm->form, c) & 7) == CHAR_SEPARATOR;
}

/* Is the character kana?  One with a voicing mark is a word, too. */
static inline bool
is_kana(uint32_t c)
{
	return c - 0x3041 <= 0x3096 - 0x3041 || c - 0x30A1 <= 0x30FA - 0x30A1;
}

/*
 * Decode a character if it is one of 3 bytes that is CHAR_CJK or CHAR_SEPARATOR by itself, or a
 * separator of ASCII, and return its kind.  Return CHAR_WORD at the end and before another character
 * of ASCII, and CHAR_MARK before what may be a mark.
 */
static inline int
plain_character(uint32_t form, const uint8_t *p, const uint8_t *end, uint32_t *c)
{
	int			kind;

	if (han_at(p, end))
	{
		*c = (uint32_t) (p[0] & 0x0F) << 12 | (uint32_t) (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
		return CHAR_CJK;
	}
	if (p == end || *p < 0x80)
	{
		*c = p == end ? 0 : *p;
		return p == end || is_ascii_word(*p) ? CHAR_WORD : CHAR_SEPARATOR;
	}
	if (utf8_decode(p, end, c) != 3)
		return CHAR_MARK;
	if (is_kana(*c))
		return CHAR_CJK;
	kind = (int) (unicode_value(form, *c) & 7);
	return kind == CHAR_CJK || kind == CHAR_SEPARATOR ? kind : CHAR_MARK;
}

/*
 * Skip Chinese characters that are not numerals, at most "most" of them, as long as another one follows.
 */
static inline const uint8_t *
skip_han(const uint8_t *p, const uint8_t *end, size_t most)
{
	const uint8_t *last = end - p < 7 ? p : end - 7;

	if (most > HAN_AT_ONCE)
		most = HAN_AT_ONCE;
	if ((size_t) (last - p) > 3 * most)
		last = p + 3 * most;
	while (p < last && is_han(load_le32(p + 3)) &&
		   !is_chinese_numeral_of_bytes(load_le32(p) & 0xFFFFFF))
		p += 3;
	return p;
}

/*
 * The character at p, if it is beside a Chinese numeral whatever else is there; 0 if only the text
 * around it tells.
 */
static uint32_t
character_beside(uint32_t form, const uint8_t *p, const uint8_t *end)
{
	uint32_t	c;
	int			kind = plain_character(form, p, end, &c);

	return kind == CHAR_CJK || (kind == CHAR_SEPARATOR && c >= 0x80 && !is_white_space(c)) ? c : 0;
}

/*
 * May the Chinese numeral at p be a number?  It may not unless another numeral, the ordinal prefix or a
 * counter is beside it, as numbers are read (read_text.h).
 */
static bool
may_be_number(uint32_t form, const uint8_t *text, const uint8_t *p, const uint8_t *end)
{
	uint32_t	before = p - text < 3 ? 0 : character_beside(form, p - 3, end);
	uint32_t	behind = character_beside(form, p + 3, end);

	return before == 0 || behind == 0 || before == ORDINAL_PREFIX || is_chinese_numeral(before) ||
		is_chinese_numeral(behind) || core_is_counter(behind);
}

/* Is a Chinese or Japanese character next?  It ends any word. */
static inline bool
cjk_ahead(const PlaceReader *reader)
{
	const Normalizer *norm = &reader->norm;
	uint32_t	c;

	return (uint8_t) (*norm->p - 0xE3) <= 0xE9 - 0xE3 &&
		plain_character(norm->form, norm->p, norm->end, &c) == CHAR_CJK;
}

/*
 * Read Chinese and Japanese characters, each of which is a word, and separators, up to a word whose
 * place is wanted.  The others are counted without their places.  Return false if nothing was read.
 */
static bool
read_cjk(PlaceReader *reader)
{
	const uint8_t *p = reader->norm.p;
	const uint8_t *end = reader->norm.end;
	const uint32_t form = reader->norm.form;
	size_t		n_words = reader->n_words;
	bool		found = false;
	uint32_t	c;
	uint32_t	next_c;
	int			kind = plain_character(form, p, end, &c);

	while (!found && (kind == CHAR_CJK || kind == CHAR_SEPARATOR))
	{
		int			length = *p < 0x80 ? 1 : 3;
		int			next;

		if (han_at(p, end))
		{
			const uint8_t *skipped = skip_han(p, end, reader->wanted - n_words);

			n_words += (size_t) (skipped - p) / 3;
			p = skipped;
			plain_character(form, p, end, &c);
		}
		next = plain_character(form, p + length, end, &next_c);
		if (kind == CHAR_CJK)
		{
			if (next == CHAR_MARK)
				break;
			found = reader->wanted == ANY_WITH_DIGIT ?
				is_chinese_numeral(c) && may_be_number(form, reader->text, p, end) :
				n_words >= reader->wanted;
			n_words++;
		}
		p += length;
		normalizer_check(&reader->norm, p);
		kind = next;
		c = next_c;
	}
	if (p == reader->norm.p)
		return false;
	reader->norm.p = p;
	reader->known = reader->n_words = n_words;
	if (found)
	{
		utf8_decode(p - 3, end, &c);
		reader->known = --reader->n_words;
		reader->is_number = reader->has_digit = is_chinese_numeral(c);
		reader->end = (size_t) (p - reader->text);
		put_word(reader, reader->end - 3);
	}
	return true;
}

static void
read_code_point(PlaceReader *reader)
{
	const uint8_t *p = reader->norm.p;
	size_t		start = (size_t) (p - reader->text);
	const NormChar *chars;
	NormChar	room[NORM_ROOM];
	uint32_t	c;
	bool		vanished;
	int			n_chars = core_expand_next(&reader->norm, &chars, room, &vanished);
	size_t		end = (size_t) (reader->norm.p - reader->text);

	if (*p == 0xE2 && utf8_decode(p, reader->norm.end, &c) > 0 && is_roman_numeral(c))
	{
		end_marks(reader);
		reader->is_roman = true;
	}
	for (int i = 0; i < n_chars; i++)
		add_any_char(reader, chars[i], start, end);
	reader->is_roman = false;

	/*
	 * what has vanished belongs to its word, unless separators are between
	 * them
	 */
	if (vanished && reader->kind != CHAR_SEPARATOR && end > reader->end &&
		(stretch_letters(reader->kind) == 0 || reader->norm.nasals != 0 ||
		 !is_separator(&reader->norm, reader->norm.base)))
	{
		reader->signs_end = end;
		if (reader->n_signs == 0)
			reader->end = end;
	}
}

void
core_places_init(PlaceReader *reader, const char *utf8, size_t len,
				 const TextOptions *options, const Env *env)
{
	normalizer_init(&reader->norm, utf8, len, core_unicode_form(options), env);
	reader->text = (const uint8_t *) utf8;
	reader->n_words = 0;
	reader->known = 0;
	reader->kind = CHAR_SEPARATOR;
	reader->oldest = 0;
	reader->letters = 0;
	reader->end = 0;
	reader->is_number = false;
	reader->has_digit = false;
	reader->has_iota = false;
	reader->n_signs = 0;
	reader->behind_letter = false;
	reader->has_script = false;
	reader->is_roman = false;
}

/* Read a block or a code point, or the last word.  Return false if there is none. */
static bool
read_on(PlaceReader *reader)
{
	const Normalizer *norm = &reader->norm;
	size_t		n_words = reader->n_words;

	reader->known = n_words;
	if (norm->p == norm->end)
	{
		end_marks(reader);
		close_word(reader);
		return reader->n_words > n_words;
	}
	if (*norm->p < 0x80 && norm->end - norm->p >= ASCII_BLOCK &&
		!(stretch_letters(reader->kind) > 0 && !is_ascii_word(*norm->p)) &&
		reader->n_signs == 0 && read_ascii(reader))
		return true;
	if (cjk_ahead(reader))
	{
		if (reader->kind != CHAR_SEPARATOR || reader->has_iota)
		{
			end_marks(reader);
			close_word(reader);
			return true;
		}
		if (read_cjk(reader))
			return true;
	}
	read_code_point(reader);
	return true;
}

bool
core_places_find(PlaceReader *reader, size_t word, WordPlace *place)
{
	reader->wanted = word;
	while (reader->n_words <= word)
		if (!read_on(reader))
			return false;
	*place = reader->recent[word % RECENT_WORDS];
	return true;
}

/*
 * Has a character a numeral in a form of a text?  A circle is a zero only behind another numeral, so it
 * does not count.
 */
static bool
has_numeral(uint32_t form, uint32_t c)
{
	const NormChar *chars;
	NormChar	room[NORM_ROOM];
	int			kind = (int) (unicode_value(form, c) & 7);

	if (kind == CHAR_MAPPED)
		for (int n = core_expand(form, c, &chars, room); n-- > 0;)
			if (is_any_numeral(NORM_CODE_POINT(chars[n])) && NORM_CODE_POINT(chars[n]) != ZERO)
				return true;
	return is_roman_numeral(c) || (may_be_numeral(kind) && is_any_numeral(c));
}

bool
core_has_digit(const char *utf8, size_t len, const TextOptions *options, const Env *env)
{
	const uint32_t form = core_unicode_form(options);
	const uint8_t *p = (const uint8_t *) utf8;
	const uint8_t *end = p + len;
	size_t		steps = 0;
	int			length;
	int			kind;

	for (; p < end; p += length)
	{
		uint32_t	c;

		if (*p < 0x80 && end - p >= 8)
		{
			uint64_t	bytes = load_le64(p);
			uint64_t	others = bytes & BYTES_ALL(0x80);

			if (digit_bytes(bytes) != 0)
				return true;
			length = others != 0 ? lowest_bit(others) / 8 : 8;
		}
		else if (han_at(p, end))
		{
			const uint8_t *last = skip_han(p, end, SIZE_MAX);

			if (is_chinese_numeral_of_bytes(load_le32(last) & 0xFFFFFF) &&
				may_be_number(form, (const uint8_t *) utf8, last, end))
				return true;
			length = (int) (last - p) + 3;
		}
		else if (*p >= 0xE3 && (kind = plain_character(form, p, end, &c)) != CHAR_MARK)
		{
			if (kind == CHAR_CJK && is_chinese_numeral(c) &&
				may_be_number(form, (const uint8_t *) utf8, p, end))
				return true;
			length = 3;
		}
		else
		{
			length = utf8_decode(p, end, &c);
			if (length == 0)
				length = 1;
			else if (has_numeral(form, c))
				return true;
		}
		count_steps(env, &steps, (size_t) length);
	}
	return false;
}

bool
core_places_find_digit(PlaceReader *reader, size_t word, WordPlace *place)
{
	reader->wanted = ANY_WITH_DIGIT;
	for (;;)
	{
		for (; word < reader->n_words; word++)
		{
			*place = reader->recent[word % RECENT_WORDS];
			if (place->has_digit)
				return true;
		}
		if (!read_on(reader))
			return false;
		if (word < reader->known)
			word = reader->known;
	}
}

void
core_word_places(const char *utf8, size_t len, const TextOptions *options,
				 const Env *env, WordPlace *places, size_t n)
{
	PlaceReader reader;

	core_places_init(&reader, utf8, len, options, env);
	for (size_t i = 0; i < n && core_places_find(&reader, places[i].word, &places[i]); i++)
		;
}
