/*-------------------------------------------------------------------------
 *
 * tokens.c
 *		The tokeniser; see tokens.h. Most kinds of text go through the normaliser. Stretches
 *		of ASCII and of Chinese characters need no tables, so the tokeniser reads them
 *		directly.
 *
 *-------------------------------------------------------------------------
 */
#include "../bits.h"
#include "../kernels/token_kernels.h"
#include "../unicode/ascii_block.h"
#include "../unicode/unicode.h"
#include "dictionary.h"
#include "tokens.h"

#define ASCII_SLACK 16			/* readable bytes behind a block */
#define CJK_STRETCH 16384		/* most bytes of Chinese read at a time */

/* Neither a normalised batch nor a block makes more tokens than this */
#define MOST_TOKENS (NORM_BATCH + 2)

/*
 * Tokens on their way to hash_tokens, which hashes those of up to 8 bytes (see
 * token_kernels.h).
 */
typedef struct TokenBatch
{
	uint64_t   *tokens;
	uint8_t		lengths[TOKEN_BATCH];
} TokenBatch;

static inline size_t
put_short(TokenBatch *batch, size_t n, uint64_t bytes, size_t length)
{
	batch->tokens[n] = bytes;
	batch->lengths[n] = (uint8_t) length;
	return n + 1;
}

static inline size_t
put_hash(TokenBatch *batch, size_t n, uint64_t hash)
{
	return put_short(batch, n, hash, 0);
}

/* The low 1 to 8 bytes of a word. */
static inline uint64_t
low_bytes(uint64_t bytes, size_t length)
{
	return bytes & ~UINT64_C(0) >> (64 - 8 * length);
}

/* Let the normaliser read up to the next boundary, or up to the end. */
static void
next_stretch(Tokenizer *tok)
{
	tok->norm.end = tok->text + core_dictionary_next(tok->norm.env);
}

uint32_t
core_unicode_form(const TextOptions *options)
{
	static const uint32_t normalized[] = {
		[FOLD_NOTHING] = UNICODE_NORMALIZED,
		[FOLD_ALL] = UNICODE_FOLDED_NORMALIZED
	};

	if (options->normalize)
		return normalized[options->fold];
	return options->fold != FOLD_NOTHING ? UNICODE_CASE_FOLDED : UNICODE_AS_IS;
}

void
core_tokens_init(Tokenizer *tok, const char *utf8, size_t len,
				 const TextOptions *options, const TokenListener *listener,
				 const Env *env)
{
	normalizer_init(&tok->norm, utf8, len, core_unicode_form(options), env);
	tok->text = tok->norm.p;
	tok->end = tok->norm.end;
	tok->kinds = options->tokens;
	tok->ascii_fold = options->fold != FOLD_NOTHING ? BYTES_ALL(0x20) : 0;
	tok->listener = listener;
	tok->kind = CHAR_SEPARATOR;
	tok->oldest = 0;
	tok->letters = 0;
	tok->sign = 0;
	tok->n_signs = 0;
	for (int i = 0; i < 3; i++)
	{
		tok->spilled[i].bytes = NULL;
		tok->spilled[i].length = 0;
		tok->spilled[i].room = 0;
	}
	if (tok->kinds == TOKENS_DICTIONARY_WORDS)
	{
		core_dictionary_start(utf8, len, env);
		next_stretch(tok);
	}
}

void
core_tokens_free(Tokenizer *tok)
{
	for (int i = 0; i < 3; i++)
	{
		env_free(tok->norm.env, tok->spilled[i].bytes);
	}
}

static inline void
builder_start(Tokenizer *tok, TokenBuilder *builder)
{
	builder->length = 0;
	builder->streaming = false;
	tok->spilled[builder - tok->builders].length = 0;
}

