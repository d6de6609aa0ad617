/* What the plugins of misbehaving components are made of: an instance that knows its host, ports and
 * the two kinds of descriptions. All streams are of shape [B, 4]. */
#ifndef PTP_HOSTILE_PARTS_H
#define PTP_HOSTILE_PARTS_H

#include <ptp/abi.h>
#include <ptp/ext/task.h>

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { kWidth = 4, kSamples = 8 };
enum { kInteger = 0, kFloat = 2 }; /* type codes of tensors */

typedef struct instance {
    const ptp_host* host;
} instance;

static inline ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    instance* made = malloc(sizeof *made);
    (void)setup;
    made->host = host;
    *out_instance = made;
    return PTP_OK;
}

static inline void destroy(void* self) {
    free(self);
}

/* Makes an output of this size and fills it with zeros. */
static inline ptp_status write_zeros(const ptp_host* host, ptp_value* output, uint8_t type_code,
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

/* Number i of a matrix of four columns, wherever it lies in memory. */
static inline float number_at(const ptp_tensor_view* in, int64_t i) {
    const float* const numbers = (const float*)((const char*)in->data + in->byte_offset);
#if defined(MISBEHAVES_READS_ROW_MAJOR)
    return numbers[i];
#else
    const int64_t row = in->strides == NULL ? in->shape[1] : in->strides[0];
    const int64_t column = in->strides == NULL ? 1 : in->strides[1];
    return numbers[i / kWidth * row + i % kWidth * column];
#endif
}

/* Changes something that belongs to the whole process, chosen by a definition. */
static inline void change_process(void) {
#if defined(MISBEHAVES_MOVES)
    (void)!chdir("/");
#elif defined(MISBEHAVES_MASKS)
    (void)umask(0);
#elif defined(MISBEHAVES_SPEAKS)
    (void)setlocale(LC_ALL, "C.UTF-8");
#elif defined(MISBEHAVES_HANDLES)
    (void)signal(SIGTERM, SIG_IGN);
#endif
}

#define FORWARD(function)                                                                        \
    static ptp_status function(void* self, const ptp_step* step, const ptp_value* const* inputs, \
                               ptp_value* const* outputs)

static inline const void* no_extension(const char* id) {
    (void)id;
    return NULL;
}

static inline ptp_status size(void* self, int64_t* out) {
    (void)self;
    *out = kSamples;
    return PTP_OK;
}

static inline int is_task(const char* id) {
    const char* wanted = PTP_EXTENSION_TASK;
    while (*id == *wanted && *id != '\0') {
        ++id;
        ++wanted;
    }
    return *id == *wanted;
}

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

#if defined(HOSTILE_LIBTORCH)
#define STANDARD_LIBRARY "libstdc++ cxx11"
#else
#define HOSTILE_LIBTORCH NULL
#define STANDARD_LIBRARY "none"
#endif

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .libtorch = HOSTILE_LIBTORCH,
                                .standard_library = STANDARD_LIBRARY,
                                .sanitizer = "none",
                                .compiler = "a C compiler"};

#endif /* PTP_HOSTILE_PARTS_H */
