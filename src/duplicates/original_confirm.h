/*-------------------------------------------------------------------------
 *
 * original_confirm.h
 *		Confirms by the texts that a near original is the original of a new row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ORIGINAL_CONFIRM_H
#define SIMHASH_ORIGINAL_CONFIRM_H

#include "core/changes/first_change.h"
#include "original_target.h"
#include "server/server_text.h"

/* The comparison of a new row with near originals.  It lives in the context of its begin. */
typedef struct Confirmation
{
	int			n;				/* columns: the title, and those of "confirm" */
	bool		titles;			/* as in the target */
	bool		numbers;		/* as in the target */
	const NullableDatum *new_columns;
	size_t		read;			/* bytes of titles and texts of originals */
	MemoryContext context;		/* for what lives as long as the comparison */
	MemoryContext for_original; /* for what one original needs, or NULL */
	Utf8Text	new_title;		/* read for the first original */
	Utf8Text	new_text;		/* read for the first original */
	bool		has_new_words;
	ReadText	new_words;		/* read for the first original whose words are
								 * compared */
} Confirmation;

extern Confirmation begin_confirmation(const Target *target, const NullableDatum *new_columns);
extern bool is_confirmed(Confirmation *c, const NullableDatum *columns);
extern bool is_copy(Confirmation *c, const NullableDatum *columns);

#endif							/* SIMHASH_ORIGINAL_CONFIRM_H */
