/* A plugin in plain C whose description is right and whose components misbehave while they work,
 * each in the one way that its name says. `PlainTask` and `PlainTransform` do as they should, to be
 * wired to the others. All streams are of shape [B, 4]. */
#include "parts.h"

#include <ptp/ext/task.h>

#include <fenv.h>

static ptp_status zeros(void* self, const ptp_step* step, uint8_t code, uint8_t bits, int64_t width,
                        ptp_value* const* outputs) {
    return write_zeros(((instance*)self)->host, outputs[0], code, bits, (int64_t)step->batch_size,
                       width);
}

/* ---- create() ---- */

static ptp_status create_fails_with_message(const ptp_host* host, const ptp_setup* setup,
                                            void** out_instance) {
    (void)setup;
    (void)out_instance;
    host->fail(host->context, PTP_ERROR_CONFIG, "the moon is in the wrong phase");
    return PTP_ERROR_CONFIG;
}

static ptp_status create_fails_silently(const ptp_host* host, const ptp_setup* setup,
                                        void** out_instance) {
    (void)host;
    (void)setup;
    (void)out_instance;
    return PTP_ERROR_INTERNAL;
}

static ptp_status create_makes_nothing(const ptp_host* host, const ptp_setup* setup,
                                       void** out_instance) {
    (void)host;
    (void)setup;
    (void)out_instance;
    return PTP_OK;
}

static ptp_status create_returns_unknown_status(const ptp_host* host, const ptp_setup* setup,
                                                void** out_instance) {
    (void)host;
    (void)setup;
    (void)out_instance;
    return 77;
}

/* ---- forward() ---- */

FORWARD(forward) {
    (void)inputs;
    return zeros(self, step, kFloat, 32, kWidth, outputs);
}

FORWARD(forward_loss) {
    const ptp_host* host = ((instance*)self)->host;
    ptp_tensor_view view;
    ptp_status status;
    (void)step;
    (void)inputs;
    status = host->tensor_allocate(host->context, outputs[0], kFloat, 32, 0, NULL, &view);
    if (status == PTP_OK) {
        *(float*)view.data = 0.0F;
    }
    return status;
}

FORWARD(forward_wrong_shape) {
    (void)inputs;
    return zeros(self, step, kFloat, 32, kWidth + 1, outputs);
}

FORWARD(forward_wrong_type) {
    (void)inputs;
    return zeros(self, step, kInteger, 64, kWidth, outputs);
}

FORWARD(forward_garbage_size) {
    const int64_t shape[] = {-3, kWidth};
    const ptp_host* host = ((instance*)self)->host;
    ptp_tensor_view view;
    (void)step;
    (void)inputs;
    return host->tensor_allocate(host->context, outputs[0], kFloat, 32, 2, shape, &view);
}

/* The bytes of this overflow 64 bits. */
FORWARD(forward_overflowing_size) {
    const int64_t shape[] = {INT64_MAX / 4, kWidth};
    const ptp_host* host = ((instance*)self)->host;
    ptp_tensor_view view;
    (void)step;
    (void)inputs;
    return host->tensor_allocate(host->context, outputs[0], kFloat, 32, 2, shape, &view);
}

/* 256 TiB: more than a process can address. */
FORWARD(forward_boundless_size) {
    const int64_t shape[] = {(int64_t)1 << 44, kWidth};
    const ptp_host* host = ((instance*)self)->host;
    ptp_tensor_view view;
    (void)step;
    (void)inputs;
    return host->tensor_allocate(host->context, outputs[0], kFloat, 32, 2, shape, &view);
}

FORWARD(forward_writes_nothing) {
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    return PTP_OK;
}

FORWARD(forward_fails_with_message) {
    const ptp_host* host = ((instance*)self)->host;
    (void)step;
    (void)inputs;
    (void)outputs;
    host->fail(host->context, PTP_ERROR_DATA, "the stars are out of order");
    return PTP_ERROR_DATA;
}

FORWARD(forward_fails_silently) {
    (void)self;
    (void)step;
    (void)inputs;
    (void)outputs;
    return PTP_ERROR_DATA;
}

FORWARD(forward_fails_and_succeeds) {
    const ptp_host* host = ((instance*)self)->host;
    (void)inputs;
    host->fail(host->context, PTP_ERROR_DATA, "the stars are out of order");
    return write_zeros(host, outputs[0], kFloat, 32, (int64_t)step->batch_size, kWidth);
}

FORWARD(forward_rounds) {
    (void)inputs;
    fesetround(FE_UPWARD);
    return write_zeros(((instance*)self)->host, outputs[0], kFloat, 32, (int64_t)step->batch_size,
                       kWidth);
}

FORWARD(forward_escapes) {
    const ptp_host* host = ((instance*)self)->host;
    (void)step;
    (void)inputs;
    (void)outputs;
    host->fail(host->context, PTP_ERROR_DATA, "\033[31mred\r\xFF and\tgreen");
    return PTP_ERROR_DATA;
}

/* ---- tasks ---- */

static ptp_status size_negative(void* self, int64_t* out) {
    (void)self;
    *out = -1;
    return PTP_OK;
}

