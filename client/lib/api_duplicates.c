/*-------------------------------------------------------------------------
 *
 * api_duplicates.c
 *		Copies and edited versions among many texts, and keys of copies.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "arguments.h"
#include "call.h"
#include "character_numbers.h"
#include "core/changes/copy_key.h"
#include "core/duplicates/duplicates.h"
#include "core/text/fingerprint.h"

/* More than any search takes */
#define ENOUGH_MEMORY (SIZE_MAX / 4)

/* A search with less is slow. */
#define LEAST_MEMORY (1 << 20)

#define FINGERPRINT_WORDS (PGSIMHASH_DUPLICATES_BITS / WORD_BITS)

/* ---------- keys ---------- */

typedef struct KeyCall
{
	const char *text;
	size_t		length;
	unsigned char *key;
} KeyCall;

static int
key_body(Call *call, void *arg)
{
	KeyCall    *c = arg;

	return simhash_copy_key(c->text, c->length, &call->text, c->key) ? PGSIMHASH_OK :
		PGSIMHASH_NULL;
}

int
pgsimhash_copy_key(const char *text, size_t length, unsigned char *key)
{
	KeyCall		c = {text, length, key};

	if (!utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(key_body, &c);
}

/* ---------- duplicates ---------- */

/* Texts without words have numbers, but are in no search. */
struct pgsimhash_duplicates
{
	Call		call;
	Duplicates *search;
	FingerprintSet *set;
	uint32_t   *numbers;		/* of the texts in the search */
	size_t		n_searched;
	size_t		room;
	size_t		n;				/* all texts */
	bool		titles;
	bool		on_disk;
	int			with_numbers;	/* 0 or 1 */
	int			distance;
	size_t		memory;
	bool		found;
};

static int
begin_body(Call *call, void *arg)
{
	pgsimhash_duplicates *d = arg;
	DuplicateOptions options = {d->with_numbers == 1, d->memory};

	call->on_disk = d->on_disk;
	d->search = simhash_duplicates_begin(&options, &call->join, &call->text);
	simhash_duplicates_set_titles(d->search, d->titles);
	d->set = simhash_set_begin(FINGERPRINT_WORDS, &call->join);
	return PGSIMHASH_OK;
}

int
pgsimhash_duplicates_begin(int titles, int numbers, int distance, size_t memory,
						   pgsimhash_duplicates **duplicates)
{
	pgsimhash_duplicates *d;
	int			result;

	if ((titles != 0 && titles != 1) || (numbers != 0 && numbers != 1))
		return PGSIMHASH_INVALID_OPTION;
	d = malloc(sizeof(pgsimhash_duplicates));
	if (d == NULL)
		return PGSIMHASH_NO_MEMORY;
	memset(d, 0, sizeof(pgsimhash_duplicates));
	d->titles = titles == 1;
	d->with_numbers = numbers;
	d->distance = distance < -1 ? -1 :
		distance > PGSIMHASH_DUPLICATES_BITS ? PGSIMHASH_DUPLICATES_BITS : distance;
	d->on_disk = memory > 0;
	d->memory = memory == 0 || memory > ENOUGH_MEMORY ? ENOUGH_MEMORY :
		memory < LEAST_MEMORY ? LEAST_MEMORY : memory;
	call_begin(&d->call);
	result = call_run(&d->call, begin_body, d);
	if (result == PGSIMHASH_OK)
		*duplicates = d;
	else
		pgsimhash_duplicates_end(d);
	return result;
}

typedef struct AddCall
{
	pgsimhash_duplicates *duplicates;
	NumberedText title;
	NumberedText text;
	const uint64_t *fingerprint;
} AddCall;

static int
add_body(Call *call, void *arg)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	AddCall    *c = arg;
	pgsimhash_duplicates *d = c->duplicates;
	const char *whole = c->text.bytes;
	size_t		length = c->text.length;
	char	   *joined = NULL;
	uint64_t	fp[FINGERPRINT_WORDS];
	bool		added = true;

	if (c->fingerprint != NULL)
		memcpy(fp, c->fingerprint, sizeof(fp));
	else
		added = simhash_minwise_text(c->text.bytes, length, &options, &call->text,
									 FINGERPRINT_WORDS, fp);
	if (d->n_searched == d->room)
	{
		d->room = 2 * d->room + 1024;
		d->numbers = call->join.resize(call, d->numbers, d->room * sizeof(uint32_t));
	}
	if (added && c->title.length > 0)
	{
		length += c->title.length + 1;
		joined = join_alloc(&call->join, length);
		memcpy(joined, c->title.bytes, c->title.length);
		joined[c->title.length] = ' ';
		memcpy(joined + c->title.length + 1, c->text.bytes, c->text.length);
		whole = joined;
	}
	if (added && simhash_duplicates_add(d->search, whole, c->title.length, length))
	{
		simhash_set_add(d->set, fp, (uint32_t) d->n_searched);
		d->numbers[d->n_searched++] = (uint32_t) d->n;
	}
	join_free(&call->join, joined);
	d->n++;
	return PGSIMHASH_OK;
}

