/*-------------------------------------------------------------------------
 *
 * command_options.c
 *		The options; see command_options.h. One table has their names, values, commands and
 *		help.
 *
 *-------------------------------------------------------------------------
 */
#include "command_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "format.h"

#define FINGERPRINTS	(COMMAND_MINHASH | COMMAND_SIMHASH)
#define TEXTS			(FINGERPRINTS | COMMAND_PASSAGES)
#define RECORDS			(TEXTS | COMMAND_DEDUPE)
#define JOINS			(COMMAND_PAIRS | COMMAND_GROUPS)
#define ALL				(RECORDS | COMMAND_CHANGES | JOINS)

typedef enum OptionCode
{
	OPTION_LINES = 256,
	OPTION_FIELD,
	OPTION_TITLE,
	OPTION_ID,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_BITS,
	OPTION_BIGINT,
	OPTION_FEATURES,
	OPTION_N,
	OPTION_WEIGHT,
	OPTION_NO_FOLD,
	OPTION_KEEP_FORM,
	OPTION_KEYS,
	OPTION_WORDS,
	OPTION_GAP,
	OPTION_WITHIN,
	OPTION_STAR,
	OPTION_NO_NUMBERS,
	OPTION_REMOVE,
	OPTION_REPORT,
	OPTION_REVIEW,
	OPTION_MEMORY,
	OPTION_FORMAT,
	OPTION_JOBS,
	OPTION_SKIP_ERRORS,
	OPTION_HELP
} OptionCode;

typedef struct OptionRow
{
	const char *name;
	OptionCode	code;
	int			commands;
	const char *value;			/* or NULL */
	const char *help;
} OptionRow;

static const OptionRow rows[] = {
	{"lines", OPTION_LINES, RECORDS, NULL, "read each line as a text"},
	{"field", OPTION_FIELD, TEXTS | COMMAND_DEDUPE, "NAME", "read the texts from this field of JSON Lines, or of CSV in files *.csv"},
	{"title", OPTION_TITLE, COMMAND_DEDUPE, "NAME", "field of the titles, which must agree (default: texts begin with their titles)"},
	{"id", OPTION_ID, RECORDS, "NAME", "field of the ids (default: \"id\" if the first record has it, otherwise numbers)"},
	{"json", OPTION_JSON, RECORDS, NULL, "read every file as JSON Lines"},
	{"csv", OPTION_CSV, RECORDS, NULL, "read every file as CSV with a header line"},
	{"bits", OPTION_BITS, FINGERPRINTS, "N", "write fingerprints of type bit(N), where N is a multiple of 64 up to 1024"},
	{"bigint", OPTION_BIGINT, FINGERPRINTS | JOINS, NULL, "use type bigint for fingerprints of 64 bits"},
	{"features", OPTION_FEATURES, FINGERPRINTS, "NAME", "\"words and pairs\" (default), \"words\" or \"characters\""},
	{"n", OPTION_N, TEXTS, "N", "number of adjacent words or characters in a feature, or of words in a passage key"},
	{"weight", OPTION_WEIGHT, COMMAND_SIMHASH, "NAME", "\"once\" (default), \"frequency\" or \"logarithm\""},
	{"no-fold", OPTION_NO_FOLD, TEXTS | COMMAND_CHANGES, NULL, "distinguish upper and lower case, and spellings of a word"},
	{"no-normalization", OPTION_KEEP_FORM, TEXTS, NULL, "do not normalize the text"},
	{"keys", OPTION_KEYS, COMMAND_PASSAGES, NULL, "write the keys of each text's passages"},
	{"words", OPTION_WORDS, COMMAND_PASSAGES, "N", "least number of words in a passage (default 20; with --keys 30)"},
	{"gap", OPTION_GAP, COMMAND_PASSAGES, "N", "largest number of other words within a passage (default 15)"},
	{"within", OPTION_WITHIN, JOINS, "K", "largest distance (default: 5/64 of the bits)"},
	{"within", OPTION_WITHIN, COMMAND_DEDUPE, "K", "largest distance, of 256 bits (default 40; with --remove near 20)"},
	{"no-numbers", OPTION_NO_NUMBERS, COMMAND_DEDUPE, NULL, "a changed number does not make a different document"},
	{"remove", OPTION_REMOVE, COMMAND_DEDUPE, "KINDS", "\"copies\" (default), \"copies,revisions\", or \"near\": all near texts"},
	{"report", OPTION_REPORT, COMMAND_DEDUPE, "FILE", "write id, original's id, kind and distance of each text that was found, also of those kept"},
	{"review", OPTION_REVIEW, COMMAND_DEDUPE, "FILE", "write an HTML page that shows what differs between these texts and their originals"},
	{"star", OPTION_STAR, COMMAND_GROUPS, NULL, "keep each group within the distance of its first fingerprint"},
	{"memory", OPTION_MEMORY, JOINS | COMMAND_DEDUPE, "MB", "use about this much memory, and temporary files in TMPDIR or /var/tmp"},
	{"format", OPTION_FORMAT, TEXTS, "NAME", "output format: \"copy\" (default) or \"json\""},
	{"jobs", OPTION_JOBS, RECORDS, "N", "number of threads (default: one for each processor)"},
	{"skip-errors", OPTION_SKIP_ERRORS, RECORDS, NULL, "report invalid records and continue"},
	{"help", OPTION_HELP, ALL, NULL, "show this help"},
};

