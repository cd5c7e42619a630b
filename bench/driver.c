/*
 * Runs one prepared statement over and over, each time with the next line of a
 * file as its parameters (separated by tabs), and prints one line:
 *
 *   median  mean  99th percentile (microseconds)  executions  rows each  plan
 *
 * where plan says how the statement is executed at the end: "index", "bitmap"
 * or "sequential", and "generic" or "custom".
 *
 * Usage: driver [-s SECONDS] [-n EXECUTIONS] [-t] STATEMENT FILE [SETTING...]
 *
 *   -s  stop after that time (default 1), but not before five executions
 *   -n  stop after so many executions
 *   -t  everything in one transaction, each line once, nothing to warm up
 *
 * SETTING is a command to send first.  The connection is that of the environment
 * (PGHOST and so on).
 */
#define _POSIX_C_SOURCE 200809L

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_PARAMETERS 8

typedef struct
{
	const char *values[MAX_PARAMETERS];
} Parameters;

static PGconn * connection;

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "driver: %s: %s\n", what, why);
	exit(1);
}

static void *
allocate(void *old, size_t size)
{
	void	   *p = realloc(old, size);

	if (p == NULL)
		fail("memory", "exhausted");
	return p;
}

static double
microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static PGresult *
checked(PGresult * result, const char *what)
{
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		fail(what, PQresultErrorMessage(result));
	return result;
}

static void
command(const char *text)
{
	PQclear(checked(PQexec(connection, text), text));
}

/* The lines of the file; *n_values is the number of parameters in each. */
static Parameters *
read_parameters(const char *name, int *n_lines, int *n_values)
{
	FILE	   *file = fopen(name, "r");
	Parameters *lines = NULL;
	int			room = 0;
	char	   *line = NULL;
	size_t		line_room = 0;
	ssize_t		length;

	if (file == NULL)
		fail(name, "cannot be opened");
	*n_lines = 0;
	while ((length = getline(&line, &line_room, file)) >= 0)
	{
		char	   *rest;
		char	   *value;

		if (length > 0 && line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (*n_lines == room)
		{
			room = room ? 2 * room : 1024;
			lines = allocate(lines, room * sizeof(Parameters));
		}
		*n_values = 0;
		value = rest = strdup(line);
		while (value != NULL && *n_values < MAX_PARAMETERS)
		{
			rest = strchr(value, '\t');
			if (rest != NULL)
				*rest++ = '\0';
			lines[*n_lines].values[(*n_values)++] = value;
			value = rest;
		}
		(*n_lines)++;
	}
	fclose(file);
	if (*n_lines == 0)
		fail(name, "is empty");
	return lines;
}

/* Returns the number of rows. */
static int
execute(const Parameters *parameters, int n_values)
{
	PGresult   *result = PQexecPrepared(connection, "s", n_values,
										parameters->values, NULL, NULL, 0);
	int			rows = PQntuples(checked(result, "execution"));

	PQclear(result);
	return rows;
}

static const char *
how_executed(const Parameters *parameters, int n_values)
{
	char	   *text = allocate(NULL, 64);
	PGresult   *result;
	const char *access = "sequential";
	const char *kind = "custom";

	strcpy(text, "EXPLAIN (COSTS OFF) EXECUTE s(");
	for (int i = 0; i < n_values; i++)
	{
		char	   *value = PQescapeLiteral(connection, parameters->values[i],
											strlen(parameters->values[i]));

		text = allocate(text, strlen(text) + strlen(value) + 8);
		strcat(text, i > 0 ? ", " : "");
		strcat(text, value);
		PQfreemem(value);
	}
	strcat(text, ")");
	result = checked(PQexec(connection, text), text);
	for (int i = 0; i < PQntuples(result); i++)
	{
		const char *line = PQgetvalue(result, i, 0);

		if (strstr(line, "Bitmap Index Scan"))
			access = "bitmap";
		else if (strstr(line, "Index Scan") || strstr(line, "Index Only Scan"))
			access = "index";
		if (strstr(line, "$1"))
			kind = "generic";
	}
	PQclear(result);
	text = allocate(text, 32);
	sprintf(text, "%s %s", access, kind);
	return text;
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	double		seconds = 1;
	long		most = 10000000;
	int			once = 0;
	int			option;
	Parameters *lines;
	int			n_lines;
	int			n_values = 0;
	double	   *times = NULL;
	long		room = 0;
	long		n = 0;
	long		next = 0;
	double		rows = 0;
	double		sum = 0;
	double		start;
	const char *plan = "";

	while ((option = getopt(argc, argv, "s:n:t")) != -1)
	{
		if (option == 's')
			seconds = atof(optarg);
		else if (option == 'n')
			most = atol(optarg);
		else if (option == 't')
			once = 1;
		else
			return 2;
	}
	if (argc - optind < 2)
		fail("usage", "driver [-s SECONDS] [-n EXECUTIONS] [-t] STATEMENT FILE [SETTING...]");
	lines = read_parameters(argv[optind + 1], &n_lines, &n_values);
	connection = PQconnectdb("");
	if (PQstatus(connection) != CONNECTION_OK)
		fail("connection", PQerrorMessage(connection));
	for (int i = optind + 2; i < argc; i++)
		command(argv[i]);
	PQclear(checked(PQprepare(connection, "s", argv[optind], 0, NULL), argv[optind]));

	if (once)
	{
		seconds = 1e9;
		most = n_lines;
		command("BEGIN");
	}
	else
	{
		/* Fill caches, and let the server decide on a generic plan. */
		start = microseconds();
		while (next < 10 || microseconds() - start < seconds * 0.3e6)
		{
			execute(&lines[next++ % n_lines], n_values);
			if (next >= 6 && microseconds() - start > seconds * 1e6)
				break;
		}
	}
	start = microseconds();
	while (n < most && (n < 5 || microseconds() - start < seconds * 1e6))
	{
		double		before = microseconds();

		rows += execute(&lines[next++ % n_lines], n_values);
		if (n == room)
		{
			room = room ? 2 * room : 65536;
			times = allocate(times, room * sizeof(double));
		}
		times[n] = microseconds() - before;
		sum += times[n++];
	}
	if (once)
		command("COMMIT");
	else
		plan = how_executed(&lines[0], n_values);
	qsort(times, n, sizeof(double), compare);
	printf("%.2f\t%.2f\t%.2f\t%ld\t%.2f\t%s\n", times[n / 2], sum / n,
		   times[n * 99 / 100], n, rows / n, plan);
	PQfinish(connection);
	return 0;
}
