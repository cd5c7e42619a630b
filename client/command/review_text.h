/*-------------------------------------------------------------------------
 *
 * review_text.h
 *		Parts of texts, and their HTML, for the review page. White space is that of ASCII.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_REVIEW_TEXT_H
#define PGSIMHASH_REVIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

/* A part of a text, in bytes */
typedef struct Part
{
	const char *bytes;
	size_t		length;
} Part;

extern Part part_of(const char *text, size_t start, size_t end);

extern bool is_space(char c);
extern bool is_blank(Part part);

/* The place n characters behind or before a place, but not beyond another one */
extern size_t forward(const char *text, size_t at, size_t end, size_t n);
extern size_t backward(const char *text, size_t at, size_t begin, size_t n);

/* The first or last n characters */
extern Part left_part(Part part, size_t n);
extern Part right_part(Part part, size_t n);

/* A part without the rest of a word, of at most 20 characters, at its beginning or its end */
extern Part without_first_word(Part part);
extern Part without_last_word(Part part);

/* Here alone texts become HTML. */
extern void append_html(Buffer *out, Part part);

/* A number with commas between thousands */
extern void append_with_commas(Buffer *out, size_t n);

#endif
