/* The components of this plugin, and their shared functions. */
#ifndef QUADRANTS_COMPONENTS_H
#define QUADRANTS_COMPONENTS_H

#include <ptp/abi.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

extern const ptp_component_info quadrants_task;
extern const ptp_component_info pair_products_transform;
extern const ptp_component_info range_viewer;

/* Reports why the current call fails, and returns `status`. */
ptp_status fail(const ptp_host* host, ptp_status status, const char* message);

/* Returns number i of a tensor on the CPU, float32 or float64, in row-major order, for any
 * strides. */
double number_at(const ptp_tensor_view* tensor, int64_t i);

/* Returns how many numbers the tensor has. */
int64_t number_count(const ptp_tensor_view* tensor);

/* Returns whether number_at() can read the tensor. */
int is_readable(const ptp_tensor_view* tensor);

#endif /* QUADRANTS_COMPONENTS_H */
