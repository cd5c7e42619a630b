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

/* A text as UTF-8, and in the server's encoding. */
typedef struct Utf8Text
{
	const char *bytes;			/* "original", or a converted copy */
	size_t		len;
	const char *original;
	size_t		original_len;
} Utf8Text;

extern Utf8Text utf8_text(const char *s, size_t len);
extern Utf8Text utf8_argument(FunctionCallInfo fcinfo, int arg);
extern text *text_to_show(const char *utf8, size_t len);

static inline void
utf8_text_free(Utf8Text *t)
{
	if (t->bytes != t->original)
		pfree(unconstify(char *, t->bytes));
}

#endif							/* SIMHASH_SERVER_TEXT_H */
