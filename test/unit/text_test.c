/*
 * Tests of the text fingerprint: against the reference implementation, against
 * Unicode's own normalisation tests, and against values that must never change.
 *
 * Usage: text_test [directory of the Unicode Character Database | --pins].
 */
#define _POSIX_C_SOURCE 200809L /* popen */

#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "../../src/core/text/features/counts.h"
#include "../../src/core/text/features/distinct_features.h"
#include "../../src/core/text/features/list_features.h"
#include "../../src/core/text/features/text_features.h"
#include "../../src/core/text/kernels/token_hash.h"
#include "../../src/core/text/kernels/token_kernels.h"
#include "../../src/core/text/methods/fingerprint.h"
#include "../../src/core/text/methods/minwise.h"
#include "../../src/core/text/methods/salts.h"
#include "../../src/core/text/methods/unit_votes.h"
#include "../../src/core/text/unicode/ascii_block.h"
#include "../../src/core/text/unicode/unicode.h"
#include "pinned.h"
#include "reference.h"
#include "texts.h"

typedef bool (*TextFunction) (const char *utf8, size_t len,
							  const TextOptions *options, const Env *env,
							  int words, uint64_t *fingerprint);

static TextOptions options = TEXT_OPTIONS_DEFAULT;

/* The result of a function for bytes in a block of exactly their size */
static bool
exact_by(TextFunction function, const unsigned char *text, size_t len,
		 uint64_t salt, int words, uint64_t *fingerprint)
{
	char	   *copy = malloc(len > 0 ? len : 1);
	Env			env = test_env(salt);
	bool		found;

	if (len > 0)
		memcpy(copy, text, len);
	found = function(len > 0 ? copy : copy + 1, len, &options, &env, words,
					 fingerprint);
	free(copy);
	if (live_bytes != 0)
	{
		fprintf(stderr, "memory not released\n");
		abort();
	}
	return found;
}

static bool
exact(const unsigned char *text, size_t len, uint64_t salt, uint64_t *fingerprint)
{
	return exact_by(core_of_text, text, len, salt, 1, fingerprint);
}

static uint64_t
simhash(const char *text)
{
	uint64_t	fingerprint = 0;

	if (!exact((const unsigned char *) text, strlen(text), 1, &fingerprint))
		return 0;
	return fingerprint;
}

static uint64_t
minwise(const char *text)
{
	uint64_t	fingerprint = 0;

	if (!exact_by(core_minwise_text, (const unsigned char *) text,
				  strlen(text), 1, 1, &fingerprint))
		return 0;
	return fingerprint;
}

static bool
has_token(const char *text)
{
	uint64_t	fingerprint;

	return exact((const unsigned char *) text, strlen(text), 1, &fingerprint);
}

static uint64_t
xxh3(const char *text)
{
	return XXH3_64bits(text, strlen(text));
}

/* ---------- values that must never change ---------- */

static void
test_pins(bool fp)
{
	for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
	{
		uint64_t	fingerprint = simhash(pins[i].text);
		uint64_t	min = minwise(pins[i].text);

		if (fp)
		{
			printf("%016" PRIx64 " %016" PRIx64 "  %-12s %s\n", fingerprint, min,
				   pins[i].name, pins[i].text);
			continue;
		}
		check(fingerprint == pins[i].fingerprint,
			  "pinned: %s is %016" PRIx64 ", got %016" PRIx64, pins[i].name,
			  pins[i].fingerprint, fingerprint);
		check(min == pins[i].minwise,
			  "pinned, min-wise: %s is %016" PRIx64 ", got %016" PRIx64,
			  pins[i].name, pins[i].minwise, min);
	}
}

static void
test_wide_pins(void)
{
	static const uint64_t salts[] = {
		0, UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4),
		UINT64_C(0x06C45D188009454F), UINT64_C(0xF88BB8A8724C81EC),
		UINT64_C(0x1B39896A51A8749B), UINT64_C(0x53CB9F0C747EA2EA),
		UINT64_C(0x2C829ABE1F4532E1)
	};
	int			wrong = 0;

	for (size_t i = 0; i < sizeof(salts) / sizeof(salts[0]); i++)
		wrong += word_salt((int) i) != salts[i];
	check(wrong == 0, "pinned: salts of words");

	for (size_t i = 0; i < sizeof(wide_pins) / sizeof(wide_pins[0]); i++)
	{
		const unsigned char *text = (const unsigned char *) wide_pins[i].text;
		size_t		len = strlen(wide_pins[i].text);

		wrong = 0;
		for (int words = 1; words <= MOST_WORDS; words++)
		{
			/* one more word, which must not change */
			uint64_t	got[2][MOST_WORDS + 1];
			size_t		size = (size_t) (words < 4 ? words : 4) * sizeof(uint64_t);

			got[0][words] = got[1][words] = 42;
			if (!exact_by(core_of_text, text, len, 1, words, got[0]) ||
				!exact_by(core_minwise_text, text, len, 1, words, got[1]) ||
				memcmp(got[0], wide_pins[i].fingerprint, size) != 0 ||
				memcmp(got[1], wide_pins[i].minwise, size) != 0 ||
				got[0][words] != 42 || got[1][words] != 42)
				wrong++;
		}
		check(wrong == 0, "pinned, wide: %s", wide_pins[i].text);
	}
}

/* ---------- the parts ---------- */

static void
test_token_hash(void)
{
	static const unsigned char secret[] = {
		0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe
	};
	unsigned char bytes[400];
	int			wrong = 0;

	/* XXH3 from its specification: the first bytes of its secret */
	check(memcmp(XXH3_kSecret, secret, sizeof(secret)) == 0 &&
		  XXH3_64bits("", 0) == UINT64_C(0x2D06800538D394C2),
		  "XXH3 is the frozen one");
	for (size_t length = 1; length <= 300; length++)
	{
		for (int i = 0; i < 100; i++)
		{
			size_t		at = below(16);

			for (size_t k = 0; k < sizeof(bytes); k++)
				bytes[k] = (unsigned char) random64();
			if (token_hash(bytes + at, length) != XXH3_64bits(bytes + at, length))
				wrong++;
		}
	}
	check(wrong == 0, "short tokens' hash is XXH3's");
}

/*
 * The loops for each kind of processor that this machine supports, at every length.
 */
static void
test_batch(void)
{
	const TokenKernel *scalar = &core_token_kernels[core_n_token_kernels - 1];

	for (int k = 0; k < core_n_token_kernels; k++)
	{
		const TokenKernel *kernel = &core_token_kernels[k];
		int			wrong = 0;

		if (!kernel->supported())
		{
			printf("# skipped: this machine has no %s\n", kernel->name);
			continue;
		}
		for (size_t n = 0; n <= 1000; n++)
		{
			/* one more place, which must not change */
			uint64_t	in[1002];
			uint64_t	got[2][1002];
			uint8_t		lengths[1001];
			uint64_t	salt;
			uint64_t	bins[3][MINWISE_BINS];
			size_t		i;

			for (int round = 0; round < 3; round++)
			{
				for (i = 0; i <= n + 1; i++)
				{
					in[i] = round == 1 ? random64() & 3 : random64();
					got[0][i] = got[1][i] = 42;
				}
				scalar->pairs(in, n, got[0]);
				kernel->pairs(in, n, got[1]);
				for (i = 0; i <= n; i++)
				{
					if (got[0][i] != got[1][i] ||
						got[0][i] != (i == n ? 42 : feature_pair(in[i], in[i + 1])))
						wrong++;
				}

				salt = round == 0 ? 0 : random64();
				for (i = 0; i <= n; i++)
					got[0][i] = got[1][i] = 42;
				scalar->mix(in, n, salt, got[0]);
				kernel->mix(in, n, salt, got[1]);
				for (i = 0; i <= n; i++)
				{
					if (got[0][i] != got[1][i] ||
						got[0][i] != (i == n ? 42 : mix64(in[i] ^ salt)))
						wrong++;
				}

				/* bins that are empty, or have ranks of many or few hashes */
				for (i = 0; i < MINWISE_BINS; i++)
					bins[0][i] = round == 0 ? MINWISE_EMPTY : random64() >> n % 40 << 6;
				memcpy(bins[1], bins[0], sizeof(bins[0]));
				memcpy(bins[2], bins[0], sizeof(bins[0]));
				scalar->add_to_bins(bins[0], in, n, salt);
				kernel->add_to_bins(bins[1], in, n, salt);
				for (i = 0; i < n; i++)
				{
					uint64_t	y = mix64(in[i] ^ salt);

					if (y << 6 < bins[2][y >> 58])
						bins[2][y >> 58] = y << 6;
				}
				if (memcmp(bins[0], bins[2], sizeof(bins[0])) != 0 ||
					memcmp(bins[1], bins[2], sizeof(bins[0])) != 0)
					wrong++;

				for (i = 0; i < n; i++)
				{
					lengths[i] = (uint8_t) (round == 1 ? 3 - (below(9) == 0) * below(4) : below(9));
					if (lengths[i] > 0)
						in[i] = random64() >> (64 - 8 * lengths[i]);
					got[0][i] = got[1][i] = in[i];
				}
				got[1][n] = 42;
				scalar->hash_tokens(got[0], lengths, n);
				kernel->hash_tokens(got[1], lengths, n);
				for (i = 0; i < n; i++)
				{
					uint64_t	expected = in[i];
					unsigned char bytes[16];	/* gcc fears for more than 8 */

					for (int b = 0; b < 8; b++)
						bytes[b] = (unsigned char) (in[i] >> (8 * b));
					if (lengths[i] > 0)
						expected = XXH3_64bits(bytes, lengths[i]);
					if (got[0][i] != expected || got[1][i] != expected)
						wrong++;
				}
				if (got[1][n] != 42)
					wrong++;
			}
		}
		check(wrong == 0, "loops over batches: %s, of every length to 1000", kernel->name);

		/* any bin alone, and any number of bins */
		wrong = 0;
		for (size_t n = 0; n < 64 * 200; n++)
		{
			uint64_t	bins[MINWISE_BINS + 1];
			size_t		n_filled = n < 64 ? 1 : n / 200 + 1;

			for (size_t i = 0; i < MINWISE_BINS; i++)
				bins[i] = MINWISE_EMPTY;
			for (size_t i = 0; i < n_filled; i++)
				bins[n < 64 ? n : below(MINWISE_BINS)] = below(20) == 0 ? 0 : random64() << 6;
			if (kernel->bits_of_bins(bins) != scalar->bits_of_bins(bins))
				wrong++;
		}
		check(wrong == 0, "bits of bins: %s", kernel->name);
	}
}