/* Keep the bytes that leave the builder for the listener. */
static void
keep_bytes(Tokenizer *tok, const TokenBuilder *builder)
{
	TokenBytes *kept = &tok->spilled[builder - tok->builders];

	if (kept->room - kept->length < builder->length)
	{
		kept->room = 2 * kept->room + sizeof(builder->bytes);
		kept->bytes = env_resize(tok->norm.env, kept->bytes,
								 kept->room);
	}
	memcpy(kept->bytes + kept->length, builder->bytes, builder->length);
	kept->length += builder->length;
}

static void
builder_spill(Tokenizer *tok, TokenBuilder *builder)
{
	if (!builder->streaming)
		XXH3_64bits_reset(&builder->state);
	builder->streaming = true;
	XXH3_64bits_update(&builder->state, builder->bytes, builder->length);
	if (tok->listener != NULL)
		keep_bytes(tok, builder);
	builder->length = 0;
}

/* Make room for size bytes. */
static inline void
builder_reserve(Tokenizer *tok, TokenBuilder *builder, size_t size)
{
	if (builder->length + size > sizeof(builder->bytes))
		builder_spill(tok, builder);
}

static inline void
builder_append(Tokenizer *tok, TokenBuilder *builder, uint32_t cp)
{
	builder_reserve(tok, builder, 4);
	builder->length += utf8_encode(builder->bytes + builder->length, cp);
}

/* The token is complete.  Return the number of tokens now. */
static inline size_t
put_built(Tokenizer *tok, TokenBuilder *builder, TokenBatch *batch, size_t n)
{
	const TokenBytes *kept;

	if (!builder->streaming)
	{
		if (tok->listener != NULL)
			tok->listener->token(tok->listener->arg, builder->bytes,
								 builder->length);
		if (builder->length <= 8)
			return put_short(batch, n, low_bytes(load_le64(builder->bytes), builder->length),
							 builder->length);
		return put_hash(batch, n, token_hash(builder->bytes, builder->length));
	}
	builder_spill(tok, builder);
	kept = &tok->spilled[builder - tok->builders];
	if (tok->listener != NULL)
		tok->listener->token(tok->listener->arg, kept->bytes, kept->length);
	return put_hash(batch, n, XXH3_64bits_digest(&builder->state));
}

/* The signs that have been kept belong to the open word. */
static void
append_signs(Tokenizer *tok)
{
	for (size_t i = 0; i < tok->n_signs; i++)
		builder_append(tok, &tok->builders[0], tok->signs[i]);
	tok->n_signs = 0;
}

/* End the open token, if any.  Return the number of tokens now. */
static inline size_t
close_token(Tokenizer *tok, TokenBatch *batch, size_t n)
{
	if (tok->kind == CHAR_SEPARATOR)
		return n;
	if (tok->n_signs > 0)
		append_signs(tok);
	n = put_built(tok, &tok->builders[tok->oldest], batch, n);
	tok->kind = CHAR_SEPARATOR;
	return n;
}

static inline void
open_token(Tokenizer *tok, int kind)
{
	tok->kind = kind;
	tok->oldest = 0;
	tok->script = NO_SCRIPT;
	builder_start(tok, &tok->builders[0]);
}

/*
 * The letters that look like a to z, in their small or capital form, or are typed for them; 0 if there
 * is none
 */
static const uint16_t look_alikes[][26] = {
	[CYRILLIC] = {
		0x430, 0x432, 0x441, 0, 0x435, 0, 0, 0x43D, 0x456, 0x458, 0x43A, 0, 0x43C,
		0, 0x43E, 0x440, 0, 0, 0x455, 0x442, 0, 0, 0, 0x445, 0x443, 0
	},
	[GREEK] = {
		0x3B1, 0x3B2, 0, 0, 0x3B5, 0, 0, 0x3B7, 0x3B9, 0, 0x3BA, 0, 0x3BC,
		0x3BD, 0x3BF, 0x3C1, 0, 0, 0, 0x3C4, 0x3C5, 0x3BD, 0, 0x3C7, 0x3C5, 0x3B6
	}
};

/* A letter of ASCII, or the letter of the script of the open word that it looks like */
static inline uint32_t
native_letter(const Tokenizer *tok, uint32_t c)
{
	if (tok->script == NO_SCRIPT || !is_ascii_letter((uint8_t) c))
		return c;
	return look_alikes[tok->script][c - 'a'] != 0 ? look_alikes[tok->script][c - 'a'] : c;
}

