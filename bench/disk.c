/*
 * A model of a disk under a server whose files are in memory: LD_PRELOAD it into the server.
 *
 * The page of a table or index arrives LATENCY microseconds after it was asked for, by a read or
 * by posix_fadvise(POSIX_FADV_WILLNEED) before the read.  The disk works on at most DEPTH pages
 * at once.  A process that reads a page sleeps until the page has arrived.  Each process has a
 * disk of its own, so a measurement has one busy process.
 *
 * The file that the environment variable DISK_MODEL names has one line: LATENCY DEPTH LOG.  A
 * process reads the file before its first read, so a new connection obeys a new line.  Without
 * the file, and with a LATENCY of 0, reads take no time.  At its end each process appends a
 * line to the file LOG: the pages that it read, how many of them had been asked for before,
 * and the number of pages that were asked for in vain.
 *
 *   cc -O2 -shared -fPIC -o disk.so disk.c
 *
 * The model does not know io_uring (io_method of PostgreSQL 18) and direct I/O.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE 8192
#define MAX_FILES 65536
#define MAX_PAGES 65536			/* asked for and not read; a power of two */
#define MAX_DEPTH 4096

typedef struct
{
	ino_t		file;
	off_t		page;
	int64_t		arrival;		/* nanoseconds; 0: no page */
} Asked;

static Asked asked[MAX_PAGES];
static int64_t busy_until[MAX_DEPTH];	/* of each of the disk's places */
static int	place;				/* the one that is free first */
static ino_t known[MAX_FILES];	/* by descriptor: file whose kind is known ... */
static char slow[MAX_FILES];	/* ... and its kind */

static int	started;
static int64_t latency;
static int	depth;
static char log_name[1024];
static long n_read,
			n_read_asked,
			n_asked;

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void
forget_settings(void)
{
	started = 0;
	n_read = n_read_asked = n_asked = 0;
}

static void
write_log(void)
{
	FILE	   *log = n_read > 0 && log_name[0] != '\0' ? fopen(log_name, "a") : NULL;

	if (log == NULL)
		return;
	fprintf(log, "%ld %ld %ld\n", n_read, n_read_asked, n_asked - n_read_asked);
	fclose(log);
}

__attribute__((constructor)) static void
at_load(void)
{
	pthread_atfork(NULL, NULL, forget_settings);
	atexit(write_log);
}

static void
start(void)
{
	const char *name = getenv("DISK_MODEL");
	FILE	   *file = name != NULL ? fopen(name, "r") : NULL;
	long		us = 0;

	started = 1;
	depth = 32;
	log_name[0] = '\0';
	if (file != NULL)
	{
		if (fscanf(file, "%ld %d %1023s", &us, &depth, log_name) < 1)
			us = 0;
		fclose(file);
	}
	latency = us * 1000;
	if (depth < 1 || depth > MAX_DEPTH)
		depth = 32;
	prctl(PR_SET_TIMERSLACK, 1);
}

/* Is the descriptor's file a table or an index?  *file becomes its number. */
static int
is_slow(int fd, ino_t * file)
{
	struct stat s;
	char		link[64];
	char		path[1024];
	ssize_t		n;
	const char *name;

	if (!started)
		start();
	if (latency == 0 || fd < 0 || fd >= MAX_FILES || fstat(fd, &s) != 0)
		return 0;
	*file = s.st_ino;
	if (known[fd] != s.st_ino)
	{
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		if (n < 0)
			return 0;
		path[n] = '\0';
		name = strrchr(path, '/');
		known[fd] = s.st_ino;
		slow[fd] = S_ISREG(s.st_mode) && strstr(path, "/base/") != NULL &&
			strstr(path, "/pgsql_tmp") == NULL &&
			strstr(name, "_fsm") == NULL && strstr(name, "_vm") == NULL;
	}
	return slow[fd];
}

/* Put a page into the disk's queue.  Returns the time of its arrival. */
static int64_t
enqueue(void)
{
	int64_t		begin = now();

	if (busy_until[place] > begin)
		begin = busy_until[place];
	busy_until[place] = begin + latency;
	place = (place + 1) % depth;
	return begin + latency;
}

static Asked *
slot_of(ino_t file, off_t page)
{
	uint64_t	hash = ((uint64_t) file << 32 ^ (uint64_t) page) * UINT64_C(0x9e3779b97f4a7c15);

	return &asked[hash >> 48 & (MAX_PAGES - 1)];
}

static void
ask(int fd, off_t offset, off_t length)
{
	ino_t		file;

	if (!is_slow(fd, &file))
		return;
	for (off_t page = offset / PAGE; page * PAGE < offset + length; page++)
	{
		Asked	   *slot = slot_of(file, page);

		if (slot->arrival != 0 && slot->file == file && slot->page == page)
			continue;			/* asked for twice */
		slot->file = file;
		slot->page = page;
		slot->arrival = enqueue();
		n_asked++;
	}
}

static void
wait_for(int fd, off_t offset, size_t length)
{
	ino_t		file;
	int64_t		arrival = 0;

	if (!is_slow(fd, &file))
		return;
	for (off_t page = offset / PAGE; page * PAGE < offset + (off_t) length; page++)
	{
		Asked	   *slot = slot_of(file, page);
		int64_t		at;

		n_read++;
		if (slot->arrival != 0 && slot->file == file && slot->page == page)
		{
			at = slot->arrival;
			slot->arrival = 0;
			n_read_asked++;
		}
		else
			at = enqueue();
		if (at > arrival)
			arrival = at;
	}
	while (now() < arrival)
	{
		struct timespec t = {arrival / 1000000000, arrival % 1000000000};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
}

static size_t
total(const struct iovec *parts, int n)
{
	size_t		sum = 0;

	for (int i = 0; i < n; i++)
		sum += parts[i].iov_len;
	return sum;
}

/* The function of the C library that this one takes the place of */
#define THEIRS(name) \
	static __typeof__(&name) theirs; \
	if (theirs == NULL) \
		theirs = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

ssize_t
pread(int fd, void *to, size_t length, off_t offset)
{
	THEIRS(pread);
	wait_for(fd, offset, length);
	return theirs(fd, to, length, offset);
}

ssize_t
pread64(int fd, void *to, size_t length, off64_t offset)
{
	THEIRS(pread64);
	wait_for(fd, offset, length);
	return theirs(fd, to, length, offset);
}

ssize_t
preadv(int fd, const struct iovec *parts, int n, off_t offset)
{
	THEIRS(preadv);
	wait_for(fd, offset, total(parts, n));
	return theirs(fd, parts, n, offset);
}

ssize_t
preadv64(int fd, const struct iovec *parts, int n, off64_t offset)
{
	THEIRS(preadv64);
	wait_for(fd, offset, total(parts, n));
	return theirs(fd, parts, n, offset);
}

int
posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	if (advice == POSIX_FADV_WILLNEED)
		ask(fd, offset, length);
	return 0;
}

int
posix_fadvise64(int fd, off64_t offset, off64_t length, int advice)
{
	if (advice == POSIX_FADV_WILLNEED)
		ask(fd, offset, length);
	return 0;
}
