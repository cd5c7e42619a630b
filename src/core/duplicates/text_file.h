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
#include "../join/join_env.h"

typedef struct TextFile TextFile;

/* A text in memory. */
typedef struct StoredText
{
	char	   *utf8;
	size_t		title_len;
	size_t		len;
	ReadText	read;			/* if words were asked for */
} StoredText;

extern TextFile *simhash_text_file_begin(size_t memory, const JoinEnv *env,
										 const TextEnv *text_env);
extern void simhash_text_file_add(TextFile *file, const char *utf8, size_t title_len, size_t len);

/* Before texts are read: give them more memory. */
extern void simhash_text_file_set_memory(TextFile *file, size_t memory);
extern uint32_t simhash_text_file_n(const TextFile *file);

/* Read two texts, with their words and numbers if these are needed.  Both are valid until the next call. */
extern void simhash_text_file_pair(TextFile *file, uint32_t a, uint32_t b, bool words,
								   const StoredText **of_a, const StoredText **of_b);
extern void simhash_text_file_end(TextFile *file);

#endif							/* SIMHASH_TEXT_FILE_H */