/* Turn the letters of ASCII of the open word, which is short, to letters of its script. */
static void
make_native(Tokenizer *tok)
{
	TokenBuilder *builder = &tok->builders[0];
	uint8_t		before[MOST_BEFORE_SCRIPT];
	size_t		n = builder->length;

	memcpy(before, builder->bytes, n);
	builder->length = 0;
	for (size_t i = 0; i < n; i++)
	{
		if (before[i] < 0x80)
			builder->length += utf8_encode(builder->bytes + builder->length, native_letter(tok, before[i]));
		else
			builder->bytes[builder->length++] = before[i];
	}
}

/*
 * The open word has its first letter of Greek or Cyrillic.  Letters of ASCII before it count as letters
 * of its script, too, if they are within the first MOST_BEFORE_SCRIPT bytes, which are in the builder.
 */
static inline void
begin_script(Tokenizer *tok, uint32_t c)
{
	const TokenBuilder *builder = &tok->builders[0];

	tok->script = c < FIRST_CYRILLIC ? GREEK : CYRILLIC;
	if (builder->length > 0 && builder->length <= MOST_BEFORE_SCRIPT && !builder->streaming)
		make_native(tok);
}

/* Is the last character of the open token an ASCII letter of a word without Greek and Cyrillic letters? */
static inline bool
is_behind_letter(const Tokenizer *tok)
{
	const TokenBuilder *builder = &tok->builders[0];

	return tok->kind == CHAR_WORD && tok->script == NO_SCRIPT &&
		is_ascii_letter(builder->bytes[builder->length - 1]);
}

/*
 * A character comes.  Keep it if it is a sign that may belong to the open word.  Otherwise decide
 * whether the signs that have been kept do.  Return whether it was kept.
 */
static inline bool
keep_sign(Tokenizer *tok, int kind, uint32_t c, TokenBatch *batch, size_t *n)
{
	if (tok->kind != CHAR_WORD || tok->kinds != TOKENS_WORDS)
		return false;
	if (is_word_sign(c) && tok->n_signs < MOST_WORD_SIGNS && (tok->n_signs > 0 || is_behind_letter(tok)))
	{
		tok->signs[tok->n_signs++] = (uint8_t) c;
		return true;
	}
	if (tok->n_signs > 0)
	{
		if (is_word_sign(c) || continues_word(kind))
			tok->n_signs = 0;
		*n = close_token(tok, batch, *n);
	}
	return false;
}

/* The full stop or comma that a separator stands for, or 0. */
static uint8_t
decimal_sign(uint32_t form, uint32_t c)
{
	if (c == '.' || c == ',')
		return (uint8_t) c;
	if (c < 0x80 || form >= UNICODE_CASE_FOLDED)
		return 0;
	switch (c)
	{
		case 0x066B:			/* Arabic */
		case 0x2024:
		case 0xFE52:
		case 0xFF0E:
			return '.';
		case 0x066C:
		case 0xFE10:
		case 0xFE50:
		case 0xFF0C:
			return ',';
		default:
			return 0;
	}
}

/* A separator among characters closes the open character. */
static size_t
end_character(Tokenizer *tok, uint32_t separator, TokenBatch *batch, size_t n)
{
	const TokenBuilder *builder = &tok->builders[0];

	tok->sign = 0;
	if (tok->kind != CHAR_SEPARATOR && builder->length == 1 && !builder->streaming &&
		is_ascii_digit(builder->bytes[0]))
		tok->sign = decimal_sign(tok->norm.form, separator);
	return close_token(tok, batch, n);
}

/* Open the token of a character, after the sign between it and another digit. */
static inline size_t
open_character(Tokenizer *tok, uint32_t c, TokenBatch *batch, size_t n)
{
	n = close_token(tok, batch, n);
	if (tok->sign != 0 && is_ascii_digit(c))
	{
		open_token(tok, CHAR_CJK);
		builder_append(tok, &tok->builders[0], tok->sign);
		n = close_token(tok, batch, n);
	}
	tok->sign = 0;
	open_token(tok, CHAR_CJK);
	return n;
}