#define N_ROWS ((int) (sizeof(rows) / sizeof(rows[0])))

static void
show_help(const Command *command)
{
	printf("Usage: pgsimhash %s [OPTION]... %s\n%s\n\nOptions:\n", command->name,
		   command->arguments, command->summary);
	for (int i = 0; i < N_ROWS; i++)
	{
		char		name[40];

		if ((rows[i].commands & (int) command->bit) == 0)
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].value == NULL ? "" : " ",
				 rows[i].value == NULL ? "" : rows[i].value);
		printf("  %-20s  %s\n", name, rows[i].help);
	}
	printf("\nExamples:\n%s\n", command->examples);
	if (command->bit == COMMAND_CHANGES)
		printf("Exit status: 0 if nothing differs; 1 if something differs; 2 after an error.\n");
	else
		printf("Exit status: 0 on success, even if --skip-errors skipped records; 1 after an invalid\n"
			   "record; 2 after an invalid command or option; 3 after an error in a file, memory or the output.\n");
}

static int
number_between(const char *option, const char *value, int least, int most)
{
	char	   *end;
	long		number = strtol(value, &end, 10);

	if (*value == '\0' || *end != '\0' || number < least || number > most)
		fail(EXIT_USAGE, "--%s: \"%s\" is not a number from %d to %d", option, value, least, most);
	return (int) number;
}

/* The place of a name among the names, which NULL ends. */
static int
name_among(const char *option, const char *value, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(value, names[i]) == 0)
			return i;
	fail(EXIT_USAGE, "--%s: unrecognized value \"%s\"", option, value);
}

/* Options of the input. */
static bool
set_input_option(OptionCode code, char *value, InputOptions *input)
{
	switch (code)
	{
		case OPTION_LINES:
			input->kind = INPUT_LINES;
			return true;
		case OPTION_JSON:
			input->kind = INPUT_JSON;
			return true;
		case OPTION_CSV:
			input->kind = INPUT_CSV;
			return true;
		case OPTION_FIELD:
			input->field = value;
			return true;
		case OPTION_TITLE:
			input->title = value;
			return true;
		case OPTION_ID:
			input->id = value;
			return true;
		default:
			return false;
	}
}

/* Options of the fingerprint of a text; the places of the names are the library's numbers. */
static bool
set_text_option(OptionCode code, const char *name, char *value, Options *options)
{
	static const char *const features[] = {"words and pairs", "words", "characters", NULL};
	static const char *const weights[] = {"once", "frequency", "logarithm", NULL};

	switch (code)
	{
		case OPTION_BITS:
			options->output.bits = number_between(name, value, 64, PGSIMHASH_MOST_BITS);
			options->output.type = TYPE_BIT;
			return true;
		case OPTION_BIGINT:
			options->output.type = TYPE_BIGINT;
			return true;
		case OPTION_FEATURES:
			options->text.features = name_among(name, value, features);
			return true;
		case OPTION_N:
			options->text.n = number_between(name, value, 1, 1000);
			return true;
		case OPTION_WEIGHT:
			options->text.weight = name_among(name, value, weights);
			return true;
		case OPTION_NO_FOLD:
			options->text.no_fold = 1;
			return true;
		case OPTION_KEEP_FORM:
			options->text.no_normalization = 1;
			return true;
		default:
			return false;
	}
}

