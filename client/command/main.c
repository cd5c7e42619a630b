/*-------------------------------------------------------------------------
 *
 * main.c
 *		pgsimhash: the fingerprints of the PostgreSQL extension simhash, outside of the
 *		server.
 *
 *-------------------------------------------------------------------------
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command_options.h"
#include "fail.h"

const Command commands[] = {
	{"minhash", COMMAND_MINHASH, "[FILE|FOLDER]...",
		"Write the id and the minhash fingerprint of each text.  Without FILE, or if FILE is -, read\n"
		"standard input.",
		"  pgsimhash minhash --field body corpus.jsonl | psql -c \"\\copy docs (id, fp) from stdin\"\n"
		"  pgsimhash minhash --bits 256 --id url --field text crawl/ > fingerprints\n"
	"  pgsimhash minhash --lines < sentences.txt\n", run_fingerprints},
	{"simhash", COMMAND_SIMHASH, "[FILE|FOLDER]...",
		"Write the id and the simhash fingerprint of each text.  Without FILE, or if FILE is -, read\n"
		"standard input.",
		"  pgsimhash simhash --field body corpus.jsonl | psql -c \"\\copy docs (id, fp) from stdin\"\n"
	"  pgsimhash simhash --features characters --n 3 *.txt\n", run_fingerprints},
	{"changes", COMMAND_CHANGES, "A B",
		"Write what differs between the files A and B except for whitespace and case.  Each line has the places in\n"
		"A and in B, as line:column, the kind, the text of A and the text of B.  The last line\n"
		"says whether the texts are the same document, as dedupe compares them, and if not, why.",
		"  pgsimhash changes old.txt new.txt\n"
		"  pgsimhash changes old.txt new.txt > /dev/null || echo differs\n",
	run_changes},
	{"dedupe", COMMAND_DEDUPE, "[FILE|FOLDER]...",
		"Write the records of JSON Lines, CSV or lines, except copies of earlier records.  With --remove,\n"
		"also leave out revisions, or all near texts.  Without FILE, or if FILE is -, read standard\n"
		"input.  Files are read up to three times.  Records of a pipe are kept in a temporary file.",
		"  pgsimhash dedupe --field body corpus.jsonl > clean.jsonl\n"
		"  pgsimhash dedupe --field body --title title --remove copies,revisions --review page.html corpus.jsonl > clean.jsonl\n"
		"  pgsimhash dedupe --field body --known corpus.jsonl new.jsonl > really_new.jsonl\n"
		"  zcat corpus.csv.gz | pgsimhash dedupe --csv --field body --report found - > clean.csv\n",
	run_dedupe},
	{NULL, 0, NULL, NULL, NULL, NULL}
};

/*
 * Let no file have the number of a closed standard stream.  The stream gets the wrong mode, so that
 * reading or writing fails as it does with a closed one.
 */
static void
reserve_standard_streams(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			_exit(EXIT_TROUBLE);
}

static void
show_commands(void)
{
	printf("pgsimhash %s: compute and compare the text fingerprints of the PostgreSQL extension simhash\n\n"
		   "Usage: pgsimhash COMMAND [OPTION]...\n\nCommands:\n", pgsimhash_version());
	for (const Command *c = commands; c->name != NULL; c++)
		printf("  %-10s%.*s\n", c->name, (int) strcspn(c->summary, "."), c->summary);
	printf("\nUse \"pgsimhash COMMAND --help\" for the options and examples of a command.\n");
}

int
main(int argc, char **argv)
{
	Options		options;
	int			first;

	reserve_standard_streams();
	if (argc < 2)
		fail(EXIT_USAGE, "no command specified");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--version") == 0)
	{
		if (argv[1][2] == 'h')
			show_commands();
		else
			printf("pgsimhash %s\n", pgsimhash_version());
		flush_help();
		return 0;
	}
	for (const Command *c = commands; c->name != NULL; c++)
		if (strcmp(argv[1], c->name) == 0)
		{
			first = read_options(c, argc - 1, argv + 1, &options) + 1;
			return c->run(&options, argv + first, argc - first);
		}
	fail(EXIT_USAGE, "unrecognized command \"%s\"", argv[1]);
}
