/*
 * Fuzz target: changes from one text of any bytes to another.
 *
 * The first byte chooses whether case matters and how the input becomes two texts: two parts of
 * it, or one text and the same with an edit.
 */
#include "../unit/changes_check.h"
#include "../../src/core/changes/same_document.h"
#include "fuzz_env.h"

static void
require_changes(const char *a, size_t a_len, const char *b, size_t b_len, bool fold, const Env *env)
{
	Change	   *changes;
	size_t		n = core_changes_of_texts(a, a_len, b, b_len, fold, env, &changes);
	const char *fault = changes_fault(a, a_len, b, b_len, fold, env, changes, n);

	if (fault != NULL)
		fprintf(stderr, "%s\n", fault);
	REQUIRE(fault == NULL);
	free(changes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int flags = (unsigned int) take(&data, &size, 1);
	size_t		cut = (size_t) take(&data, &size, 1);
	size_t		length = (size_t) take(&data, &size, 1) % 16;
	Env			env = fuzz_env(1);
	bool		fold = (flags & 1) == 0;
	char	   *a;
	char	   *b;
	size_t		b_len;

	/* changes of long texts are checked in quadratic time */
	if (size > 8192)
		size = 8192;
	cut = size > 0 ? cut * size / 256 : 0;
	a = exact_copy(data, size);
	if ((flags & 2) != 0)
	{
		/* without some bytes, or with them twice */
		if (length > size - cut)
			length = size - cut;
		b_len = (flags & 4) != 0 ? size - length : size + length;
		b = exact_copy(NULL, 0);
		b = realloc(b, b_len + 1);
		REQUIRE(b != NULL);
		memcpy(b, a, cut);
		if ((flags & 4) != 0)
			memcpy(b + cut, a + cut + length, size - cut - length);
		else
		{
			memcpy(b + cut, a + cut, length);
			memcpy(b + cut + length, a + cut, size - cut);
		}
	}
	else
	{
		b_len = size - cut;
		b = exact_copy(a + cut, b_len);
		size = cut;
	}
	require_changes(a, size, b, b_len, fold, &env);
	for (int numbers = 0; numbers < 2; numbers++)
	{
		bool		same = core_same_document_of_texts(a, size, b, b_len, numbers == 1, &env);

		REQUIRE(same == core_same_document_of_texts(b, b_len, a, size, numbers == 1, &env));
		REQUIRE(core_same_document_of_texts(a, size, a, size, numbers == 1, &env));
		REQUIRE(!same || size == 0 || b_len == 0 ||
				core_first_change_of_texts(a, size, b, b_len, numbers == 1, &env) <= 3);
	}
	require_changes(b, b_len, a, size, fold, &env);
	require_changes(a, size, a, size, fold, &env);
	free(a);
	free(b);
	return 0;
}
