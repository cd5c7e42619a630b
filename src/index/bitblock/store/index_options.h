/*-------------------------------------------------------------------------
 *
 * index_options.h
 *		The storage parameters of a bitblock index: CREATE INDEX .. WITH (..)
 *
 * A new parameter needs a field of BBOptions, a line of "elements" and a call in
 * bb_options, and a function in index_options.c that returns the value of an index.  If
 * an index does not have the parameter, that function returns the default.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_INDEX_OPTIONS_H
#define BITBLOCK_INDEX_OPTIONS_H

#include "postgres.h"

#include "utils/rel.h"

/* How full the build makes a page, in percent of its capacity */
#define BB_DEFAULT_FILLFACTOR	90

/* The parameters as PostgreSQL keeps them (rd_options). */
typedef struct BBOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			fillfactor;
	int			bits;			/* 0: the length of the column's type */
} BBOptions;

/* Parse storage parameters (amoptions). */
extern bytea *bb_options(Datum reloptions, bool validate);

/* Return how full the build makes the pages of an index, in percent. */
extern int	bb_fillfactor(Relation index);

/* Return the parameter "bits" of an index; 0 if it is not set. */
extern int	bb_bits_parameter(Relation index);

#endif							/* BITBLOCK_INDEX_OPTIONS_H */
