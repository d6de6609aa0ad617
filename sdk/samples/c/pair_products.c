/* PairProducts: a transform. The inputs, followed by the product of each pair of them.
 *
 * From (a, b, c) it makes (a, b, c, a b, a c, b c): with these a linear model can represent what
 * depends on two inputs together. Without libtorch a tensor is memory without a history:
 * gradients do not flow back through it, so it belongs between the task and the model. It
 * processes each sample separately, and so runs in the loader threads. */
#include "components.h"

#include <ptp/ext/samples.h>

#include <stdlib.h>
#include <string.h>

typedef struct pair_products {
    const ptp_host* host;
} pair_products;

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
                                      .shape = "B, (width * (width + 1) / 2)",
                                      .help = "The numbers, then the product of each pair"};
static const ptp_port_info* const ports[] = {&inputs, &outputs};

static ptp_status create(const ptp_host* host, const ptp_setup* setup, void** out_instance) {
    pair_products* self = malloc(sizeof *self);
    (void)setup;
    if (self == NULL) {
        return fail(host, PTP_ERROR_INTERNAL, "out of memory");
    }
    self->host = host;
    *out_instance = self;
    return PTP_OK;
}

static void destroy(void* instance) {
    free(instance);
}

static ptp_status multiply(const ptp_host* host, const ptp_value* from, ptp_value* to) {
    ptp_tensor_view numbers;
    ptp_status status = host->tensor_view(host->context, from, &numbers); /* [B, width] */
    if (status != PTP_OK) {
        return status;
    }
    if (!is_readable(&numbers)) {
        return fail(host, PTP_ERROR_DATA, "inputs must be float32 or float64 on the CPU");
    }
    const int64_t rows = numbers.shape[0];
    const int64_t width = numbers.shape[1];
    const int64_t shape[2] = {rows, width * (width + 1) / 2};
    ptp_tensor_view products;
    status = host->tensor_allocate(host->context, to, 2, 32, 2, shape, &products);
    if (status != PTP_OK) {
        return status;
    }
    float* next = products.data; /* [B, width (width + 1) / 2] */
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t first = row * width;
        for (int64_t i = 0; i < width; ++i) {
            *next++ = (float)number_at(&numbers, first + i);
        }
        for (int64_t i = 0; i < width; ++i) {
            for (int64_t k = i + 1; k < width; ++k) {
                *next++ = (float)(number_at(&numbers, first + i) * number_at(&numbers, first + k));
            }
        }
    }
    return PTP_OK;
}

static ptp_status forward(void* instance, const ptp_step* step, const ptp_value* const* in,
                          ptp_value* const* out) {
    (void)step;
    return multiply(((const pair_products*)instance)->host, in[0], out[0]);
}

static ptp_status transform(void* instance, const ptp_samples* samples, const ptp_value* const* in,
                            ptp_value* const* out) {
    (void)samples;
    return multiply(((const pair_products*)instance)->host, in[0], out[0]);
}

static const void* extension(const char* id) {
    static const ptp_sample_transform per_sample = {.struct_size = sizeof(ptp_sample_transform),
                                                    .transform = transform};
    return strcmp(id, PTP_EXTENSION_SAMPLES) == 0 ? &per_sample : NULL;
}

const ptp_component_info pair_products_transform = {.struct_size = sizeof(ptp_component_info),
                                                    .kind = PTP_TRANSFORM,
                                                    .name = "PairProducts",
                                                    .summary = "Adds the product of each pair",
                                                    .port_count = COUNT(ports),
                                                    .ports = ports,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .forward = forward,
                                                    .extension = extension};
