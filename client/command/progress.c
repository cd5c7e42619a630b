/*-------------------------------------------------------------------------
 *
 * progress.c
 *		A progress bar; see progress.h. A thread of its own draws it, because one long text
 *		may take the others a long time.
 *
 *-------------------------------------------------------------------------
 */
#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH		40
#define INTERVAL		200000000	/* nanoseconds between two bars */

static struct
{
	pthread_mutex_t lock;		/* of standard error and of all below */
	bool		shown;
	bool		has_thread;
	const char *what;			/* is being done, or NULL */
	uint64_t	total;
	uint64_t	done;
	double		began;			/* the first bar */
	double		bar_began;
}			progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static void
draw(void)
{
	double		now = seconds();
	double		time = now - progress.began;
	double		mb = (double) progress.done / 1e6;
	double		speed = mb / (now - progress.bar_began);

	fprintf(stderr, "\r%s%s", progress.what != NULL ? progress.what : "", progress.what != NULL ? "  " : "");
	if (progress.total > 0)
	{
		double		share = (double) progress.done / (double) progress.total;
		int			full = share < 1 ? (int) (share * BAR_WIDTH) : BAR_WIDTH;
		char		bar[BAR_WIDTH + 1];

		memset(bar, ' ', BAR_WIDTH);
		memset(bar, '=', (size_t) full);
		bar[BAR_WIDTH] = '\0';
		fprintf(stderr, "[%s] %3.0f %%  %.0f MB/s  %.0f s\033[K", bar, share * 100, speed, time);
	}
	else if (progress.what != NULL && progress.done == 0)
		fprintf(stderr, "%.0f s\033[K", time);
	else
		fprintf(stderr, "%.0f MB  %.0f MB/s  %.0f s\033[K", mb, speed, time);
}

static void *
draw_again(void *arg)
{
	const struct timespec interval = {.tv_nsec = INTERVAL};

	for (;;)
	{
		nanosleep(&interval, NULL);
		pthread_mutex_lock(&progress.lock);
		if (progress.shown)
			draw();
		pthread_mutex_unlock(&progress.lock);
	}
	return arg;
}

void
progress_begin(const char *what, uint64_t total)
{
	pthread_t	thread;

	pthread_mutex_lock(&progress.lock);
	progress.what = what;
	progress.total = total;
	progress.done = 0;
	progress.bar_began = seconds();
	if (progress.began == 0)
		progress.began = progress.bar_began;
	if (!progress.has_thread)
		progress.has_thread = isatty(STDERR_FILENO) &&
			pthread_create(&thread, NULL, draw_again, NULL) == 0;
	progress.shown = progress.has_thread;
	pthread_mutex_unlock(&progress.lock);
}

void
progress_add(uint64_t bytes)
{
	pthread_mutex_lock(&progress.lock);
	progress.done += bytes;
	pthread_mutex_unlock(&progress.lock);
}

static void
clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
}

void
progress_message(const char *bytes, size_t n)
{
	pthread_mutex_lock(&progress.lock);
	clear();
	fwrite(bytes, 1, n, stderr);
	pthread_mutex_unlock(&progress.lock);
}

void
progress_end(void)
{
	pthread_mutex_lock(&progress.lock);
	clear();
	progress.shown = false;
	pthread_mutex_unlock(&progress.lock);
}