/* A letter or mark of a stretch of this kind, in a script without spaces. */
static size_t
add_to_stretch(Tokenizer *tok, int kind, NormChar c, TokenBatch *batch, size_t n)
{
	uint8_t		bytes[4] = {0};
	size_t		length = (size_t) utf8_encode(bytes, NORM_CODE_POINT(c));

	if (tok->kind != kind)
	{
		n = close_token(tok, batch, n);
		open_token(tok, kind);
		tok->letters = 1;
	}
	else if (begins_letter(NORM_KIND(c), NORM_CODE_POINT(c)))
	{
		size_t		most = stretch_letters(kind);

		if (tok->letters < most)
			builder_start(tok, &tok->builders[tok->letters++]);
		else
		{
			n = put_built(tok, &tok->builders[tok->oldest], batch, n);
			builder_start(tok, &tok->builders[tok->oldest]);
			tok->oldest = tok->oldest + 1 < most ? tok->oldest + 1 : 0;
		}
	}
	for (size_t i = 0; i < tok->letters; i++)
	{
		TokenBuilder *builder = &tok->builders[i];

		builder_reserve(tok, builder, sizeof(bytes));
		memcpy(builder->bytes + builder->length, bytes, sizeof(bytes));
		builder->length += length;
	}
	return n;
}

/*
 * Append the first of the n characters, and those behind it, as long as they count as the kind of the
 * open word.  Return their number.
 */
static inline size_t
append_letters(Tokenizer *tok, const uint8_t *kinds, const NormChar *chars, size_t n)
{
	bool		folded = tok->norm.form == UNICODE_FOLDED_NORMALIZED;
	int			kind = tok->kind;
	size_t		i = 0;

	do
	{
		uint32_t	c = NORM_CODE_POINT(chars[i]);

		if (c < 0x80)
			c = native_letter(tok, c);
		else if (tok->script == NO_SCRIPT && folded && is_greek_or_cyrillic(c))
			begin_script(tok, c);
		builder_append(tok, &tok->builders[0], c);
		i++;
	} while (i < n && kinds[NORM_KIND(chars[i])] == kind);
	return i;
}

