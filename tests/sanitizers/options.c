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

// A swap that is tried in a child process has a thread there.
__attribute__((visibility("default"))) const char* __tsan_default_options(void);
__attribute__((visibility("default"))) const char* __tsan_default_options(void) {
    return COMMON ":die_after_fork=0:suppressions=" PTP_SUPPRESSIONS "/threads.supp";
}
