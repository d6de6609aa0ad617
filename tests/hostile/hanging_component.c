/* A plugin in plain C whose description is right and one of whose components never ends. */
#include "parts.h"

#include <ptp/ext/task.h>

FORWARD(forward_hangs) {
    volatile int is_running = 1;
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    while (is_running) {
    }
    return PTP_OK;
}

static ptp_status fetch(void* self, const ptp_fetch* wanted, ptp_value* const* outputs) {
    return write_zeros(((instance*)self)->host, outputs[0], kFloat, 32, (int64_t)wanted->count,
                       kWidth);
}

static const void* task_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch};
    return is_task(id) ? &task : NULL;
}

TRANSFORM(forward_hang, "HangsInForward", create, forward_hangs);
TASK(plain_task, "PlainTask", task_extension);

static const ptp_component_info* const components[] = {&forward_hang, &plain_task};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "hanging_component",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