static size_t
add_chars(Tokenizer *tok, const NormChar *chars, size_t n_chars,
		  TokenBatch *batch, size_t n)
{
	/* for each kind of character, the kind that it counts as */
	static const uint8_t taken_for[][8] = {
		[TOKENS_WORDS] = {
			[CHAR_WORD] = CHAR_WORD,[CHAR_CJK] = CHAR_CJK,[CHAR_SPACELESS] = CHAR_SPACELESS,
			[CHAR_HANGUL] = CHAR_HANGUL,[CHAR_MARK] = CHAR_MARK,[CHAR_NUMBER] = CHAR_NUMBER
		},
		[TOKENS_DICTIONARY_WORDS] = {
			[CHAR_WORD] = CHAR_WORD,[CHAR_CJK] = CHAR_WORD,[CHAR_SPACELESS] = CHAR_WORD,
			[CHAR_HANGUL] = CHAR_WORD,[CHAR_MARK] = CHAR_MARK,[CHAR_NUMBER] = CHAR_NUMBER
		},
		[TOKENS_CHARACTERS] = {
			[CHAR_WORD] = CHAR_CJK,[CHAR_CJK] = CHAR_CJK,[CHAR_SPACELESS] = CHAR_CJK,
			[CHAR_HANGUL] = CHAR_CJK,[CHAR_MARK] = CHAR_MARK,[CHAR_NUMBER] = CHAR_CJK
		}
	};
	const uint8_t *kinds = taken_for[tok->kinds];

	for (size_t i = 0; i < n_chars; i++)
	{
		NormChar	c = chars[i];

		if (tok->n_signs > 0 &&
			keep_sign(tok, NORM_KIND(c), NORM_CODE_POINT(c), batch, &n))
			continue;
		switch (kinds[NORM_KIND(c)])
		{
			case CHAR_SEPARATOR:
				if (stretch_letters(tok->kind) > 0)
					continue;
				if (is_word_sign(NORM_CODE_POINT(c)) && tok->n_signs == 0 &&
					keep_sign(tok, CHAR_SEPARATOR, NORM_CODE_POINT(c), batch, &n))
					continue;
				if (tok->kinds != TOKENS_CHARACTERS)
					n = close_token(tok, batch, n);
				else
					n = end_character(tok, NORM_CODE_POINT(c), batch, n);
				continue;

			case CHAR_WORD:
			case CHAR_NUMBER:
				if (tok->kind != kinds[NORM_KIND(c)])
				{
					n = close_token(tok, batch, n);
					open_token(tok, kinds[NORM_KIND(c)]);
				}
				i += append_letters(tok, kinds, chars + i, n_chars - i) - 1;
				continue;

			case CHAR_CJK:
				n = open_character(tok, NORM_CODE_POINT(c), batch, n);
				break;

			case CHAR_SPACELESS:
			case CHAR_HANGUL:
				n = add_to_stretch(tok, NORM_KIND(c), c, batch, n);
				continue;

			case CHAR_MARK:
				if (stretch_letters(tok->kind) > 0)
				{
					n = add_to_stretch(tok, tok->kind, c, batch, n);
					continue;
				}
				if (tok->kind == CHAR_SEPARATOR)
					open_token(tok, CHAR_WORD);
				tok->sign = 0;
				break;
		}
		builder_append(tok, &tok->builders[0], NORM_CODE_POINT(c));
	}
	return n;
}

/*
 * The unicode_value of the character at p, and its length.  The caller makes sure that 4
 * bytes are readable.  A byte that is not UTF-8 is a separator.
 */
static inline uint32_t
next_value(const Tokenizer *tok, const uint8_t *p, const uint8_t *end, int *length)
{
	uint32_t	cp;

	*length = 3;
	if (is_han(load_le32(p)))
		return CHAR_CJK;
	*length = utf8_decode(p, end, &cp);
	if (*length > 0)
		return unicode_value(tok->norm.form, cp);
	*length = 1;
	return CHAR_SEPARATOR;
}

/*
 * Read a stretch of Chinese and Japanese characters that are their own normal form,
 * with separators between them.  The last token is provisional until the character after
 * it is known not to be a mark.  The function leaves a provisional token to others.
 */
static size_t
add_cjk(Tokenizer *tok, TokenBatch *batch, size_t n)
{
	const uint8_t *p = tok->norm.p;
	const uint8_t *end = tok->norm.end;
	const uint8_t *final_end = p;	/* end of the tokens that are final */
	size_t		n_final;

	/*
	 * separators do not fill the batch, so limit the bytes between two checks
	 * for interrupts
	 */
	if (end - p > CJK_STRETCH)
		end = p + CJK_STRETCH;
	n = n_final = close_token(tok, batch, n);
	tok->sign = 0;
	while (end - p >= 4 && n <= TOKEN_BATCH - 2)
	{
		int			length;
		uint32_t	value = next_value(tok, p, end, &length);

		if (value == CHAR_SEPARATOR)
		{
			p += length;
			n_final = n;
			final_end = p;
			continue;
		}
		if (value != CHAR_CJK || length != 3)
		{
			if (value == CHAR_WORD || *p < 0x80)
			{
				n_final = n;
				final_end = p;
			}
			break;
		}
		n_final = n;
		final_end = p;
		n = put_short(batch, n, load_le32(p) & 0xFFFFFF, 3);
		p += 3;
		if (han_at(p, end))
		{
			/* after one Chinese character, another is likely */
			n_final = n;
			final_end = p;
			n = put_short(batch, n, load_le32(p) & 0xFFFFFF, 3);
			p += 3;
		}
	}
	tok->norm.p = final_end;
	return n_final;
}

