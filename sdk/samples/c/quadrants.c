/* Quadrants: a task. Points of the square [-1, 1) x [-1, 1); the class is 1 if x y > 0.
 *
 * A point depends only on its index and the setting `points`: SplitMix64 at a separate position.
 * So it is the same in every run, for any order of drawing, and for any number of threads. */
#include "components.h"

#include <ptp/ext/task.h>
#include <ptp/splitmix64.h>

#include <stdlib.h>
#include <string.h>

typedef struct quadrants {
    const ptp_host* host;
    int64_t size;
    uint64_t first; /* the position of the first point in the sequence */
} quadrants;

/* ---- What it declares ---- */

static const ptp_setting_info size_setting = {.struct_size = sizeof(ptp_setting_info),
                                              .type = PTP_SETTING_INTEGER,
                                              .name = "size",
                                              .default_value = "1000",
                                              .range = "[1, 1000000000]",
                                              .help = "Number of points"};
static const ptp_setting_info points_setting = {.struct_size = sizeof(ptp_setting_info),
                                                .type = PTP_SETTING_ENUMERATION,
                                                .name = "points",
                                                .default_value = "\"training\"",
                                                .choices = "training|validation",
                                                .help = "Which of two sets without a common point",
                                                .purpose = PTP_PURPOSE_SPLIT};
static const ptp_setting_info* const settings[] = {&size_setting, &points_setting};

static const ptp_port_info inputs = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_OUTPUT,
                                     .element = PTP_FLOAT,
                                     .name = "inputs",
                                     .shape = "B, 2",
                                     .help = "x and y of each point"};
static const ptp_port_info targets = {.struct_size = sizeof(ptp_port_info),
                                      .direction = PTP_OUTPUT,
                                      .element = PTP_INTEGER,
                                      .name = "targets",
                                      .shape = "B",
                                      .help = "1 where x y > 0, else 0",
                                      .purpose = PTP_PURPOSE_TARGETS};
static const ptp_port_info* const ports[] = {&inputs, &targets};

/* The host publishes it, because its value is declared. */
static const ptp_global_info num_classes = {.struct_size = sizeof(ptp_global_info),
                                            .access = PTP_GLOBAL_WRITE,
                                            .name = "num_classes",
                                            .value = "2",
                                            .help = "Number of classes",
                                            .purpose = PTP_PURPOSE_CLASS_COUNT};
static const ptp_global_info* const globals[] = {&num_classes};

/* ---- What it does ---- */

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    quadrants* self = malloc(sizeof *self);
    if (self == NULL) {
        return fail(host, PTP_ERROR_INTERNAL, "out of memory");
    }
    const int is_validation = strcmp(setup->settings[1]->text, "validation") == 0;
    self->host = host;
    self->size = setup->settings[0]->integer;
    self->first = is_validation ? UINT64_C(1) << 40 : 0;
    *out_instance = self;
    return PTP_OK;
}

static void destroy(void* instance) {
    free(instance);
}

static ptp_status size(void* instance, int64_t* out) {
    *out = ((const quadrants*)instance)->size;
    return PTP_OK;
}

/* Returns number `position` of the sequence, in [-1, 1), with the 24 bits of a float. */
static float draw(uint64_t position) {
    const uint64_t bits = ptp_splitmix64_mix((position + 1) * PTP_SPLITMIX64_STEP) >> 40;
    return (float)bits / 8388608.0F - 1.0F;
}

static ptp_status fetch(void* instance, const ptp_fetch* wanted, ptp_value* const* outputs) {
    const quadrants* self = instance;
    const ptp_host* host = self->host;
    const int64_t count = (int64_t)wanted->count;
    const int64_t shape[2] = {count, 2};
    ptp_tensor_view points;
    ptp_tensor_view classes;
    ptp_status status = host->tensor_allocate(host->context, outputs[0], 2, 32, 2, shape, &points);
    if (status == PTP_OK) {
        status = host->tensor_allocate(host->context, outputs[1], 0, 64, 1, shape, &classes);
    }
    if (status != PTP_OK) {
        return status; /* the host has reported why */
    }
    float* xy = points.data;         /* [B, 2] */
    int64_t* of_each = classes.data; /* [B] */
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t position = self->first + 2 * (uint64_t)wanted->indices[i];
        xy[2 * i] = draw(position);
        xy[2 * i + 1] = draw(position + 1);
        of_each[i] = xy[2 * i] * xy[2 * i + 1] > 0;
    }
    return PTP_OK;
}

static const void* extension(const char* id) {
    static const ptp_task task = {.struct_size = sizeof(ptp_task),
                                  .flags = PTP_TASK_CONCURRENT,
                                  .size = size,
                                  .fetch = fetch};
    return strcmp(id, PTP_EXTENSION_TASK) == 0 ? &task : NULL;
}

const ptp_component_info quadrants_task = {.struct_size = sizeof(ptp_component_info),
                                           .kind = PTP_TASK,
                                           .name = "Quadrants",
                                           .summary = "Points in a square, in classes by quadrant",
                                           .settings = settings,
                                           .setting_count = COUNT(settings),
                                           .port_count = COUNT(ports),
                                           .ports = ports,
                                           .globals = globals,
                                           .global_count = COUNT(globals),
                                           .create = create,
                                           .destroy = destroy,
                                           .extension = extension,
                                           .sample_count = "$size"};
