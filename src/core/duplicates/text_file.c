/*-------------------------------------------------------------------------
 *
 * text_file.c
 *		Texts in a temporary file, and some of them in memory; see text_file.h.
 *
 * The texts that were read last stay in memory with their words, because one text often is in
 * several pairs.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "text_file.h"

#define MOST_SLOTS	65536
#define FREE_SLOT	UINT32_MAX

/* Before each text in the file */
typedef struct TextHead
{
	uint64_t	title_len;
	uint64_t	len;
} TextHead;

uint64_t
core_write_text(const Env *env, JoinFile *file, uint64_t *size, const TitledText *written)
{
	TextHead	head = {written->title_len, written->body_len};
	uint64_t	place = *size;

	if (written->title_len > 0)
		head.len += written->title_len + 1;
	env->append(file, &head, sizeof(head));
	if (written->title_len > 0)
	{
		env->append(file, written->title, written->title_len);
		env->append(file, " ", 1);
	}
	env->append(file, written->body, written->body_len);
	*size += sizeof(head) + head.len;
	return place;
}

void
core_read_whole_text(const Env *env, JoinFile *file, uint64_t place, TextBuffer *buffer)
{
	TextHead	head;

	env->read(file, place, &head, sizeof(head));
	buffer->len = (size_t) head.len;
	if (buffer->len > buffer->room)
	{
		buffer->room = buffer->len + buffer->len / 2;
		buffer->bytes = env_resize(env, buffer->bytes, buffer->room);
	}
	env->read(file, place + sizeof(head), buffer->bytes, buffer->len);
}

typedef struct Slot
{
	uint32_t	text;			/* number, or FREE_SLOT */
	size_t		bytes;			/* of memory */
	StoredText	stored;
} Slot;

struct TextCache
{
	const Env  *env;
	JoinFile   *file;
	size_t		memory;			/* for the texts in slots */
	size_t		bytes;			/* of them */
	uint64_t	n_read;			/* texts read from the file */
	uint32_t	hand;			/* the next slot to be freed */
	uint32_t	nslots;
	Slot	   *last;			/* that was read, or NULL */
	Slot		slots[];		/* a text's number chooses its slot */
};

TextCache *
core_text_cache_begin(JoinFile *file, uint32_t n, size_t memory, const Env *env)
{
	uint32_t	nslots = n < MOST_SLOTS ? n + 1 : MOST_SLOTS;
	size_t		bytes = sizeof(TextCache) + nslots * sizeof(Slot);
	TextCache  *cache = env_alloc(env, bytes);

	memset(cache, 0, bytes);
	cache->env = env;
	cache->file = file;
	cache->memory = memory;
	cache->nslots = nslots;
	for (uint32_t i = 0; i < nslots; i++)
		cache->slots[i].text = FREE_SLOT;
	return cache;
}

static void
free_slot(TextCache *cache, Slot *slot)
{
	if (slot->text == FREE_SLOT)
		return;
	if (slot->stored.read.list.words != NULL)
		core_release_text(&slot->stored.read, cache->env);
	env_free(cache->env, slot->stored.utf8);
	cache->bytes -= slot->bytes;
	slot->text = FREE_SLOT;
}

/* Free slots other than that of the last text until there is room for a text of this size. */
static void
make_room(TextCache *cache, size_t len)
{
	const Slot *last = cache->last;
	size_t		least = last != NULL ? last->bytes : 0;

	while (cache->bytes + len > cache->memory && cache->bytes > least)
	{
		Slot	   *slot = &cache->slots[cache->hand++ % cache->nslots];

		if (slot != last)
			free_slot(cache, slot);
	}
}

/* Read the words of a text.  The list was made with room for more of them. */
static void
read_words(TextCache *cache, Slot *slot)
{
	const Env  *env = cache->env;
	StoredText *stored = &slot->stored;
	WordList   *list = &stored->read.list;
	uint64_t   *words;
	size_t		bytes;

	core_read_text(stored->utf8, stored->len, SORTED_NUMBERS, env, &stored->read);
	words = env_alloc(env, (list->n + 1) * sizeof(uint64_t));
	memcpy(words, list->words, list->n * sizeof(uint64_t));
	env_free(env, list->words);
	list->words = words;
	bytes = (list->n + stored->read.n_numbers) * sizeof(uint64_t);
	slot->bytes += bytes;
	cache->bytes += bytes;
}

const StoredText *
core_text_cache_read(TextCache *cache, uint32_t i, uint64_t place, bool words)
{
	Slot	   *slot = &cache->slots[i % cache->nslots];
	StoredText *stored;
	TextHead	head;

	/* the two texts of a pair may have the same slot */
	if (slot->text != i && slot == cache->last)
		slot = &cache->slots[(i + 1) % cache->nslots];
	stored = &slot->stored;
	if (slot->text != i)
	{
		free_slot(cache, slot);
		cache->n_read++;
		cache->env->read(cache->file, place, &head, sizeof(head));
		make_room(cache, (size_t) head.len);
		stored->title_len = (size_t) head.title_len;
		stored->len = (size_t) head.len;
		stored->utf8 = env_alloc(cache->env, stored->len);
		cache->env->read(cache->file, place + sizeof(head), stored->utf8, stored->len);
		stored->read.list.words = NULL;
		slot->text = i;
		slot->bytes = stored->len;
		cache->bytes += slot->bytes;
	}
	if (words && stored->read.list.words == NULL)
		read_words(cache, slot);
	cache->last = slot;
	return stored;
}

uint64_t
core_text_cache_count(const TextCache *cache)
{
	return cache->n_read;
}

void
core_text_cache_end(TextCache *cache)
{
	for (uint32_t i = 0; i < cache->nslots; i++)
		free_slot(cache, &cache->slots[i]);
	env_free(cache->env, cache);
}
