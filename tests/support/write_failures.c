// Makes writes fail, on purpose: a library to be named in LD_PRELOAD. Of the files whose path
// matches PTP_TEST_FAIL (a pattern of the shell), PTP_TEST_FAIL_ROOM bytes are taken, and what
// follows is refused with the error number PTP_TEST_FAIL_WITH; PTP_TEST_FAIL_TIMES says how often,
// then there is room again. PTP_TEST_FAIL_AT names the call to refuse instead: open, sync, close,
// rename or mkdir. PTP_TEST_KILL has the process killed by the first of these writes: before it, or
// "after" it; "halt" halts it instead. PTP_TEST_KILL_RANK has another process of the training
// killed then, that of this rank, and the write done; the file is one of the run's folder.
// PTP_TEST_KILL_TEXT has only writes with this text do that. PTP_TEST_HALT halts the process of
// this rank before it does anything. PTP_TEST_WRITTEN names a file that gets a line for each write:
// the file's path.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long taken;
static atomic_long refused;

static long number_from(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

// The next definition after this one: the C library's.
#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static void note(const char* path) {
    const char* list = getenv("PTP_TEST_WRITTEN");
    if (list == NULL || path[0] != '/') {
        return;
    }
    char line[PATH_MAX + 2];
    const int length = snprintf(line, sizeof line, "%s\n", path);
    const int file = (int)syscall(SYS_openat, AT_FDCWD, list, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) {
        syscall(SYS_write, file, line, (size_t)length);
        syscall(SYS_close, file);
    }
}

// False for what is not a file with a name.
static int path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    return path[0] == '/' && strncmp(path, "/dev/", 5) != 0;
}

// Writes the path below the folder to `whole`.
static void whole_path(int folder, const char* path, char whole[2 * PATH_MAX]) {
    char parent[PATH_MAX];
    const int is_inside = path[0] != '/' && folder != AT_FDCWD && path_of(folder, parent);
    snprintf(whole, 2 * PATH_MAX, "%s%s%s", is_inside ? parent : "", is_inside ? "/" : "", path);
}

static int is_meant(const char* path) {
    const char* pattern = getenv("PTP_TEST_FAIL");
    return pattern != NULL && fnmatch(pattern, path, 0) == 0 &&
           atomic_load(&refused) < number_from("PTP_TEST_FAIL_TIMES", LONG_MAX);
}

// Whether the process is to be killed before a write, or "after" it.
static int is_killed(const char* when) {
    const char* wanted = getenv("PTP_TEST_KILL");
    return wanted != NULL && strcmp(wanted, when) == 0;
}

// Whether the write has the text that one must have to kill another process.
static int has_text(const void* data, size_t size) {
    const char* text = getenv("PTP_TEST_KILL_TEXT");
    return text == NULL || memmem(data, size, text, strlen(text)) != NULL;
}

// By the number of the process in the file that each has in the run's folder, after eight bytes.
static void kill_rank(const char* path, const char* rank) {
    char state[PATH_MAX + 64];
    long long number = 0;
    const int length = (int)(strrchr(path, '/') - path);
    snprintf(state, sizeof state, "%.*s/ranks/%s.state", length, path, rank);
    const int file = (int)syscall(SYS_openat, AT_FDCWD, state, O_RDONLY);
    if (file >= 0 && pread(file, &number, sizeof number, 8) == (ssize_t)sizeof number) {
        kill((pid_t)number, SIGKILL);
    }
    syscall(SYS_close, file);
}

__attribute__((constructor)) static void halt_at_start(void) {
    const char* halted = getenv("PTP_TEST_HALT");
    const char* rank = getenv("RANK");
    if (halted != NULL && rank != NULL && strcmp(halted, rank) == 0) {
        raise(SIGSTOP);
    }
}

static int refuse(void) {
    if (is_killed("halt")) {
        raise(SIGSTOP);
    }
    if (is_killed("before")) {
        kill(getpid(), SIGKILL);
    }
    atomic_fetch_add(&refused, 1);
    errno = (int)number_from("PTP_TEST_FAIL_WITH", ENOSPC);
    return -1;
}

static int is_refused_at(const char* call, const char* path) {
    const char* where = getenv("PTP_TEST_FAIL_AT");
    return where != NULL && strcmp(where, call) == 0 && is_meant(path);
}

