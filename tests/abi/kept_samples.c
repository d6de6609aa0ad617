/* A plugin for the history of the ABI: a task, a transform, a statistic with state and a viewer,
 * from what ABI 1.0 had, so that it can be built with the headers of every revision. keep.sh builds
 * it; every later host must run what it has built. */
#include <ptp/abi.h>
#if defined(__has_include)
#if __has_include(<ptp/ext/task.h>) /* 1.0 and 1.1 had all in abi.h */
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>
#endif
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { WIDTH = 4, SAMPLES = 32, CLASSES = 2, SETS = 3 };

typedef struct component {
    const ptp_host* host;
    double number;         /* the factor, or the mean of the batch */
    double sums[2 * SETS]; /* for each set of the means, then how many there are */
    ptp_data state[2 * SETS];
    ptp_data list;
} component;

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    component* self = calloc(1, sizeof *self);
    if (self == NULL) {
        host->fail(host->context, PTP_ERROR_INTERNAL, "out of memory");
        return PTP_ERROR_INTERNAL;
    }
    self->host = host;
    if (setup->setting_count > 0) {
        self->number = setup->settings[0]->real;
    }
    *out_instance = self;
    return PTP_OK;
}

static void destroy(void* instance) {
    free(instance);
}

static const void* no_extension(const char* id) {
    (void)id;
    return NULL;
}

/* ---- KeptNumbers, a task: four numbers for each sample, drawn from its seed, and whether their sum
 * is above 2 ---- */

static const ptp_port_info numbers = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_FLOAT,
                                      .name = "numbers",
                                      .shape = "B, 4",
                                      .help = "Numbers in [0, 1)"};
static const ptp_port_info targets = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_INTEGER,
                                      .name = "targets",
                                      .shape = "B",
                                      .help = "Whether their sum is above 2"};
static const ptp_port_info* const task_ports[] = {&numbers, &targets};

static const ptp_global_info classes = {.struct_size = sizeof(ptp_global_info),
                                        .access = PTP_GLOBAL_WRITE,
                                        .name = "num_classes",
                                        .value = "2",
                                        .help = "How many classes there are"};
static const ptp_global_info* const task_globals[] = {&classes};

static ptp_status create_task(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    const ptp_data value = {.type = PTP_DATA_INTEGER, .integer = CLASSES};
    const ptp_status status = host->publish(host->context, "num_classes", &value);
    return status == PTP_OK ? create(host, setup, out_instance) : status;
}

static ptp_status size(void* instance, int64_t* out) {
    (void)instance;
    *out = SAMPLES;
    return PTP_OK;
}

static ptp_status fetch(void* instance, const ptp_fetch* wanted, ptp_value* const* outputs) {
    const ptp_host* host = ((component*)instance)->host;
    const int64_t sizes[] = {(int64_t)wanted->count, WIDTH};
    ptp_tensor_view values;
    ptp_tensor_view labels;
    ptp_status status = host->tensor_allocate(host->context, outputs[0], 2, 32, 2, sizes, &values);
    if (status == PTP_OK) {
        status = host->tensor_allocate(host->context, outputs[1], 0, 64, 1, sizes, &labels);
    }
    if (status != PTP_OK) {
        return status;
    }
    for (uint64_t i = 0; i < wanted->count; ++i) {
        uint64_t bits = (uint64_t)wanted->indices[i] * 6364136223846793005u + 1442695040888963407u;
        double sum = 0;
        for (int k = 0; k < WIDTH; ++k) {
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            const double number = (double)(bits >> 40u) / 16777216.0;
            ((float*)values.data)[i * WIDTH + (uint64_t)k] = (float)number;
            sum += number;
        }
        ((int64_t*)labels.data)[i] = sum > 2 ? 1 : 0;
    }
    return PTP_OK;
}

static const void* task_extension(const char* id) {
    static const ptp_task task = {.struct_size = sizeof(ptp_task),
                                  .flags = PTP_TASK_CONCURRENT,
                                  .size = size,
                                  .fetch = fetch};
    return strcmp(id, PTP_EXTENSION_TASK) == 0 ? &task : NULL;
}

