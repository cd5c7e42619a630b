/*
 * Keys of copies; see copy_key.h.
 */
#include "../text/token_hash.h"
#include "copy_key.h"
#include "numerals.h"

#define PIECE 1024
#define MOST_BYTES 16			/* of a character and the space before it */

#define SEVERAL_CHARACTERS 0xF8
#define NOT_UTF8 0xFE
#define WORDS_FOLLOW 0xFF

/* A character of a text: its case folding.  Return the number of bytes. */
static size_t
put_folded(uint8_t *p, uint32_t c)
{
	const uint8_t *start = p;
	const NormChar *chars;
	NormChar	room[NORM_ROOM];
	int			n;
	int			i;

	if (c > 0x10FFFF)
	{
		p[0] = NOT_UTF8;
		p[1] = (uint8_t) (c - 0x110000);
		return 2;
	}
	n = expand_character(UNICODE_CASE_FOLDED, c, &chars, room);
	if (n != 1)
		*p++ = (uint8_t) (SEVERAL_CHARACTERS + n);
	for (i = 0; i < n; i++)
		p += utf8_encode(p, NORM_CODE_POINT(chars[i]));
	return (size_t) (p - start);
}

static void
add_characters(XXH3_state_t *state, const Bytes *t, const TextEnv *env)
{
	uint8_t		piece[PIECE + MOST_BYTES];
	size_t		n = 0;
	size_t		place = 0;
	size_t		steps = 0;

	while (place < t->len)
	{
		size_t		start = place;
		uint8_t		byte = t->text[place];

		if (byte < 0x80 && byte > ' ')
		{
			place++;
			piece[n++] = (uint8_t) (byte - 'A') < 26 ? byte | 0x20 : byte;
		}
		else
		{
			uint32_t	c = next_character(t, &place, t->len);

			if (!is_white_space(c))
				n += put_folded(piece + n, c);
			else
			{
				while (place < t->len && is_white_space(character_at(t, place)))
					next_character(t, &place, t->len);
				if (simhash_space_is_in_number(t, start, place))
					piece[n++] = ' ';
			}
		}
		if (n >= PIECE)
		{
			XXH3_128bits_update(state, piece, n);
			n = 0;
			if (++steps % 64 == 0)
				env->check_interrupts(env->arg);
		}
	}
	XXH3_128bits_update(state, piece, n);
}

void
simhash_copy_key(const char *utf8, size_t len, const TextEnv *env, uint8_t *key)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	const Bytes t = {(const uint8_t *) utf8, len};
	const uint8_t end = WORDS_FOLLOW;
	XXH3_state_t state;
	XXH128_canonical_t canonical;
	WordList	list;
	size_t		i;

	XXH3_128bits_reset(&state);
	add_characters(&state, &t, env);
	XXH3_128bits_update(&state, &end, 1);
	simhash_read_words(utf8, len, &options, env, &list);
	for (i = 0; i < list.n; i++)
		list.words[i] = load_le64((const uint8_t *) &list.words[i]);
	XXH3_128bits_update(&state, list.words, list.n * sizeof(uint64_t));
	env->release(env->arg, list.words);
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	memcpy(key, canonical.digest, COPY_KEY_BYTES);
}
