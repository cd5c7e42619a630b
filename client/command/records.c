/*-------------------------------------------------------------------------
 *
 * records.c
 *		The work on the records; see records.h.
 *
 *-------------------------------------------------------------------------
 */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "input/format.h"
#include "internal.h"
#include "input/pool.h"
#include "progress.h"

typedef struct RecordsRun
{
	const Options *options;
	Input	   *input;
	ChosenRecords *chosen;		/* that are read again, or NULL */
	RecordWork	work;
	RowsWriter	write;
	uint64_t	n_errors;
	unsigned	fields[2];		/* FieldBits, also of known records */
} RecordsRun;

typedef struct Worker
{
	const RecordsRun *run;
	RecordReader reader;
} Worker;

static void *
new_worker(void *arg)
{
	Worker	   *worker = allocate(sizeof(Worker));

	worker->run = arg;
	record_reader_init(&worker->reader, &worker->run->options->input);
	return worker;
}

static void
free_worker(void *arg)
{
	Worker	   *worker = arg;

	record_reader_free(&worker->reader);
	free(worker);
}

static void
note_error(Batch *batch, const RecordReader *reader, const char *problem)
{
	char		shown[SHOWN_BYTES];
	const char *name = shown_name(reader->name);
	size_t		length = reader->line > 0 ?
		make_message(shown, "%s:%zu: %s", name, reader->line, problem) :
		make_message(shown, "%s: %s", name, problem);

	buffer_append(&batch->errors, shown, length);
	batch->n_errors++;
}

static void
work_on_batch(void *arg, Batch *batch)
{
	Worker	   *worker = arg;
	const RecordsRun *run = worker->run;
	RecordReader *reader = &worker->reader;
	RecordStatus status;
	Record		record;

	record_reader_begin(reader, batch);
	while ((status = record_reader_next(reader, &record)) != RECORD_END)
	{
		const char *problem = status == RECORD_WRONG ? reader->error :
			run->work(run->options, &record, &batch->out);

		if (problem == NULL)
			continue;
		if (run->chosen != NULL)
			input_changed(run->input->files);
		note_error(batch, reader, problem);
		if (!run->options->skip_errors)
			break;
	}
	batch->fields = reader->fields;
}

/* After a wrong record nothing more is written, unless errors are skipped. */
static void
write_batch(void *arg, Batch *batch)
{
	RecordsRun *run = arg;

	run->write(&batch->out);
	run->fields[batch->file_number < run->input->files->n_known] |= batch->fields;
	if (batch->n_errors > 0)
	{
		progress_message(batch->errors.bytes, batch->errors.length);
		run->n_errors += batch->n_errors;
		if (!run->options->skip_errors)
		{
			progress_end();
			_Exit(EXIT_WRONG_RECORD);
		}
	}
	progress_add(batch->input_bytes);
}

/* A field that no object has, or no known one, is a misspelled one. */
static void
check_field(const RecordsRun *run, const char *name, unsigned bit)
{
	for (int known = 0; known < 2; known++)
		if (name != NULL && (run->fields[known] & HAS_OBJECT) != 0 && (run->fields[known] & bit) == 0)
			fail(EXIT_TROUBLE, "no %sobject has the field \"%s\"",
				 known ? "known " : run->input->files->n_known > 0 ? "new " : "", name);
}

const char *
problem_of(int result)
{
	if (result == PGSIMHASH_NO_MEMORY)
		fail(EXIT_TROUBLE, "out of memory");
	return pgsimhash_message(result);
}

static void
run_work(RecordsRun *run)
{
	PoolMethods methods = {new_worker, work_on_batch, free_worker, write_batch, run};
	int			jobs = run->options->jobs > 0 ? run->options->jobs : processors();
	Pool	   *pool = pool_begin(&methods, jobs);

	if (run->chosen == NULL)
		input_read(run->input, pool);
	else
		input_read_again(run->input, pool, run->chosen);
	pool_end(pool);
}

int
work_on_records(const Options *options, Input *input, RecordWork work, RowsWriter write)
{
	RecordsRun	run = {options, input, NULL, work, write, 0, {0, 0}};

	run_work(&run);
	check_field(&run, options->input.field, HAS_TEXT);
	check_field(&run, options->input.title, HAS_TITLE);
	check_field(&run, options->input.id, HAS_ID);
	progress_end();
	if (run.n_errors > 0)
		say("skipped %llu invalid records", (unsigned long long) run.n_errors);
	return 0;
}

void
work_again(const Options *options, Input *input, ChosenRecords *chosen, RecordWork work,
		   RowsWriter write)
{
	RecordsRun	run = {options, input, chosen, work, write, 0, {0, 0}};

	run_work(&run);
	progress_end();
}
