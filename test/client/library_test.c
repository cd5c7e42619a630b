/*
 * The library's values and errors.  Equality with SQL is tested by test/t/client_library.pl.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>

#include "../unit/pinned.h"
#include "test.h"

#define ROWS 1500

static void
test_pins(void)
{
	uint64_t	words[16];

	for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
	{
		size_t		length = strlen(pins[i].text);

		check(pgsimhash_simhash(pins[i].text, length, 64, NULL, words) == PGSIMHASH_OK &&
			  words[0] == pins[i].fingerprint, "simhash, %s", pins[i].name);
		check(pgsimhash_minhash(pins[i].text, length, 64, NULL, words) == PGSIMHASH_OK &&
			  words[0] == pins[i].minwise, "minhash, %s", pins[i].name);
	}
	for (size_t i = 0; i < sizeof(wide_pins) / sizeof(wide_pins[0]); i++)
	{
		const char *text = wide_pins[i].text;

		check(pgsimhash_simhash(text, strlen(text), 256, NULL, words) == PGSIMHASH_OK &&
			  memcmp(words, wide_pins[i].fingerprint, 32) == 0, "simhash, 256 bits, %zu", i);
		check(pgsimhash_minhash(text, strlen(text), 1024, NULL, words) == PGSIMHASH_OK &&
			  memcmp(words, wide_pins[i].minwise, 32) == 0, "minhash, 1024 bits, %zu", i);
	}
}

/* ---------- UTF-8 ---------- */

/* What Unicode's table 3-7 says, byte by byte */
static bool
is_utf8(const unsigned char *p, size_t n)
{
	size_t		i = 0;

	while (i < n)
	{
		size_t		more = p[i] < 0x80 ? 0 : p[i] >= 0xC2 && p[i] <= 0xDF ? 1 :
			p[i] >= 0xE0 && p[i] <= 0xEF ? 2 : p[i] >= 0xF0 && p[i] <= 0xF4 ? 3 : 9;
		unsigned char low = p[i] == 0xE0 ? 0xA0 : p[i] == 0xF0 ? 0x90 : 0x80;
		unsigned char high = p[i] == 0xED ? 0x9F : p[i] == 0xF4 ? 0x8F : 0xBF;

		if (more == 9 || i + more >= n)
			return false;
		for (size_t k = 1; k <= more; k++)
			if (p[i + k] < (k == 1 ? low : 0x80) || p[i + k] > (k == 1 ? high : 0xBF))
				return false;
		i += more + 1;
	}
	return true;
}

/* Bytes of few kinds, so that they are often UTF-8, or nearly */
static size_t
random_bytes(unsigned char *bytes)
{
	static const unsigned char kinds[][4] = {"a", "\xC2\x80", "\xC1\xBF", "\xE0\xA0\x80",
		"\xE0\x9F\xBF", "\xED\x9F\xBF", "\xED\xA0\x80", "\xEF\xBF\xBF", "\xF0\x90\x80", "\x80",
	"\xF0\x8F\xBF", "\xF4\x8F\xBF", "\xF4\x90\x80", "\xF5\x80\x80", "\xFF", "\xE4\xB8\x80"};
	size_t		n = 0;
	int			wrong = random64() % 4 == 0;

	while (n < 60 + random64() % 40)
	{
		size_t		kind = random64() % 16;
		size_t		length = 1;

		if (!wrong && (kind == 2 || kind == 4 || kind == 6 || kind == 9 || kind == 10 || kind > 11))
			kind = 15;
		while (length < 3 && kinds[kind][length] != 0)
			length++;
		memcpy(bytes + n, kinds[kind], length);
		n += length;
		if (kinds[kind][0] >= 0xF0 && kinds[kind][0] < 0xF5)
			bytes[n++] = 0x80;
	}
	if (random64() % 8 == 0)
		bytes[random64() % n] = (unsigned char) random64();
	return n - (random64() % 8 == 0);
}

static void
test_utf8(void)
{
	unsigned char bytes[128];
	uint64_t	hash;
	int			n_valid = 0;
	bool		same = true;

	for (int i = 0; i < 200000; i++)
	{
		size_t		n = random_bytes(bytes);
		bool		valid = is_utf8(bytes, n);
		char	   *copy = malloc(n);

		memcpy(copy, bytes, n);
		n_valid += valid;
		same &= pgsimhash_feature(copy, n, &hash) == (valid ? PGSIMHASH_OK : PGSIMHASH_INVALID_UTF8);
		free(copy);
	}
	check(same, "UTF-8 is told from other bytes");
	check(n_valid > 20000 && n_valid < 180000, "of both there are many: %d are UTF-8", n_valid);
	check(pgsimhash_minhash("a\0b", 3, 64, NULL, &hash) == PGSIMHASH_OK, "U+0000 is UTF-8");
}

