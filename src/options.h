/*-------------------------------------------------------------------------
 *
 * options.h
 *		The named options of the functions that read a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_OPTIONS_H
#define SIMHASH_OPTIONS_H

#include "postgres.h"

#include "fmgr.h"
#include "text/text_options.h"

/* Number of options, without "dictionary" */
#define N_TEXT_OPTIONS 5

extern TextOptions text_options(FunctionCallInfo fcinfo, int first);
extern TextOptions text_options_unweighted(FunctionCallInfo fcinfo, int first);

#endif							/* SIMHASH_OPTIONS_H */
