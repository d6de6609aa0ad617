/* Scale: outputs = factor * inputs. A whole plugin in C, from ptp/abi.h alone.
 *
 * Without libtorch a tensor is memory without a history: gradients do not flow back through this
 * component, so it belongs between the task and the model. */
#include <ptp/abi.h>

#include <stdlib.h>

/* As set by the build, or empty. */
#ifndef PTP_PLUGIN_LICENSE
#define PTP_PLUGIN_LICENSE NULL
#endif
#ifndef PTP_PLUGIN_AUTHOR
#define PTP_PLUGIN_AUTHOR NULL
#endif
#ifndef PTP_PLUGIN_HOMEPAGE
#define PTP_PLUGIN_HOMEPAGE NULL
#endif

typedef struct scale {
    const ptp_host* host;
    double factor;
} scale;

/* ---- What it declares ---- */

static const ptp_setting_info factor = {.struct_size = sizeof(ptp_setting_info),
                                        .type = PTP_SETTING_REAL,
                                        .name = "factor",
                                        .default_value = "2.0",
                                        .range = "(0, inf)",
                                        .help = "What the inputs are multiplied by"};
static const ptp_setting_info* const settings[] = {&factor};

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
static const ptp_port_info* const ports[] = {&inputs, &outputs};

/* ---- What it does ---- */

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    scale* self = malloc(sizeof *self);
    if (self == NULL) {
        host->fail(host->context, PTP_ERROR_INTERNAL, "out of memory");
        return PTP_ERROR_INTERNAL;
    }
    self->host = host;
    self->factor = setup->settings[0]->real; /* in declared order, checked by the host */
    *out_instance = self;
    return PTP_OK;
}

static void destroy(void* instance) {
    free(instance);
}

static ptp_status forward(void* instance, const ptp_step* step, const ptp_value* const* in,
                          ptp_value* const* out) {
    const scale* self = instance;
    const ptp_host* host = self->host;
    (void)step;

    ptp_tensor_view from;
    ptp_status status = host->tensor_view(host->context, in[0], &from); /* [B, width] */
    if (status != PTP_OK) {
        return status; /* the host has reported why */
    }
    if (from.type_code != 2 || from.type_bits != 32 || from.device_type != 1) {
        host->fail(host->context, PTP_ERROR_DATA, "inputs must be float32 on the CPU");
        return PTP_ERROR_DATA;
    }
    ptp_tensor_view to;
    status = host->tensor_allocate(host->context, out[0], 2, 32, from.rank, from.shape, &to);
    if (status != PTP_OK) {
        return status;
    }
    const float* numbers = (const float*)((const char*)from.data + from.byte_offset);
    float* scaled = (float*)((char*)to.data + to.byte_offset);
    const int64_t width = from.shape[1];
    const int64_t row = from.strides == NULL ? width : from.strides[0];
    const int64_t column = from.strides == NULL ? 1 : from.strides[1];
    for (int64_t i = 0; i < from.shape[0]; ++i) {
        for (int64_t k = 0; k < width; ++k) {
            scaled[i * width + k] = (float)(self->factor * numbers[i * row + k * column]);
        }
    }
    return PTP_OK;
}

static const void* extension(const char* id) {
    (void)id; /* none of the further abilities */
    return NULL;
}

/* ---- The plugin ---- */

static const ptp_component_info component = {.struct_size = sizeof(ptp_component_info),
                                             .kind = PTP_TRANSFORM,
                                             .name = "Scale",
                                             .summary = "Multiplies by a number",
                                             .settings = settings,
                                             .setting_count = sizeof settings / sizeof settings[0],
                                             .port_count = sizeof ports / sizeof ports[0],
                                             .ports = ports,
                                             .create = create,
                                             .destroy = destroy,
                                             .forward = forward,
                                             .extension = extension};
static const ptp_component_info* const components[] = {&component};

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .standard_library = "none",
                                .sanitizer = "none",
                                .compiler = "cc " __VERSION__};

static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = sizeof components / sizeof components[0],
                                       .name = "scale",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components,
                                       .license = PTP_PLUGIN_LICENSE,
                                       .author = PTP_PLUGIN_AUTHOR,
                                       .homepage = PTP_PLUGIN_HOMEPAGE};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
