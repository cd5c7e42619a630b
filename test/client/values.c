/*
 * The library's values of texts, for the comparison with SQL by test/t/client_library.pl.  A line of
 * standard input has an id, two texts in hexadecimal digits, the number of the options
 * (chosen_options) and the number of bits.  A line of the output is for COPY.
 */
#include <inttypes.h>

#include "test.h"

static void
put_words(int result, const uint64_t *words, int bits)
{
	printf("\t");
	if (result == PGSIMHASH_NULL)
		printf("\\N");
	else if (result != PGSIMHASH_OK)
		printf("%d", result);
	else
		for (int w = 0; w < bits / 64; w++)
			printf("%s%016" PRIx64, w == 0 ? "x" : "", words[w]);
}

static void
put_number(int result, double number)
{
	if (result == PGSIMHASH_NULL)
		printf("\t\\N");
	else
		printf("\t%.17g", number);
}

static void
put_keys(const int64_t *keys, size_t n)
{
	printf("\t{");
	for (size_t i = 0; i < n; i++)
		printf("%s%" PRId64, i == 0 ? "" : ",", keys[i]);
	printf("}");
}

static void
put_passages(const char *a, size_t n_a, const char *b, size_t n_b,
			 const pgsimhash_options *forms)
{
	pgsimhash_passage *found;
	size_t		n;

	printf("\t");
	pgsimhash_passages(a, n_a, b, n_b, 5, 3, forms, &found, &n);
	for (size_t i = 0; i < n; i++)
		printf("%s%zu,%zu,%zu,%zu,%zu", i == 0 ? "" : " ",
			   found[i].a.character + 1, found[i].a.characters,
			   found[i].b.character + 1, found[i].b.characters, found[i].words);
	pgsimhash_free(found);
}

static void
put_changes(const char *a, size_t n_a, const char *b, size_t n_b, unsigned choice)
{
	const pgsimhash_options options = {.no_fold = chosen_options(choice).no_fold};
	pgsimhash_change *found;
	uint64_t	value;
	int			same;
	size_t		n;

	pgsimhash_first_change(a, n_a, b, n_b, (int) choice % 2, &value);
	pgsimhash_same_document(a, n_a, b, n_b, (int) choice % 2, &same);
	printf("\t%" PRIu64 "\t%s\t", value, same ? "t" : "f");
	pgsimhash_changes(a, n_a, b, n_b, &options, &found, &n);
	for (size_t i = 0; i < n; i++)
		printf("%s%zu,%zu,%zu,%zu,%d,%zu", i == 0 ? "" : " ",
			   found[i].a.character + 1, found[i].a.characters,
			   found[i].b.character + 1, found[i].b.characters, found[i].kind, found[i].times);
	pgsimhash_free(found);
}

static void
put_line(const char *id, const char *a, size_t n_a, const char *b, size_t n_b,
		 unsigned choice, int bits)
{
	pgsimhash_options options = chosen_options(choice);
	pgsimhash_options forms = {.no_fold = options.no_fold,.no_normalization = options.no_normalization};
	uint64_t	words[16];
	int64_t		block_keys[12];
	int64_t    *keys;
	size_t		n;
	double		share = 0;
	int			result;

	printf("%s", id);
	result = pgsimhash_simhash(a, n_a, bits, &options, words);
	put_words(result, words, bits);
	result = pgsimhash_minhash(a, n_a, bits, &options, words);
	put_words(result, words, bits);
	if (result != PGSIMHASH_OK)
		printf("\t\\N");
	else if (pgsimhash_block_keys(words, bits, (int) choice % 12, block_keys, &n) == PGSIMHASH_OK)
		put_keys(block_keys, n);
	if (result != PGSIMHASH_INVALID_UTF8)
	{
		result = pgsimhash_resemblance(a, n_a, b, n_b, &options, &share);
		put_number(result, share);
		result = pgsimhash_containment(a, n_a, b, n_b, 3, &forms, &share);
		put_number(result, share);
		pgsimhash_passage_keys(a, n_a, 10, 4, &forms, &keys, &n);
		put_keys(keys, n);
		pgsimhash_free(keys);
		put_passages(a, n_a, b, n_b, &forms);
		put_changes(a, n_a, b, n_b, choice);
	}
	else
		printf("\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N");
	printf("\n");
}

/* Turn digits into bytes, in their place. */
static size_t
read_hex(char *digits)
{
	size_t		n = strlen(digits) / 2;

	for (size_t i = 0; i < n; i++)
	{
		char		byte[3] = {digits[2 * i], digits[2 * i + 1], '\0'};

		digits[i] = (char) strtol(byte, NULL, 16);
	}
	return n;
}

int
main(void)
{
	char	   *line = NULL;
	size_t		room = 0;

	while (getline(&line, &room, stdin) > 0)
	{
		char	   *fields[5];
		char	   *rest = line;
		size_t		n_a;
		size_t		n_b;

		for (int i = 0; i < 5; i++)
			fields[i] = strsep(&rest, "\t\n");
		n_a = read_hex(fields[1]);
		n_b = read_hex(fields[2]);
		put_line(fields[0], fields[1], n_a, fields[2], n_b, (unsigned) atoi(fields[3]), atoi(fields[4]));
	}
	free(line);
	return 0;
}
