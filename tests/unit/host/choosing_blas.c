// A library that chooses its kernels as OpenBLAS does: when it is opened, by OPENBLAS_CORETYPE
// where it has these kernels, and otherwise those of CHOOSING_BLAS, an old processor's.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

static char config[] = "OpenBLAS 0.3.21 DYNAMIC_ARCH MAX_THREADS=64";
static char name[32];

SHOWN char* openblas_get_config(void);
SHOWN char* openblas_get_corename(void);

static void take(const char* family) {
    strncpy(name, family, sizeof(name) - 1);
}

__attribute__((constructor)) static void choose(void) {
    const char* const known[] = {"Prescott", "Nehalem", "Haswell", "SkylakeX"};
    const char* own = getenv("CHOOSING_BLAS");
    const char* asked = getenv("OPENBLAS_CORETYPE");
    take(own == NULL ? "Prescott" : own);
    for (size_t i = 0; asked != NULL && i < sizeof(known) / sizeof(known[0]); ++i) {
        if (strcmp(asked, known[i]) == 0) {
            take(asked);
        }
    }
}

char* openblas_get_config(void) {
    return config;
}

char* openblas_get_corename(void) {
    return name;
}
