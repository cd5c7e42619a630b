/*
 * Texts of every script for tests, an environment that counts memory and checks for
 * interrupts, and the report of a test.
 */
#ifndef SIMHASH_TEST_TEXTS_H
#define SIMHASH_TEST_TEXTS_H

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/core/text/tokens/words.h"
#include "check.h"

/* ---------- an environment that counts ---------- */

/* What stands before each block: all blocks are a list, so that they can be released after a jump */
typedef struct Block
{
	_Alignas(16) struct Block *next;
	struct Block **link;		/* where the list points to this block */
	size_t		size;
} Block;

static Block *blocks;
static size_t live_bytes;
static size_t most_bytes;		/* at any time */
static size_t largest_block;	/* most bytes requested at once */
static long interrupts;
static long jump_after;			/* longjmp at this interrupt, if not 0 */
static jmp_buf jump;

static inline void
unlink_block(Block *block)
{
	live_bytes -= block->size;
	*block->link = block->next;
	if (block->next != NULL)
		block->next->link = block->link;
}

static inline void *
test_resize(void *arg, void *ptr, size_t size)
{
	Block	   *block = ptr != NULL ? (Block *) ptr - 1 : NULL;

	(void) arg;
	if (block != NULL)
		unlink_block(block);
	block = realloc(block, size + sizeof(Block));
	if (block == NULL)
		abort();
	block->next = blocks;
	block->link = &blocks;
	block->size = size;
	if (blocks != NULL)
		blocks->link = &block->next;
	blocks = block;
	live_bytes += size;
	if (live_bytes > most_bytes)
		most_bytes = live_bytes;
	if (size > largest_block)
		largest_block = size;
	return block + 1;
}

static inline void
test_release(void *arg, void *ptr)
{
	(void) arg;
	unlink_block((Block *) ptr - 1);
	free((Block *) ptr - 1);
}

static inline void
test_check_interrupts(void *arg)
{
	(void) arg;
	if (++interrupts == jump_after)
		longjmp(jump, 1);
}

static inline void
test_fail(void *arg, bool out_of_memory, const char *message)
{
	(void) arg;
	(void) out_of_memory;
	fprintf(stderr, "%s\n", message);
	abort();
}

static const Env env = {
	.resize = test_resize,.release = test_release,.check_interrupts = test_check_interrupts,
	.fail = test_fail,.salt = UINT64_C(0x9E3779B97F4A7C15)
};

/* The same with another salt.  Counting begins anew. */
static inline Env
test_env(uint64_t salt)
{
	Env		salted = env;

	salted.salt = salt;
	most_bytes = live_bytes;
	largest_block = 0;
	interrupts = 0;
	jump_after = 0;
	return salted;
}

static inline TextOptions
options_of(int n, TextFold fold, bool normalize)
{
	TextOptions options = TEXT_OPTIONS_DEFAULT;

	options.shingle = n;
	options.fold = fold;
	options.normalize = normalize;
	return options;
}

/* ---------- texts ---------- */

typedef struct String
{
	char	   *bytes;
	size_t		len;
	size_t		room;
} String;

static inline void
append(String *s, const char *bytes, size_t len)
{
	if (s->room < s->len + len + 1)
	{
		s->room = 2 * (s->len + len + 1);
		s->bytes = realloc(s->bytes, s->room);
		if (s->bytes == NULL)
			abort();
	}
	memcpy(s->bytes + s->len, bytes, len);
	s->len += len;
	s->bytes[s->len] = '\0';
}

static inline void
append_string(String *s, const char *text)
{
	append(s, text, strlen(text));
}

