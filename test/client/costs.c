/*
 * What the C library compares to find the duplicates among the lines of its standard input, for
 * test/t/costs.pl: the number of duplicates, of pairs whose sketches were compared, of pairs whose texts
 * were compared, and of texts read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* for its counts, which are not part of the interface */
#include "../../client/lib/api_duplicates.c"

int
main(void)
{
	pgsimhash_duplicates *duplicates;
	pgsimhash_duplicate some[1000];
	const DuplicateCounts *counts;
	char	   *line = NULL;
	size_t		room = 0;
	size_t		found = 0;
	size_t		n;
	ssize_t		length;

	if (pgsimhash_duplicates_begin(0, 1, PGSIMHASH_CANDIDATES(PGSIMHASH_DUPLICATES_BITS), 64 << 20, &duplicates) != PGSIMHASH_OK)
		return 1;
	while ((length = getline(&line, &room, stdin)) > 0)
		if (pgsimhash_duplicates_add(duplicates, "", 0, line, (size_t) length - 1, NULL) < 0)
			return 1;
	if (pgsimhash_duplicates_find(duplicates, 0, NULL, 1, NULL, NULL) != PGSIMHASH_OK)
		return 1;
	do
	{
		if (pgsimhash_duplicates_next(duplicates, some, 1000, &n) != PGSIMHASH_OK)
			return 1;
		found += n;
	} while (n > 0);
	counts = &duplicates->search->counts;
	printf("%zu %llu %llu %llu\n", found, (unsigned long long) counts->sketch_pairs,
		   (unsigned long long) counts->text_pairs, (unsigned long long) counts->texts_read);
	pgsimhash_duplicates_end(duplicates);
	free(line);
	return 0;
}
