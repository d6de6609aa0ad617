/* The components of this plugin, and what several of them need. */
#ifndef QUADRANTS_COMPONENTS_H
#define QUADRANTS_COMPONENTS_H

#include <ptp/abi.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

extern const ptp_component_info quadrants_task;
extern const ptp_component_info pair_products_transform;
extern const ptp_component_info range_viewer;

/* Reports why the call at hand fails, and returns `status`. */
ptp_status fail(const ptp_host* host, ptp_status status, const char* message);

/* Number i of a tensor on the CPU, in row-major order, whatever its strides are: float32 or float64. */
double number_at(const ptp_tensor_view* tensor, int64_t i);

/* How many numbers it has. */
int64_t number_count(const ptp_tensor_view* tensor);

/* Whether number_at() can read it. */
int is_readable(const ptp_tensor_view* tensor);

#endif /* QUADRANTS_COMPONENTS_H */