/* Pieces of text of every script, and of what normalisation changes */
static const char *const scripts[][16] = {
	{"harbour ", "Pier ", "STORM ", "the ", "north, ", "of ", "stage; ", "0123 ", "a ", "onions ", "pan. ", "golden "},
	{"Größe ", "straße ", "ÉTÉ ", "e\xCC\x81" "te\xCC\x81 ", "naïve ", "ﬁnal ", "ŒUVRE ", "İstanbul ", "ÿ ", "ångström ", "½ ", "Ⅻ "},
	{"ᾧ ", "ᾳ\xCC\x81 ", "\xCE\xB1\xCD\x85\xCC\x81 ", "ΑΛΩΠΗΞ ", "δρασκελίζει ", "ΐ ", "γη "},
	{"съешь ", "ЕЩЁ ", "этих ", "мягких ", "французских ", "булок, ", "й"},
	{"人", "人生", "而", "自由，", "尊严", "和", "権利", "㍿", "\xE4\xBA\xBA\xCC\x81", "人\xF3\xA0\x84\x80", "人\xCD\x85", "𠀀"},
	{"すべて", "の", "人間は、", "ガード", "ｶﾞ", "は\xE3\x82\x99", "２０２３", "㌖ ", "ー"},
	{"มนุษย์", "ทั้งหลาย", "เกิด", "มา", "ก ", "ກຳ", "ำ", "กข ", "น้ำ", "\xE0\xB8\x99\xE0\xB9\x8D\xE0\xB9\x89\xE0\xB8\xB2", "น\xE0\xB8\xB3\xE0\xB9\x89 "},
	{"មនុស្ស", "ទាំង", "អស់", "កើត ", "မြန်မာ", "လူ "},
	{"모든 ", "인간은 ", "태어날 ", "각", "때부터 "},
	{"ＦＵＬＬ　", "ｗｉｄｔｈ　", "１２３ ", "Ａ", "－"},
	{"يولد ", "جميع ", "أحرارًا ", "ﷺ ", "ﷺ", "كل ", "בני ", "אדם "},
	{"सभी ", "मनुष्यों ", "स्वतन्त्रता ", "को ", "க்ஷ ", "శ్రీ ", "\xE0\xB4\xA8\xE0\xB5\x97", "എൻ്റെ ", "ಜ಼ ", "উৎসব "},
	{"so\xC2\xAD" "ft ", "\xC2\xAD", "zero\xE2\x80\x8Bwidth ", "\xE2\x80\x8D", "\xEF\xB8\x8F", "❤️ ", "👩🏽‍💻 ", "1️⃣ ", "fig\xEF\xBF\xBC" "ure ", "\xE2\xA0\x80", "\xCC\x81", "x\xCC\x81 ", "\xCC\xA7\xCC\x81\xCD\x85"},
	{"C++ ", "C#", "x²", "sea¹² ", "½", "5º ", "二○", "○", "一 ", "a+b ", "＋", "i", "жi ", "αx ", "가, 나.", "፲፭ "},
	{"\xFF", "\xC3", "\xE4\xBA", "bad" "\xF0\x9F ", "\xED\xA0\x80", " "},
};

#define N_SCRIPTS (sizeof(scripts) / sizeof(scripts[0]))

/* A piece of a script, or of any script if "script" is N_SCRIPTS */
static inline const char *
piece_of(size_t script)
{
	const char *piece;

	if (script == N_SCRIPTS)
		script = below(N_SCRIPTS);
	do
		piece = scripts[script][below(16)];
	while (piece == NULL);
	return piece;
}

static inline void
append_pieces(String *s, size_t script, size_t n)
{
	while (n-- > 0)
	{
		append_string(s, piece_of(script));
		/* long runs of marks have a path of their own */
		if (below(400) == 0)
		{
			for (size_t i = below(60); i > 0; i--)
				append_string(s, i % 7 == 0 ? "\xCD\x85" : i % 2 == 0 ? "\xCC\xA3" : "\xCC\x88");
		}
	}
}

/* n random words of an alphabet of "vocabulary" words */
static inline void
append_words(String *s, size_t n, size_t vocabulary)
{
	char		word[32];

	while (n-- > 0)
		append(s, word, (size_t) snprintf(word, sizeof(word), "w%zu ", below(vocabulary)));
}

static inline WordList
words_of(const String *s, const TextOptions *options)
{
	WordList	list;

	core_read_words(s->bytes, s->len, options, &env, &list);
	return list;
}

#endif
