// For libraries to be named in LD_PRELOAD that stand in front of CUDA's runtime: its own functions,
// without its headers.
#pragma once

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN __attribute__((visibility("default")))

// CUDA's runtime is opened together with the engine, where RTLD_NEXT does not look.
static inline void* real(const char* name) {
    static const char* const libraries[] = {"libcudart.so.13", "libcudart.so.12",
                                            "libcudart.so.11.0"};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i) {
        void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        void* function = library == NULL ? NULL : dlsym(library, name);
        if (function != NULL) {
            return function;
        }
    }
    fprintf(stderr, "no library of CUDA's runtime that this test knows is open\n");
    abort();
}

#define REAL(name) (__extension__(__typeof__(&name)) real(#name))