/* ---------- errors ---------- */

static void
test_errors(void)
{
	pgsimhash_edge edge = {0, 1};
	uint32_t	keepers[2];
	const uint64_t untouched = 42;
	uint64_t	words[16] = {untouched};
	const pgsimhash_options defaults = {0};
	pgsimhash_options options = defaults;
	double		weights[2] = {1, NAN};
	int64_t    *keys;
	pgsimhash_passage *passages;
	pgsimhash_change *changes;
	pgsimhash_duplicates *duplicates;
	pgsimhash_duplicate duplicate;
	size_t		n_by_numbers = 42;
	unsigned char key[16];
	int			same;
	size_t		n;
	int			bound;

#define IS(expected, call) check((call) == (expected) && words[0] == untouched, "%s", #call)
	IS(PGSIMHASH_NULL, pgsimhash_minhash("", 0, 64, NULL, words));
	IS(PGSIMHASH_NULL, pgsimhash_minhash(NULL, 0, 64, NULL, words));
	IS(PGSIMHASH_NULL, pgsimhash_simhash(" . ", 3, 1024, NULL, words));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_simhash("a\xFF", 2, 64, NULL, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 0, NULL, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, -64, NULL, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 96, NULL, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_simhash("a", 1, 1088, NULL, words));
	options.n = 2;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 64, &options, words));
	options.features = PGSIMHASH_WORD_SHINGLES;
	options.n = 1001;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 64, &options, words));
	options.n = -1;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 64, &options, words));
	options = defaults;
	options.features = 3;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_minhash("a", 1, 64, &options, words));
	options = defaults;
	options.weight = -1;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_simhash("a", 1, 64, &options, words));
	options = defaults;
	options.no_fold = 2;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_simhash("a", 1, 64, &options, words));
	options = defaults;
	options.reserved[2] = 1;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_simhash("a", 1, 64, &options, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_simhash_features(words, weights + 1, 1, 64, words));
	IS(PGSIMHASH_NULL, pgsimhash_minhash_features(NULL, 0, 64, words));
	IS(PGSIMHASH_NULL, pgsimhash_vote(NULL, NULL, 0, 7, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_vote(words, NULL, 1, 1025, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_signature_bits(words, 1025, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_distance(words, words, 0));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_bound(1.5, 64, .95, &bound));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_bound(NAN, 64, .95, &bound));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_bound(.5, 64, 0, &bound));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_passage_keys("a", 1, 7, 8, NULL, &keys, &n));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_passages("a", 1, "a", 1, 0, 0, NULL, &passages, &n));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_first_change("a", 1, "b", 1, 2, words));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_first_change("a\xFF", 2, "b", 1, 1, words));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_first_change("a", 1, "\xE4\xBA", 2, 1, words));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_same_document("a", 1, "b", 1, -1, &same));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_same_document("a\xFF", 2, "b", 1, 1, &same));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_copy_key("a\xFF", 2, key));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_duplicates_begin(2, 1, 20, 0, &duplicates));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_duplicates_begin(0, -1, 20, 0, &duplicates));
	IS(PGSIMHASH_OK, pgsimhash_duplicates_begin(1, 1, 20, 0, &duplicates));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_duplicates_add(duplicates, "\xFF", 1, "a", 1, NULL));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_duplicates_add(duplicates, "a", 1, "\xFF", 1, NULL));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_duplicates_next(duplicates, &duplicate, 1, &n));
	IS(PGSIMHASH_OK, pgsimhash_duplicates_find(duplicates, 0, NULL, 2, &n_by_numbers, NULL));
	check(n_by_numbers == 0, "no texts, no numbers");
	n_by_numbers = 42;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_duplicates_find(duplicates, 0, NULL, 2, &n_by_numbers, NULL));
	check(n_by_numbers == 42, "an error stores no number");
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_duplicates_add(duplicates, "", 0, "a", 1, NULL));
	check(pgsimhash_duplicates_next(duplicates, &duplicate, 1, &n) == PGSIMHASH_OK && n == 0, "no texts");
	pgsimhash_duplicates_end(duplicates);
	pgsimhash_duplicates_end(NULL);
	options = defaults;
	options.no_normalization = 1;
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_changes("a", 1, "a", 1, &options, &changes, &n));
	IS(PGSIMHASH_INVALID_UTF8, pgsimhash_changes("a", 1, "\xFF", 1, NULL, &changes, &n));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_pairs_begin(words, 1, 72, 3, 0, NULL));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_groups(words, 1, 64, 3, 2, 0, NULL));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_stars(&edge, 1, 1, keepers));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_stars(&edge, 0, UINT32_MAX, keepers));
	IS(PGSIMHASH_INVALID_OPTION, pgsimhash_stars(&edge, UINT32_MAX, 2, keepers));
	IS(PGSIMHASH_OK, pgsimhash_stars(NULL, 0, 0, NULL));
	check(strcmp(pgsimhash_message(PGSIMHASH_INVALID_UTF8), "text is not UTF-8") == 0, "message");
	pgsimhash_free(NULL);
	pgsimhash_pairs_end(NULL);
}