/* Append length ASCII letters and digits to the open token. */
static inline void
append_ascii(Tokenizer *tok, const uint8_t *p, size_t length)
{
	TokenBuilder *builder = &tok->builders[0];
	uint8_t    *to;

	builder_reserve(tok, builder, length);
	to = builder->bytes + builder->length;
	for (size_t i = 0; i < length; i++)
		to[i] = p[i] | (uint8_t) tok->ascii_fold;
	builder->length += length;
}

/* Append length ASCII letters and digits to the open word, which is of another script. */
static void
append_native(Tokenizer *tok, const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < length; i++)
		builder_append(tok, &tok->builders[0], native_letter(tok, p[i] | (uint8_t) tok->ascii_fold));
}

/*
 * Store a whole word of ASCII letters and digits.  Setting bit 5 turns them to
 * lower case: fold sets that bit in 8 bytes, or is 0.  16 bytes are readable at p.
 */
static inline size_t
put_ascii_word(const uint8_t *p, unsigned int length, uint64_t fold,
			   TokenBatch *batch, size_t n)
{
	uint64_t	low = load_le64(p) | fold;
	uint8_t		bytes[ASCII_BLOCK];

	if (length <= 8)
		return put_short(batch, n, low_bytes(low, length), length);
	if (length <= 16)
		return put_hash(batch, n, token_hash_9to16(low, load_le64(p + length - 8) | fold,
												   length));
	for (unsigned int i = 0; i < length; i++)
		bytes[i] = p[i] | (uint8_t) fold;
	return put_hash(batch, n, XXH3_64bits(bytes, length));
}

size_t
core_add_signs(const uint8_t *bytes, size_t n, bool ended, bool behind_letter, uint64_t signs,
			   uint64_t *word)
{
	uint64_t	first = signs & (*word << 1 | behind_letter);

	for (; first != 0; first &= first - 1)
	{
		size_t		start = (size_t) lowest_bit(first);
		size_t		end = start + 1;

		if (start > 0 && !is_ascii_letter(bytes[start - 1]))
			continue;
		while (end < n && end - start < MOST_WORD_SIGNS && (signs >> end & 1) != 0)
			end++;
		if (end == n && !ended)
			return start;
		if (end == n || ((signs | *word) >> end & 1) == 0)
			*word |= ((UINT64_C(1) << (end - start)) - 1) << start;
	}
	return n;
}

/* The ASCII at the beginning of the next 64 bytes of a text. */
typedef struct AsciiBlock
{
	const uint8_t *bytes;
	size_t		valid;			/* number of ASCII bytes before any other */
	bool		ended;			/* does the last word end at the last byte? */
	uint64_t	word;			/* the valid bytes that belong to words */
	uint8_t		padded[ASCII_BLOCK + ASCII_SLACK];	/* the end of the text */
} AsciiBlock;

/* Add the signs that belong to words; "signs" has bits of + and #, also behind the valid bytes. */
static void
add_signs_to_block(const Tokenizer *tok, AsciiBlock *block, uint64_t signs)
{
	size_t		valid;

	if (block->valid < ASCII_BLOCK)
		signs &= (UINT64_C(1) << block->valid) - 1;
	if (tok->kind == CHAR_WORD && tok->script != NO_SCRIPT)
		signs = without_first_sign(signs, block->word);
	valid = core_add_signs(block->bytes, block->valid, block->ended, is_behind_letter(tok), signs,
						   &block->word);
	if (valid < block->valid)
	{
		block->valid = valid;
		block->word &= (UINT64_C(1) << valid) - 1;
		block->ended = false;
	}
}