static const ptp_component_info kept_numbers = {.struct_size = sizeof(ptp_component_info),
                                                .kind = PTP_TASK,
                                                .name = "KeptNumbers",
                                                .summary = "Numbers that follow from the index",
                                                .port_count = COUNT(task_ports),
                                                .ports = task_ports,
                                                .globals = task_globals,
                                                .global_count = COUNT(task_globals),
                                                .create = create_task,
                                                .destroy = destroy,
                                                .extension = task_extension};

/* ---- KeptScale, a transform ---- */

static const ptp_setting_info factor = {.struct_size = sizeof(ptp_setting_info),
                                        .type = PTP_SETTING_REAL,
                                        .name = "factor",
                                        .default_value = "2.0",
                                        .range = "(0, inf)",
                                        .help = "What the inputs are multiplied by"};
static const ptp_setting_info* const scale_settings[] = {&factor};

static const ptp_port_info inputs = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_INPUT,
                                     .element = PTP_FLOAT,
                                     .name = "inputs",
                                     .shape = "B, width",
                                     .help = "Numbers"};
static const ptp_port_info outputs = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_FLOAT,
                                      .name = "outputs",
                                      .shape = "B, width",
                                      .help = "The inputs, scaled"};
static const ptp_port_info* const scale_ports[] = {&inputs, &outputs};

static ptp_status seen(const ptp_host* host, const ptp_value* value, ptp_tensor_view* out) {
    const ptp_status status = host->tensor_view(host->context, value, out);
    if (status != PTP_OK) {
        return status;
    }
    const int64_t width = out->rank == 2 ? out->shape[1] : 0;
    const int is_plain = out->strides == NULL || (out->strides[0] == width && out->strides[1] == 1);
    if (out->type_code != 2 || out->type_bits != 32 || out->rank != 2 || !is_plain) {
        host->fail(host->context, PTP_ERROR_DATA, "inputs must be rows of float32");
        return PTP_ERROR_DATA;
    }
    out->data = (char*)out->data + out->byte_offset;
    return PTP_OK;
}

static ptp_status scale(void* instance, const ptp_step* step, const ptp_value* const* in,
                        ptp_value* const* out) {
    const component* self = instance;
    (void)step;
    ptp_tensor_view from;
    ptp_tensor_view to;
    ptp_status status = seen(self->host, in[0], &from);
    if (status == PTP_OK) {
        status =
            self->host->tensor_allocate(self->host->context, out[0], 2, 32, 2, from.shape, &to);
    }
    if (status != PTP_OK) {
        return status;
    }
    for (int64_t i = 0; i < from.shape[0] * from.shape[1]; ++i) {
        ((float*)to.data)[i] = (float)(self->number * ((const float*)from.data)[i]);
    }
    return PTP_OK;
}

static const ptp_component_info kept_scale = {.struct_size = sizeof(ptp_component_info),
                                              .kind = PTP_TRANSFORM,
                                              .name = "KeptScale",
                                              .summary = "Multiplies by a number",
                                              .settings = scale_settings,
                                              .setting_count = COUNT(scale_settings),
                                              .port_count = COUNT(scale_ports),
                                              .ports = scale_ports,
                                              .create = create,
                                              .destroy = destroy,
                                              .forward = scale,
                                              .extension = no_extension};

/* ---- KeptMean, a statistic: the mean of the numbers, of a batch and over the set ---- */

static const ptp_port_info* const mean_ports[] = {&inputs};
static const ptp_statistic_info mean = {.struct_size = sizeof(ptp_statistic_info),
                                        .aggregation = PTP_AGGREGATE_COMPUTED,
                                        .decimals = 6,
                                        .name = "kept_mean",
                                        .help = "Mean of the numbers"};
static const ptp_statistic_info* const statistics_of_mean[] = {&mean};

static ptp_status measure(void* instance, const ptp_step* step, const ptp_value* const* in,
                          ptp_value* const* out) {
    component* self = instance;
    (void)step;
    (void)out;
    ptp_tensor_view from;
    const ptp_status status = seen(self->host, in[0], &from);
    if (status != PTP_OK) {
        return status;
    }
    const int64_t count = from.shape[0] * from.shape[1];
    self->number = 0;
    for (int64_t i = 0; i < count; ++i) {
        self->number += ((const float*)from.data)[i] / (double)count;
    }
    return PTP_OK;
}

