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
	static const char *const messages[] = {
		[PGSIMHASH_NULL - PGSIMHASH_FILE_ERROR] = "text has no word",
		[PGSIMHASH_OK - PGSIMHASH_FILE_ERROR] = "no error",
		[PGSIMHASH_NO_MEMORY - PGSIMHASH_FILE_ERROR] = "out of memory",
		[PGSIMHASH_INVALID_UTF8 - PGSIMHASH_FILE_ERROR] = "text is not UTF-8",
		[PGSIMHASH_INVALID_OPTION - PGSIMHASH_FILE_ERROR] = "option out of range",
		[PGSIMHASH_STOPPED - PGSIMHASH_FILE_ERROR] = "stopped",
		[0] = "temporary file could not be used"
	};

	return result < PGSIMHASH_FILE_ERROR || result > PGSIMHASH_NULL ? "unknown result" :
		messages[result - PGSIMHASH_FILE_ERROR];
}

const char *
pgsimhash_version(void)
{
	return PGSIMHASH_VERSION;
}
