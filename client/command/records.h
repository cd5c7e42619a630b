/*-------------------------------------------------------------------------
 *
 * records.h
 *		The work on the records of the input, in several threads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_RECORDS_H
#define PGSIMHASH_RECORDS_H

#include "command_options.h"
#include "input/places.h"

/* Write the row of a record.  Return NULL, or what is wrong with the record. */
typedef const char *(*RecordWork) (const Options *options, const Record *record, Buffer *out);

/* What is wrong with a record, from a result of the library below 0.  Fail without memory. */
extern const char *problem_of(int result);

/* Write the rows of some records.  The rows come in order, from one thread at a time. */
typedef void (*RowsWriter) (const Buffer *rows);

/* Read the input, do the work, and write the rows in order.  Return the exit status. */
extern int	work_on_records(const Options *options, Input *input, RecordWork work, RowsWriter write);

/* After that, do other work on some records, which are read again.  Fail if their files have changed. */
extern void work_again(const Options *options, Input *input, ChosenRecords *chosen, RecordWork work,
					   RowsWriter write);

#endif
