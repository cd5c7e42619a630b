/*
 * Tests of words by dictionary.  Boundaries found in pieces must be the boundaries
 * that ICU finds in the whole text, or follow the rule for long stretches.  A
 * process without memory gets an error and no other words.  Checks for interrupts
 * come in time.
 *
 * The test is built with the usual piece, and with a small piece
 * (DICTIONARY_PIECE), so that a short text has many pieces.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "../../src/core/text/tokens/dictionary.h"
#include "check.h"

#ifndef DICTIONARY_PIECE
#define DICTIONARY_PIECE 16384
#endif
#define LONGEST		(DICTIONARY_PIECE * 8)
#define ROUNDS		(1000000 / DICTIONARY_PIECE + 100)

static void
result(bool ok, const char *what, long detail)
{
	check(ok, "dictionary, pieces of %d: %s # %ld", DICTIONARY_PIECE, what, detail);
}

/* ----------
 * Surroundings
 * ----------
 */

static jmp_buf jump;
static long interrupts_until_jump;
static double last_check;
static double longest_time;		/* longest time between two checks, in seconds
								 * of CPU */

static double
cpu_time(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

static void *
test_resize(void *arg, void *ptr, size_t size)
{
	(void) arg;
	ptr = realloc(ptr, size);
	if (ptr == NULL)
		longjmp(jump, 2);
	return ptr;
}

static void
test_release(void *arg, void *ptr)
{
	(void) arg;
	free(ptr);
}

static void
test_check_interrupts(void *arg)
{
	double		now = cpu_time();

	(void) arg;
	if (now - last_check > longest_time)
		longest_time = now - last_check;
	last_check = now;
	if (interrupts_until_jump > 0 && --interrupts_until_jump == 0)
		longjmp(jump, 1);
}

static void
test_fail(void *arg, bool out_of_memory, const char *message)
{
	(void) arg;
	(void) message;
	longjmp(jump, out_of_memory ? 2 : 3);
}

static const Env env = {
	.resize = test_resize,.release = test_release,.check_interrupts = test_check_interrupts,
	.fail = test_fail
};

/* ----------
 * Texts
 * ----------
 */

static const char *const parts[] = {
	"今天", "天气", "很好", "我们", "去", "公园", "人人生而自由", "日本語", "の", "テキスト",
	"カタカナ", "ー", "ﾊﾞｽ", "กิน", "ข้าว", "ไทย", "ສະບາຍ", "ភាសា", "မြန်မာ", "한국어", "abc",
	"Ünïcode", "42", "３", "e\xCC\x81", "\xCC\x81", "\xE2\x80\x8D", "_", "⺀", "〇", "々", "𠀀",
	"·", "・", "’", "©", "\xEF\xB7\xBA", "א", "ب", ",", ".", "'", ":", "，", "．", "(", "-", "\""
};
static const char *const separators[] = {
	" ", "  ", "\n", "\r\n", "\t", "!", "?", "。", "、", "！", "？", "\xE3\x80\x80", "\x01"
};

#define NPARTS		(sizeof(parts) / sizeof(parts[0]))
#define NSEPARATORS	(sizeof(separators) / sizeof(separators[0]))

static char given[LONGEST];
static size_t given_length;
static bool separator[LONGEST + 1]; /* for each byte, by the generator */

static void
add(const char *part, bool is_separator)
{
	size_t		length = strlen(part);

	if (given_length + length > LONGEST)
		return;
	memcpy(given + given_length, part, length);
	memset(separator + given_length, is_separator, length);
	given_length += length;
}

/*
 * Make stretches of up to "stretch" bytes.  ICU reads a stretch of one script as a
 * whole.
 */
static void
make_text(size_t length, size_t stretch)
{
	given_length = 0;
	while (given_length + 16 < length)
	{
		size_t		end = given_length + random64() % stretch;
		size_t		first = random64() % NPARTS;
		size_t		choice = 1 + random64() % (random64() % 2 == 0 ? 3 : NPARTS);

		while (given_length + 24 < end && given_length + 16 < length)
			add(parts[(first + random64() % choice) % NPARTS], false);
		add(separators[random64() % NSEPARATORS], true);
	}
}

/* ----------
 * Boundaries
 * ----------
 */

static size_t expected[LONGEST + 1];
static size_t found[LONGEST + 1];

/* ICU's boundaries in a part of the text */
static size_t
icu_boundaries(size_t start, size_t length, size_t *boundaries)
{
	static UBreakIterator *icu;
	UText		view = UTEXT_INITIALIZER;
	UErrorCode	status = U_ZERO_ERROR;
	size_t		n = 0;
	int32_t		next;

	if (icu == NULL)
		icu = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
	utext_openUTF8(&view, given + start, (int64_t) length, &status);
	ubrk_setUText(icu, &view, &status);
	if (U_FAILURE(status))
		abort();
	while ((next = ubrk_next(icu)) != UBRK_DONE)
		boundaries[n++] = start + (size_t) next;
	utext_close(&view);
	return n;
}

static size_t
our_boundaries(size_t *boundaries)
{
	size_t		n = 0;

	core_dictionary_start(given, given_length, &env);
	do
		boundaries[n++] = core_dictionary_next(&env);
	while (boundaries[n - 1] < given_length);
	return n;
}

/*
 * Keep only boundaries between two characters that are not separators.  The others
 * cut no token.
 */
static size_t
within_stretches(size_t *boundaries, size_t n)
{
	size_t		kept = 0;

	for (size_t i = 0; i < n; i++)
		if (boundaries[i] < given_length && !separator[boundaries[i]] &&
			boundaries[i] > 0 && !separator[boundaries[i] - 1])
			boundaries[kept++] = boundaries[i];
	return kept;
}

static bool
same_boundaries(size_t n_expected, size_t n_found)
{
	return n_expected == n_found &&
		memcmp(expected, found, n_found * sizeof(size_t)) == 0;
}

/* ----------
 * Tests
 * ----------
 */

static void
test_short_stretches(void)
{
	long		wrong = 0;
	long		boundaries = 0;

	for (int round = 0; round < ROUNDS; round++)
	{
		size_t		n_expected;
		size_t		n_found;

		make_text(random64() % LONGEST, DICTIONARY_PIECE - 24);
		n_expected = within_stretches(expected, icu_boundaries(0, given_length, expected));
		n_found = within_stretches(found, our_boundaries(found));
		wrong += !same_boundaries(n_expected, n_found);
		boundaries += (long) n_found;
	}
	result(wrong == 0, "words of short stretches are ICU's of the whole text",
		   wrong > 0 ? wrong : boundaries);
}

/* The rule of dictionary.h for a text that is one stretch */
static size_t
model_of_stretch(size_t *boundaries)
{
	size_t		start = 0;
	size_t		n = 0;

	while (given_length - start > DICTIONARY_PIECE)
	{
		size_t		end = start + DICTIONARY_PIECE;
		size_t		before = n;

		while ((given[end] & 0xC0) == 0x80)
			end--;
		n += icu_boundaries(start, end - start, boundaries + n);
		if (n > before + 1)
			n--;
		start = boundaries[n - 1];
	}
	return n + icu_boundaries(start, given_length - start, boundaries + n);
}

static void
test_long_stretches(void)
{
	long		wrong = 0;

	for (int round = 0; round < ROUNDS; round++)
	{
		size_t		first = random64() % NPARTS;
		size_t		choice = 1 + random64() % 3;
		size_t		length = random64() % LONGEST;

		given_length = 0;
		while (given_length == 0 || given_length + 24 < length)
			add(parts[(first + random64() % choice) % NPARTS], false);
		wrong += !same_boundaries(model_of_stretch(expected), our_boundaries(found));
	}
	result(wrong == 0, "long stretches are cut by the rule", wrong);
}

static void
test_cut_in_words(void)
{
	size_t		n;
	bool		whole = true;

	given_length = 0;
	while (given_length + 12 <= LONGEST)
		add("天气很好", false);
	n = our_boundaries(found);
	for (size_t i = 0; i < n; i++)
		whole = whole && found[i] == (i + 1) * 6;
	result(whole, "a cut of a stretch is where a word ends", (long) n);
}

static void
test_interrupts(void)
{
	size_t		length = 0;
	char	   *text = malloc(4 << 20);

	while (length + 18 <= 4 << 20)
	{
		memcpy(text + length, "人人生而自由", 18);
		length += 18;
	}
	longest_time = 0;
	last_check = cpu_time();
	core_dictionary_start(text, length, &env);
	while (core_dictionary_next(&env) < length)
		;
	result(longest_time < 0.1, "at most 0.1 s between two checks, in microseconds",
		   (long) (longest_time * 1e6));

	/* leaving a text by a jump leaves nothing behind */
	for (interrupts_until_jump = 1; interrupts_until_jump < 20; interrupts_until_jump *= 3)
	{
		long		wanted = interrupts_until_jump;

		if (setjmp(jump) == 0)
		{
			core_dictionary_start(text, length, &env);
			while (core_dictionary_next(&env) < length)
				;
			result(false, "is interrupted", wanted);
		}
		interrupts_until_jump = wanted;
	}
	interrupts_until_jump = 0;
	free(text);
	test_cut_in_words();
}

/*
 * Limit the address space of a process to little more than its present size. Its
 * words are those of a process without a limit, or there is an error.
 */
typedef enum Outcome
{
	RIGHT_WORDS,
	OTHER_WORDS,
	NO_MEMORY,
	OTHER_ERROR,
	CRASH,
	OUTCOMES
} Outcome;

static size_t
address_space(void)
{
	FILE	   *file = fopen("/proc/self/statm", "r");
	long		pages = 0;

	if (file == NULL || fscanf(file, "%ld", &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return (size_t) pages * (size_t) sysconf(_SC_PAGESIZE);
}

/*
 * The child returns the hash of its boundaries in "hash" if there is no limit (room
 * 0).
 */
static Outcome
in_child(size_t room, uint64_t *hash)
{
	int			status;
	int			ends[2];
	pid_t		child;

	fflush(stdout);
	if (pipe(ends) != 0)
		abort();
	child = fork();
	if (child == 0)
	{
		struct rlimit limit;
		uint64_t	sum = 0;
		size_t		n;
		int			error = setjmp(jump);

		if (error != 0)
			_exit(error == 2 ? NO_MEMORY : OTHER_ERROR);
		/* an endless loop is a crash, too */
		alarm(20);
		limit.rlim_cur = limit.rlim_max = address_space() + room;
		if (room > 0 && setrlimit(RLIMIT_AS, &limit) != 0)
			_exit(OTHER_ERROR);
		n = our_boundaries(found);
		for (size_t i = 0; i < n; i++)
			sum = (sum ^ found[i]) * UINT64_C(0x9E3779B97F4A7C15);
		if (room == 0 && write(ends[1], &sum, sizeof(sum)) != sizeof(sum))
			_exit(OTHER_ERROR);
		_exit(room == 0 || sum == *hash ? RIGHT_WORDS : OTHER_WORDS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
		(room == 0 && read(ends[0], hash, sizeof(*hash)) != sizeof(*hash)))
		abort();
	close(ends[0]);
	close(ends[1]);
	return WIFEXITED(status) ? (Outcome) WEXITSTATUS(status) : CRASH;
}

static void
test_memory(void)
{
	static const char *const scripts[] = {"人人生而自由", "日本語のテキスト", "กินข้าวแล้ว", "abc "};

	for (size_t script = 0; script < sizeof(scripts) / sizeof(scripts[0]); script++)
	{
		long		outcomes[OUTCOMES] = {0};
		uint64_t	hash;

		given_length = 0;
		while (given_length + strlen(scripts[script]) <= LONGEST)
			add(scripts[script], false);
		if (in_child(0, &hash) != RIGHT_WORDS)
			abort();
		for (size_t room = 1; room < 5 << 20; room += 37 << 10)
			outcomes[in_child(room, &hash)]++;
		result(outcomes[OTHER_WORDS] + outcomes[OTHER_ERROR] + outcomes[CRASH] == 0 &&
			   outcomes[RIGHT_WORDS] > 0 && outcomes[NO_MEMORY] > 0,
			   "without memory there is an error, or the words are right", outcomes[NO_MEMORY]);
	}
}

int
main(void)
{
	/*
	 * before this process has loaded dictionaries, which its children would
	 * inherit
	 */
	test_memory();
	test_short_stretches();
	test_long_stretches();
	test_interrupts();
	return end_tests();
}
