// OpenBLAS on a processor that it does not know: it takes the kernels of Prescott where nothing
// asks it for others. A library to be named in LD_PRELOAD.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

extern char** environ;

static char* value_of(const char* name) {
    const size_t length = strlen(name);
    for (char** each = environ; each != NULL && *each != NULL; ++each) {
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=') {
            return *each + length + 1;
        }
    }
    return NULL;
}

static int is_openblas(const void* caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, "openblas") != NULL;
}

SHOWN char* getenv(const char* name) {
    static char prescott[] = "Prescott";
    char* value = value_of(name);
    if ((value == NULL || *value == '\0') && strcmp(name, "OPENBLAS_CORETYPE") == 0 &&
        is_openblas(__builtin_return_address(0))) {
        return prescott;
    }
    return value;
}
