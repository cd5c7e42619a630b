/*-------------------------------------------------------------------------
 *
 * options.h
 *		The named options of the functions that read a text, and other options
 *		whose values have names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_OPTIONS_H
#define SIMHASH_OPTIONS_H

#include "postgres.h"

#include "core/text/text_options.h"
#include "fmgr.h"

/* A value of an option.  The last element of an array has the name NULL. */
typedef struct OptionName
{
	const char *name;
	int			value;
} OptionName;

extern int	named_option(const char *given, const char *option,
						 const OptionName *names, const char *hint);

extern TextOptions text_options(FunctionCallInfo fcinfo, int first, bool weighted);
extern void use_dictionary(TextOptions *options);

#endif							/* SIMHASH_OPTIONS_H */