/* The same without a call of the tested code */
static size_t
encode(unsigned char *p, uint32_t cp)
{
	size_t		more = cp < 0x80 ? 0 : cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};

	p[0] = (unsigned char) (lead[more] | cp >> (6 * more));
	for (size_t i = 1; i <= more; i++)
		p[i] = (unsigned char) (0x80 | (cp >> (6 * (more - i)) & 0x3F));
	return more + 1;
}

/* Is it a separator of 3 bytes that read_64 knows? */
static bool
is_common_separator(uint32_t cp)
{
	return (cp >= 0x2014 && cp <= 0x2016) || (cp >= 0x2018 && cp <= 0x201F) ||
		cp == 0x2026 || (cp >= 0x3000 && cp <= 0x3003) ||
		(cp >= 0x3008 && cp <= 0x3020) || (cp >= 0xFF01 && cp <= 0xFF0F && cp != 0xFF03 && cp != 0xFF0B) ||
		(cp >= 0xFF1A && cp <= 0xFF20);
}

/* The expected result of read_64 for a text, character by character */
static size_t
expected_block(const unsigned char *text, size_t len, uint8_t fold, uint64_t *hashes,
			   size_t *n_tokens)
{
	size_t		at = 0;
	size_t		start = 0;
	bool		open = false;

	*n_tokens = 0;
	for (;;)
	{
		uint32_t	cp = 0;
		int			length = at < len && at < 64 ? utf8_decode(text + at, text + len, &cp) : 0;
		bool		han = length == 3 && at <= 61 && cp >= 0x4E00 && cp <= 0x9FFF;
		bool		word = length == 1 && ((cp >= '0' && cp <= '9') ||
										   ((cp | 0x20) >= 'a' && (cp | 0x20) <= 'z'));
		bool		may_belong = open && text[at - 1] < 0x80 && (cp == '+' || cp == '#') &&
			!(at + 1 < len && at < 63 && is_ascii_word(text[at + 1]));
		bool		known = (length == 1 && !may_belong) || han ||
			(length == 3 && at <= 61 && is_common_separator(cp));

		if (!known && at < len)
			return open ? start : at;
		if (at == 64)
			return open ? start : at;
		if (open && !(word && text[at - 1] < 0x80))
		{
			unsigned char token[64];

			for (size_t i = start; i < at; i++)
				token[i - start] = (unsigned char) (text[i] | (text[i] < 0x80 ? fold : 0));
			hashes[(*n_tokens)++] = XXH3_64bits(token, at - start);
			open = false;
		}
		if (at == len)
			return at;
		if ((han || word) && !open)
		{
			start = at;
			open = true;
		}
		at += (size_t) length;
	}
}

static void
test_read_block(void)
{
	static const uint32_t ranges[][2] = {
		{0x4E00, 0x9FFF}, {'a', 'z'}, {' ', ' '}, {0x2010, 0x2030}, {0x3000, 0x3025},
		{0xFF00, 0xFF22}, {0, 0x7F}, {0x4DF8, 0x4E08}, {0x9FF8, 0xA008}, {0x800, 0xFFFF},
		{0x3041, 0x30FF}, {0x80, 0x7FF}, {0x300, 0x32F}, {0x10000, 0x10FFFF}
	};
	static const uint32_t forms[] = {
		UNICODE_FOLDED_NORMALIZED, UNICODE_NORMALIZED, UNICODE_CASE_FOLDED, UNICODE_AS_IS
	};

	for (int k = 0; k < core_n_token_kernels; k++)
	{
		const TokenKernel *kernel = &core_token_kernels[k];
		uint64_t	tokens[MOST_TOKENS_OF_64 + 1];
		uint8_t		lengths[MOST_TOKENS_OF_64 + 1];
		size_t		n_tokens;
		size_t		n_read;
		int			wrong = 0;

		if (kernel->read_64 == NULL || !kernel->supported())
			continue;

		for (uint32_t cp = 0; cp < 0x10000; cp++)
		{
			unsigned char text[10];
			size_t		own;

			if (cp >= 0x80 && cp < 0x800)
				continue;
			own = encode(text, cp);
			encode(text + own, 0x4E00);
			encode(text + own + 3, 0x300);
			n_read = kernel->read_64(text, own + 5, 0, tokens, lengths, &n_tokens);
			if (n_read != own * (cp < 0x80 || (cp >= 0x4E00 && cp <= 0x9FFF) || is_common_separator(cp)))
				wrong++;
			for (size_t i = 0; i < 4 && n_read > 0; i++)
			{
				uint32_t	kind = unicode_value(forms[i], cp) & 7;

				if ((n_tokens == 0) != (kind == CHAR_SEPARATOR) ||
					(cp >= 0x80 && n_tokens > 0 && kind != CHAR_CJK))
					wrong++;
			}
		}
		check(wrong == 0, "blocks of text, %s: every character is what the tables say",
			  kernel->name);

		wrong = 0;
		for (int round = 0; round < 60; round++)
		{
			for (size_t len = 1; len <= 1000; len++)
			{
				/* of exactly that size, for checkers of memory */
				unsigned char *text = malloc(len);
				uint8_t		fold = below(2) == 0 ? 0x20 : 0;
				uint64_t	expected[64];
				size_t		n_expected;
				size_t		at = 0;
				uint32_t	kinds = 1 + below(14);
				uint32_t	run = 1 + below(12);

				while (at + 4 <= len)
				{
					const uint32_t *range = ranges[below(2) == 0 ? below(3) : below(kinds)];
					uint32_t	n = 1 + below(run);

					for (; n > 0 && at + 4 <= len; n--)
						at += encode(text + at, range[0] + below(range[1] - range[0] + 1));
				}
				for (; at < len; at++)
					text[at] = (unsigned char) (below(2) == 0 ? 'x' : 0xE4 + below(3));
				if (below(10) == 0)
					text[below((uint32_t) len)] = (unsigned char) random64();

				tokens[MOST_TOKENS_OF_64] = 42;
				lengths[MOST_TOKENS_OF_64] = 42;
				n_read = kernel->read_64(text, len, fold, tokens, lengths, &n_tokens);
				if (tokens[MOST_TOKENS_OF_64] != 42 || lengths[MOST_TOKENS_OF_64] != 42)
					wrong++;
				kernel->hash_tokens(tokens, lengths, n_tokens);
				if (n_read != expected_block(text, len, fold, expected, &n_expected) ||
					n_tokens != n_expected ||
					memcmp(tokens, expected, n_tokens * sizeof(*tokens)) != 0)
					wrong++;
				free(text);
			}
		}
		check(wrong == 0, "blocks of text, %s: of every length to 1000", kernel->name);
	}
}