/* ---------- many fingerprints ---------- */

static uint64_t fingerprints[ROWS * 16];

/* Fingerprints of which many are near each other */
static void
fill(int words)
{
	for (int i = 0; i < ROWS * words; i++)
		fingerprints[i] = i < 50 * words ? random64() : fingerprints[i % (50 * words)];
	for (int i = 1; i < ROWS; i++)
		for (uint64_t flips = random64() % 9; flips > 0; flips--)
			fingerprints[i * words + (int) (random64() % (uint64_t) words)] ^= UINT64_C(1) << random64() % 64;
}

static int
plain_distance(int a, int b, int words)
{
	int			distance = 0;

	for (int w = 0; w < words; w++)
		distance += __builtin_popcountll(fingerprints[a * words + w] ^ fingerprints[b * words + w]);
	return distance;
}

static void
test_distances(int words)
{
	static uint16_t distances[ROWS];
	static size_t found[ROWS];
	int			radius = 6;
	size_t		n_found;
	size_t		expected = 0;
	bool		same = true;

	pgsimhash_distances(fingerprints, ROWS, fingerprints, words * 64, distances);
	pgsimhash_within(fingerprints, ROWS, fingerprints, words * 64, radius, found, &n_found);
	for (int i = 0; i < ROWS; i++)
	{
		int			distance = plain_distance(0, i, words);

		same &= distances[i] == distance && distance ==
			pgsimhash_distance(fingerprints, fingerprints + i * words, words * 64);
		if (distance <= radius)
			same &= expected < n_found && found[expected++] == (size_t) i;
	}
	check(same && expected == n_found && n_found > 1, "distances of %d words", words);
}

static void
test_joins(int words, int distance, size_t memory)
{
	static uint32_t groups[ROWS];
	pgsimhash_pairs *pairs;
	pgsimhash_pair found[7];
	size_t		n;
	size_t		n_pairs = 0;
	size_t		n_expected = 0;
	bool		right = true;

	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < i; k++)
			n_expected += plain_distance(i, k, words) <= distance;
	pgsimhash_pairs_begin(fingerprints, ROWS, words * 64, distance, memory, &pairs);
	while (right && pgsimhash_pairs_next(pairs, found, 7, &n) == PGSIMHASH_OK && n > 0)
		for (n_pairs += n; n-- > 0;)
			right &= found[n].a < found[n].b && found[n].distance <= distance &&
				found[n].distance == plain_distance((int) found[n].a, (int) found[n].b, words);
	pgsimhash_pairs_end(pairs);
	check(right && n_pairs == n_expected, "%zu of %zu pairs of %d words within %d", n_pairs,
		  n_expected, words, distance);
	for (int method = PGSIMHASH_COMPONENTS; method <= PGSIMHASH_STAR; method++)
	{
		right = pgsimhash_groups(fingerprints, ROWS, words * 64, distance, method, memory, groups) == PGSIMHASH_OK;
		for (uint32_t i = 0; i < ROWS; i++)
			right &= groups[i] <= i && groups[groups[i]] == groups[i];
		for (int i = 0; i < ROWS; i++)
			for (int k = 0; k < i && method == PGSIMHASH_COMPONENTS; k++)
				right &= groups[i] == groups[k] || plain_distance(i, k, words) > distance;
		check(right, "groups of %d words, method %d", words, method);
	}
}

/* Is this the question to which *arg counts down? */
static int
countdown(void *arg)
{
	return (*(int *) arg)-- == 0;
}

static int
open_files(void)
{
	DIR		   *folder = opendir("/proc/self/fd");
	int			n = 0;

	while (readdir(folder) != NULL)
		n++;
	closedir(folder);
	return n;
}

