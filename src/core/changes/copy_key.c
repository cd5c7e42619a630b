/*-------------------------------------------------------------------------
 *
 * copy_key.c
 *		Keys of copies; see copy_key.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/bits.h"
#include "../text/kernels/token_hash.h"
#include "../text/unicode/ascii_block.h"
#include "copy_key.h"
#include "white_space.h"

#define PIECE 1024
#define MOST_BYTES 16			/* of a character and the space before it */

#define SEVERAL_CHARACTERS 0xF8
#define NOT_UTF8 0xFE
#define WORDS_FOLLOW 0xFF

/* Write the case folding of a character to p.  Return the number of bytes. */
static size_t
put_folded(uint8_t *p, uint32_t c)
{
	const uint8_t *start = p;
	const NormChar *chars;
	NormChar	room[NORM_ROOM];
	int			n;

	if (c > 0x10FFFF)
	{
		p[0] = NOT_UTF8;
		p[1] = (uint8_t) (c - 0x110000);
		return 2;
	}
	n = expand_character(UNICODE_CASE_FOLDED, c, &chars, room);
	if (n != 1)
		*p++ = (uint8_t) (SEVERAL_CHARACTERS + n);
	for (int i = 0; i < n; i++)
		p += utf8_encode(p, NORM_CODE_POINT(chars[i]));
	return (size_t) (p - start);
}

/*
 * Does a blank surely not count, unless a link is open?  That is so before a letter.  After a letter it
 * is so unless a point or colon follows.
 */
static inline bool
is_plain_blank(const Bytes *t, size_t place)
{
	uint8_t		next;

	if (place == 0)
		return false;
	if (place + 1 == t->len)
		return is_ascii_letter(t->text[place - 1]);
	next = t->text[place + 1];
	return is_ascii_letter(next) ||
		(is_ascii_letter(t->text[place - 1]) && next > ' ' && next < 0x80 &&
		 next != '.' && next != ',' && next != ':');
}

/*
 * Copy the visible ASCII characters, folded, with which 8 bytes begin.  Return their number; what
 * follows them at p is undefined.
 */
static inline size_t
put_visible(uint8_t *p, const uint8_t *text)
{
	uint64_t	bytes = load_le64(text);
	uint64_t	ascii = bytes & BYTES_ALL(0x7F);
	uint64_t	capitals = BYTES_AT_LEAST(ascii, 'A') & ~BYTES_AT_LEAST(ascii, 'Z' + 1) &
		BYTES_ALL(0x80);
	uint64_t	others = (~BYTES_AT_LEAST(ascii, '!') | bytes) & BYTES_ALL(0x80);

	store_le64(p, ascii | capitals >> 2);
	return others != 0 ? (size_t) lowest_bit(others) / 8 : 8;
}

/*
 * Copy visible ASCII characters, folded, and skip blanks that surely do not count.  Return the number
 * of bytes written, at most "room", and advance *place.
 */
static inline size_t
put_ascii(uint8_t *p, size_t room, const Bytes *t, size_t *place, LinkReader *links)
{
	size_t		n = 0;
	size_t		i = *place;

	while (i < t->len && n < room)
	{
		uint8_t		byte = t->text[i];
		size_t		n_visible = byte > ' ' && byte < 0x80;

		if (byte == ' ')
		{
			if (!is_plain_blank(t, i) || core_links_cover(links, i - 1))
				break;
			i++;
			continue;
		}
		if (t->len - i >= 8 && room - n >= 8)
			n_visible = put_visible(p + n, t->text + i);
		else
			p[n] = (uint8_t) (byte - 'A') < 26 ? byte | 0x20 : byte;
		if (n_visible == 0)
			break;
		n += n_visible;
		i += n_visible;
	}
	move_place(t, place, i);
	return n;
}

/* white_space_counts, for a reader of the whole text */
static inline bool
space_counts(const Bytes *t, size_t start, size_t end, LinkReader *links)
{
	return start > 0 && end < t->len &&
		(core_links_cover(links, start - 1) || core_space_divides_link(t, start, end) ||
		 core_space_is_in_number(t, start, end));
}

/* Hash what copies have in common (copy_key.h), and store whether the text has visible characters. */
static XXH128_hash_t
hash_text(const Bytes *t, const WordList *words, uint64_t seed, bool *visible)
{
	XXH3_state_t state = {0};
	uint8_t		piece[PIECE + MOST_BYTES];
	size_t		n = 0;
	size_t		place = 0;
	LinkReader	links;

	*visible = false;
	core_links_begin(&links, t);
	XXH3_128bits_reset_withSeed(&state, seed);
	while (place < t->len)
	{
		size_t		start;
		uint32_t	c;

		start = n;
		n += put_ascii(piece + n, PIECE - n, t, &place, &links);
		*visible |= n > start;
		if (n < PIECE && place < t->len)
		{
			start = place;
			c = next_character(t, &place, t->len);
			if (!is_white_space(c))
			{
				n += put_folded(piece + n, c);
				*visible = *visible || first_of_form(UNICODE_NORMALIZED, c) != NO_CHARACTER;
			}
			else
			{
				place = skip_space(t, place, t->len);
				if (space_counts(t, start, place, &links))
					piece[n++] = ' ';
			}
		}
		if (n >= PIECE)
		{
			XXH3_128bits_update(&state, piece, n);
			n = 0;
		}
	}
	piece[n++] = WORDS_FOLLOW;
	XXH3_128bits_update(&state, piece, n);
	for (size_t i = 0; i < words->n;)
	{
		for (n = 0; n < PIECE && i < words->n; n += sizeof(uint64_t))
		{
			uint64_t	hash = load_le64((const uint8_t *) &words->words[i++]);

			memcpy(piece + n, &hash, sizeof(hash));
		}
		XXH3_128bits_update(&state, piece, n);
	}
	return XXH3_128bits_digest(&state);
}

uint64_t
core_copy_hash(const Bytes *t, const WordList *words)
{
	bool		visible;

	return hash_text(t, words, t->env->salt, &visible).low64;
}

bool
core_copy_key(const char *utf8, size_t len, const Env *env, uint8_t *key)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	const Bytes t = bytes_of(utf8, len, env);
	XXH128_canonical_t canonical;
	WordList	list;
	bool		visible;

	core_read_words(utf8, len, &options, env, &list);
	XXH128_canonicalFromHash(&canonical, hash_text(&t, &list, 0, &visible));
	env_free(env, list.words);
	memcpy(key, canonical.digest, COPY_KEY_BYTES);
	return visible;
}
