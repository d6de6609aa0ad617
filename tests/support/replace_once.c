// Puts the file PTP_TEST_REPLACE_BY in the place of PTP_TEST_REPLACE at a moment that no test could
// meet otherwise: a library to be named in LD_PRELOAD. PTP_TEST_REPLACE_AT says when: "mkdir", when
// a folder named "checkpoints" is made, or "listen", when the run can be controlled from then on.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

// The next definition after this one: the C library's.
#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

#define SHOWN __attribute__((visibility("default")))

// The second time there is nothing left to put there.
static void replace_at(const char* call) {
    const char* when = getenv("PTP_TEST_REPLACE_AT");
    const char* file = getenv("PTP_TEST_REPLACE");
    const char* by = getenv("PTP_TEST_REPLACE_BY");
    if (when != NULL && file != NULL && by != NULL && strcmp(when, call) == 0) {
        (void)rename(by, file);
    }
}

SHOWN int mkdir(const char* path, mode_t mode) {
    const char* name = strrchr(path, '/');
    if (name != NULL && strcmp(name, "/checkpoints") == 0) {
        replace_at("mkdir");
    }
    return REAL(mkdir)(path, mode);
}

SHOWN int listen(int socket, int backlog) {
    replace_at("listen");
    return REAL(listen)(socket, backlog);
}