/* Every byte at every place of a block */
static void
test_ascii_block(void)
{
	unsigned char bytes[ASCII_BLOCK + 16];
	int			wrong = 0;

	for (int round = 0; round < 256 * ASCII_BLOCK * 2; round++)
	{
		uint64_t	others[2];
		uint64_t	words[2];
		uint64_t	signs[2];
		uint64_t	word = 0;
		uint64_t	other = 0;
		uint64_t	sign = 0;
		size_t		at = below(16);

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = round % 2 == 0 ? (unsigned char) random64() :
				(unsigned char) "aZ09 \xE4+#"[below(8)];
		bytes[at + (size_t) round / 2 % ASCII_BLOCK] = (unsigned char) (round / 2 / ASCII_BLOCK);
		for (size_t i = 0; i < ASCII_BLOCK; i++)
		{
			unsigned char c = bytes[at + i];

			if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
				word |= UINT64_C(1) << i;
			if (c >= 0x80)
				other |= UINT64_C(1) << i;
			if (c == '+' || c == '#')
				sign |= UINT64_C(1) << i;
		}
		words[0] = ascii_block(bytes + at, &others[0], &signs[0]);
		words[1] = ascii_block_portable(bytes + at, &others[1], &signs[1]);
		for (size_t i = 0; i < 2; i++)
			wrong += words[i] != word || others[i] != other || signs[i] != sign;
	}
	check(wrong == 0, "letters, digits, signs and others among 64 bytes, with and without SIMD");
}

static void
test_vote(void)
{
	static uint64_t hashes[5000];
	Vote		vote;
	int			wrong = 0;

	for (int round = 0; round < 400; round++)
	{
		size_t		n = below(round < 200 ? 50 : 5000);
		long		sums[64] = {0};
		uint64_t	expected = 0;

		for (size_t i = 0; i < n; i++)
		{
			hashes[i] = random64();
			if (round % 4 == 1)
				hashes[i] |= random64();	/* not balanced */
			if (round % 4 == 2)
				hashes[i] &= random64();
			if (round % 4 == 3 && i % 2 == 1)
				hashes[i] = ~hashes[i - 1]; /* ties between set and clear */
			for (int bit = 0; bit < 64; bit++)
				sums[bit] += (hashes[i] >> bit & 1) != 0 ? 1 : -1;
		}
		for (int bit = 0; bit < 64; bit++)
		{
			if (sums[bit] > 0)
				expected |= UINT64_C(1) << bit;
		}
		core_vote_init(&vote);
		for (size_t i = 0; i < n;)
		{
			size_t		part = below(100);

			if (part > n - i)
				part = n - i;
			core_vote_add(&vote, hashes + i, part);
			i += part;
		}
		if (core_vote_result(&vote) != expected)
			wrong++;
	}
	check(wrong == 0, "the vote is that of 64 counters");

	wrong = 0;
	for (int shift = 1; shift <= 45; shift++)
	{
		/* lane 0: half - 1; lane 1: half; lane 2: half + 1; lane 3: all */
		uint64_t	half = UINT64_C(1) << (shift - 1);
		uint64_t	lanes[4];

		lanes[0] = half - 1;
		lanes[1] = half;
		lanes[2] = half + 1;
		lanes[3] = half * 2;
		core_vote_init(&vote);
		vote.n = half * 2;
		for (int lane = 0; lane < 4; lane++)
		{
			for (int plane = 0; plane < VOTE_PLANES; plane++)
				vote.planes[plane] |= (lanes[lane] >> plane & 1) << lane;
		}
		if (core_vote_result(&vote) != 12)
			wrong++;
		vote.n++;				/* half of an odd number */
		if (core_vote_result(&vote) != 12)
			wrong++;
	}
	check(wrong == 0, "the majority is right up to 2^45 features");
}

/*
 * Weights of any size: the expected sums are integers of 128 bits, which hold some
 * of them exactly.
 */
static void
test_tally(void)
{
	int			wrong = 0;

	for (int round = 0; round < rounds(2000); round++)
	{
		size_t		n = below(60) + 1;
		int			range = round % 2 == 0 ? 50 : 5;
		uint64_t	hashes[60];
		double		weights[60];
		double		scale = ldexp(1, (int) below(1900) - 1000);
		__int128	sums[64] = {0};
		uint64_t	expected = 0;
		uint64_t	got[3];
		Tally		tally;
		Tally		parts[2];
		Env			env = test_env(1);
		size_t		i;

		if (round % 4 >= 2)
			scale = 1;
		for (i = 0; i < n; i++)
		{
			int64_t		w = (int64_t) below(1000) << below((uint32_t) range);

			if (below(3) == 0)
				w = 1;
			if (below(3) == 0)
				w = -w;
			hashes[i] = below(3) == 0 && i > 0 ? ~hashes[i - 1] : random64();
			weights[i] = (double) w * scale;
			for (int bit = 0; bit < 64; bit++)
				sums[bit] += (hashes[i] >> bit & 1) != 0 ? w : -w;
		}
		for (int bit = 0; bit < 64; bit++)
			expected |= (uint64_t) (sums[bit] > 0) << bit;

		core_tally_init(&tally, 1);
		core_tally_init(&parts[0], 1);
		core_tally_init(&parts[1], 1);
		for (i = 0; i < n; i++)
		{
			core_tally_add(&tally, 1, hashes[i], weights[i], &env);
			core_tally_add(&parts[below(2)], 1, hashes[n - 1 - i], weights[n - 1 - i], &env);

			/*
			 * pretend that there were many votes: the next vote carries
			 * digits
			 */
			if (below(20) == 0 && parts[0].n_limbs > 0)
				parts[0].pending = UINT32_C(1) << 30;
			if (below(20) == 0 && parts[1].n_limbs > 0)
				parts[1].pending = UINT32_C(1) << 30;
		}
		core_tally_result(&tally, 1, &got[0]);
		core_tally_combine(&parts[0], &parts[1], 1, &env);
		core_tally_result(&parts[0], 1, &got[1]);
		if (got[0] != expected || got[1] != expected)
			wrong++;
		for (int bit = 0; bit < 64; bit++)
		{
			double		sum = (double) sums[bit] * scale;

			if (fabs(core_tally_sum(&parts[0], bit) - sum) > fabs(sum) * 1e-12)
				wrong++;
		}
		core_tally_free(&tally, 1, &env);
		core_tally_free(&parts[0], 1, &env);
		core_tally_free(&parts[1], 1, &env);
	}
	check(wrong == 0, "sums of weights are exact, however they are divided");

	{
		static const double extremes[] = {
			1.7976931348623157e308, 4.9e-324, 1, 1e-300, 0.1, 1e16
		};
		Env			env = test_env(1);
		Tally		tally;
		uint64_t	got;

		wrong = 0;
		core_tally_init(&tally, 1);
		for (int i = 0; i < 100000; i++)
			core_tally_add(&tally, 1, i % 2 == 0 ? 5 : ~UINT64_C(5), extremes[i / 2 % 6], &env);
		core_tally_result(&tally, 1, &got);
		if (got != 0)
			wrong++;			/* all votes cancel */
		core_tally_add(&tally, 1, 6, 4.9e-324, &env);
		core_tally_result(&tally, 1, &got);
		if (got != 6 || core_tally_sum(&tally, 0) != -4.9e-324 ||
			core_tally_sum(&tally, 1) != 4.9e-324)
			wrong++;
		core_tally_free(&tally, 1, &env);
		core_tally_init(&tally, 1);
		for (int i = 0; i < 1000; i++)
			core_tally_add(&tally, 1, 1, extremes[0], &env);
		core_tally_add(&tally, 1, 6, 1, &env);
		core_tally_result(&tally, 1, &got);
		if (got != 1)
			wrong++;
		core_tally_free(&tally, 1, &env);
		core_tally_init(&tally, 1);
		core_tally_add(&tally, 1, 6, 0, &env);
		core_tally_add(&tally, 1, 6, -0.0, &env);
		if (core_tally_result(&tally, 1, &got))
			wrong++;
		check(wrong == 0 && live_bytes == 0, "the largest and the smallest weights");
	}
}

