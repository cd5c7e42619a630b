/*-------------------------------------------------------------------------
 *
 * text_file.c
 *		Texts in a temporary file, and some of them in memory.
 *
 * The texts that were read last stay in memory with their words, because one text often is in
 * several pairs.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "../changes/same_document.h"
#include "text_file.h"

#define MOST_SLOTS	65536
#define FREE_SLOT	UINT32_MAX

typedef struct Slot
{
	uint32_t	text;
	size_t		bytes;
	StoredText	stored;
} Slot;

struct TextFile
{
	const JoinEnv *env;
	const TextEnv *text_env;
	JoinFile   *file;
	uint64_t	size;
	uint64_t   *places;			/* in the file: of each text, and the end */
	uint32_t	n;
	size_t		room;
	size_t		memory;			/* for the texts in slots */
	size_t		bytes;			/* of them */
	uint32_t	hand;			/* the next slot to be freed */
	uint32_t	nslots;
	Slot	   *slots;			/* a text's number chooses its slot; NULL
								 * before the first is read */
};

TextFile *
simhash_text_file_begin(size_t memory, const JoinEnv *env, const TextEnv *text_env)
{
	TextFile   *file = join_alloc(env, sizeof(TextFile));

	memset(file, 0, sizeof(TextFile));
	file->env = env;
	file->text_env = text_env;
	file->memory = memory;
	file->file = env->create_file(env->file_arg);
	file->room = 1024;
	file->places = join_alloc(env, file->room * sizeof(uint64_t));
	return file;
}

void
simhash_text_file_add(TextFile *file, const char *utf8, size_t title_len, size_t len)
{
	uint64_t	title = title_len;

	if (file->n + (size_t) 2 > file->room)
	{
		file->room *= 2;
		file->places = file->env->resize(file->env->arg, file->places,
										 file->room * sizeof(uint64_t));
	}
	file->places[file->n++] = file->size;
	file->env->append(file->file, &title, sizeof(title));
	file->env->append(file->file, utf8, len);
	file->size += sizeof(title) + len;
	file->places[file->n] = file->size;
}

void
simhash_text_file_set_memory(TextFile *file, size_t memory)
{
	file->memory = memory;
}

uint32_t
simhash_text_file_n(const TextFile *file)
{
	return file->n;
}

static void
free_slot(TextFile *file, Slot *slot)
{
	if (slot->text == FREE_SLOT)
		return;
	if (slot->stored.read.list.words != NULL)
		simhash_release_text(&slot->stored.read, file->text_env);
	join_free(file->env, slot->stored.utf8);
	file->bytes -= slot->bytes;
	slot->text = FREE_SLOT;
}

static void
begin_slots(TextFile *file)
{
	file->nslots = file->n < MOST_SLOTS ? file->n + 1 : MOST_SLOTS;
	file->slots = join_alloc(file->env, file->nslots * sizeof(Slot));
	memset(file->slots, 0, file->nslots * sizeof(Slot));
	for (uint32_t i = 0; i < file->nslots; i++)
		file->slots[i].text = FREE_SLOT;
}

/* The slot with a text.  "other" keeps its text. */
static Slot *
read_text(TextFile *file, uint32_t text, const Slot *other)
{
	Slot	   *slot = &file->slots[text % file->nslots];
	StoredText *stored;
	uint64_t	title;

	if (slot->text == text)
		return slot;
	/* two texts of a pair may have the same slot */
	if (slot == other)
		slot = &file->slots[(text + 1) % file->nslots];
	free_slot(file, slot);
	stored = &slot->stored;
	stored->len = (size_t) (file->places[text + 1] - file->places[text] - sizeof(title));
	while (file->bytes + stored->len > file->memory && file->bytes > (other != NULL ? other->bytes : 0))
	{
		Slot	   *last = &file->slots[file->hand++ % file->nslots];

		if (last != other)
			free_slot(file, last);
	}
	file->env->read(file->file, file->places[text], &title, sizeof(title));
	stored->title_len = (size_t) title;
	stored->utf8 = join_alloc(file->env, stored->len);
	file->env->read(file->file, file->places[text] + sizeof(title), stored->utf8, stored->len);
	stored->read.list.words = NULL;
	slot->text = text;
	slot->bytes = stored->len;
	file->bytes += slot->bytes;
	return slot;
}

static void
read_words(TextFile *file, Slot *slot)
{
	StoredText *stored = &slot->stored;
	size_t		bytes;

	if (stored->read.list.words != NULL)
		return;
	simhash_read_text(stored->utf8, stored->len, SORTED_NUMBERS, file->text_env,
					  &stored->read);
	bytes = (stored->read.list.n + stored->read.n_numbers) * sizeof(uint64_t);
	slot->bytes += bytes;
	file->bytes += bytes;
}

void
simhash_text_file_pair(TextFile *file, uint32_t a, uint32_t b, bool words, const StoredText **of_a,
					   const StoredText **of_b)
{
	Slot	   *slot_a;
	Slot	   *slot_b;

	if (file->slots == NULL)
		begin_slots(file);
	slot_a = read_text(file, a, NULL);
	slot_b = read_text(file, b, slot_a);
	if (words)
	{
		read_words(file, slot_a);
		read_words(file, slot_b);
	}
	*of_a = &slot_a->stored;
	*of_b = &slot_b->stored;
}

void
simhash_text_file_end(TextFile *file)
{
	for (uint32_t i = 0; i < file->nslots; i++)
		free_slot(file, &file->slots[i]);
	join_free(file->env, file->slots);
	file->env->remove_file(file->file);
	join_free(file->env, file->places);
	join_free(file->env, file);
}