/* Stop each search at its first, second, ... question.  The sanitizer finds no leak. */
static void
test_stop(int words, size_t memory)
{
	int			files = open_files();
	static uint32_t groups[ROWS];
	pgsimhash_pair found[ROWS];
	size_t		n;

	for (int method = PGSIMHASH_COMPONENTS; method <= PGSIMHASH_STAR + 1; method++)
	{
		int			asked = 0;
		bool		right = true;
		int			result;

		do
		{
			pgsimhash_pairs *pairs = NULL;
			int			left = asked++;

			groups[0] = ROWS;
			pgsimhash_set_stop(countdown, &left);
			if (method <= PGSIMHASH_STAR)
				result = pgsimhash_groups(fingerprints, ROWS, words * 64, 8, method, memory, groups);
			else
			{
				result = pgsimhash_pairs_begin(fingerprints, ROWS, words * 64, 8, memory, &pairs);
				n = 1;
				while (result == PGSIMHASH_OK && n > 0)
					result = pgsimhash_pairs_next(pairs, found, ROWS, &n);
				pgsimhash_pairs_end(pairs);
			}
			pgsimhash_set_stop(NULL, NULL);
			right &= result == (left < 0 ? PGSIMHASH_STOPPED : PGSIMHASH_OK);
			right &= result == PGSIMHASH_OK || groups[0] == ROWS;
		} while (result == PGSIMHASH_STOPPED);
		check(right && asked > (words > 1 ? 2 : 1), "search %d of %d words is stopped at %d places", method, words, asked - 1);
	}
	check(open_files() == files, "searches of %d words leave no file", words);
}

/* Stars of random edges, few and many, with loops and repeated ones, against the definition */
static void
test_stars(void)
{
	static unsigned char has_edge[ROWS][ROWS];
	static pgsimhash_edge edges[ROWS * 20];
	static uint32_t keepers[ROWS];
	static uint32_t expected[ROWS];

	for (int test = 0; test < 20; test++)
	{
		size_t		n = test == 0 ? 1 : ROWS - random64() % 100;
		size_t		n_edges = test % 4 == 0 ? n * 20 : random64() % (2 * n);
		int			asked = 0;
		int			left = -1;
		bool		right = true;

		memset(has_edge, 0, sizeof(has_edge));
		for (size_t i = 0; i < n_edges; i++)
		{
			edges[i].a = (uint32_t) (random64() % n);
			edges[i].b = test % 5 == 0 ? (edges[i].a + 1) % (uint32_t) n : (uint32_t) (random64() % n);
			has_edge[edges[i].a][edges[i].b] = has_edge[edges[i].b][edges[i].a] = 1;
		}
		for (uint32_t row = 0; row < n; row++)
		{
			expected[row] = row;
			for (uint32_t keeper = row; keeper-- > 0;)
				if (has_edge[row][keeper] && expected[keeper] == keeper)
					expected[row] = keeper;
		}
		right &= pgsimhash_stars(edges, n_edges, n, keepers) == PGSIMHASH_OK &&
			memcmp(keepers, expected, n * sizeof(uint32_t)) == 0;
		for (int result = PGSIMHASH_STOPPED; result == PGSIMHASH_STOPPED;)
		{
			keepers[0] = ROWS;
			left = asked++;
			pgsimhash_set_stop(countdown, &left);
			result = pgsimhash_stars(edges, n_edges, n, keepers);
			pgsimhash_set_stop(NULL, NULL);
			right &= result == (left < 0 ? PGSIMHASH_STOPPED : PGSIMHASH_OK) &&
				(keepers[0] == 0) == (result == PGSIMHASH_OK);
		}
		check(right && (asked > 1 || n_edges == 0), "stars of %zu edges, stopped at %d places", n_edges, asked - 1);
	}
}

/* What the functions of test_each_stops get */
static struct
{
	char	   *a;				/* long texts, in which one word differs */
	char	   *b;
	size_t		length;
	uint64_t   *words;
	double	   *weights;
	size_t		n;
}			large;

