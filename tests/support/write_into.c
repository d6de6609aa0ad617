// Moves the time of the file PTP_TEST_WRITTEN, as a program does that writes into it, once its
// weights are used where they are: a library to be named in LD_PRELOAD. Predictions give the memory
// that the weights had before back to the system then.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/stat.h>

int malloc_trim(size_t kept) {
    const struct timespec times[] = {{1, 0}, {1, 0}};  // in 1970
    const char* file = getenv("PTP_TEST_WRITTEN");
    if (file != NULL) {
        (void)utimensat(AT_FDCWD, file, times, 0);
    }
    // The next definition after this one: the C library's.
    return (__extension__(__typeof__(&malloc_trim)) dlsym(RTLD_NEXT, "malloc_trim"))(kept);
}
