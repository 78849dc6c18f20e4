/* A library for LD_PRELOAD: it moves the clock of a process, and breaks what the process writes.

   Both are told by the file ATTACK_CONTROL, which an attack changes at any moment; see preload.py. Only programs of the
   name ATTACK_PROGRAM are hit (empty: all), and only files below ATTACK_FOLDER. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_AHEAD = 1, CLOCK_SWINGS, CLOCK_STANDS, CLOCK_DOUBLE, CLOCK_HALF };
enum { WRITE_SHORT = 1, WRITE_SLOW, WRITE_QUOTA, WRITE_BROKEN, WRITE_UNSYNCED, WRITE_NO_FILE };

/* The layout of ATTACK_CONTROL. `begun` is when the clock was moved, `readings` and `struck` count what was changed. */
struct control {
    int64_t clock, clock_ns, begun_ns, readings;
    int64_t writes, amount, written, struck;
};

#define SECOND 1000000000LL
#define SWING_NS 50000000LL

static struct control *shared;
static char folder[4096];
static size_t folder_length;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("ATTACK_CONTROL"), *program = getenv("ATTACK_PROGRAM"), *below = getenv("ATTACK_FOLDER");
    if (path == NULL || (program != NULL && *program != '\0' && strcmp(program_invocation_short_name, program) != 0))
        return;
    if (below != NULL)
        folder_length = (size_t)snprintf(folder, sizeof folder, "%s/", below);
    int (*plain)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = plain(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *place = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    shared = place == MAP_FAILED ? NULL : place;
}

static void count(int64_t *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

/* The clock */

static int (*real_clock_gettime)(clockid_t, struct timespec *);

static int64_t moved(int64_t now) {
    int64_t since = now - shared->begun_ns;
    switch (shared->clock) {
    case CLOCK_AHEAD: return now + shared->clock_ns;
    case CLOCK_SWINGS: return (since / SWING_NS) % 2 ? now : now + shared->clock_ns;
    case CLOCK_STANDS: return shared->begun_ns;
    case CLOCK_DOUBLE: return now + since;
    case CLOCK_HALF: return now - since / 2;
    default: return now;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (real_clock_gettime == NULL)
        real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int found = real_clock_gettime(clock, time);
    if (found != 0 || shared == NULL || shared->clock == 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return found;
    count(&shared->readings);
    int64_t now = moved((int64_t)time->tv_sec * SECOND + time->tv_nsec);
    time->tv_sec = now / SECOND;
    time->tv_nsec = now % SECOND;
    if (time->tv_nsec < 0) {
        time->tv_nsec += SECOND;
        time->tv_sec -= 1;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place != NULL)
        *place = now.tv_sec;
    return now.tv_sec;
}

/* What is written */

static int is_below(const char *path) { return folder_length > 0 && strncmp(path, folder, folder_length) == 0; }

/* Whether a descriptor is of a file below the folder. */
static int is_ours(int file) {
    struct stat about;
    char name[64], path[4096];
    if (shared == NULL || shared->writes == 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return is_below(path);
}

/* How much of `size` bytes may be written; -1 with errno where nothing may. */
static ssize_t allowed(size_t size) {
    switch (shared->writes) {
    case WRITE_SHORT:
        if (size < 2)
            return (ssize_t)size;
        count(&shared->struck);
        return (ssize_t)(size / 2);
    case WRITE_SLOW:
        count(&shared->struck);
        usleep((useconds_t)shared->amount);
        return (ssize_t)size;
    case WRITE_QUOTA: {
        int64_t before = __atomic_fetch_add(&shared->written, (int64_t)size, __ATOMIC_RELAXED);
        if (before + (int64_t)size <= shared->amount)
            return (ssize_t)size;
        count(&shared->struck);
        if (before < shared->amount)
            return (ssize_t)(shared->amount - before);
        errno = EDQUOT;
        return -1;
    }
    case WRITE_BROKEN:
        count(&shared->struck);
        errno = EIO;
        return -1;
    default:
        return (ssize_t)size;
    }
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "write");
    ssize_t most = is_ours(file) ? allowed(size) : (ssize_t)size;
    return most < 0 ? -1 : real(file, bytes, (size_t)most);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "pwrite64");
    ssize_t most = is_ours(file) ? allowed(size) : (ssize_t)size;
    return most < 0 ? -1 : real(file, bytes, (size_t)most, at);
}

ssize_t writev(int file, const struct iovec *parts, int number) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "writev");
    if (!is_ours(file) || number < 1)
        return real(file, parts, number);
    for (int part = 0; part < number; part++)
        if (parts[part].iov_len > 0)
            return write(file, parts[part].iov_base, parts[part].iov_len);
    return 0;
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    static ssize_t (*real)(int, int, off64_t *, size_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "sendfile64");
    struct stat about;
    if (!is_ours(to) || fstat(from, &about) != 0)
        return real(to, from, at, size);
    size_t left = (size_t)about.st_size < size ? (size_t)about.st_size : size;
    ssize_t most = allowed(left);
    return most < 0 ? -1 : real(to, from, at, (size_t)most);
}

static int unsynced(int file) {
    if (!is_ours(file) || shared->writes != WRITE_UNSYNCED)
        return 0;
    count(&shared->struck);
    errno = EIO;
    return 1;
}

int fsync(int file) {
    static int (*real)(int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "fsync");
    return unsynced(file) ? -1 : real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "fdatasync");
    return unsynced(file) ? -1 : real(file);
}

/* Whether a new file or folder is one too many: `amount` may be made. */
static int is_too_many(const char *path, int flags) {
    struct stat about;
    if (shared == NULL || shared->writes != WRITE_NO_FILE || !(flags & O_CREAT) || !is_below(path) || lstat(path, &about) == 0)
        return 0;
    if (__atomic_fetch_add(&shared->written, 1, __ATOMIC_RELAXED) < shared->amount)
        return 0;
    count(&shared->struck);
    errno = EDQUOT;
    return 1;
}

static mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; }

#define OPENS(name)                                                                                                            \
    int name(const char *path, int flags, ...) {                                                                               \
        static int (*real)(const char *, int, ...);                                                                            \
        if (real == NULL)                                                                                                      \
            real = dlsym(RTLD_NEXT, #name);                                                                                    \
        va_list more;                                                                                                          \
        va_start(more, flags);                                                                                                 \
        mode_t mode = mode_of(flags, more);                                                                                    \
        va_end(more);                                                                                                          \
        return is_too_many(path, flags) ? -1 : real(path, flags, mode);                                                        \
    }

#define OPENS_AT(name)                                                                                                         \
    int name(int at, const char *path, int flags, ...) {                                                                       \
        static int (*real)(int, const char *, int, ...);                                                                       \
        if (real == NULL)                                                                                                      \
            real = dlsym(RTLD_NEXT, #name);                                                                                    \
        va_list more;                                                                                                          \
        va_start(more, flags);                                                                                                 \
        mode_t mode = mode_of(flags, more);                                                                                    \
        va_end(more);                                                                                                          \
        return is_too_many(path, flags) ? -1 : real(at, path, flags, mode);                                                    \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

int mkdir(const char *path, mode_t mode) {
    static int (*real)(const char *, mode_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "mkdir");
    return is_too_many(path, O_CREAT) ? -1 : real(path, mode);
}