static inline void
read_ascii_block(const Tokenizer *tok, AsciiBlock *block)
{
	const uint8_t *text = tok->norm.p;
	size_t		left = (size_t) (tok->norm.end - text);
	uint64_t	other;			/* the bytes that are not ASCII */
	uint64_t	signs;

	block->bytes = text;
	block->valid = ASCII_BLOCK;
	block->ended = false;
	if (left < sizeof(block->padded))
	{
		/* zeros are separators, so a word ends at the end of the text */
		memcpy(block->padded, text, left);
		memset(block->padded + left, 0, sizeof(block->padded) - left);
		block->bytes = block->padded;
	}
	block->word = ascii_block(block->bytes, &other, &signs);
	if (other != 0)
	{
		block->valid = (size_t) lowest_bit(other);
		block->word &= (UINT64_C(1) << block->valid) - 1;
		block->ended = tok->kinds == TOKENS_WORDS &&
			han_at(text + block->valid, tok->norm.end);
	}
	if (signs != 0 && tok->kinds == TOKENS_WORDS)
		add_signs_to_block(tok, block, signs);
}

/*
 * Append the bytes at the beginning of the block to the open word if there is one.
 * Return false if the word continues behind the block.
 */
static inline bool
continue_word(Tokenizer *tok, AsciiBlock *block)
{
	size_t		length;

	if (tok->kind != CHAR_WORD || (block->word & 1) == 0)
		return true;
	length = ~block->word == 0 ? ASCII_BLOCK : (size_t) lowest_bit(~block->word);
	if (tok->script == NO_SCRIPT)
		append_ascii(tok, block->bytes, length);
	else
		append_native(tok, block->bytes, length);
	block->word &= block->word + 1;
	return length < block->valid || block->ended;
}

/*
 * Read the words that begin and end in the block.  *starts becomes the bit where a
 * word begins that continues behind the block, or 0.
 */
static inline size_t
put_ended_words(const Tokenizer *tok, const AsciiBlock *block, uint64_t *starts,
				TokenBatch *batch, size_t n)
{
	uint64_t	ends = ~block->word & (block->word << 1);

	*starts = block->word & ~(block->word << 1);
	if (block->valid < ASCII_BLOCK && !block->ended)
		ends &= ~(UINT64_C(1) << block->valid);
	for (; ends != 0; ends &= ends - 1)
	{
		unsigned int start = (unsigned int) lowest_bit(*starts);
		unsigned int end = (unsigned int) lowest_bit(ends);

		*starts &= *starts - 1;
		n = put_ascii_word(block->bytes + start, end - start, tok->ascii_fold,
						   batch, n);
	}
	return n;
}

/*
 * The last word continues behind the block or in other characters.  If it continues
 * behind the block, begin the next block with this word, because that is faster.  A
 * word that fills the block cannot wait.  Return the number of finished bytes of the
 * block.
 */
static inline size_t
open_last_word(Tokenizer *tok, const AsciiBlock *block, size_t start)
{
	if (block->valid == ASCII_BLOCK && start > 0)
		return start;
	open_token(tok, CHAR_WORD);
	append_ascii(tok, block->bytes + start, block->valid - start);
	return block->valid;
}

/* Read the words that end in a block of text whose first byte is ASCII. */
static size_t
add_ascii(Tokenizer *tok, TokenBatch *batch, size_t n)
{
	size_t		left = (size_t) (tok->norm.end - tok->norm.p);
	AsciiBlock	block;
	size_t		finished;
	uint64_t	starts;

	read_ascii_block(tok, &block);
	if (block.valid == 0)
		return n;
	finished = block.valid;
	if (continue_word(tok, &block))
	{
		n = close_token(tok, batch, n);
		n = put_ended_words(tok, &block, &starts, batch, n);
		if (starts != 0)
			finished = open_last_word(tok, &block, (size_t) lowest_bit(starts));
	}
	tok->norm.p += finished < left ? finished : left;
	return n;
}

/* Read the characters of up to 8 bytes of ASCII. */
static size_t
add_ascii_characters(Tokenizer *tok, TokenBatch *batch, size_t n)
{
	uint64_t	bytes = load_le64(tok->norm.p);
	unsigned int letters = ascii_word_bits(bytes);
	uint64_t	other = bytes & BYTES_ALL(0x80);
	size_t		n_ascii = other == 0 ? 8 : (size_t) lowest_bit(other) / 8;

	for (size_t i = 0; i < n_ascii; i++)
	{
		uint8_t		c = tok->norm.p[i];

		if ((letters >> i & 1) != 0)
		{
			/* leave it open: marks may follow */
			n = open_character(tok, c, batch, n);
			append_ascii(tok, tok->norm.p + i, 1);
		}
		else
			n = end_character(tok, c, batch, n);
	}
	tok->norm.p += n_ascii;
	return n;
}

