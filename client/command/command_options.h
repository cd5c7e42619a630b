/*-------------------------------------------------------------------------
 *
 * command_options.h
 *		The commands and their options.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_COMMAND_OPTIONS_H
#define PGSIMHASH_COMMAND_OPTIONS_H

#include "output.h"
#include "pgsimhash.h"

/* A set of commands has one bit for each. */
typedef enum CommandBit
{
	COMMAND_MINHASH = 1,
	COMMAND_SIMHASH = 2,
	COMMAND_CHANGES = 4,
	COMMAND_DEDUPE = 8
} CommandBit;

/* What dedupe leaves out; each kind includes those before it. */
typedef enum RemoveKind
{
	REMOVE_COPIES,
	REMOVE_REVISIONS,
	REMOVE_NEAR
} RemoveKind;

typedef struct Options
{
	CommandBit	command;
	InputOptions input;
	OutputOptions output;
	pgsimhash_options text;
	int			jobs;
	int			skip_errors;	/* 1 or 0, as all that have no value */
	int			help;
	int			within;			/* NO_BOUND: not given */
	int			no_numbers;
	RemoveKind	remove;
	int			megabytes;		/* 0: all in memory */
	size_t		memory;			/* the same in bytes */
} Options;

#define NO_BOUND (-1)

typedef struct Command
{
	const char *name;
	CommandBit	bit;
	const char *arguments;
	const char *summary;
	const char *examples;
	int			(*run) (const Options *options, char **arguments, int n);
} Command;

/* The last one has no name. */
extern const Command commands[];

extern int	run_fingerprints(const Options *options, char **arguments, int n);
extern int	run_changes(const Options *options, char **arguments, int n);
extern int	run_dedupe(const Options *options, char **arguments, int n);

/*
 * Read the options and return the place of the first argument behind them.  Show help, or fail
 * with EXIT_USAGE.
 */
extern int	read_options(const Command *command, int argc, char **argv, Options *options);

#endif
