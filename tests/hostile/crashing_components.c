/* A plugin in plain C whose description is right and whose components crash while they work, each
 * in the one way that its name says. */
#include "parts.h"

#include <ptp/ext/task.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static ptp_status create_crashes(const ptp_host* host, const ptp_setup* setup,
                                 void** out_instance) {
    (void)host;
    (void)setup;
    (void)out_instance;
    raise(SIGSEGV);
    return PTP_OK;
}

FORWARD(forward) {
    (void)inputs;
    return write_zeros(((instance*)self)->host, outputs[0], kFloat, 32, (int64_t)step->batch_size,
                       kWidth);
}

FORWARD(forward_crashes) {
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    raise(SIGFPE);
    return PTP_OK;
}

/* Until its stack is full. */
static int64_t recurse(const volatile char* caller, int64_t depth) {
    volatile char frame[4096];
    frame[0] = caller == NULL ? 0 : caller[0];
    return depth < 0 ? frame[0] : recurse(frame, depth + 1) + frame[0];
}

FORWARD(forward_recurses) {
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    return (ptp_status)recurse(NULL, 1);
}

FORWARD(forward_exits) {
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    exit(0);
}

/* Two children of the process, of which one calls exit() and the other crashes. */
FORWARD(forward_forks) {
    for (int is_crash = 0; is_crash < 2; ++is_crash) {
        const pid_t child = fork();
        if (child == 0) {
            is_crash ? abort() : exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return forward(self, step, inputs, outputs);
}

static ptp_status fetch_crashes(void* self, const ptp_fetch* wanted, ptp_value* const* outputs) {
    (void)self;
    (void)wanted;
    (void)outputs;
    abort();
}

static const void* crashing_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch_crashes};
    return is_task(id) ? &task : NULL;
}

TRANSFORM(create_crash, "CrashesInCreate", create_crashes, forward);
TRANSFORM(forward_crash, "CrashesInForward", create, forward_crashes);
TRANSFORM(forward_recursion, "RecursesInForward", create, forward_recurses);
TRANSFORM(forward_exit, "ExitsInForward", create, forward_exits);
TRANSFORM(forward_fork, "ForksInForward", create, forward_forks);
TASK(crashing_task, "CrashesInFetchTask", crashing_extension);

static const ptp_component_info* const components[] = {&create_crash,      &forward_crash,
                                                       &forward_recursion, &forward_exit,
                                                       &forward_fork,      &crashing_task};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "crashing_components",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
