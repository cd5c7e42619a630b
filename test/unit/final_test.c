/*
 * The final values: fingerprints and copy keys of 500 texts of all scripts.  People store them, so no
 * later commit may change final_values.h.
 *
 * Usage: final_test, or final_test --renew < texts > final_values.h (make final), which is for the time
 * before the first release only.
 */
#include <inttypes.h>

#include "../../src/core/changes/copy_key.h"
#include "../../src/core/text/methods/fingerprint.h"
#include "texts.h"

#define WORDS 8					/* of 64 bits */
#define VALUE_SIZE (2 * WORDS * 16 + 2 * COPY_KEY_BYTES + 3)

static const struct
{
	const char *text;
	const char *value;
}			final_values[] =

{
#include "final_values.h"
};

static char *
put_words(char *to, bool found, const uint64_t *words, int n)
{
	for (int i = 0; i < n; i++)
		to += sprintf(to, "%016" PRIx64, found ? words[i] : 0);
	return to;
}

/* simhash and minhash of 512 bits, each of which begins with those of fewer bits, and the copy key, in hexadecimal */
static void
put_value(const char *text, char *value)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	uint64_t	words[WORDS];
	uint8_t		key[COPY_KEY_BYTES];
	size_t		len = strlen(text);
	bool		found;

	found = core_of_text(text, len, &options, &env, WORDS, words);
	value = put_words(value, found, words, WORDS);
	*value++ = ' ';
	found = core_minwise_text(text, len, &options, &env, WORDS, words);
	value = put_words(value, found, words, WORDS);
	*value++ = ' ';
	if (!core_copy_key(text, len, &env, key))
		memset(key, 0, sizeof(key));
	for (size_t i = 0; i < sizeof(key); i++)
		value += sprintf(value, "%02x", key[i]);
}

/* Are the words of fewer bits the first ones of more? */
static bool
is_prefix(const char *text)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	uint64_t	words[WORDS];
	char		all[VALUE_SIZE];
	char		some[VALUE_SIZE];
	bool		same = true;

	put_value(text, all);
	for (int n = 1; n <= 4; n += 3)
	{
		bool		found = core_of_text(text, strlen(text), &options, &env, n, words);

		put_words(some, found, words, n);
		same &= strncmp(some, all, (size_t) n * 16) == 0;
		found = core_minwise_text(text, strlen(text), &options, &env, n, words);
		put_words(some, found, words, n);
		same &= strncmp(some, all + WORDS * 16 + 1, (size_t) n * 16) == 0;
	}
	return same;
}

int
main(int argc, char **argv)
{
	size_t		n = sizeof(final_values) / sizeof(final_values[0]);
	char		line[2000];
	char		value[VALUE_SIZE];
	int			wrong = 0;

	if (argc > 1 && strcmp(argv[1], "--renew") == 0)
	{
		printf("/* Texts and their values (see final_test.c): no commit may change this file. */\n");
		while (fgets(line, sizeof(line), stdin))
		{
			line[strcspn(line, "\n")] = '\0';
			put_value(line, value);
			printf("{\"");
			for (const char *p = line; *p != '\0'; p++)
				printf((uint8_t) *p < ' ' || strchr("\"\\?", *p) != NULL ? "\\%03o" : "%c", (uint8_t) *p);
			printf("\",\n\t\"%s\"},\n", value);
		}
		return 0;
	}
	for (size_t i = 0; i < n; i++)
	{
		put_value(final_values[i].text, value);
		if (strcmp(value, final_values[i].value) != 0 && wrong++ < 10)
			printf("# %s\n# %s\n", final_values[i].text, value);
	}
	check(wrong == 0 && n == 500, "%zu texts have their final fingerprints and copy keys", n);
	wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += !is_prefix(final_values[i].text);
	check(wrong == 0, "those of 64 and 256 bits begin those of 512");
	return end_tests();
}
