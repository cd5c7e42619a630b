/*
 * Places of words; see places.h.
 *
 * The tokeniser does not record where its characters come from, because that would
 * make every fingerprint slower.  So this file reads the text again.  It decides
 * where words begin and end as add_chars in tokens.c does, but without their bytes.
 * The canonical order of marks moves no boundary, with one exception: case folding
 * turns an ypogegrammeni into a letter behind all marks of its run.
 */
#include "../text/ascii_block.h"
#include "../text/tokens.h"
#include "../text/unicode.h"
#include "places.h"

#define YPOGEGRAMMENI_CCC 240
#define LEAST_ASCII 16			/* bytes worth a block */

typedef struct Reader
{
	WordPlace  *next;			/* the next place to fill in */
	WordPlace  *last;			/* end of the places */
	size_t		n_words;		/* complete words */
	int			kind;			/* of the open word; CHAR_SEPARATOR if none is
								 * open */
	size_t		letters;		/* of an open stretch without spaces */
	size_t		starts[3];		/* of the open word, or of the last three
								 * letters of the stretch */
	size_t		end;			/* of the open word so far; never decreases */
	bool		has_iota;		/* does the run of marks have an
								 * ypogegrammeni? */
	size_t		iota_start;		/* of the first one */
	size_t		iota_end;		/* of the last one */
} Reader;

static void
put_word(Reader *reader, size_t start)
{
	for (; reader->next < reader->last && reader->next->word == reader->n_words; reader->next++)
	{
		reader->next->start = start;
		reader->next->end = reader->end;
	}
	reader->n_words++;
}

static void
close_word(Reader *reader)
{
	size_t		oldest = 0;

	if (reader->kind == CHAR_SEPARATOR)
		return;
	if (reader->kind == CHAR_SPACELESS && reader->letters >= 3)
		oldest = reader->letters % 3;
	put_word(reader, reader->starts[oldest]);
	reader->kind = CHAR_SEPARATOR;
}

static void
open_word(Reader *reader, int kind, size_t start)
{
	reader->kind = kind;
	reader->starts[0] = start;
}

/*
 * A character from a code point of the bytes from start to end.  A folded
 * ypogegrammeni comes after marks that follow it in the text.
 */
static void
add_char(Reader *reader, int kind, size_t start, size_t end)
{
	switch (kind)
	{
		case CHAR_SEPARATOR:
			close_word(reader);
			return;

		case CHAR_WORD:
			if (reader->kind != CHAR_WORD)
			{
				close_word(reader);
				open_word(reader, CHAR_WORD, start);
			}
			else if (start < reader->starts[0])
				reader->starts[0] = start;
			break;

		case CHAR_CJK:
			close_word(reader);
			open_word(reader, CHAR_CJK, start);
			break;

		case CHAR_SPACELESS:
			if (reader->kind != CHAR_SPACELESS)
			{
				close_word(reader);
				reader->kind = CHAR_SPACELESS;
				reader->letters = 0;
			}
			if (reader->letters >= 3)
				put_word(reader, reader->starts[reader->letters % 3]);
			reader->starts[reader->letters++ % 3] = start;
			break;

		case CHAR_MARK:
			if (reader->kind == CHAR_SEPARATOR)
				open_word(reader, CHAR_WORD, start);
			break;
	}
	if (end > reader->end)
		reader->end = end;
}

/* A run of marks ends. */
static void
end_run(Reader *reader)
{
	if (!reader->has_iota)
		return;
	add_char(reader, CHAR_WORD, reader->iota_start, reader->iota_end);
	reader->has_iota = false;
}

static void
add_any_char(Reader *reader, NormChar c, size_t start, size_t end)
{
	if (NORM_CCC(c) == 0)
		end_run(reader);
	if (NORM_CCC(c) != YPOGEGRAMMENI_CCC)
	{
		add_char(reader, NORM_KIND(c), start, end);
		return;
	}
	if (!reader->has_iota)
		reader->iota_start = start;
	reader->iota_end = end;
	reader->has_iota = true;
}

/*
 * Count the words in the ASCII at the beginning of the next block.  Return the number
 * of bytes.  Return 0 if there is little ASCII, or if the place of a word that begins
 * or ends there is wanted.
 */
static size_t
skip_ascii(Reader *reader, const uint8_t *p)
{
	uint64_t	other;
	uint64_t	word = ascii_block(p, &other);	/* letters and digits */
	uint64_t	ends;			/* the bytes behind words */
	size_t		n_bytes = ASCII_BLOCK;

	end_run(reader);
	if (other != 0)
		n_bytes = (size_t) lowest_bit(other);
	if (n_bytes < LEAST_ASCII)
		return 0;
	word &= ~UINT64_C(0) >> (ASCII_BLOCK - n_bytes);
	ends = (word << 1 | (reader->kind == CHAR_WORD)) & ~word &
		~UINT64_C(0) >> (ASCII_BLOCK - n_bytes);

	/* a word of another kind may also end here, and a word may begin */
	if (reader->next == reader->last ||
		reader->next->word <= reader->n_words + (size_t) count_bits(ends) + 1)
		return 0;
	if (reader->kind != CHAR_WORD)
		close_word(reader);
	reader->n_words += (size_t) count_bits(ends);
	reader->kind = (word >> (n_bytes - 1) & 1) != 0 ? CHAR_WORD : CHAR_SEPARATOR;
	return n_bytes;
}

void
simhash_word_places(const char *utf8, size_t len, const TextOptions *options,
					const TextEnv *env, WordPlace *places, size_t n)
{
	Normalizer	norm;
	Reader		reader = {places, places + n, 0, CHAR_SEPARATOR, 0, {0}, 0, false, 0, 0};
	const uint8_t *text = (const uint8_t *) utf8;

	normalizer_init(&norm, utf8, len, simhash_unicode_form(options), env);
	while (norm.p < norm.end && reader.next < reader.last)
	{
		size_t		start = (size_t) (norm.p - text);
		const NormChar *chars;
		NormChar	room[3];
		int			n_chars;
		int			i;

		if (*norm.p < 0x80 && norm.end - norm.p >= ASCII_BLOCK)
		{
			size_t		n_bytes = skip_ascii(&reader, norm.p);

			if (n_bytes > 0)
			{
				norm.p += n_bytes;
				normalizer_check(&norm, norm.p);
				continue;
			}
		}
		n_chars = simhash_expand_next(&norm, &chars, room);
		for (i = 0; i < n_chars; i++)
			add_any_char(&reader, chars[i], start, (size_t) (norm.p - text));
	}
	end_run(&reader);
	close_word(&reader);
}
