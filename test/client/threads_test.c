/*
 * Four threads make the library's first calls at the same time.  All get the same results.  For
 * ThreadSanitizer.
 */
#include <pthread.h>

#include "calls.h"

#define N_THREADS	4
#define TEXT_BYTES	3000
#define ROUNDS		12

static char text[TEXT_BYTES];
static pthread_barrier_t barrier;

static void *
thread_main(void *arg)
{
	uint64_t	found[2];
	size_t		hits[2];
	size_t		n_hits;
	uint64_t   *sum = arg;

	pthread_barrier_wait(&barrier);
	pgsimhash_minhash(text, TEXT_BYTES, 128, NULL, found);
	pgsimhash_within(found, 2, found, 64, 0, hits, &n_hits);
	digest(sum, found, sizeof(found));
	digest(sum, hits, n_hits * sizeof(*hits));
	for (unsigned i = 0; i < ROUNDS; i++)
		call_all(sum, text, TEXT_BYTES, i * 37);
	return NULL;
}

int
main(void)
{
	pthread_t	threads[N_THREADS];
	uint64_t	sums[N_THREADS] = {0};

	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = random64() % 5 == 0 ? ' ' : (char) ('a' + random64() % 26);
	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, &sums[i]);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < N_THREADS; i++)
		check(sums[i] == sums[0], "thread %d has the results of thread 0", i);
	return end_tests();
}
