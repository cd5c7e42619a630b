/*-------------------------------------------------------------------------
 *
 * run_passages.c
 *		The command passages: passages of two texts, or the keys of texts.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>

#include "fail.h"
#include "records.h"
#include "two_files.h"

#define DEFAULT_PASSAGE_WORDS	20
#define DEFAULT_KEY_WORDS		30
#define DEFAULT_KEY_N			8

/* ---------- keys ---------- */

static int
find_keys(const Options *options, const char *text, size_t length, int64_t **keys, size_t *n)
{
	pgsimhash_options words = options->text;

	words.n = 0;
	return pgsimhash_passage_keys(text, length,
								  options->words > 0 ? options->words : DEFAULT_KEY_WORDS,
								  options->text.n > 0 ? options->text.n : DEFAULT_KEY_N,
								  &words, keys, n);
}

static const char *
write_keys(const Options *options, const Record *record, Buffer *out)
{
	const char *problem;
	int64_t    *keys = NULL;
	size_t		n = 0;
	int			result;

	if (record->text != NULL &&
		(result = find_keys(options, record->text, record->text_length, &keys, &n)) < 0)
		return problem_of(result);
	problem = output_keys(&options->output, out, record, keys, n);
	pgsimhash_free(keys);
	return problem;
}

/* ---------- passages ---------- */

static void
append_passage(const Options *options, const pgsimhash_passage *p, Buffer *out)
{
	const char *form = options->output.format == OUTPUT_JSON ?
		"{\"a_start\": %zu, \"a_length\": %zu, \"b_start\": %zu, \"b_length\": %zu, \"words\": %zu}\n" :
		"%zu\t%zu\t%zu\t%zu\t%zu\n";

	buffer_printf(out, form, p->a.character + 1, p->a.characters,
				  p->b.character + 1, p->b.characters, p->words);
}

static int
compare_files(const Options *options, char **paths)
{
	Buffer		texts[2] = {{NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
	Buffer		out = {NULL, 0, 0, 0};
	pgsimhash_passage *passages;
	size_t		n;
	int			result;

	read_two_files(paths, texts);
	result = pgsimhash_passages(texts[0].bytes, texts[0].length,
								texts[1].bytes, texts[1].length,
								options->words > 0 ? options->words : DEFAULT_PASSAGE_WORDS,
								options->gap, &options->text, &passages, &n);
	if (result < 0)
		fail_two_files(paths, result);
	for (size_t i = 0; i < n; i++)
		append_passage(options, &passages[i], &out);
	write_out(&out);
	pgsimhash_free(passages);
	buffer_free(&out);
	buffer_free(&texts[0]);
	buffer_free(&texts[1]);
	return 0;
}

int
run_passages(const Options *options, char **arguments, int n)
{
	int64_t    *keys;
	size_t		n_keys;

	if (!options->keys)
	{
		if (n != 2)
			fail(EXIT_USAGE, "passages requires two files, or --keys");
		return compare_files(options, arguments);
	}
	if (find_keys(options, "", 0, &keys, &n_keys) == PGSIMHASH_INVALID_OPTION)
		fail(EXIT_USAGE, "--words is less than --n, or more than 10000");
	pgsimhash_free(keys);
	return work_on_records(options, input_open(&options->input, arguments, n), write_keys,
						   write_out);
}
