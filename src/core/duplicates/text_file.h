/*-------------------------------------------------------------------------
 *
 * text_file.h
 *		Texts in a temporary file, and some of them in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_FILE_H
#define SIMHASH_TEXT_FILE_H

#include "../changes/first_change.h"
#include "../env.h"

/* A text that is written: the title, a blank and the body, or the body alone without a title. */
typedef struct TitledText
{
	const char *title;
	size_t		title_len;		/* 0: there is no title */
	const char *body;
	size_t		body_len;
} TitledText;

/* Write a text, in UTF-8, to the end of a file of "size" bytes.  Return its place; add to the size. */
extern uint64_t core_write_text(const Env *env, JoinFile *file, uint64_t *size,
								const TitledText *written);

/* Bytes of a text, in memory that grows */
typedef struct TextBuffer
{
	char	   *bytes;
	size_t		len;
	size_t		room;
} TextBuffer;

/* Read the title, a space and the body of the text at a place; without a title, the body. */
extern void core_read_whole_text(const Env *env, JoinFile *file, uint64_t place,
								 TextBuffer *buffer);

/* A text in memory.  "read" has its words, and its numbers in ascending order, if they were asked for. */
typedef struct StoredText
{
	char	   *utf8;
	size_t		title_len;
	size_t		len;			/* of all */
	ReadText	read;
} StoredText;

/* Reads texts of a file, and keeps those that were read last in memory. */
typedef struct TextCache TextCache;

/* Begin to read n texts of a file, in about "memory" bytes. */
extern TextCache *core_text_cache_begin(JoinFile *file, uint32_t n, size_t memory,
										const Env *env);

/*
 * Read text number i of n, which is at a place, with its words or not.  It is valid until the next
 * call but one.
 */
extern const StoredText *core_text_cache_read(TextCache *cache, uint32_t i, uint64_t place,
											  bool words);

/* Return how many texts were read from the file. */
extern uint64_t core_text_cache_count(const TextCache *cache);

/* Free all memory of the cache. */
extern void core_text_cache_end(TextCache *cache);

#endif							/* SIMHASH_TEXT_FILE_H */
