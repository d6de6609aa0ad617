/* The plugin: its components, and the entry, the only symbol that the library exports. */
#include "components.h"

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

ptp_status fail(const ptp_host* host, ptp_status status, const char* message) {
    host->fail(host->context, status, message);
    return status;
}

int is_readable(const ptp_tensor_view* tensor) {
    return tensor->device_type == 1 && tensor->type_code == 2 &&
           (tensor->type_bits == 32 || tensor->type_bits == 64);
}

int64_t number_count(const ptp_tensor_view* tensor) {
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->rank; ++d) {
        count *= tensor->shape[d];
    }
    return count;
}

double number_at(const ptp_tensor_view* tensor, int64_t i) {
    int64_t element = i;
    if (tensor->strides != NULL) {
        element = 0;
        for (int32_t d = tensor->rank; d-- > 0;) {
            element += i % tensor->shape[d] * tensor->strides[d];
            i /= tensor->shape[d];
        }
    }
    const char* numbers = (const char*)tensor->data + tensor->byte_offset;
    return tensor->type_bits == 32 ? (double)((const float*)numbers)[element]
                                   : ((const double*)numbers)[element];
}

static const ptp_component_info* const components[] = {&quadrants_task, &pair_products_transform,
                                                       &range_viewer};

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .standard_library = "none",
                                .sanitizer = "none",
                                .compiler = "cc " __VERSION__};

static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "quadrants",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components,
                                       .license = PTP_PLUGIN_LICENSE,
                                       .author = PTP_PLUGIN_AUTHOR,
                                       .homepage = PTP_PLUGIN_HOMEPAGE};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