static ptp_status fetch(void* self, const ptp_fetch* wanted, ptp_value* const* outputs) {
    return write_zeros(((instance*)self)->host, outputs[0], kFloat, 32, (int64_t)wanted->count,
                       kWidth);
}

static ptp_status fetch_too_few(void* self, const ptp_fetch* wanted, ptp_value* const* outputs) {
    return write_zeros(((instance*)self)->host, outputs[0], kFloat, 32, (int64_t)wanted->count - 1,
                       kWidth);
}

static ptp_status fetch_nothing(void* self, const ptp_fetch* wanted, ptp_value* const* outputs) {
    (void)self;
    (void)wanted;
    (void)outputs;
    return PTP_OK;
}

static const void* task_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch};
    return is_task(id) ? &task : NULL;
}

static const void* negative_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size_negative, fetch};
    return is_task(id) ? &task : NULL;
}

static const void* too_few_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch_too_few};
    return is_task(id) ? &task : NULL;
}

static const void* nothing_extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), 0, size, fetch_nothing};
    return is_task(id) ? &task : NULL;
}

/* ---- what they declare ---- */

static const ptp_port_info predictions = {.struct_size = sizeof(ptp_port_info),
                                          .direction = PTP_INPUT,
                                          .element = PTP_FLOAT,
                                          .name = "predictions",
                                          .shape = "B,*",
                                          .help = "Any numbers"};
static const ptp_port_info loss = {.struct_size = sizeof(ptp_port_info),
                                   .direction = PTP_OUTPUT,
                                   .element = PTP_FLOAT,
                                   .flags = PTP_PORT_LOSS,
                                   .name = "loss",
                                   .shape = "",
                                   .help = "Zero"};
static const ptp_port_info* const loss_ports[] = {&predictions, &loss};

static const ptp_global_info promised = {.struct_size = sizeof(ptp_global_info),
                                         .access = PTP_GLOBAL_WRITE,
                                         .name = "promised_size",
                                         .help = "Is promised, and never published"};
static const ptp_global_info* const promised_globals[] = {&promised};

TRANSFORM(plain, "PlainTransform", create, forward);
TRANSFORM(create_fails, "FailsInCreate", create_fails_with_message, forward);
TRANSFORM(create_silent, "FailsSilentlyInCreate", create_fails_silently, forward);
TRANSFORM(create_nothing, "MakesNothing", create_makes_nothing, forward);
TRANSFORM(create_unknown, "ReturnsUnknownStatus", create_returns_unknown_status, forward);
TRANSFORM(wrong_shape, "WritesWrongShape", create, forward_wrong_shape);
TRANSFORM(wrong_type, "WritesWrongType", create, forward_wrong_type);
TRANSFORM(garbage_size, "AsksForGarbageSize", create, forward_garbage_size);
TRANSFORM(overflowing_size, "AsksForOverflowingSize", create, forward_overflowing_size);
TRANSFORM(boundless_size, "AsksForBoundlessSize", create, forward_boundless_size);
TRANSFORM(writes_nothing, "WritesNothing", create, forward_writes_nothing);
TRANSFORM(forward_fails, "FailsInForward", create, forward_fails_with_message);
TRANSFORM(forward_silent, "FailsSilentlyInForward", create, forward_fails_silently);

TRANSFORM(fails_and_succeeds, "FailsAndSucceeds", create, forward_fails_and_succeeds);
TRANSFORM(rounds, "RoundsInForward", create, forward_rounds);
TRANSFORM(escapes, "FailsInColors", create, forward_escapes);

TASK(plain_task, "PlainTask", task_extension);
TASK(negative_task, "NegativeSizeTask", negative_extension);
TASK(too_few_task, "TooFewSamplesTask", too_few_extension);
TASK(nothing_task, "FetchesNothingTask", nothing_extension);

static const ptp_component_info plain_loss = {.struct_size = sizeof(ptp_component_info),
                                              .kind = PTP_LOSS,
                                              .name = "PlainLoss",
                                              .summary = "Is zero, whatever is predicted",
                                              .ports = loss_ports,
                                              .port_count = COUNT(loss_ports),
                                              .create = create,
                                              .destroy = destroy,
                                              .forward = forward_loss,
                                              .extension = no_extension};

static const ptp_component_info publishes_nothing = {
    .struct_size = sizeof(ptp_component_info),
    .kind = PTP_PUBLISHER,
    .name = "PublishesNothing",
    .summary = "Promises a global and does not publish it",
    .globals = promised_globals,
    .global_count = COUNT(promised_globals),
    .create = create,
    .destroy = destroy,
    .forward = forward_writes_nothing,
    .extension = no_extension};

static const ptp_component_info* const components[] = {&plain,
                                                       &create_fails,
                                                       &create_silent,
                                                       &create_nothing,
                                                       &create_unknown,
                                                       &wrong_shape,
                                                       &wrong_type,
                                                       &garbage_size,
                                                       &writes_nothing,
                                                       &forward_fails,
                                                       &forward_silent,
                                                       &plain_task,
                                                       &negative_task,
                                                       &too_few_task,
                                                       &nothing_task,
                                                       &publishes_nothing,
                                                       &overflowing_size,
                                                       &boundless_size,
                                                       &fails_and_succeeds,
                                                       &rounds,
                                                       &escapes,
                                                       &plain_loss};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "hostile_components",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
