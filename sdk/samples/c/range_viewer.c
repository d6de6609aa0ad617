/* RangeViewer: a viewer. Shows the range and the mean of a stream of numbers at intervals. */
#include "components.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct viewer {
    const ptp_host* host;
    uint64_t interval;
    const char* stream;
} viewer;

static const ptp_setting_info interval = {
    .struct_size = sizeof(ptp_setting_info),
    .type = PTP_SETTING_INTEGER,
    .name = "interval",
    .default_value = "100",
    .range = "[1, inf)",
    .help = "Episodes of training from one showing to the next"};
static const ptp_setting_info* const settings[] = {&interval};

static const ptp_port_info inputs = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_INPUT,
                                     .element = PTP_FLOAT,
                                     .name = "inputs",
                                     .shape = "...",
                                     .help = "Numbers of any shape"};
static const ptp_port_info* const ports[] = {&inputs};

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    viewer* self = malloc(sizeof *self);
    if (self == NULL) {
        return fail(host, PTP_ERROR_INTERNAL, "out of memory");
    }
    self->host = host;
    self->interval = (uint64_t)setup->settings[0]->integer;
    self->stream = setup->inputs[0]->stream; /* valid as long as the instance */
    *out_instance = self;
    return PTP_OK;
}

static void destroy(void* instance) {
    free(instance);
}

static ptp_status forward(void* instance, const ptp_step* step, const ptp_value* const* in,
                          ptp_value* const* out) {
    const viewer* self = instance;
    const ptp_host* host = self->host;
    (void)out;
    if (!step->is_training || step->episode % self->interval != 0) {
        return PTP_OK;
    }
    ptp_tensor_view numbers;
    const ptp_status status = host->tensor_view(host->context, in[0], &numbers);
    if (status != PTP_OK) {
        return status;
    }
    if (!is_readable(&numbers)) {
        return fail(host, PTP_ERROR_DATA, "inputs must be float32 or float64 on the CPU");
    }
    const int64_t count = number_count(&numbers);
    if (count == 0) {
        return PTP_OK;
    }
    double least = number_at(&numbers, 0);
    double most = least;
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
        const double number = number_at(&numbers, i);
        least = number < least ? number : least;
        most = number > most ? number : most;
        sum += number;
    }
    char line[200];
    snprintf(line, sizeof line, "%.100s in [%.4f, %.4f], mean %.4f", self->stream, least, most,
             sum / (double)count);
    host->log(host->context, PTP_LOG_RESULT, line);
    return PTP_OK;
}

static const void* extension(const char* id) {
    (void)id;
    return NULL;
}

const ptp_component_info range_viewer = {.struct_size = sizeof(ptp_component_info),
                                         .kind = PTP_VIEWER,
                                         .name = "RangeViewer",
                                         .summary = "Shows the range and the mean of a stream",
                                         .settings = settings,
                                         .setting_count = COUNT(settings),
                                         .port_count = COUNT(ports),
                                         .ports = ports,
                                         .create = create,
                                         .destroy = destroy,
                                         .forward = forward,
                                         .extension = extension};
