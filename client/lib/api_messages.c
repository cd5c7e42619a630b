/*-------------------------------------------------------------------------
 *
 * api_messages.c
 *		The results in English, and the version.
 *
 *-------------------------------------------------------------------------
 */
#include "pgsimhash.h"

const char *
pgsimhash_message(int result)
{
	switch (result)
	{
		case PGSIMHASH_OK:
			return "no error";
		case PGSIMHASH_NULL:
			return "text has no word";
		case PGSIMHASH_NO_MEMORY:
			return "out of memory";
		case PGSIMHASH_INVALID_UTF8:
			return "text is not UTF-8";
		case PGSIMHASH_INVALID_OPTION:
			return "option out of range";
		case PGSIMHASH_STOPPED:
			return "stopped";
		case PGSIMHASH_FILE_ERROR:
			return "temporary file could not be used";
		default:
			return "unknown result";
	}
}

const char *
pgsimhash_version(void)
{
	return PGSIMHASH_VERSION;
}