int
pgsimhash_duplicates_add(pgsimhash_duplicates *duplicates, const char *title, size_t title_length,
						 const char *text, size_t length, const uint64_t *fingerprint)
{
	AddCall		c = {duplicates, {title, title_length}, {text, length}, fingerprint};

	if (duplicates->found || duplicates->n >= UINT32_MAX - 2)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(title, title_length) || !utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	return call_run(&duplicates->call, add_body, &c);
}

/* The order of the texts in the search, from that of all texts; NULL if it is no permutation. */
static uint32_t *
order_of_searched(pgsimhash_duplicates *d, const uint32_t *order)
{
	const JoinEnv *env = &d->call.join;
	uint32_t   *searched = join_alloc(env, d->n * sizeof(uint32_t));
	uint32_t   *result = join_alloc(env, d->n_searched * sizeof(uint32_t));
	size_t		n = 0;

	memset(searched, 0xFF, d->n * sizeof(uint32_t));
	for (size_t i = 0; i < d->n_searched; i++)
		searched[d->numbers[i]] = (uint32_t) i;
	for (size_t i = 0; i < d->n; i++)
	{
		if (order[i] >= d->n)
			return NULL;
		if (searched[order[i]] != UINT32_MAX)
			result[n++] = searched[order[i]];
		searched[order[i]] = UINT32_MAX;
	}
	join_free(env, searched);
	return n == d->n_searched ? result : NULL;
}

typedef struct FindCall
{
	pgsimhash_duplicates *duplicates;
	const uint32_t *order;
	size_t	   *n_by_numbers;	/* or NULL */
} FindCall;

static int
find_body(Call *call, void *arg)
{
	FindCall   *c = arg;
	pgsimhash_duplicates *d = c->duplicates;
	uint32_t   *order = NULL;
	size_t		n_by_numbers = 0;

	(void) call;
	if (d->n_searched > 0 && c->order != NULL)
	{
		order = order_of_searched(d, c->order);
		if (order == NULL)
			return PGSIMHASH_INVALID_OPTION;
	}
	if (d->n_searched > 0)
	{
		simhash_duplicates_find(d->search, d->set, order, d->distance, &simhash_serial_pairs);
		if (c->n_by_numbers != NULL)
			n_by_numbers = simhash_count_number_siblings(d->search);
	}
	if (c->n_by_numbers != NULL)
		*c->n_by_numbers = n_by_numbers;
	return PGSIMHASH_OK;
}

int
pgsimhash_duplicates_find(pgsimhash_duplicates *duplicates, const uint32_t *order,
						  size_t *n_by_numbers)
{
	FindCall	c = {duplicates, order, n_by_numbers};

	if (duplicates->found)
		return PGSIMHASH_INVALID_OPTION;
	duplicates->found = true;
	return call_run(&duplicates->call, find_body, &c);
}

typedef struct NextCall
{
	pgsimhash_duplicates *duplicates;
	pgsimhash_duplicate *found;
	size_t		room;
	size_t	   *n_found;
} NextCall;

static int
next_body(Call *call, void *arg)
{
	NextCall   *c = arg;
	pgsimhash_duplicates *d = c->duplicates;
	Duplicate	duplicate;
	size_t		n = 0;

	(void) call;
	while (n < c->room && d->n_searched > 0 && simhash_duplicates_next(d->search, &duplicate))
	{
		c->found[n].text = d->numbers[duplicate.text];
		c->found[n].original = d->numbers[duplicate.original];
		c->found[n].distance = duplicate.distance;
		c->found[n++].kind = duplicate.kind == DUPLICATE_COPY ? PGSIMHASH_COPY : PGSIMHASH_REVISION;
	}
	*c->n_found = n;
	return PGSIMHASH_OK;
}

int
pgsimhash_duplicates_next(pgsimhash_duplicates *duplicates, pgsimhash_duplicate *found,
						  size_t room, size_t *n_found)
{
	NextCall	c = {duplicates, found, room, n_found};

	if (!duplicates->found)
		return PGSIMHASH_INVALID_OPTION;
	return call_run(&duplicates->call, next_body, &c);
}

void
pgsimhash_duplicates_end(pgsimhash_duplicates *duplicates)
{
	if (duplicates == NULL)
		return;
	call_end(&duplicates->call);
	free(duplicates);
}
