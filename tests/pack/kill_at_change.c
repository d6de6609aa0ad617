/* Kills the program, on purpose: a library to be named in LD_PRELOAD. Of the calls that change the file
 * system below PTP_TEST_KILL_BELOW, or that make such a change lasting, the one with the number
 * PTP_TEST_KILL_AT is not made: SIGKILL ends the process instead, as a loss of power would. */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long count;

#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static void before_change(const char* path) {
    const char* below = getenv("PTP_TEST_KILL_BELOW");
    const char* at = getenv("PTP_TEST_KILL_AT");
    if (below != NULL && at != NULL && strncmp(path, below, strlen(below)) == 0 &&
        ++count == strtol(at, NULL, 10)) {
        kill(getpid(), SIGKILL);
    }
}

static void before_change_of(int descriptor) {
    char link[64];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    before_change(path);
}

ssize_t write(int descriptor, const void* data, size_t size) {
    before_change_of(descriptor);
    return REAL(write)(descriptor, data, size);
}

int fsync(int descriptor) {
    before_change_of(descriptor);
    return REAL(fsync)(descriptor);
}

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & O_CREAT) != 0) {
        before_change(path);
    }
    return REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int mkdir(const char* path, mode_t mode) {
    before_change(path);
    return REAL(mkdir)(path, mode);
}

int rename(const char* from, const char* to) {
    before_change(to);
    return REAL(rename)(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    before_change(to);
    return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
    before_change(path);
    return REAL(unlink)(path);
}

int rmdir(const char* path) {
    before_change(path);
    return REAL(rmdir)(path);
}

int remove(const char* path) {
    before_change(path);
    return REAL(remove)(path);
}

/* Paths of remove_all() are relative to a folder. */
int unlinkat(int folder, const char* path, int flags) {
    before_change_of(folder);
    return REAL(unlinkat)(folder, path, flags);
}
