/*
 * A progress bar; see progress.h.
 */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH		40
#define INTERVAL		0.2		/* seconds between two bars */

static struct
{
	bool		shown;			/* is standard error a terminal? */
	uint64_t	total;
	uint64_t	done;
	double		began;
	double		next;			/* time of the next bar */
}			progress;

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

void
progress_begin(uint64_t total)
{
	progress.shown = isatty(STDERR_FILENO);
	progress.total = total;
	progress.began = seconds();
	progress.next = progress.began + INTERVAL;
}

static void
draw(double now)
{
	double		mb = (double) progress.done / 1e6;
	double		speed = mb / (now - progress.began);

	if (progress.total > 0)
	{
		double		share = (double) progress.done / (double) progress.total;
		int			full = share < 1 ? (int) (share * BAR_WIDTH) : BAR_WIDTH;
		char		bar[BAR_WIDTH + 1];

		memset(bar, ' ', BAR_WIDTH);
		memset(bar, '=', (size_t) full);
		bar[BAR_WIDTH] = '\0';
		fprintf(stderr, "\r[%s] %3.0f %%  %.0f MB/s\033[K", bar, share * 100, speed);
	}
	else
		fprintf(stderr, "\r%.0f MB  %.0f MB/s\033[K", mb, speed);
}

void
progress_add(uint64_t bytes)
{
	double		now;

	progress.done += bytes;
	if (!progress.shown || (now = seconds()) < progress.next)
		return;
	draw(now);
	progress.next = now + INTERVAL;
}

void
progress_clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
}
