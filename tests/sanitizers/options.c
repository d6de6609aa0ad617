// What the sanitizers ask every program for when it starts.

// The programs report crashes of components themselves: a sanitizer's handler would come first in
// some threads and not in others. To have its report instead: ASAN_OPTIONS=handle_segv=2:...
#define CRASHES "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"

// A status of its own, so that no test takes it for one of the program's; and nothing is said of
// what is suppressed, because tests look at all that a program says.
//
// The interceptor guesses where a thread's variables lie from what stands before them in memory,
// and is wrong now and then: what follows is a crash of the leak sanitizer, or memory that cannot
// be had.
//
// A thread's stack for signals is the programs' own as well: the sanitizer's is too small for their
// report of a crash.
#define COMMON \
    CRASHES ":exitcode=86:print_suppressions=0:intercept_tls_get_addr=0:use_sigaltstack=0"

__attribute__((visibility("default"))) const char* __asan_default_options(void);
__attribute__((visibility("default"))) const char* __asan_default_options(void) {
    return COMMON ":detect_stack_use_after_return=1:suppressions=" PTP_SUPPRESSIONS "/memory.supp";
}

__attribute__((visibility("default"))) const char* __ubsan_default_options(void);
__attribute__((visibility("default"))) const char* __ubsan_default_options(void) {
    return "print_stacktrace=1";
}

__attribute__((visibility("default"))) const char* __lsan_default_options(void);
__attribute__((visibility("default"))) const char* __lsan_default_options(void) {
    return "print_suppressions=0:exitcode=86:suppressions=" PTP_SUPPRESSIONS "/leaks.supp";
}

// A swap that is tried in a child process has a thread there. Without the stacks of both threads
// what is suppressed is not recognized, so that as much as possible is remembered.
__attribute__((visibility("default"))) const char* __tsan_default_options(void);
__attribute__((visibility("default"))) const char* __tsan_default_options(void) {
    return COMMON ":die_after_fork=0:history_size=7:suppressions=" PTP_SUPPRESSIONS "/threads.supp";
}

#ifdef __SANITIZE_THREAD__

// libgomp is not instrumented: without this, all that its threads do in a parallel region races
// with what comes before and after the region.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Parallel)(void (*)(void*), void*, unsigned, unsigned);

struct region {
    void (*body)(void*);
    void* data;
    char begin,
        end;  // two, or a thread that begins late would see what others did before their end
};

static void run_region(void* argument) {
    struct region* region = argument;
    __tsan_acquire(&region->begin);
    region->body(region->data);
    __tsan_release(&region->end);
}

// Of libgomp, which a program may have opened later and for itself alone.
static Parallel real_parallel(void) {
    static _Atomic(Parallel) found;
    Parallel parallel = atomic_load(&found);
    if (parallel == NULL) {
        void* libgomp = dlopen("libgomp.so.1", RTLD_LAZY);
        void* symbol = libgomp == NULL ? NULL : dlsym(libgomp, "GOMP_parallel");
        if (symbol == NULL) {
            fputs("tests/sanitizers/options.c: no libgomp.so.1\n", stderr);
            abort();
        }
        *(void**)&parallel = symbol;
        atomic_store(&found, parallel);
    }
    return parallel;
}

__attribute__((visibility("default"))) void GOMP_parallel(void (*body)(void*), void* data,
                                                          unsigned threads, unsigned flags);
__attribute__((visibility("default"))) void GOMP_parallel(void (*body)(void*), void* data,
                                                          unsigned threads, unsigned flags) {
    struct region region = {.body = body, .data = data};
    __tsan_release(&region.begin);
    real_parallel()(run_region, &region, threads, flags);
    __tsan_acquire(&region.end);
}

// A tensor is freed by the thread that takes its count of references to zero, which may be one of
// libtorch's or gloo's. Libtorch, not instrumented, keeps the count, so that each free would race
// with what other threads did before they let go of the tensor: these are not checked. The address
// sanitizer finds what is used after it was freed. They take the place of libtorch's functions.
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);

static void begin_unchecked(void) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

static void end_unchecked(void) {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

// c10::free_cpu(void*): the numbers of a tensor.
__attribute__((visibility("default"))) void _ZN3c108free_cpuEPv(void* data);
__attribute__((visibility("default"))) void _ZN3c108free_cpuEPv(void* data) {
    begin_unchecked();
    free(data);
    end_unchecked();
}

// What `delete` calls of a c10::TensorImpl: its destructor, the first one in its table of virtual
// functions, and ::operator delete(void*).
typedef void (*Destructor)(void* self);
void _ZdlPv(void* memory);

__attribute__((visibility("default"))) void _ZN3c1010TensorImplD0Ev(void* self);
__attribute__((visibility("default"))) void _ZN3c1010TensorImplD0Ev(void* self) {
    begin_unchecked();
    (*(Destructor**)self)[0](self);
    _ZdlPv(self);
    end_unchecked();
}

#endif
