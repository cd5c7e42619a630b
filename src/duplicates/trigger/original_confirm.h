/*-------------------------------------------------------------------------
 *
 * original_confirm.h
 *		Confirms by the texts that a near original is the original of a new row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ORIGINAL_CONFIRM_H
#define SIMHASH_ORIGINAL_CONFIRM_H

#include "core/duplicates/slots.h"
#include "original_target.h"
#include "server/server_text.h"

/* The comparison of a new row with near originals.  The caller sets the first three fields. */
typedef struct Confirmation
{
	const Target *target;
	const NullableDatum *new_texts; /* of the new row */
	MemoryContext context;		/* for what lives as long as the comparison */
	size_t		read;			/* bytes of titles and texts of originals */
	bool		has_new_text;
	Utf8Text	new_title;		/* read for the first original */
	Utf8Text	new_text;		/* read for the first original */
	bool		has_new_words;
	/* read for the first original whose words are compared */
	ReadText	new_words;
} Confirmation;

/* What a near original is, compared with the new row */
typedef enum Confirmed
{
	ANOTHER_DOCUMENT,
	COPY,						/* also if there is nothing to compare */
	VERSION						/* an edited version (simhash_same_document) */
} Confirmed;

/*
 * Compare the texts of a near original with those of the new row, in the current memory
 * context.  If it is a version, store where the texts part.  If "partings" is NULL, only a copy
 * is confirmed.
 */
extern Confirmed confirm(Confirmation *c, const NullableDatum *texts, Parting *partings);

#endif							/* SIMHASH_ORIGINAL_CONFIRM_H */