static int
call_number(int i)
{
	static uint16_t distances[1 << 20];
	static size_t within[1 << 20];
	uint64_t	fp[PGSIMHASH_MOST_WORDS] = {0};
	unsigned char key[16];
	double		share;
	int64_t    *keys = NULL;
	pgsimhash_passage *passages = NULL;
	pgsimhash_change *changes = NULL;
	size_t		n;
	uint64_t	value;
	int			same;
	int			result = PGSIMHASH_OK;

	switch (i)
	{
		case 0:
			return pgsimhash_minhash(large.a, large.length, 64, NULL, fp);
		case 1:
			return pgsimhash_simhash(large.a, large.length, 256, NULL, fp);
		case 2:
			return pgsimhash_resemblance(large.a, large.length, large.b, large.length, NULL, &share);
		case 3:
			return pgsimhash_minhash_features(large.words, large.n, 64, fp);
		case 4:
			return pgsimhash_simhash_features(large.words, NULL, large.n, 64, fp);
		case 5:
			return pgsimhash_simhash_features(large.words, large.weights, large.n, 64, fp);
		case 6:
			return pgsimhash_vote(large.words, large.weights, large.n, 64, fp);
		case 7:
			return pgsimhash_distances(large.words, large.n, fp, 64, distances);
		case 8:
			return pgsimhash_within(large.words, large.n, fp, 64, 20, within, &n);
		case 9:
			result = pgsimhash_passage_keys(large.a, large.length, 30, 8, NULL, &keys, &n);
			pgsimhash_free(keys);
			return result;
		case 10:
			result = pgsimhash_passages(large.a, large.length, large.b, large.length, 20, 15, NULL, &passages, &n);
			pgsimhash_free(passages);
			return result;
		case 11:
			return pgsimhash_containment(large.a, large.length, large.b, large.length, 8, NULL, &share);
		case 12:
			return pgsimhash_first_change(large.a, large.length, large.b, large.length, 1, &value);
		case 13:
			return pgsimhash_same_document(large.a, large.length, large.b, large.length, 1, &same);
		case 14:
			return pgsimhash_copy_key(large.a, large.length, key);
		case 15:
			result = pgsimhash_changes(large.a, large.length, large.b, large.length, NULL, &changes, &n);
			pgsimhash_free(changes);
			return result;
		default:
			return PGSIMHASH_NULL;
	}
}

/* Each function that reads texts or arrays ends when it is stopped, at any of its questions. */
static void
test_each_stops(void)
{
	const size_t n_words = 100000;
	int			n_functions = 0;

	large.a = malloc(n_words * 8 + 1);
	large.b = malloc(n_words * 8 + 1);
	for (size_t i = 0; i < n_words; i++)
	{
		sprintf(large.a + 8 * i, "w%06zu ", i);
		memcpy(large.b + 8 * i, i == n_words - 1 ? "another " : large.a + 8 * i, 8);
	}
	large.length = n_words * 8;
	large.n = 1 << 20;
	large.words = malloc(large.n * sizeof(uint64_t));
	large.weights = malloc(large.n * sizeof(double));
	for (size_t i = 0; i < large.n; i++)
	{
		large.words[i] = random64();
		large.weights[i] = (double) i;
	}
	for (int i = 0; call_number(i) != PGSIMHASH_NULL; i++)
	{
		bool		right = true;
		int			asked = 0;

		for (int result = PGSIMHASH_STOPPED; result == PGSIMHASH_STOPPED; asked = asked * 2 + 1)
		{
			int			left = asked;

			pgsimhash_set_stop(countdown, &left);
			result = call_number(i);
			pgsimhash_set_stop(NULL, NULL);
			right &= result == (left < 0 ? PGSIMHASH_STOPPED : PGSIMHASH_OK);
		}
		check(right && asked > 1, "function %d is stopped", i);
		n_functions++;
	}
	check(n_functions == 16, "16 functions");
	free(large.a);
	free(large.b);
	free(large.words);
	free(large.weights);
}

static void
test_passages(void)
{
	const char *a = "Zuerst: über den Wolken muss die Freiheit wohl grenzenlos sein!";
	const char *b = "… Über den Wolken, muss die Freiheit wohl grenzenlos sein. Alle Ängste";
	pgsimhash_passage *passages;
	size_t		n;
	int			result = pgsimhash_passages(a, strlen(a), b, strlen(b), 5, 15, NULL, &passages, &n);

	check(result == PGSIMHASH_OK && n == 1 && passages->words == 9, "one passage of nine words");
	check(passages->a.byte == 8 && passages->a.character == 8 && passages->a.characters == 54 &&
		  passages->a.bytes == 55, "its place in a: %zu", passages->a.characters);
	check(passages->b.byte == 4 && passages->b.character == 2 && passages->b.characters == 55,
		  "its place in b: %zu", passages->b.characters);
	pgsimhash_free(passages);
	result = pgsimhash_passages(a, strlen(a), "x", 1, 5, 15, NULL, &passages, &n);
	check(result == PGSIMHASH_OK && n == 0 && passages != NULL, "no passage");
	pgsimhash_free(passages);
}