static ptp_status reset(void* instance, uint64_t set) {
    component* self = instance;
    self->sums[set] = 0;
    self->sums[SETS + set] = 0;
    return PTP_OK;
}

static ptp_status collect(void* instance, uint64_t set, double* out_values) {
    component* self = instance;
    self->sums[set] += self->number;
    self->sums[SETS + set] += 1;
    out_values[0] = self->number;
    return PTP_OK;
}

static ptp_status aggregate(void* instance, uint64_t set, double* out_values) {
    const component* self = instance;
    out_values[0] = self->sums[SETS + set] > 0 ? self->sums[set] / self->sums[SETS + set] : 0;
    return PTP_OK;
}

static ptp_status export_state(void* instance, const ptp_data** out) {
    component* self = instance;
    for (int i = 0; i < 2 * SETS; ++i) {
        self->state[i] = (ptp_data){.type = PTP_DATA_REAL, .real = self->sums[i]};
    }
    self->list =
        (ptp_data){.type = PTP_DATA_LIST, .items = self->state, .item_count = COUNT(self->state)};
    *out = &self->list;
    return PTP_OK;
}

static ptp_status import_state(void* instance, uint32_t version, const ptp_data* state) {
    component* self = instance;
    (void)version;
    for (uint64_t i = 0; i < COUNT(self->sums) && i < state->item_count; ++i) {
        self->sums[i] = state->items[i].real;
    }
    return PTP_OK;
}

static const void* mean_extension(const char* id) {
    static const ptp_statistics statistics = {.struct_size = sizeof(ptp_statistics),
                                              .reset = reset,
                                              .collect = collect,
                                              .aggregate = aggregate};
    static const ptp_state state = {.struct_size = sizeof(ptp_state),
                                    .version = 1,
                                    .export_state = export_state,
                                    .import_state = import_state};
    if (strcmp(id, PTP_EXTENSION_STATISTICS) == 0) {
        return &statistics;
    }
    return strcmp(id, PTP_EXTENSION_STATE) == 0 ? &state : NULL;
}

static const ptp_component_info kept_mean = {.struct_size = sizeof(ptp_component_info),
                                             .kind = PTP_STATISTIC,
                                             .name = "KeptMean",
                                             .summary = "Mean of numbers",
                                             .port_count = COUNT(mean_ports),
                                             .ports = mean_ports,
                                             .statistic_count = COUNT(statistics_of_mean),
                                             .statistics = statistics_of_mean,
                                             .create = create,
                                             .destroy = destroy,
                                             .forward = measure,
                                             .extension = mean_extension};

/* ---- KeptViewer, a viewer: a line in the log for the first batch of each epoch ---- */

static ptp_status view(void* instance, const ptp_step* step, const ptp_value* const* in,
                       ptp_value* const* out) {
    const component* self = instance;
    (void)out;
    ptp_tensor_view from;
    const ptp_status status = seen(self->host, in[0], &from);
    if (status == PTP_OK && step->batch_index == 0 && from.shape[0] > 0 && from.shape[1] > 0) {
        char line[80];
        snprintf(line, sizeof line, "%s, batch of %d: the first number is %.6f", step->section,
                 (int)from.shape[0], (double)((const float*)from.data)[0]);
        self->host->log(self->host->context, PTP_LOG_INFO, line);
    }
    return status;
}

static const ptp_component_info kept_viewer = {.struct_size = sizeof(ptp_component_info),
                                               .kind = PTP_VIEWER,
                                               .name = "KeptViewer",
                                               .summary = "Shows the first number of a batch",
                                               .port_count = COUNT(mean_ports),
                                               .ports = mean_ports,
                                               .create = create,
                                               .destroy = destroy,
                                               .forward = view,
                                               .extension = no_extension};

/* ---- The plugin ---- */

static const ptp_component_info* const components[] = {&kept_numbers, &kept_scale, &kept_mean,
                                                       &kept_viewer};
static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .standard_library = "none",
                                .sanitizer = "none",
                                .compiler = "cc " __VERSION__};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "kept_samples",
                                       .version = "1.0.0",
                                       .build = &build,
                                       .components = components};

PTP_EXPORT const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
