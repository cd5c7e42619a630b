/*
 * Run a fuzz target without libFuzzer, always with the same inputs:
 *
 *		replay NAME CORPUS [N]
 *
 * The inputs are every file of the folder CORPUS, the same files cut off in several
 * places, and N inputs made at random from the files.
 */
#define _POSIX_C_SOURCE 200809L /* scandir */

#include <dirent.h>

#include "../unit/random.h"
#include "fuzz.h"

#define MOST_FILES 4096
#define LONGEST 65536

typedef struct Input
{
	uint8_t    *bytes;
	size_t		size;
} Input;

static Input corpus[MOST_FILES];
static size_t n_corpus;

static void
read_file(const char *folder, const char *name)
{
	char		path[1000];
	uint8_t		bytes[LONGEST];
	size_t		size;
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	REQUIRE(file != NULL);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	REQUIRE(n_corpus < MOST_FILES);
	corpus[n_corpus].bytes = exact_copy(bytes, size);
	corpus[n_corpus].size = size;
	n_corpus++;
}

/* Make an input from the corpus: pieces of two of its inputs, with changed bytes */
static size_t
mutate(uint8_t *bytes)
{
	static const uint8_t telling[] = {0x00, 0x20, 0x41, 0x7F, 0x80, 0xBF, 0xC2, 0xCC, 0xE0,
	0xE4, 0xED, 0xEF, 0xF0, 0xF4, 0xFF};
	const Input *a = &corpus[random64() % n_corpus];
	const Input *b = &corpus[random64() % n_corpus];
	size_t		cut = a->size > 0 ? random64() % (a->size + 1) : 0;
	size_t		from = b->size > 0 ? random64() % (b->size + 1) : 0;
	size_t		size = cut + b->size - from;

	if (size > LONGEST)
		return 0;
	memcpy(bytes, a->bytes, cut);
	memcpy(bytes + cut, b->bytes + from, b->size - from);
	for (uint64_t changes = random64() % 8; changes > 0 && size > 0; changes--)
	{
		size_t		at = random64() % size;

		switch (random64() % 4)
		{
			case 0:
				bytes[at] = (uint8_t) random64();
				break;
			case 1:
				bytes[at] ^= (uint8_t) (1 << random64() % 8);
				break;
			case 2:
				bytes[at] = telling[random64() % sizeof(telling)];
				break;
			case 3:
				/* a stretch again, up to the end */
				memmove(bytes + at, bytes + random64() % (at + 1), size - at);
				break;
		}
	}
	return size;
}

int
main(int argc, char **argv)
{
	static uint8_t bytes[LONGEST];
	struct dirent **names;
	long		n = argc > 3 ? atol(argv[3]) : 0;
	long		tried = 0;
	int			n_names;

	if (argc < 3)
		return 2;
	n_names = scandir(argv[2], &names, NULL, alphasort);
	for (int i = 0; i < n_names; i++)
	{
		if (names[i]->d_name[0] != '.')
			read_file(argv[2], names[i]->d_name);
		free(names[i]);
	}
	if (n_names < 0 || n_corpus == 0)
	{
		printf("not ok 1 - %s: no corpus in %s\n", argv[1], argv[2]);
		return 1;
	}
	free(names);

	for (size_t i = 0; i < n_corpus; i++)
	{
		size_t		size = corpus[i].size;

		LLVMFuzzerTestOneInput(corpus[i].bytes, size);
		for (int cut = 1; cut <= 4 && (size_t) cut <= size; cut++, tried++)
			LLVMFuzzerTestOneInput(corpus[i].bytes, size - (size_t) cut);
		tried++;
	}
	for (long i = 0; i < n; i++, tried++)
	{
		size_t		size = mutate(bytes);

		LLVMFuzzerTestOneInput(bytes, size);
	}
	printf("ok 1 - fuzz %s: %ld inputs\n", argv[1], tried);
	for (size_t i = 0; i < n_corpus; i++)
		free(corpus[i].bytes);
	return 0;
}
