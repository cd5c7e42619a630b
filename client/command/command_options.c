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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "input/format.h"

#define FINGERPRINTS	(COMMAND_MINHASH | COMMAND_SIMHASH)
#define RECORDS			(FINGERPRINTS | COMMAND_DEDUPE)
#define ALL				(RECORDS | COMMAND_CHANGES)

typedef struct OptionRow
{
	const char *name;
	int			commands;
	const char *value;			/* in the help; NULL: the option has none */
	const char *help;
	size_t		place;			/* in Options, of a string or an int */

	/* The number of an option without a value, or the least one of a value. */
	int			number;

	int			most;			/* of a number; 0: the value is not a number */
	const char *const *names;	/* of the numbers 0, 1, ..., or NULL */
} OptionRow;

#define PLACE(field) offsetof(Options, field)

/* The places of the names are the numbers of enums and of the library. */
static const char *const features[] = {"words and pairs", "words", "characters", NULL};
static const char *const weights[] = {"once", "frequency", "logarithm", NULL};
static const char *const kinds[] = {"copies", "copies,revisions", "near", NULL};
static const char *const formats[] = {"copy", "json", NULL};

static const OptionRow rows[] = {
	{"lines", RECORDS, NULL, "read each line as a text",
	.place = PLACE(input.kind),.number = INPUT_LINES},
	{"field", RECORDS, "NAME", "read the texts from this field of JSON Lines, or of CSV in files *.csv",
	.place = PLACE(input.field)},
	{"title", COMMAND_DEDUPE, "NAME", "field of the titles, which must agree (default: texts begin with their titles)",
	.place = PLACE(input.title)},
	{"id", RECORDS, "NAME", "field of the ids (default: \"id\" if the first record has it, otherwise numbers)",
	.place = PLACE(input.id)},
	{"json", RECORDS, NULL, "read every file as JSON Lines",
	.place = PLACE(input.kind),.number = INPUT_JSON},
	{"csv", RECORDS, NULL, "read every file as CSV with a header line",
	.place = PLACE(input.kind),.number = INPUT_CSV},
	{"bits", FINGERPRINTS, "N", "write fingerprints of type bit(N), where N is a multiple of 64 up to 1024",
	.place = PLACE(output.bits),.number = 64,.most = PGSIMHASH_MOST_BITS},
	{"bigint", FINGERPRINTS, NULL, "use type bigint for fingerprints of 64 bits",
	.place = PLACE(output.type),.number = TYPE_BIGINT},
	{"features", FINGERPRINTS, "NAME", "\"words and pairs\" (default), \"words\" or \"characters\"",
	.place = PLACE(text.features),.names = features},
	{"n", FINGERPRINTS, "N", "number of adjacent words or characters in a feature",
	.place = PLACE(text.n),.number = 1,.most = 1000},
	{"weight", COMMAND_SIMHASH, "NAME", "\"once\" (default), \"frequency\" or \"logarithm\"",
	.place = PLACE(text.weight),.names = weights},
	{"no-fold", FINGERPRINTS | COMMAND_CHANGES, NULL, "distinguish upper and lower case, and spellings of a word",
	.place = PLACE(text.no_fold),.number = 1},
	{"no-normalization", FINGERPRINTS, NULL, "do not normalize the text",
	.place = PLACE(text.no_normalization),.number = 1},
	{"within", COMMAND_DEDUPE, "K", "largest distance, of 256 bits (default 40; with --remove near 20)",
	.place = PLACE(within),.number = 0,.most = INT_MAX},
	{"no-numbers", COMMAND_DEDUPE, NULL, "a changed number does not make a different document",
	.place = PLACE(no_numbers),.number = 1},
	{"remove", COMMAND_DEDUPE, "KINDS", "\"copies\" (default), \"copies,revisions\", or \"near\": all near texts",
	.place = PLACE(remove),.names = kinds},
	{"known", COMMAND_DEDUPE, "FILE", "also leave out what repeats a record of this file or folder, which is not written; can be given several times",
	.place = PLACE(input.known)},
	{"report", COMMAND_DEDUPE, "FILE", "write id, original's id, kind and distance of each text that was found, also of those kept",
	.place = PLACE(input.outputs[OUTPUT_REPORT])},
	{"review", COMMAND_DEDUPE, "FILE", "write an HTML page that shows what differs between these texts and their originals",
	.place = PLACE(input.outputs[OUTPUT_REVIEW])},
	{"memory", COMMAND_DEDUPE, "MB", "use about this much memory, and temporary files in TMPDIR or /var/tmp",
	.place = PLACE(megabytes),.number = 1,.most = INT_MAX},
	{"format", FINGERPRINTS, "NAME", "output format: \"copy\" (default) or \"json\"",
	.place = PLACE(output.format),.names = formats},
	{"jobs", RECORDS, "N", "number of threads (default: one for each processor)",
	.place = PLACE(jobs),.number = 1,.most = 1024},
	{"skip-errors", RECORDS, NULL, "report invalid records and continue",
	.place = PLACE(skip_errors),.number = 1},
	{"help", ALL, NULL, "show this help",
	.place = PLACE(help),.number = 1},
};

#define FIRST_CODE 256			/* of getopt_long, for the first row */
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

/* Store the value of an option. */
static void
set_option(const OptionRow *row, const char *value, Options *options)
{
	void	   *place = (char *) options + row->place;

	if (row->names != NULL)
		*(int *) place = name_among(row->name, value, row->names);
	else if (row->most > 0)
		*(int *) place = number_between(row->name, value, row->number, row->most);
	else if (value == NULL)
		*(int *) place = row->number;
	else if (row->place == PLACE(input.known))
		options->input.known[options->input.n_known++] = (char *) value;
	else
		*(const char **) place = value;
	if (row->place == PLACE(output.bits))
		options->output.type = TYPE_BIT;
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
	options->memory = (size_t) options->megabytes << 20;
	if (options->output.type == TYPE_BIGINT && options->output.bits != 64)
		fail(EXIT_USAGE, "--bigint requires fingerprints of 64 bits");
}

/* Standard input is read once. */
static void
check_arguments(const InputOptions *input, char **arguments, int n)
{
	int			n_inputs = n == 0;

	for (int i = 0; i < input->n_known; i++)
		n_inputs += strcmp(input->known[i], STANDARD_INPUT) == 0;
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
	int			code;

	memset(options, 0, sizeof(*options));
	options->command = command->bit;
	options->input.known = allocate((size_t) argc * sizeof(char *));
	options->output.bits = 64;
	options->within = NO_BOUND;
	for (int i = 0; i < N_ROWS; i++)
		if ((rows[i].commands & (int) command->bit) != 0)
		{
			struct option *name = &names[n_names++];

			name->name = rows[i].name;
			name->has_arg = rows[i].value != NULL;
			name->val = FIRST_CODE + i;
		}
	opterr = 0;
	while ((code = getopt_long(argc, argv, ":", names, NULL)) >= 0)
	{
		if (code == ':')
			fail(EXIT_USAGE, "%s requires a value", argv[optind - 1]);
		if (code == '?')
			fail(EXIT_USAGE, "%s has no option %s", command->name, argv[optind - 1]);
		set_option(&rows[code - FIRST_CODE], optarg, options);
		if (options->help)
		{
			show_help(command);
			flush_help();
			exit(0);
		}
	}
	check_options(options);
	check_arguments(&options->input, argv + optind, argc - optind);
	return optind;
}