/* Combine tallies whose digits are as large as they may be without a carry */
static void
test_tally_combine(bool half)
{
	const int64_t times = INT64_C(1) << (half ? 29 : 30);
	const double weight = 4294967295.0; /* the largest digit */
	Env			env = test_env(1);
	Tally		parts[8];
	uint64_t	hash = random64();
	uint64_t	got = 0;
	int			wrong = 0;

	for (int i = 0; i < 8; i++)
	{
		core_tally_init(&parts[i], 1);
		core_tally_add(&parts[i], 1, hash, weight, &env);
		/* as if the vote had been added so many times */
		for (int k = 0; k < parts[i].n_limbs * 64; k++)
			parts[i].sums[k] *= times;
		parts[i].pending = (uint32_t) times;
	}
	for (int i = 1; i < 8; i++)
		core_tally_combine(&parts[0], &parts[i], 1, &env);
	core_tally_result(&parts[0], 1, &got);
	for (int i = 0; i < 64; i++)
	{
		double		sum = 8 * weight * (double) times;

		if (core_tally_sum(&parts[0], i) != ((hash >> i & 1) != 0 ? sum : -sum))
			wrong++;
	}
	for (int i = 0; i < 8; i++)
		core_tally_free(&parts[i], 1, &env);
	check(wrong == 0 && got == hash, "%s parts are carried before they are combined",
		  half ? "half full" : "full");
}

static void
test_weights(void)
{
	int			wrong = 0;
	uint32_t	count;

	for (int i = 0; i < 100000; i++)
	{
		double		w;

		count = i < 50000 ? (uint32_t) i + 1 : (uint32_t) random64() | 1;
		w = core_feature_weight(WEIGHT_LOGARITHM, count);
		if (fabs(w - 1 - log2(count)) > 2.0 / 65536 || w * 65536 != floor(w * 65536))
			wrong++;
	}
	check(wrong == 0 && core_feature_weight(WEIGHT_LOGARITHM, 1) == 1 &&
		  core_feature_weight(WEIGHT_LOGARITHM, 1024) == 11 &&
		  core_feature_weight(WEIGHT_LOGARITHM, UINT32_MAX) < 33,
		  "logarithmic weights");
}

