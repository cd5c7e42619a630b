/*-------------------------------------------------------------------------
 *
 * copy_key.c
 *		Keys of copies; see copy_key.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../text/kernels/token_hash.h"
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

static inline bool
is_space_or_point(uint8_t byte)
{
	return byte <= ' ' || byte >= 0x80 || byte == '.' || byte == ',' || byte == ':';
}

/*
 * Copy visible ASCII characters, folded, and skip single spaces after a letter, which do not count
 * unless a point or colon follows, or the letter is in a link.  Return the number of bytes written,
 * at most "room", and advance *place.  *in_link is false where a link cannot be open.
 */
static inline size_t
put_ascii(uint8_t *p, size_t room, const Bytes *t, size_t *place, bool *in_link)
{
	size_t		n = 0;
	size_t		i = *place;

	for (; i < t->len && n < room; i++)
	{
		uint8_t		byte = t->text[i];

		if (byte > ' ' && byte < 0x80)
		{
			p[n++] = (uint8_t) (byte - 'A') < 26 ? byte | 0x20 : byte;
			if (byte == ':' || byte == '.')
				*in_link = *in_link || is_link_sign(t, i);
		}
		else if (byte != ' ' || i == 0 || *in_link || !is_ascii_letter(t->text[i - 1]) ||
				 (i + 1 < t->len && is_space_or_point(t->text[i + 1])))
			break;
	}
	*place = i;
	return n;
}

/* Hash what copies have in common (copy_key.h), and store whether the text has visible characters. */
static XXH128_hash_t
hash_text(const Bytes *t, const WordList *words, uint64_t seed, bool *visible)
{
	XXH3_state_t state = {0};
	uint8_t		piece[PIECE + MOST_BYTES];
	size_t		n = 0;
	size_t		place = 0;
	bool		in_link = false;

	*visible = false;
	XXH3_128bits_reset_withSeed(&state, seed);
	while (place < t->len)
	{
		size_t		start;
		uint32_t	c;

		start = n;
		n += put_ascii(piece + n, PIECE - n, t, &place, &in_link);
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
				if (white_space_counts(t, start, place))
					piece[n++] = ' ';
				in_link = false;
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
