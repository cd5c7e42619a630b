/*-------------------------------------------------------------------------
 *
 * review_text.h
 *		Parts of texts, and their JSON, for the review page. White space is that of ASCII.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_REVIEW_TEXT_H
#define PGSIMHASH_REVIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "../buffer.h"

/* A part of a text, in bytes */
typedef struct Part
{
	const char *bytes;
	size_t		length;
} Part;

extern Part part_of(const char *text, size_t start, size_t end);

extern bool is_space(char c);

/* The place n characters behind or before a place, but not beyond another one */
extern size_t forward(const char *text, size_t at, size_t end, size_t n);
extern size_t backward(const char *text, size_t at, size_t begin, size_t n);

/* The first or last n characters */
extern Part left_part(Part part, size_t n);
extern Part right_part(Part part, size_t n);

extern size_t count_characters(Part part);

/*
 * Append a string of JSON for an element of HTML: without "<", so that no text ends the element.  A byte
 * that is not UTF-8 becomes U+FFFD.
 */
extern void append_json(Buffer *out, Part part);

#endif