/* Copies and edited versions of a text of 40 words, in the order of adding and in another one */
static void
test_duplicates(void)
{
	static const uint32_t order[] = {3, 4, 2, 1, 0};
	static const uint32_t upwards[] = {1, 2, 3, 4, 0};
	static const uint32_t wrong[][5] = {{0, 1, 2, 3, 3}, {0, 1, 2, 3, 5}};
	char		texts[5][700] = {"", "", "...", "", ""};
	const char *titles[] = {"Title", "TITLE ", "Title", "", "Title"};
	pgsimhash_duplicates *d;
	pgsimhash_duplicate found[5];
	size_t		n;

	for (int i = 0; i < 40; i++)
		snprintf(texts[0] + strlen(texts[0]), 20, "word%c%c ", 'a' + i % 26, 'a' + i / 26);
	strcpy(texts[1], texts[0]);
	strcat(strcpy(texts[3], texts[0]), " and more");
	strcat(strcpy(texts[4], texts[0]), " more");
	for (int round = 0; round < 8; round++)
	{
		bool		is_wrong = round >= 3 && round <= 5;
		size_t		known = round < 5 ? 0 : round == 5 ? 6 : 2;
		bool		in_order = round == 0 || round == 2 || round == 5 || round == 6;

		check(pgsimhash_duplicates_begin(round == 2, 1, 20, round == 0 ? 0 : 1, &d) == PGSIMHASH_OK, "begin");
		for (int i = 0; i < 5; i++)
			check(pgsimhash_duplicates_add(d, titles[i], strlen(titles[i]), texts[i], strlen(texts[i]), NULL) == PGSIMHASH_OK, "add");
		check(pgsimhash_duplicates_find(d, known, in_order ? NULL : is_wrong ? wrong[round - 3] : order, round, NULL, NULL) ==
			  (is_wrong ? PGSIMHASH_INVALID_OPTION : PGSIMHASH_OK), "find in round %d", round);
		check(pgsimhash_duplicates_next(d, found, 5, &n) == (is_wrong ? PGSIMHASH_INVALID_OPTION : PGSIMHASH_OK), "next");
		if (round == 0)
			check(n == 3 && found[0].text == 1 && found[0].original == 0 && found[0].kind == PGSIMHASH_COPY && found[0].distance == 0 &&
				  found[1].text == 3 && found[1].original == 0 && found[1].kind == PGSIMHASH_REVISION && found[1].distance > 0 &&
				  found[2].text == 4 && found[2].original == 0, "a copy and two revisions");
		else if (round == 1)
			check(n == 3 && found[0].text == 4 && found[0].original == 3 && found[1].text == 1 && found[1].original == 3 &&
				  found[2].text == 0 && found[2].original == 3 && found[2].kind == PGSIMHASH_COPY, "in another order");
		else if (round == 2)
			check(n == 2 && found[1].text == 4, "a text without a title is another one");
		else if (round == 6)
			check(n == 2 && found[0].text == 3 && found[0].original == 0 && found[1].text == 4 && found[1].original == 0, "a known copy");
		else if (round == 7)
			check(n == 2 && found[0].text == 3 && found[0].original == 1 && found[1].text == 4 && found[1].original == 1, "known texts in another order");
		pgsimhash_duplicates_end(d);
	}
	for (int numbers = 0; numbers < 2; numbers++)
	{
		size_t		n_by_numbers = 42;
		size_t		n_limited = 42;

		check(pgsimhash_duplicates_begin(0, numbers, PGSIMHASH_CANDIDATES(PGSIMHASH_DUPLICATES_BITS), 0, &d) == PGSIMHASH_OK, "begin");
		for (int i = 0; i < 5; i++)
		{
			strcat(strcpy(texts[1], texts[0]), i == 0 ? "" : i == 4 ? " page 3 of 5 and more" : i == 3 ? " page 3 of 5" : " page 2 of 5");
			check(pgsimhash_duplicates_add(d, "", 0, texts[1], strlen(texts[1]), NULL) == PGSIMHASH_OK, "add");
		}
		check(pgsimhash_duplicates_find(d, 0, upwards, 2, &n_by_numbers, &n_limited) == PGSIMHASH_OK && n_limited == 0, "find");
		check(n_by_numbers == (size_t) numbers, "%zu by numbers with numbers %d", n_by_numbers, numbers);
		check(pgsimhash_duplicates_next(d, found, 5, &n) == PGSIMHASH_OK, "next");
		check(n == (size_t) (4 - numbers), "%zu with numbers %d", n, numbers);
		pgsimhash_duplicates_end(d);
	}
}

