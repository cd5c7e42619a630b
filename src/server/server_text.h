/*-------------------------------------------------------------------------
 *
 * server_text.h
 *		Texts in the server's encoding as UTF-8, and back.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SERVER_TEXT_H
#define SIMHASH_SERVER_TEXT_H

#include "postgres.h"

#include "fmgr.h"
#include "server_env.h"

/* A text as UTF-8. */
typedef struct Utf8Text
{
	const char *bytes;
	size_t		len;
	char	   *converted;		/* to be freed, or NULL */
} Utf8Text;

extern Utf8Text utf8_text(const char *s, size_t len);
extern Utf8Text utf8_argument(FunctionCallInfo fcinfo, int arg);
extern text *text_to_show(const char *utf8, size_t len);

static inline void
utf8_text_free(Utf8Text *t)
{
	if (t->converted != NULL)
		pfree(t->converted);
}

#endif							/* SIMHASH_SERVER_TEXT_H */