static int
compare64(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

static void
test_distinct(void)
{
	static uint64_t all[300000];
	static uint64_t given[300000];
	static uint64_t got[300000];
	int			wrong = 0;

	for (int round = 0; round < 60; round++)
	{
		Env			env = test_env(random64());
		DistinctSet *set = malloc(sizeof(DistinctSet));
		size_t		n = below(round % 20 == 0 ? 300000 : 3000);
		size_t		n_got = 0;
		size_t		n_expected = 0;

		core_distinct_init(set, &env, below(20000));
		for (size_t i = 0; i < n; i++)
		{
			switch (round % 5)
			{
				case 0:
					all[i] = random64();
					break;
				case 1:
					all[i] = random64() % (n / 4 + 1);
					break;
				case 2:
					all[i] = i << 40;	/* the same low bits */
					break;
				case 3:
					all[i] = below(3) == 0 ? 0 : random64() << 63;
					break;
				case 4:
					all[i] = i > 0 && below(2) == 0 ? all[below((uint32_t) i)] : random64();
					break;
			}
		}
		memcpy(given, all, n * sizeof(*all));
		for (size_t i = 0; i < n;)
		{
			size_t		part = below(1024);
			size_t		n_new;

			if (part > n - i)
				part = n - i;
			n_new = core_distinct_add(set, given + i, part);
			memcpy(got + n_got, given + i, n_new * sizeof(*got));
			n_got += n_new;
			i += part;
		}
		core_distinct_free(set);
		free(set);
		if (n > 0)
		{
			qsort(all, n, sizeof(*all), compare64);
			qsort(got, n_got, sizeof(*got), compare64);
		}
		for (size_t i = 0; i < n; i++)
		{
			if (i == 0 || all[i] != all[i - 1])
				all[n_expected++] = all[i];
		}
		if (n_got != n_expected || memcmp(all, got, n_got * sizeof(*got)) != 0 ||
			live_bytes != 0)
			wrong++;
	}
	check(wrong == 0, "the set of features is exact, zero included");
}

/*
 * Memory after each growth of the set: at most 24 bytes a feature, and 36 during
 * the growth.
 */
static void
test_distinct_memory(void)
{
	Env			env = test_env(1);
	DistinctSet *set = malloc(sizeof(DistinctSet));
	double		worst = 0;
	double		worst_ever = 0;
	size_t		n = 0;
	size_t		before = 0;

	core_distinct_init(set, &env, 1000000);
	while (n < 3000000)
	{
		uint64_t	hashes[512];

		for (size_t i = 0; i < 512; i++)
			hashes[i] = mix64(++n);
		core_distinct_add(set, hashes, 512);
		if (live_bytes != before)
		{
			/* the constant is the expected memory of 16384 features */
			double		per_feature = ((double) live_bytes - 262144) / (double) n;
			double		ever = ((double) most_bytes - 262144) / (double) n;

			worst = per_feature > worst ? per_feature : worst;
			worst_ever = ever > worst_ever ? ever : worst_ever;
			before = live_bytes;
		}
	}
	check(worst < 24 && worst_ever < 36 && set->count == n,
		  "the set of features takes %.1f bytes for each, %.1f while it grows", worst,
		  worst_ever);
	core_distinct_free(set);
	free(set);
}

/* ---------- the definition, by hand ---------- */

/*
 * For random sets the distance is binomial with mean 32 (1 - J), even for small
 * sets.  Order, repetition and division make no difference.
 */
static void
test_minwise(void)
{
	static const size_t sizes[] = {1, 2, 5, 20, 64, 300, 2000};
	uint64_t	hashes[2][2000];
	int			wrong = 0;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
	{
		size_t		n = sizes[k];
		int			rounds = n < 100 ? 4000 : 1000;
		double		sum = 0;
		double		expected = 0;

		for (int round = 0; round < rounds; round++)
		{
			size_t		common = n - below((uint32_t) n / 2 + 1);
			uint64_t	fingerprint[3];
			MinWise		min;
			MinWise		other;

			for (size_t i = 0; i < n; i++)
			{
				hashes[0][i] = round % 2 == 0 ? random64() : random64() % 50000;
				hashes[1][i] = i < common ? hashes[0][i] : random64();
			}
			for (size_t i = 0; i < 2; i++)
			{
				core_minwise_init(&min, 1);
				core_minwise_add(&min, 1, hashes[i], n);
				core_minwise_result(&min, 1, &fingerprint[i]);
			}
			for (uint64_t bits = fingerprint[0] ^ fingerprint[1]; bits != 0; bits &= bits - 1)
				sum += 1;
			expected += 32 * (1 - (double) common / (double) (2 * n - common));

			/* the second set again, backwards, in two parts that overlap */
			core_minwise_init(&min, 1);
			core_minwise_init(&other, 1);
			for (size_t i = n; i > n / 3; i--)
				core_minwise_add(&min, 1, &hashes[1][i - 1], 1);
			core_minwise_add(&other, 1, hashes[1], n / 2 + 1);
			core_minwise_combine(&min, &other, 1);
			core_minwise_result(&min, 1, &fingerprint[2]);
			if (fingerprint[2] != fingerprint[1])
				wrong++;
		}
		/* the mean of so many is within .4 in all but one of millions of runs */
		check(sum / rounds - expected / rounds < .4 &&
			  expected / rounds - sum / rounds < .4,
			  "min-wise: sets of %zu, mean distance %.2f, expected %.2f", n,
			  sum / rounds, expected / rounds);
	}
	check(wrong == 0, "min-wise: neither order, repetition nor division matters");
}

/* The fingerprint of two tokens: the majority of their hashes and that of their pair */
static uint64_t
three(uint64_t a, uint64_t b)
{
	uint64_t	p = feature_pair(a, b);

	return (a & b) | (a & p) | (b & p);
}

static void
test_definition(void)
{
	uint64_t	a = xxh3("a");
	uint64_t	b = xxh3("b");

	check(simhash("a") == a, "one token: its hash");
	check(simhash("a a") == (a & feature_pair(a, a)),
		  "two features: a tie gives 0");
	check(simhash("a a a a") == simhash("a a"), "a repeated feature votes once");
	check(simhash("a b") == three(a, b), "three features: majority");
	check(simhash("a b") != simhash("b a"), "order matters");
	check(simhash("a, b.\n") == simhash(" A\tB"),
		  "case, white space and punctuation do not");
	check(!has_token("") && !has_token(" \n\t.,-") && !has_token("\xE2\x80\x8B") &&
		  !has_token("\xEF\xBB\xBF") && !has_token("\xF0\x9F\x98\x80") &&
		  !has_token("\x80\xFF\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80"),
		  "no token: separators, ignorable characters, emoji, bytes not UTF-8");
	check(simhash("e\xCC\x81t\xC3\xA9") == simhash("\xC3\x89te\xCC\x81") &&
		  simhash("\xD0\xB9") == xxh3("\xD0\xB8\xCC\x86"), "composed is decomposed");
	check(simhash("\xEF\xBC\xA1\xEF\xBC\xA2") == simhash("ab"), "full-width is ASCII");
	check(simhash("Stra\xC3\x9F" "e") == simhash("STRASSE"), "full case folding");
	check(simhash("soft\xC2\xADhyphen") == simhash("softhyphen"),
		  "soft hyphens vanish");
	check(simhash("a\xFF" "b") == simhash("a b"),
		  "a byte that is not UTF-8 separates");
	check(simhash("\xE4\xBD\xA0\xE5\xA5\xBD") == simhash("\xE4\xBD\xA0 \xE5\xA5\xBD") &&
		  simhash("\xE4\xBD\xA0") == xxh3("\xE4\xBD\xA0"),
		  "every Chinese character is a token");
	check(simhash("\xE4\xBD\xA0" "a1\xE5\xA5\xBD") == simhash("\xE4\xBD\xA0 a1 \xE5\xA5\xBD"),
		  "a change of kind splits");
	check(simhash("\xE3\x81\x8C") == xxh3("\xE3\x81\x8B\xE3\x82\x99"),
		  "a voiced kana is one token");
	check(simhash("\xE3\x80\x87") == xxh3("\xE3\x80\x87"),
		  "the ideographic zero is a token");
	check(simhash("a\xE3\x83\xBB" "b") == simhash("a b"), "the middle dot separates");
	check(simhash("\xE0\xB8\x81\xE0\xB8\x82") == xxh3("\xE0\xB8\x81\xE0\xB8\x82"),
		  "Thai: two letters are a token");
	check(simhash("\xE0\xB8\x81\xE0\xB8\x82\xE0\xB8\x84\xE0\xB8\x87") ==
		  three(xxh3("\xE0\xB8\x81\xE0\xB8\x82\xE0\xB8\x84"),
				xxh3("\xE0\xB8\x82\xE0\xB8\x84\xE0\xB8\x87")),
		  "Thai: of four letters, every three are a token");
	check(simhash("\xE0\xB8\x81\xE0\xB8\x82\xE0\xB8\x84\xE0\xB8\x87") ==
		  simhash("\xE0\xB8\x81\xE0\xB8\x82          \r\n\xE0\xB8\x84\xC2\xA0\xE0\xB8\x87\n"),
		  "Thai: white space separates nothing");
	check(simhash("\xE0\xB8\x81\xE0\xB8\x82\xE0\xB8\x84\xE0\xB8\x87") ==
		  simhash("\xE0\xB8\x81, \xE0\xB8\x82(\xE0\xB8\x84)... \xE2\x80\x9C\xE0\xB8\x87") &&
		  simhash("한국은 여름") == simhash("한, 국은. ----------여름!"),
		  "Thai, Korean: punctuation separates nothing");
	check(simhash("\xED\x95\x9C") == xxh3("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"),
		  "Hangul is its jamo");
	check(simhash(".\xCC\x81.") == xxh3("\xCC\x81"), "a mark alone is a token");
	check(!has_token(". \xCC\x81.") && !has_token("\xC2\xB4"), "a mark behind a space is none");
	check(simhash("sea¹² was") == simhash("sea[12] was") && simhash("10⁶") == simhash("10 6") &&
		  simhash("x²y") == simhash("x 2 y") && simhash("H₂O") == simhash("H2O"),
		  "superscript digits are a number of their own");
	check(simhash("½") == simhash("1/2") && simhash("1½ kg") == simhash("1 1/2 kg"),
		  "a fraction is two numbers");
	check(simhash("art. 5º") == simhash("art. 5°") && simhash("20 ºC") == simhash("20 °C") &&
		  simhash("1.ª") == simhash("1"), "ordinal indicators are signs");
	check(simhash("ቁጥር ፲፭") != simhash("ቁጥር ፲፮") && simhash("፲፭") == xxh3("፲፭") &&
		  simhash("價〡〢元") == simhash("價 〡〢 元") && simhash("Ⅷ") == xxh3("viii"),
		  "numerals are parts of words");
	check(simhash("二○一○年") == simhash("二〇一〇年") && simhash("二 ◯○八") == simhash("二〇〇八") &&
		  simhash("○八") == simhash("八") && simhash("人○八") == simhash("人八") &&
		  simhash("二，○") == simhash("二"), "a circle behind a numeral is a zero");
	check(simhash("C++") == xxh3("c++") && simhash("BasicVSR++, C#.") == simhash("BASICVSR++ C# -") &&
		  simhash("C++") == simhash("Ｃ＋＋") && simhash("C++") != simhash("C") &&
		  simhash("C++语言") == simhash("C++ 语言") && simhash("a+b") == simhash("a b") &&
		  simhash("#tag +49 5+ a+++ C++11 a#é") == simhash("tag 49 5 a C 11 a é"),
		  "signs + and # behind a word");
	check(simhash("Довiдник цiн") == simhash("Довідник цін") && simhash("iмпорт") == simhash("імпорт") &&
		  simhash("хæххон бæстæ") == simhash("хӕххон бӕстӕ") && simhash("Чăваш çĕнĕ") == simhash("Чӑваш ҫӗнӗ") &&
		  simhash("MOCKBА") == simhash("москва") && simhash("KAΛHMEPA") == simhash("καλημερα") &&
		  simhash("OKNA вода") == simhash("okna вода") && simhash("OKNA вода") != simhash("окна вода"),
		  "letters of ASCII in Greek and Cyrillic words");
	check(simhash("ھەموو ھاوڕێ") == simhash("هەموو هاوڕێ"), "heh in two forms");
	check(simhash("it\xC2\xB4s") == simhash("it's") && simhash("it\xCA\xBCs") == simhash("it's"),
		  "apostrophes separate");
	check(simhash("Cr\xC3\xA8me Br\xC3\xBBl\xC3\xA9" "e") == simhash("CREME BRULEE") &&
		  simhash("\xD0\x81\xD0\xB6") == simhash("\xD0\xB5\xD0\xB6") &&
		  simhash("\xD0\x99") != simhash("\xD0\x98"), "marks that may be left out");
	check(simhash("\xE1\xBE\xB4") == simhash("\xCE\xB1\xCD\x85\xCC\x81") &&
		  simhash("\xE1\xBE\xB4") == xxh3("\xCE\xB1\xCE\xB9"),
		  "ypogegrammeni becomes iota after ordering");
}

/* ---------- random texts ---------- */

static const uint32_t pools[][2] = {
	{'a', 'z'}, {'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {' ', '/'}, {' ', ' '},
	{0x00, 0x7F}, {0xA0, 0x17F}, {0xAD, 0xAD}, {0x180, 0x24F}, {0x300, 0x36F},
	{0x344, 0x345}, {0x34F, 0x34F}, {0x370, 0x3FF}, {0x400, 0x52F}, {0x590, 0x5FF},
	{0x600, 0x6FF}, {0x900, 0x97F}, {0xB80, 0xBFF}, {0xE00, 0xE7F}, {0xE01, 0xE2E},
	{0xE30, 0xE3A}, {0xE32, 0xE33}, {0xE48, 0xE4D}, {0xE80, 0xEFF}, {0xEB2, 0xEB3}, {0xEC8, 0xECD},
	{0x980, 0xA7F}, {0xD00, 0xD7F}, {0xD46, 0xD57}, {0x700, 0x74F}, {0x2776, 0x2800}, {0x20D0, 0x20F0}, {0xF00, 0xFFF}, {0x1000, 0x109F},
	{0x1100, 0x11FF}, {0x1780, 0x17FF}, {0x180B, 0x180F}, {0x19E0, 0x1AAF},
	{0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x1E00, 0x1FFF}, {0x1F80, 0x1FBC},
	{0x2000, 0x20FF}, {0x200B, 0x200F}, {0x2100, 0x24FF}, {0x2E80, 0x2FFF},
	{0x591, 0x5EA}, {0x627, 0x655}, {0x640, 0x652}, {0x6A9, 0x6D5}, {0x660, 0x66C}, {0x2B9, 0x2C8},
	{0x300, 0x308}, {0x430, 0x438}, {0xB4, 0xB8}, {0xE40, 0xE59},
	{0x2012, 0x2028}, {0x3000, 0x303F}, {0x3000, 0x3022}, {0xFF00, 0xFF22}, {0x3040, 0x30FF}, {0x3099, 0x309A}, {0x30A0, 0x30A0},
	{0x3130, 0x33FF}, {0x3400, 0x3410}, {0x4DB0, 0x4E10}, {0x4E00, 0x9FFF},
	{0x4E00, 0x9FFF}, {0x4E00, 0x4E20}, {0x9FF0, 0xA000}, {0xA640, 0xA6FF},
	{0xAA80, 0xAADF}, {0xAC00, 0xD7A3}, {0xAC00, 0xD7A3}, {0xE000, 0xF8FF},
	{0xF900, 0xFAFF}, {0xFB00, 0xFB4F}, {0xFB50, 0xFDFF}, {0xFE00, 0xFE0F},
	{0xFE70, 0xFEFF}, {0xFF00, 0xFFEF}, {0xFF9E, 0xFF9F}, {0xFFF0, 0xFFFF},
	{0x10400, 0x1044F}, {0x11000, 0x1107F}, {0x16FE0, 0x16FFF}, {0x17000, 0x17010},
	{0x1B000, 0x1B2FF}, {0x1D150, 0x1D1FF}, {0x1D400, 0x1D7FF}, {0x1E900, 0x1E95F},
	{0x1F000, 0x1F6FF}, {0x20000, 0x2A6FF}, {0x2F800, 0x2FA1F}, {0x2FFFE, 0x30010},
	{0x3FFFE, 0x40001}, {0xE0000, 0xE0FFF}, {0xEFFFE, 0xF0001}, {0x10FFFD, 0x10FFFF},
	{0x80, 0x10FFFF}
};

/* Valid UTF-8, with few or many kinds of characters, at most size bytes */
static size_t
random_text(unsigned char *text, size_t size)
{
	uint32_t	n_pools = sizeof(pools) / sizeof(pools[0]);
	uint32_t	chosen[4];
	bool		few = below(2) == 0;
	uint32_t	spaces = below(12);
	size_t		len = 0;

	for (int i = 0; i < 4; i++)
		chosen[i] = below(n_pools);
	for (;;)
	{
		const uint32_t *pool = pools[few ? chosen[below(4)] : below(n_pools)];
		uint32_t	n = 1 + below(below(30) == 0 ? 200 : 6);

		for (; n > 0; n--)
		{
			uint32_t	cp = pool[0] + below(pool[1] - pool[0] + 1);

			if (cp >= 0xD800 && cp <= 0xDFFF)
				continue;
			if (len + 5 > size)
				return len;
			len += encode(text + len, cp);
		}
		if (spaces > 6 && below(spaces) > 6 && len < size)
			text[len++] = ' ';
	}
}

/* Are the results of a random width equal to the reference with any salt? */
static bool
agrees(const unsigned char *text, size_t len)
{
	uint64_t	expected[MOST_WORDS];
	uint64_t	expected_min[MOST_WORDS];
	uint64_t	got[MOST_WORDS];
	uint64_t	got_min[MOST_WORDS];
	int			words = 1 + (int) below(below(4) == 0 ? MOST_WORDS : 2);
	size_t		size = (size_t) words * sizeof(*got);
	bool		expect_found = reference_text(text, len, &options, words, expected);

	reference_minwise_text(text, len, &options, words, expected_min);
	if (exact_by(core_of_text, text, len, random64(), words, got) != expect_found ||
		exact_by(core_minwise_text, text, len, 1, words, got_min) != expect_found)
		return false;
	return !expect_found || (memcmp(got, expected, size) == 0 &&
							 memcmp(got_min, expected_min, size) == 0);
}

/* Count a text that does not agree, and show some of them. */
static void
compare(const unsigned char *text, size_t len, int *wrong)
{
	if (agrees(text, len) || (*wrong)++ >= 10)
		return;
	printf("# ");
	for (size_t i = 0; i < len && i < 400; i++)
		printf("%02x", text[i]);
	printf("\n");
}

#define ROOM 20000

static void
test_reference(const char *kernel)
{
	static unsigned char text[ROOM + 16];
	size_t		len;
	int			wrong;
	size_t		i;

	wrong = 0;
	for (i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
		compare((const unsigned char *) pins[i].text, strlen(pins[i].text), &wrong);
	check(wrong == 0, "reference, %s: pinned texts", kernel);

	wrong = 0;
	for (uint32_t cp = 0; cp < 0x110000; cp++)
	{
		/*
		 * each character behind letters and behind marks of a middle class,
		 * and before marks that may vanish
		 */
		static const uint32_t before[] = {'x', 0x443, 0x435, 0x3B1, 0x627, 0x5D0, 0xE01, ' ', 0x3000};
		static const uint32_t behind[] = {'z', 0x301, 0x308, 0x654, 0xE02, 'z', '1', 0x345};

		if (cp >= 0xD800 && cp <= 0xDFFF)
			continue;
		if (cp >= 0x40000 && cp < 0xE0000 && cp % 64 != 0)
			continue;			/* unassigned: a sample suffices */
		for (i = 0; i < 4; i++)
		{
			len = encode(text, before[(cp + i) % 9]);
			if (i % 2 == 0)
				len += encode(text + len, 0x327);
			len += encode(text + len, cp);
			len += encode(text + len, behind[(cp / 9 + i) % 8]);
			text[len++] = 'z';
			compare(text, len, &wrong);
		}

		/* and between Chinese characters */
		len = encode(text, 0x4E00);
		len += encode(text + len, cp);
		len += encode(text + len, 0x9FFF);
		len += encode(text + len, 0x4E01);
		text[len++] = ' ';
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: every code point", kernel);

	wrong = 0;
	for (int round = 0; round < 30; round++)
	{
		for (len = 0; len <= 1000; len += round < 4 ? 1 : 1 + below(20))
		{
			size_t		n = random_text(text, len);

			memset(text + n, round % 2 == 0 ? 'x' : ' ', len - n);
			compare(text, len, &wrong);
		}
	}
	check(wrong == 0, "reference, %s: random UTF-8 of every length to 1000", kernel);

	wrong = 0;
	for (int round = 0; round < 300; round++)
	{
		len = random_text(text, below(ROOM));
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: longer random UTF-8", kernel);

	wrong = 0;
	for (int round = 0; round < rounds(2000); round++)
	{
		/* ASCII with something else here and there */
		size_t		at;

		len = below(400);
		for (at = 0; at < len; at++)
			text[at] = "abcdefgHIJKLMNOP0123456789     ,.@[`{/:"[below(39)];
		for (int rounds = (int) below(6); rounds > 0 && len > 4; rounds--)
		{
			at = below((uint32_t) len - 4);
			encode(text + at, below(2) ? 0xC0 + below(100) : 0x4E00 + below(100));
		}
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: ASCII with other characters in it", kernel);

	wrong = 0;
	for (int round = 0; round < rounds(6000); round++)
	{
		static const unsigned char some[] = {
			0x00, 'a', 'B', ' ', 0x80, 0xBF, 0xC1, 0xC3, 0xA9, 0xCC, 0x81, 0xE0, 0xA0,
			0x9F, 0xE4, 0xB8, 0xED, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xFF
		};
		size_t		i;

		len = below(200);
		for (i = 0; i < len; i++)
			text[i] = round % 3 == 0 ? (unsigned char) random64() : some[below(sizeof(some))];
		if (round % 3 == 2)
		{
			/* valid UTF-8, then damaged */
			len = random_text(text, len);
			for (i = below(4); i > 0 && len > 0; i--)
				text[below((uint32_t) len)] = (unsigned char) random64();
		}
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: bytes that are not UTF-8", kernel);

	wrong = 0;
	for (int round = 0; round < 100; round++)
	{
		size_t		n = random_text(text, 30 + below(70));

		for (len = 0; len <= n; len++)
			compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: cut off anywhere", kernel);

	wrong = 0;
	for (int round = 0; round < 300; round++)
	{
		/*
		 * runs of marks about as long as the runs that are ordered in place,
		 * and longer
		 */
		static const uint32_t vowels[] = {0xE32, 0xE33, 0xE34, 0xE48, 0xE4D, 0xEB2, 0xECD, 0xD46, 0xD4D, 0xD57};
		size_t		n = below(round % 3 == 0 ? 2000 : 80);

		len = encode(text, round % 2 == 0 ? 'x' : 0x1EAD);
		for (; n > 0; n--)
		{
			uint32_t	c = 0x300 + below(0x70);

			if (below(20) == 0)
				c = 0xAD;
			if (below(40) == 0)
				c = 0x05B0 + below(16);
			if (below(20) == 0)
				c = vowels[below(sizeof(vowels) / sizeof(vowels[0]))];
			len += encode(text + len, c);
		}
		if (below(2) == 0)
			len += random_text(text + len, 50);
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: long runs of marks", kernel);

	wrong = 0;
	for (len = 1; len < 3000; len += 1 + len / 20)
	{
		/*
		 * words longer than any buffer, with letters of one and of several
		 * bytes
		 */
		uint32_t	letters[] = {'q', 0x436, 0xE01, 0xAC01, 0x4E00};

		for (int round = 0; round < 5; round++)
		{
			size_t		n = 0;

			for (size_t i = 0; i < len; i++)
				n += encode(text + n, letters[round]);
			compare(text, n, &wrong);
		}
	}
	check(wrong == 0, "reference, %s: long words", kernel);

	wrong = 0;
	for (int round = 0; round < 200; round++)
	{
		unsigned char *aligned = aligned_alloc(64, 1024 + 64);
		uint64_t	expected;
		bool		found;

		len = random_text(text, 1000);
		found = exact(text, len, 1, &expected);
		for (size_t at = 0; at < 64; at++)
		{
			Env			env = test_env(random64());
			uint64_t	got;

			memset(aligned, 'x', 1024 + 64);
			memcpy(aligned + at, text, len);
			if (core_of_text((char *) aligned + at, len, &options, &env, 1, &got) != found ||
				(found && got != expected))
				wrong++;
		}
		free(aligned);
	}
	check(wrong == 0, "every alignment, whatever lies around the text");
}

/* What words depend on, also across the blocks of the fast ways */
static void
test_words(const char *kernel)
{
	static unsigned char text[ROOM];
	size_t		len;
	int			wrong = 0;

	for (int round = 0; round < rounds(6000); round++)
	{
		static const char *const some[] = {
			"一", "八", "○", "◯", "〇", "人", "，", " ", " ", "\n", "\xC2\xAD", "¹", "²", "½", "5", "º", "²",
			"C", "x", "+", "#", "+", "ＣＰＵ", "＋", "é", "i", "и", "Ж", "α", "æ", "\u0301", "\u0345", "가", "나", "ก", "ข",
			". ", "----------", "፲", "〡", "Ⅷ", "\xFF", "\xE4", "abcdefghijkl", "the "
		};
		uint32_t	kinds = 2 + below(sizeof(some) / sizeof(some[0]) - 1);
		uint32_t	first = below(sizeof(some) / sizeof(some[0]) - kinds + 1);

		len = 0;
		for (size_t n = below(round % 10 == 0 ? 400 : 40); n > 0; n--)
		{
			const char *piece = some[below(4) == 0 ? below(sizeof(some) / sizeof(some[0])) : first + below(kinds)];

			for (size_t i = below(60) == 0 ? below(300) : 1; i > 0 && len + 400 < ROOM; i--)
			{
				memcpy(text + len, piece, strlen(piece));
				len += strlen(piece);
			}
		}
		compare(text, len, &wrong);
	}
	check(wrong == 0, "reference, %s: what words depend on", kernel);
}

/* Compare every form of a text, token and length of features with the reference */
static void
test_options(void)
{
	static unsigned char text[ROOM];
	static const int shingles[] = {SINGLES_AND_PAIRS, 1, 2, 3, 4, 7, 100, LONGEST_SHINGLE};
	TextOptions was = options;

	for (int form = 0; form < 4; form++)
	{
		static const char *const folded[] = {"nothing", "all"};
		int			wrong = 0;

		options.fold = (TextFold) (form / 2);
		options.normalize = form % 2 == 0;
		for (uint32_t cp = 0; cp < 0x110000; cp++)
		{
			static const uint32_t before[] = {'Y', 0x443, 0x435, 0x3B1, 0x627, 0x5D0, 0xE01, ' ', '1'};
			size_t		len;

			if ((cp >= 0xD800 && cp <= 0xDFFF) || (cp >= 0x30000 && cp % 64 != 0))
				continue;
			options.tokens = cp % 2 == 0 ? TOKENS_WORDS : TOKENS_CHARACTERS;
			len = encode(text, 'x');
			len += encode(text + len, before[cp / 7 % 9]);
			len += encode(text + len, cp);
			if (cp / 2 % 2 == 0)
				len += encode(text + len, 0x301);
			text[len++] = cp % 3 == 0 ? 'Z' : '1';
			compare(text, len, &wrong);
		}
		for (int round = 0; round < rounds(4000); round++)
		{
			size_t		len = random_text(text, below(round % 10 == 0 ? 3000 : 300));

			if (round % 3 == 0)
			{
				for (len = 0; len < (size_t) round / 10; len++)
					text[len] = (unsigned char) "abcABC  .12"[below(11)];
			}
			options.tokens = below(2) == 0 ? TOKENS_WORDS : TOKENS_CHARACTERS;
			options.shingle = shingles[below(8)];
			options.weight = below(2) == 0 ? WEIGHT_ONCE : WEIGHT_FREQUENCY;
			compare(text, len, &wrong);
		}
		check(wrong == 0, "reference: %s folded, %snormalised, all features",
			  folded[options.fold], options.normalize ? "" : "not ");
	}
	options = was;
}

/* ---------- Unicode's own test ---------- */

/*
 * Append the code points written in hexadecimal to text and return its new length.
 */
static size_t
append_code_points(unsigned char *text, size_t len, const char *s)
{
	for (;;)
	{
		char	   *end;
		unsigned long cp = strtoul(s, &end, 16);

		if (end == s)
			return len;
		len += encode(text + len, (uint32_t) cp);
		s = end;
	}
}

/* Is it a code point whose compatibility decomposition a fingerprint does not take as the same? */
static bool
has_own_form(uint32_t cp)
{
	return cp == 0xAA || cp == 0xBA || cp == 0xB2 || cp == 0xB3 || cp == 0xB9 ||
		(cp >= 0xBC && cp <= 0xBE) || cp == 0x2070 || (cp >= 0x2074 && cp <= 0x2079) ||
		(cp >= 0x2150 && cp <= 0x215F) || cp == 0x2189;
}

static void
test_normalization_file(const char *dir)
{
	char		command[1100];
	char		line[2000];
	FILE	   *file;
	long		lines = 0;
	int			wrong = 0;

	snprintf(command, sizeof(command),
			 "bzcat '%s/NormalizationTest.txt.bz2' 2>/dev/null || "
			 "cat '%s/NormalizationTest.txt' 2>/dev/null", dir, dir);
	file = popen(command, "r");
	while (file != NULL && fgets(line, sizeof(line), file))
	{
		uint64_t	first[3];
		bool		first_found[3];
		char	   *column = line;

		if (line[0] == '#' || line[0] == '@' || line[0] == '\n' ||
			has_own_form((uint32_t) strtoul(line, NULL, 16)))
			continue;
		lines++;
		for (int i = 0; i < 5; i++)
		{
			static const char *const before[] = {"", "a", "\xE4\xB8\x80"};
			char	   *end = strchr(column, ';');

			*end = '\0';
			for (int k = 0; k < 3; k++)
			{
				unsigned char text[500];
				size_t		len = strlen(before[k]);
				uint64_t	fingerprint = 0;
				bool		found;

				memcpy(text, before[k], len);
				len = append_code_points(text, len, column);
				found = exact(text, len, 1, &fingerprint);
				if (i == 0)
				{
					first[k] = fingerprint;
					first_found[k] = found;
				}
				else if (found != first_found[k] ||
						 (found && fingerprint != first[k]))
				{
					if (wrong++ < 10)
						printf("# column %d: %s\n", i + 1, column);
				}
			}
			column = end + 1;
		}
	}
	if (file != NULL)
		pclose(file);
	if (lines == 0)
		printf("# skipped: no NormalizationTest.txt in %s\n", dir);
	else
		check(wrong == 0, "NormalizationTest.txt: %ld lines, all columns alike",
			  lines);
}

/* Marks of different classes in any order are canonically equivalent. */
static void
test_mark_order(void)
{
	/* classes 1, 202, 220, 230, 232, 240, 8, 233 */
	static const uint32_t marks[] = {
		0x334, 0x327, 0x323, 0x301, 0x315, 0x345, 0x3099, 0x362
	};
	int			wrong = 0;

	for (int round = 0; round < rounds(2000); round++)
	{
		uint32_t	order[8];
		unsigned char text[100];
		uint64_t	fingerprint[2];

		memcpy(order, marks, sizeof(marks));
		for (int k = 0; k < 2; k++)
		{
			size_t		len = encode(text, round % 2 == 0 ? 'a' : 0x3B1);

			for (int i = 7; i > 0; i--)
			{
				uint32_t	j = below((uint32_t) i + 1);
				uint32_t	swap = order[i];

				order[i] = order[j];
				order[j] = swap;
			}
			for (int i = 0; i < 8; i++)
				len += encode(text + len, order[i]);
			len += encode(text + len, 'b');
			exact(text, len, 1, &fingerprint[k]);
		}
		if (fingerprint[0] != fingerprint[1])
			wrong++;
	}
	check(wrong == 0, "the order of marks of different classes does not matter");
}

/* ---------- features to be seen ---------- */

typedef struct Listed
{
	Tally		tally;
	Env			env;
	int			wrong;
} Listed;

static void
listed(void *arg, const char *utf8, size_t len, double weight, uint64_t hash)
{
	Listed	   *list = arg;

	/* of a character that has been there before, the number counts, too */
	if (options.shingle == 1 && core_hash_bytes(utf8, len) != hash &&
		(options.tokens != TOKENS_CHARACTERS || options.weight != WEIGHT_ONCE))
		list->wrong++;
	core_tally_add(&list->tally, 1, hash, weight, &list->env);
}

/* The listed features have the fingerprint of the text, with any options. */
static void
test_list(void)
{
	static unsigned char text[ROOM];
	TextOptions was = options;
	int			wrong = 0;

	for (int round = 0; round < rounds(3000); round++)
	{
		size_t		len = random_text(text, below(round % 50 == 0 ? ROOM : 400));
		Listed		list = {.env = test_env(random64()),.wrong = 0};
		uint64_t	expected;
		uint64_t	got;
		bool		found;

		options.tokens = below(2) == 0 ? TOKENS_WORDS : TOKENS_CHARACTERS;
		options.shingle = (int) below(6);
		options.weight = (FeatureWeight) below(3);
		options.fold = below(2) == 0;
		options.normalize = below(4) != 0;
		core_tally_init(&list.tally, 1);
		core_list_features((char *) text, len, &options, &list.env, listed, &list);
		found = core_tally_result(&list.tally, 1, &got);
		core_tally_free(&list.tally, 1, &list.env);
		if (list.wrong > 0 || live_bytes != 0 ||
			exact(text, len, 1, &expected) != found || (found && got != expected))
			wrong++;
	}
	options = was;
	check(wrong == 0, "the features listed are those that vote");
}

static void
test_resemblance(void)
{
	Env			env = test_env(1);
	double		r = -1;

	check(core_resemblance_text("a b c", 5, "c B A", 5, &options, &env, &r) &&
		  r == 3.0 / 7 &&
		  core_resemblance_text("a", 1, "...", 3, &options, &env, &r) && r == 0 &&
		  core_resemblance_text("a a", 3, "a a a", 5, &options, &env, &r) && r == 1 &&
		  !core_resemblance_text("", 0, ".", 1, &options, &env, &r) &&
		  live_bytes == 0, "resemblance");
}

#define STOPS_8 "\xE3\x80\x82\xE3\x80\x82\xE3\x80\x82\xE3\x80\x82" \
	"\xE3\x80\x82\xE3\x80\x82\xE3\x80\x82\xE3\x80\x82"
#define STOPS_40 STOPS_8 STOPS_8 STOPS_8 STOPS_8 STOPS_8
#define STOPS_240 STOPS_40 STOPS_40 STOPS_40 STOPS_40 STOPS_40 STOPS_40

/* ---------- large texts ---------- */

static void
fill(char *text, size_t len, const char *unit)
{
	size_t		n = strlen(unit);

	for (size_t i = 0; i < len; i++)
		text[i] = unit[i % n];
}

static void
test_large(void)
{
	static const struct
	{
		const char *name;
		const char *unit;
	}			texts[] = {
		{"one ASCII word", "abcdefg"},
		{"one Cyrillic word", "\xD0\xB6"},
		{"one Hangul word", "\xED\x95\x9C"},
		{"two words", "a b "},
		{"Chinese", "\xE4\xBD\xA0\xE5\xA5\xBD"},
		{"Thai", "\xE0\xB8\x81\xE0\xB8\x82"},
		{"ignorable characters", "\xC2\xAD"},
		{"marks of one class", "\xCC\x81"},
		{"marks in order", "\xCC\xA3\xCC\x81"},
		{"marks of four classes",
		"\xCD\x85\xCC\x81\xCC\xA3\xCC\xB4\xCC\xA7\xC2\xAD\xCC\x84"},
		{"Thai marks", "\xE0\xB9\x88"},
		{"separators", ". "},
		{"zeros", ""},
		{"bytes that are not UTF-8", "\xFF\xE4"},
		{"ligatures", "\xEF\xB7\xBA"},
		{"Chinese stops", "\xE4\xB8\x80\xE4\xB8\x80" STOPS_240}
	};
	size_t		small = 2 << 20;
	size_t		large = 16 << 20;
	char	   *text = malloc(large);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		double		seconds[2];
		bool		interruptible = true;
		size_t		memory = 0;

		if (texts[i].unit[0] == '\0')
			memset(text, 0, large);
		else
			fill(text, large, texts[i].unit);
		for (int k = 0; k < 2; k++)
		{
			size_t		len = k == 0 ? small : large;
			Env			env = test_env(random64());
			uint64_t	fingerprint;
			clock_t		start = clock();

			core_of_text(text, len, &options, &env, 1, &fingerprint);
			seconds[k] = (double) (clock() - start) / CLOCKS_PER_SEC;
			if (interrupts < (long) (len / 65536))
				interruptible = false;
			memory = largest_block;
		}
		check(interruptible && memory <= 262144 && seconds[1] < 8 * 8 * (seconds[0] + .01),
			  "16 MB of %s: interruptible, linear (%.0f ms, 2 MB %.0f), little memory",
			  texts[i].name, seconds[1] * 1000, seconds[0] * 1000);
	}
	free(text);
}

/* Many different words, with an interrupt that jumps away at any time */
static void
test_interrupted(void)
{
	size_t		len = 3000000;
	char	   *text = malloc(len);
	Env			env = test_env(random64());
	uint64_t	whole = 0;
	uint64_t	again = 0;
	long		total;
	volatile long after;
	volatile int wrong = 0;

	for (size_t i = 0; i < len; i++)
		text[i] = below(6) == 0 ? ' ' : (char) ('a' + below(26));
	core_of_text(text, len, &options, &env, 1, &whole);
	total = interrupts;
	for (after = 1; after <= total; after += 1 + total / 40)
	{
		env = test_env(random64());
		jump_after = after;
		if (setjmp(jump) == 0)
		{
			core_of_text(text, len, &options, &env, 1, &again);
			wrong++;
		}
		while (blocks != NULL)
			test_release(NULL, blocks + 1);
	}
	env = test_env(random64());
	core_of_text(text, len, &options, &env, 1, &again);
	check(wrong == 0 && again == whole && live_bytes == 0,
		  "interrupts may jump away (%ld of them)", total);
	free(text);
}

int
main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "/usr/share/unicode";

	if (strcmp(dir, "--pins") == 0)
	{
		test_pins(true);
		return 0;
	}
	test_pins(false);
	test_wide_pins();
	test_token_hash();
	test_batch();
	test_read_block();
	test_ascii_block();
	test_vote();
	test_tally();
	test_tally_combine(false);
	test_tally_combine(true);
	test_weights();
	test_distinct();
	test_distinct_memory();
	test_minwise();
	test_definition();
	test_mark_order();
	test_list();
	test_resemblance();
	if (reference_load(dir))
	{
		for (int k = 0; k < core_n_token_kernels; k++)
		{
			core_token_kernel_chosen = &core_token_kernels[k];
			if (core_token_kernel_chosen->supported())
			{
				test_reference(core_token_kernel_chosen->name);
				test_words(core_token_kernel_chosen->name);
			}
			core_token_kernel_chosen = NULL;
		}
		test_options();
		test_normalization_file(dir);
	}
	else
		printf("# skipped: no Unicode Character Database " UNICODE_VERSION
			   " in %s, so no reference\n", dir);
	test_large();
	test_interrupted();

	return end_tests();
}