/* A digest of the duplicates among copies, versions and other texts; 0 after an error */
static uint64_t
digest_of_many(int threads, size_t memory, bool fingerprints, size_t *n_found)
{
	pgsimhash_duplicates *d;
	pgsimhash_duplicate found[100];
	uint64_t	sum = 1;
	size_t		n = 1;
	bool		good = pgsimhash_duplicates_begin(0, 1, 40, memory, &d) == PGSIMHASH_OK;

	*n_found = 0;
	for (int i = 0; i < 12000; i++)
	{
		char		bytes[600] = "";
		uint64_t	fp[PGSIMHASH_WORDS(PGSIMHASH_DUPLICATES_BITS)];
		size_t		length;

		for (int word = 0; word < 30; word++)
			snprintf(bytes + strlen(bytes), 20, "w%c%c%c ", 'a' + (i / 3 + word * 7) % 26, 'a' + (i / 3 * 5 + word) / 26 % 26, 'a' + (i / 78 + word) % 26);
		strcat(bytes, i % 3 == 0 ? "" : i % 3 == 1 ? "." : "and more");
		length = i % 100 == 99 ? 0 : strlen(bytes);
		if (length > 0)
			good &= pgsimhash_minhash(bytes, length, PGSIMHASH_DUPLICATES_BITS, NULL, fp) == PGSIMHASH_OK;
		good &= pgsimhash_duplicates_add(d, "", 0, bytes, length, fingerprints && length > 0 ? fp : NULL) == PGSIMHASH_OK;
	}
	good &= pgsimhash_duplicates_find(d, 0, NULL, threads, NULL, NULL) == PGSIMHASH_OK;
	while (good && n > 0)
	{
		good = pgsimhash_duplicates_next(d, found, 100, &n) == PGSIMHASH_OK;
		for (size_t i = 0; i < n; i++)
			sum = sum * 1000003 + found[i].text * UINT64_C(31) + found[i].original * UINT64_C(17) + (uint64_t) (found[i].kind * 512 + found[i].distance);
		*n_found += n;
	}
	pgsimhash_duplicates_end(d);
	return good ? sum : 0;
}

static int
stop_at_once(void *arg)
{
	(void) arg;
	return 1;
}

static void
test_many_duplicates(void)
{
	pgsimhash_duplicates *d;
	size_t		n;
	size_t		n_first;
	uint64_t	sum = digest_of_many(1, 0, false, &n_first);

	check(sum != 0 && n_first > 5000, "%zu duplicates", n_first);
	for (int threads = 0; threads <= 5; threads++)
		check(digest_of_many(threads, threads % 2 == 0 ? 1 : 0, threads > 2, &n) == sum && n == n_first, "%d threads", threads);
	check(pgsimhash_duplicates_begin(0, 1, 40, 0, &d) == PGSIMHASH_OK, "begin");
	for (int i = 0; i < 1000; i++)
		pgsimhash_duplicates_add(d, "", 0, "one text", 8, NULL);
	check(pgsimhash_duplicates_find(d, 0, NULL, -1, NULL, NULL) == PGSIMHASH_INVALID_OPTION, "-1 threads");
	pgsimhash_set_stop(stop_at_once, NULL);
	check(pgsimhash_duplicates_find(d, 0, NULL, 3, NULL, NULL) == PGSIMHASH_STOPPED, "stopped");
	pgsimhash_set_stop(NULL, NULL);
	pgsimhash_duplicates_end(d);
}