static int is_descriptor_refused_at(const char* call, int descriptor) {
    char path[PATH_MAX];
    return path_of(descriptor, path) && is_refused_at(call, path);
}

// How many of N bytes may be written; -1: none, and errno says why.
static ssize_t allowed(int descriptor, size_t size) {
    char path[PATH_MAX];
    const int saved = errno;
    if (size == 0 || !path_of(descriptor, path)) {
        errno = saved;
        return (ssize_t)size;
    }
    note(path);
    errno = saved;
    if (getenv("PTP_TEST_FAIL_AT") != NULL || !is_meant(path)) {
        return (ssize_t)size;
    }
    const long room = number_from("PTP_TEST_FAIL_ROOM", 0) - atomic_load(&taken);
    if (room <= 0) {
        return refuse();
    }
    const size_t part = (size_t)room < size ? (size_t)room : size;
    atomic_fetch_add(&taken, (long)part);
    return (ssize_t)part;
}

ssize_t write(int descriptor, const void* data, size_t size) {
    char path[PATH_MAX];
    const char* rank = getenv("PTP_TEST_KILL_RANK");
    if (rank != NULL && path_of(descriptor, path) && is_meant(path)) {
        const int is_due = has_text(data, size);
        if (is_due && is_killed("before")) {
            kill_rank(path, rank);
        }
        const ssize_t written = REAL(write)(descriptor, data, size);
        if (is_due && is_killed("after")) {
            kill_rank(path, rank);
        }
        return written;
    }
    if (is_killed("after") && path_of(descriptor, path) && is_meant(path)) {
        REAL(write)(descriptor, data, size);
        kill(getpid(), SIGKILL);
    }
    const ssize_t part = allowed(descriptor, size);
    return part < 0 ? part : REAL(write)(descriptor, data, (size_t)part);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t at) {
    const ssize_t part = allowed(descriptor, size);
    return part < 0 ? part : REAL(pwrite)(descriptor, data, (size_t)part, at);
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t at) {
    const ssize_t part = allowed(descriptor, size);
    return part < 0 ? part : REAL(pwrite64)(descriptor, data, (size_t)part, at);
}

// One piece at a time, as the system may do it.
ssize_t writev(int descriptor, const struct iovec* pieces, int count) {
    for (int i = 0; i < count; ++i) {
        if (pieces[i].iov_len > 0) {
            return write(descriptor, pieces[i].iov_base, pieces[i].iov_len);
        }
    }
    return 0;
}

size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
    const ssize_t part = allowed(fileno(file), size * count);
    if (part == (ssize_t)(size * count)) {
        return REAL(fwrite)(data, size, count, file);
    }
    if (part > 0) {
        REAL(fwrite)(data, 1, (size_t)part, file);
        refuse();
    }
    return 0;
}

int fputs(const char* text, FILE* file) {
    const size_t size = strlen(text);
    return fwrite(text, 1, size, file) == size ? 1 : EOF;
}

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    const int is_written = (flags & O_ACCMODE) != O_RDONLY;
    return is_written && is_refused_at("open", path) ? refuse() : REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    char whole[2 * PATH_MAX];
    whole_path(folder, path, whole);
    const int is_written = (flags & O_ACCMODE) != O_RDONLY;
    return is_written && is_refused_at("open", whole) ? refuse()
                                                      : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

FILE* fopen64(const char* path, const char* mode) {
    if (strchr(mode, 'r') == NULL && is_refused_at("open", path)) {
        refuse();
        return NULL;
    }
    return REAL(fopen64)(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
    return fopen64(path, mode);
}

int fsync(int descriptor) {
    return is_descriptor_refused_at("sync", descriptor) ? refuse() : REAL(fsync)(descriptor);
}

int close(int descriptor) {
    const int is_refused =
        getenv("PTP_TEST_FAIL_AT") != NULL && is_descriptor_refused_at("close", descriptor);
    const int status = REAL(close)(descriptor);
    return is_refused ? refuse() : status;
}

int mkdir(const char* path, mode_t mode) {
    return is_refused_at("mkdir", path) ? refuse() : REAL(mkdir)(path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) {
    char whole[2 * PATH_MAX];
    whole_path(folder, path, whole);
    return is_refused_at("mkdir", whole) ? refuse() : REAL(mkdirat)(folder, path, mode);
}

int rename(const char* from, const char* to) {
    return is_refused_at("rename", to) ? refuse() : REAL(rename)(from, to);
}
