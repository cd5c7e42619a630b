/*
 * The commands minhash and simhash.
 */
#include "fail.h"
#include "records.h"

static int
fingerprint(const Options *options, const char *text, size_t length, uint64_t *words)
{
	return (options->command == COMMAND_MINHASH ? pgsimhash_minhash : pgsimhash_simhash)
		(text, length, options->output.bits, &options->text, words);
}

static const char *
write_fingerprint(const Options *options, const Record *record, Buffer *out)
{
	uint64_t	words[PGSIMHASH_MOST_WORDS];
	int			result = PGSIMHASH_NULL;

	if (record->text != NULL)
		result = fingerprint(options, record->text, record->text_length, words);
	if (result < 0)
		return problem_of(result);
	return output_fingerprint(&options->output, out, record,
							  result == PGSIMHASH_NULL ? NULL : words);
}

int
run_fingerprints(const Options *options, char **arguments, int n)
{
	uint64_t	words[PGSIMHASH_MOST_WORDS];

	if (fingerprint(options, "", 0, words) == PGSIMHASH_INVALID_OPTION)
		fail(EXIT_USAGE, "--bits is no multiple of 64, or --n is given without --features");
	return work_on_records(options, arguments, n, write_fingerprint);
}