static void
test_changes(void)
{
	const char *a = "Größe – alt: rund 10 m.";
	const char *b = "Größe – neu: rund 12 m.";
	uint64_t	value = 42;
	int			same = 42;
	unsigned char key[16];
	unsigned char other_key[16];
	pgsimhash_change *changes;
	size_t		n;

	check(pgsimhash_first_change(a, strlen(a), b, strlen(b), 1, &value) == PGSIMHASH_OK && value == 1, "first change");
	check(pgsimhash_first_change("a 1 1", 5, "A 2", 3, 1, &value) == PGSIMHASH_OK && value == 2, "first change of numbers");
	check(pgsimhash_first_change("a 1 1", 5, "A 2", 3, 0, &value) == PGSIMHASH_OK && value == 0, "without numbers");
	check(pgsimhash_first_change(NULL, 0, "", 0, 0, &value) == PGSIMHASH_OK && value == 0, "of empty texts");
	check(pgsimhash_same_document(a, strlen(a), a, strlen(a), 1, &same) == PGSIMHASH_OK && same == 1, "a copy is the same document");
	check(pgsimhash_same_document(a, strlen(a), b, strlen(b), 1, &same) == PGSIMHASH_OK && same == 0, "another document");
	check(pgsimhash_same_document(NULL, 0, "", 0, 0, &same) == PGSIMHASH_OK && same == 1, "of empty texts");
	check(pgsimhash_copy_key(a, strlen(a), key) == PGSIMHASH_OK && pgsimhash_copy_key(b, strlen(b), other_key) == PGSIMHASH_OK &&
		  memcmp(key, other_key, sizeof(key)) != 0, "keys of copies");
	check(pgsimhash_copy_key("A b", 3, key) == PGSIMHASH_OK && pgsimhash_copy_key("a  B", 4, other_key) == PGSIMHASH_OK &&
		  memcmp(key, other_key, sizeof(key)) == 0, "of a copy");
	check(pgsimhash_copy_key(" \xC2\xAD", 3, key) == PGSIMHASH_NULL, "of a text without visible characters");
	test_duplicates();
	test_many_duplicates();
	check(pgsimhash_changes(a, strlen(a), b, strlen(b), NULL, &changes, &n) == PGSIMHASH_OK && n == 2, "two changes");
	check(n == 2 && changes[0].kind == PGSIMHASH_CHANGE_REPLACE && changes[0].a.byte == 12 && changes[0].b.bytes == 3 &&
		  changes[0].a.character == 8 && changes[0].times == 1, "a word");
	check(n == 2 && changes[1].kind == PGSIMHASH_CHANGE_NUMBER && changes[1].b.character == 18 && changes[1].b.characters == 2, "a number");
	pgsimhash_free(changes);
	check(pgsimhash_changes(a, strlen(a), "", 0, NULL, &changes, &n) == PGSIMHASH_OK && n > 0, "all is deleted");
	pgsimhash_free(changes);
	check(pgsimhash_changes("A b", 3, "a  B", 4, NULL, &changes, &n) == PGSIMHASH_OK && n == 0 && changes != NULL, "no change");
	pgsimhash_free(changes);
}

static void
test_times_of_changes(void)
{
	const char *a = "Über -500 Wörter, MD5SUM und md5sum";
	const char *b = "ÜBER 500 Wörter MD5SUMS und md5sums";
	const pgsimhash_options no_fold = {.no_fold = 1};
	pgsimhash_change *changes;
	size_t		n;
	int			result = pgsimhash_changes(a, strlen(a), b, strlen(b), NULL, &changes, &n);

	check(result == PGSIMHASH_OK && n == 4, "four changes");
	check(changes[0].kind == PGSIMHASH_CHANGE_SIGNS && changes[0].a.byte == 6 && changes[0].a.character == 5 &&
		  changes[0].a.characters == 1 && changes[0].b.byte == 5 && changes[0].b.bytes == 0,
		  "a sign that nothing stands for");
	check(changes[1].kind == PGSIMHASH_CHANGE_PUNCTUATION && changes[1].times == 1 && changes[1].a.character == 16 &&
		  changes[1].a.byte == 18, "punctuation");
	check(changes[2].kind == PGSIMHASH_CHANGE_REPLACE && changes[2].times == 2 && changes[3].times == 2 &&
		  changes[2].b.bytes == 7, "a word, twice");
	pgsimhash_free(changes);
	result = pgsimhash_changes(a, strlen(a), b, strlen(b), &no_fold, &changes, &n);
	check(result == PGSIMHASH_OK && n == 5 && changes[0].kind == PGSIMHASH_CHANGE_FORM &&
		  changes[0].a.bytes == 5 && changes[0].a.characters == 4, "case is a change");
	pgsimhash_free(changes);
	result = pgsimhash_changes("US \n", 4, "us", 2, NULL, &changes, &n);
	check(result == PGSIMHASH_OK && n == 0 && changes != NULL, "no change");
	pgsimhash_free(changes);
}

int
main(void)
{
	static const int widths[] = {1, 2, 4, 16};

	test_pins();
	test_utf8();
	test_errors();
	test_stars();
	test_each_stops();
	test_passages();
	test_changes();
	test_times_of_changes();
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		fill(widths[i]);
		test_distances(widths[i]);
		for (size_t memory = 0; memory < 2; memory++)
		{
			test_joins(widths[i], 5, memory);
			test_joins(widths[i], 8, memory);
			test_stop(widths[i], memory);
		}
	}
	return end_tests();
}
