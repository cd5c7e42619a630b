/*-------------------------------------------------------------------------
 *
 * run_fingerprints.c
 *		The commands minhash and simhash.
 *
 *-------------------------------------------------------------------------
 */
#include "fail.h"
#include "internal.h"
#include "records.h"

static int
fingerprint(const Options *options, const Record *record, uint64_t *words)
{
	return fingerprint_text(options->command == COMMAND_MINHASH, record->is_utf8, record->text,
							record->text_length, options->output.bits, &options->text, words);
}

static const char *
write_fingerprint(const Options *options, const Record *record, Buffer *out)
{
	uint64_t	words[PGSIMHASH_MOST_WORDS];
	int			result = PGSIMHASH_NULL;

	if (record->text != NULL)
		result = fingerprint(options, record, words);
	if (result < 0)
		return problem_of(result);
	return output_fingerprint(&options->output, out, record,
							  result == PGSIMHASH_NULL ? NULL : words);
}

int
run_fingerprints(const Options *options, char **arguments, int n)
{
	const Record empty = {.text = ""};
	uint64_t	words[PGSIMHASH_MOST_WORDS];

	if (fingerprint(options, &empty, words) == PGSIMHASH_INVALID_OPTION)
		fail(EXIT_USAGE, options->output.bits % 64 != 0 ? "--bits must be a multiple of 64" :
			 "--n requires --features");
	return work_on_records(options, input_open(&options->input, arguments, n), write_fingerprint,
						   write_out);
}