/* All others. */
static void
set_option(OptionCode code, const char *name, char *value, Options *options)
{
	static const char *const formats[] = {"copy", "json", NULL};
	static const char *const kinds[] = {"copies", "copies,revisions", "near", NULL};

	switch (code)
	{
		case OPTION_KEYS:
			options->keys = true;
			break;
		case OPTION_WORDS:
			options->words = number_between(name, value, 1, INT_MAX);
			break;
		case OPTION_GAP:
			options->gap = number_between(name, value, 0, 1000);
			break;
		case OPTION_WITHIN:
			options->within = number_between(name, value, 0, INT_MAX);
			break;
		case OPTION_STAR:
			options->star = true;
			break;
		case OPTION_NO_NUMBERS:
			options->no_numbers = true;
			break;
		case OPTION_REMOVE:
			options->remove = (RemoveKind) name_among(name, value, kinds);
			break;
		case OPTION_REPORT:
			options->report = options->input.outputs[0] = value;
			break;
		case OPTION_REVIEW:
			options->review = options->input.outputs[1] = value;
			break;
		case OPTION_MEMORY:
			options->memory = (size_t) number_between(name, value, 1, INT_MAX) << 20;
			break;
		case OPTION_FORMAT:
			options->output.format = (OutputFormat) name_among(name, value, formats);
			break;
		case OPTION_JOBS:
			options->jobs = number_between(name, value, 1, 1024);
			break;
		default:
			options->skip_errors = true;
			break;
	}
}

/* Options that do not go together. */
static void
check_options(Options *options)
{
	InputOptions *input = &options->input;
	bool		has_fields = input->kind != INPUT_LINES && input->field != NULL;

	if (input->kind == INPUT_FILES && has_fields)
		input->kind = INPUT_FIELDS;
	if (!has_fields && (input->kind == INPUT_JSON || input->kind == INPUT_CSV || input->id != NULL ||
						input->title != NULL))
		fail(EXIT_USAGE, "--json, --csv, --id and --title require --field");
	if (input->kind == INPUT_LINES && input->field != NULL)
		fail(EXIT_USAGE, "--lines and --field cannot be used together");
	input->keep_records = options->command == COMMAND_DEDUPE;
	if (options->output.type == TYPE_BIGINT && options->output.bits != 64)
		fail(EXIT_USAGE, "--bigint requires fingerprints of 64 bits");
}

/* Standard input is read once. */
static void
check_arguments(char **arguments, int n)
{
	int			n_inputs = 0;

	for (int i = 0; i < n; i++)
		n_inputs += strcmp(arguments[i], STANDARD_INPUT) == 0;
	if (n_inputs > 1)
		fail(EXIT_USAGE, "standard input cannot be read twice");
}

int
read_options(const Command *command, int argc, char **argv, Options *options)
{
	struct option names[N_ROWS + 1] = {{NULL, 0, NULL, 0}};
	int			n_names = 0;
	int			found;
	int			code;

	memset(options, 0, sizeof(*options));
	options->command = command->bit;
	options->output.bits = 64;
	options->within = NO_BOUND;
	options->gap = 15;
	for (int i = 0; i < N_ROWS; i++)
		if ((rows[i].commands & (int) command->bit) != 0)
		{
			struct option *name = &names[n_names++];

			name->name = rows[i].name;
			name->has_arg = rows[i].value != NULL;
			name->flag = NULL;
			name->val = (int) rows[i].code;
		}
	opterr = 0;
	while ((code = getopt_long(argc, argv, ":", names, &found)) >= 0)
	{
		if (code == ':')
			fail(EXIT_USAGE, "%s requires a value", argv[optind - 1]);
		if (code == '?')
			fail(EXIT_USAGE, "%s has no option %s", command->name, argv[optind - 1]);
		if (code == OPTION_HELP)
		{
			show_help(command);
			flush_help();
			exit(0);
		}
		if (!set_input_option((OptionCode) code, optarg, &options->input) &&
			!set_text_option((OptionCode) code, names[found].name, optarg, options))
			set_option((OptionCode) code, names[found].name, optarg, options);
	}
	check_options(options);
	check_arguments(argv + optind, argc - optind);
	return optind;
}
