/*-------------------------------------------------------------------------
 *
 * json_reader.h
 *		A reader of JSON objects, by the library simdjson.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_JSON_READER_H
#define PGSIMHASH_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define JSON_PADDING 64			/* readable bytes behind the object */

typedef enum JsonKind
{
	JSON_MISSING,
	JSON_NULL,
	JSON_STRING,
	JSON_INTEGER,				/* bytes are its digits */
	JSON_OTHER
} JsonKind;

/* The bytes are valid until the next call. */
typedef struct JsonField
{
	JsonKind	kind;
	const char *bytes;
	size_t		length;
} JsonField;

typedef struct JsonReader JsonReader;

extern JsonReader *json_reader_new(void);	/* or NULL */
extern void json_reader_free(JsonReader *reader);

/*
 * Read an object and find its fields of these names.  A name may be NULL.  The last field of a name
 * counts.  Return NULL, or why it is not an object.
 */
#define JSON_FIELDS 3

extern const char *json_reader_read(JsonReader *reader, const char *bytes, size_t length,
									const char *const *names, JsonField *fields);

#ifdef __cplusplus
}
#endif

#endif
