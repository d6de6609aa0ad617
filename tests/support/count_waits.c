// Counts how often a process waits for a CUDA device: a library to be named in LD_PRELOAD. The
// number is written to the file PTP_TEST_WAITS when the process ends. No header of CUDA is needed:
// all of these take a handle or nothing, and return a number.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static atomic_int waits;

// Each time anew, because programs end without running destructors: the last number is the whole.
static void count(void) {
    const int now = atomic_fetch_add(&waits, 1) + 1;
    const char* path = getenv("PTP_TEST_WAITS");
    const int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT, 0644);
    if (file >= 0) {
        char text[16];
        const int length = snprintf(text, sizeof(text), "%010d\n", now);
        if (pwrite(file, text, (size_t)length, 0) < 0) {
            abort();
        }
        close(file);
    }
}

// CUDA's runtime is opened together with the engine, where RTLD_NEXT does not look.
static void* real(const char* name) {
    static const char* const libraries[] = {"libcudart.so.13", "libcudart.so.12",
                                            "libcudart.so.11.0"};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i) {
        void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        void* function = library == NULL ? NULL : dlsym(library, name);
        if (function != NULL) {
            return function;
        }
    }
    fprintf(stderr, "count_waits: no library of CUDA's runtime that it knows is open\n");
    abort();
}

#define REAL(name) (__extension__(__typeof__(&name)) real(#name))

SHOWN int cudaStreamSynchronize(void* stream) {
    count();
    return REAL(cudaStreamSynchronize)(stream);
}

SHOWN int cudaDeviceSynchronize(void) {
    count();
    return REAL(cudaDeviceSynchronize)();
}

SHOWN int cudaEventSynchronize(void* event) {
    count();
    return REAL(cudaEventSynchronize)(event);
}
