/*
 * Every function on the files of the arguments, as they are and with some bytes replaced so that
 * they are UTF-8.  For the sanitizers.
 */
#include "calls.h"

#define MOST_BYTES 100000

static size_t
read_file(const char *path, char *bytes)
{
	FILE	   *file = fopen(path, "rb");
	size_t		n;

	if (file == NULL)
		return 0;
	n = fread(bytes, 1, MOST_BYTES, file);
	fclose(file);
	return n;
}

/* Replace bytes that are not UTF-8. */
static void
make_utf8(char *bytes, size_t n)
{
	for (size_t i = 0; i < n;)
	{
		uint64_t	hash;
		size_t		length = 1;

		while (length < 4 && i + length <= n &&
			   pgsimhash_feature(bytes + i, length, &hash) != PGSIMHASH_OK)
			length++;
		if (i + length > n || pgsimhash_feature(bytes + i, length, &hash) != PGSIMHASH_OK)
		{
			bytes[i] = ' ';
			length = 1;
		}
		i += length;
	}
}

int
main(int argc, char **argv)
{
	static char bytes[MOST_BYTES];
	uint64_t	sum = 0;
	int			n_files = 0;

	for (int i = 1; i < argc; i++)
	{
		size_t		n = read_file(argv[i], bytes);

		n_files += n > 0;
		for (int round = 0; round < 2; round++)
		{
			for (unsigned k = 0; k < 6; k++)
				call_all(&sum, bytes, n, (unsigned) random64());
			make_utf8(bytes, n);
		}
	}
	check(n_files > 50, "%d inputs of the fuzz targets, digest %016llx", n_files, (unsigned long long) sum);
	return end_tests();
}
