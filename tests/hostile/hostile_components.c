/* A plugin in plain C whose description is right and whose components misbehave while they work,
 * each in the one way that its name says. `PlainTask` and `PlainTransform` do as they should, to be
 * wired to the others. All streams are of shape [B, 4]. */
#include <ptp/abi.h>

#include <signal.h>
#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { kWidth = 4, kSamples = 8 };
enum { kInteger = 0, kFloat = 2 }; /* type codes of tensors */

typedef struct instance {
    const ptp_host* host;
} instance;

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    instance* made = malloc(sizeof *made);
    (void)setup;
    made->host = host;
    *out_instance = made;
    return PTP_OK;
}

static void destroy(void* self) {
    free(self);
}

/* Makes an output of this size and fills it with zeros. */
static ptp_status write_zeros(const ptp_host* host, ptp_value* output, uint8_t type_code,
                              uint8_t type_bits, int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns};
    ptp_tensor_view view;
    const ptp_status status =
        host->tensor_allocate(host->context, output, type_code, type_bits, 2, shape, &view);
    if (status != PTP_OK) {
        return status;
    }
    for (int64_t i = 0; i < rows * columns * (type_bits / 8); ++i) {
        ((char*)view.data)[view.byte_offset + (uint64_t)i] = 0;
    }
    return PTP_OK;
}

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

static ptp_status create_crashes(const ptp_host* host, const ptp_setup* setup,
                                 void** out_instance) {
    (void)host;
    (void)setup;
    (void)out_instance;
    raise(SIGSEGV);
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

#define FORWARD(function)                                                                        \
    static ptp_status function(void* self, const ptp_step* step, const ptp_value* const* inputs, \
                               ptp_value* const* outputs)

FORWARD(forward) {
    (void)inputs;
    return zeros(self, step, kFloat, 32, kWidth, outputs);
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

static const void* no_extension(const char* id) {
    (void)id;
    return NULL;
}

/* ---- tasks ---- */

static ptp_status size(void* self, int64_t* out) {
    (void)self;
    *out = kSamples;
    return PTP_OK;
}

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

static int is_task(const char* id) {
    const char* wanted = PTP_EXTENSION_TASK;
    while (*id == *wanted && *id != '\0') {
        ++id;
        ++wanted;
    }
    return *id == *wanted;
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

static const ptp_port_info inputs = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_INPUT,
                                     .element = PTP_FLOAT,
                                     .name = "inputs",
                                     .shape = "B,4",
                                     .help = "Any numbers"};
static const ptp_port_info outputs = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_FLOAT,
                                      .name = "outputs",
                                      .shape = "B,4",
                                      .help = "Zeros"};
static const ptp_port_info samples = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_FLOAT,
                                      .name = "inputs",
                                      .shape = "B,4",
                                      .help = "Zeros"};
static const ptp_port_info* const transform_ports[] = {&inputs, &outputs};
static const ptp_port_info* const task_ports[] = {&samples};

static const ptp_global_info promised = {.struct_size = sizeof(ptp_global_info),
                                         .access = PTP_GLOBAL_WRITE,
                                         .name = "promised_size",
                                         .help = "Is promised, and never published"};
static const ptp_global_info* const promised_globals[] = {&promised};

#define TRANSFORM(variable, type, create_function, forward_function) \
    static const ptp_component_info variable = {                     \
        .struct_size = sizeof(ptp_component_info),                   \
        .kind = PTP_TRANSFORM,                                       \
        .name = type,                                                \
        .summary = "Makes zeros, or does what its name says",        \
        .port_count = COUNT(transform_ports),                        \
        .ports = transform_ports,                                    \
        .create = create_function,                                   \
        .destroy = destroy,                                          \
        .forward = forward_function,                                 \
        .extension = no_extension}

#define TASK(variable, type, extension_function)              \
    static const ptp_component_info variable = {              \
        .struct_size = sizeof(ptp_component_info),            \
        .kind = PTP_TASK,                                     \
        .name = type,                                         \
        .summary = "Gives zeros, or does what its name says", \
        .port_count = COUNT(task_ports),                      \
        .ports = task_ports,                                  \
        .create = create,                                     \
        .destroy = destroy,                                   \
        .extension = extension_function}

TRANSFORM(plain, "PlainTransform", create, forward);
TRANSFORM(create_fails, "FailsInCreate", create_fails_with_message, forward);
TRANSFORM(create_silent, "FailsSilentlyInCreate", create_fails_silently, forward);
TRANSFORM(create_nothing, "MakesNothing", create_makes_nothing, forward);
TRANSFORM(create_crash, "CrashesInCreate", create_crashes, forward);
TRANSFORM(create_unknown, "ReturnsUnknownStatus", create_returns_unknown_status, forward);
TRANSFORM(wrong_shape, "WritesWrongShape", create, forward_wrong_shape);
TRANSFORM(wrong_type, "WritesWrongType", create, forward_wrong_type);
TRANSFORM(garbage_size, "AsksForGarbageSize", create, forward_garbage_size);
TRANSFORM(writes_nothing, "WritesNothing", create, forward_writes_nothing);
TRANSFORM(forward_fails, "FailsInForward", create, forward_fails_with_message);
TRANSFORM(forward_silent, "FailsSilentlyInForward", create, forward_fails_silently);

TASK(plain_task, "PlainTask", task_extension);
TASK(negative_task, "NegativeSizeTask", negative_extension);
TASK(too_few_task, "TooFewSamplesTask", too_few_extension);
TASK(nothing_task, "FetchesNothingTask", nothing_extension);

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

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .standard_library = "none",
                                .sanitizer = "none",
                                .compiler = "a C compiler"};
static const ptp_component_info* const components[] = {
    &plain,          &create_fails,     &create_silent, &create_nothing, &create_crash,
    &create_unknown, &wrong_shape,      &wrong_type,    &garbage_size,   &writes_nothing,
    &forward_fails,  &forward_silent,   &plain_task,    &negative_task,  &too_few_task,
    &nothing_task,   &publishes_nothing};
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