/*
 * Read the words and Chinese characters of a block of text, up to the first
 * character that needs another way.  No token is open.
 */
static size_t
add_words_and_cjk(Tokenizer *tok, TokenBatch *batch, size_t n)
{
	size_t		n_block;

	tok->norm.p += core_token_kernel()->read_64(tok->norm.p, (size_t) (tok->norm.end - tok->norm.p),
												(uint8_t) tok->ascii_fold, batch->tokens + n,
												batch->lengths + n, &n_block);
	return n + n_block;
}

/* Skip the separators of ASCII within a stretch of a script without spaces. */
static void
skip_separators(Tokenizer *tok)
{
	const uint8_t *p = tok->norm.p;
	const uint8_t *end = tok->norm.end;

	/* limit the bytes between two checks for interrupts */
	if (end - p > CJK_STRETCH)
		end = p + CJK_STRETCH;
	while (p < end && *p < 0x80 && !is_ascii_word(*p))
		p++;
	tok->norm.p = p;
}

/*
 * Read the next tokens in a fast way, if there is one.  Return false if there is
 * none, or if it made no progress: the slow way always makes progress, so that the
 * loop ends.  A listener wants to see bytes that the fast ways do not put together.
 */
static inline bool
add_fast(Tokenizer *tok, TokenBatch *batch, size_t *n)
{
	const Normalizer *norm = &tok->norm;
	const uint8_t *start = norm->p;

	if (norm->run != NULL || tok->listener != NULL || tok->n_signs > 0)
		return false;
	if (stretch_letters(tok->kind) > 0 && *start < 0x80 && !is_ascii_word(*start))
	{
		skip_separators(tok);
		return true;
	}
	if (core_token_kernel()->read_64 != NULL && tok->kinds == TOKENS_WORDS &&
		tok->kind == CHAR_SEPARATOR)
	{
		*n = add_words_and_cjk(tok, batch, *n);
		if (norm->p != start)
			return true;
	}
	if (ascii_ahead(start, norm->end))
	{
		if (tok->kinds == TOKENS_CHARACTERS)
			*n = add_ascii_characters(tok, batch, *n);
		else
			*n = add_ascii(tok, batch, *n);
	}
	else if (tok->kinds != TOKENS_DICTIONARY_WORDS && han_ahead(start, norm->end))
		*n = add_cjk(tok, batch, *n);
	return norm->p != start;
}

bool
core_tokens_next(Tokenizer *tok, uint64_t *hashes, size_t *n)
{
	Normalizer *norm = &tok->norm;
	TokenBatch	batch;
	size_t		n_tokens = 0;

	if (normalizer_at_end(norm) && tok->kind == CHAR_SEPARATOR &&
		norm->end == tok->end)
	{
		*n = 0;
		return false;
	}
	batch.tokens = hashes;
	while (n_tokens <= TOKEN_BATCH - MOST_TOKENS)
	{
		if (normalizer_at_end(norm))
		{
			n_tokens = close_token(tok, &batch, n_tokens);
			if (norm->end == tok->end)
				break;
			next_stretch(tok);
			continue;
		}
		if (norm->run == NULL)
			normalizer_check(norm, norm->p);
		if (!add_fast(tok, &batch, &n_tokens))
		{
			NormChar	chars[NORM_BATCH];
			size_t		n_chars = core_normalize(norm, chars);

			n_tokens = add_chars(tok, chars, n_chars, &batch, n_tokens);
		}
	}
	core_token_kernel()->hash_tokens(hashes, batch.lengths, n_tokens);
	*n = n_tokens;
	return true;
}
