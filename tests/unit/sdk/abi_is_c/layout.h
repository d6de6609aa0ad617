/* The layout of ptp/abi.h as the language of the including file sees it. The numbers on the right
 * are the contract: they were counted by hand, for machines with 8-byte pointers. */
#include <ptp/abi.h>
#include <ptp/ext/draft/data_folder.h>
#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/draft/observation.h>
#include <ptp/ext/draft/onnx.h>
#include <ptp/ext/draft/pictures.h>
#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/draft/saved.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#ifdef __cplusplus
#define PTP_TEST_ASSERT(condition) static_assert(condition, #condition)
#else
#define PTP_TEST_ASSERT(condition) _Static_assert(condition, #condition)
#endif

/* Frozen structs keep their size forever. */
PTP_TEST_ASSERT(sizeof(ptp_data) == 56);
PTP_TEST_ASSERT(offsetof(ptp_data, key) == 8);
PTP_TEST_ASSERT(offsetof(ptp_data, item_count) == 48);
PTP_TEST_ASSERT(sizeof(ptp_text) == 40);
PTP_TEST_ASSERT(sizeof(ptp_tensor_list) == 16);
PTP_TEST_ASSERT(sizeof(ptp_tensor_view) == 48);
PTP_TEST_ASSERT(offsetof(ptp_tensor_view, rank) == 16);
PTP_TEST_ASSERT(offsetof(ptp_tensor_view, type_lanes) == 22);
PTP_TEST_ASSERT(offsetof(ptp_tensor_view, byte_offset) == 40);
PTP_TEST_ASSERT(sizeof(ptp_picture) == 32);
PTP_TEST_ASSERT(offsetof(ptp_picture, height) == 16);
PTP_TEST_ASSERT(offsetof(ptp_picture, reserved) == 28);

/* Structs that may grow start with their size. */
PTP_TEST_ASSERT(offsetof(ptp_setting_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_port_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_global_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_statistic_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_requirement_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_host, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_failure, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_failure, system) == 24);
PTP_TEST_ASSERT(offsetof(ptp_observation, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_pictures, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_saved, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_binding, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_setup, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_step, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_component_info, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_fetch, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_task, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_parameters, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_mode, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_state, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_statistics, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_onnx, write) == 8);
PTP_TEST_ASSERT(offsetof(ptp_onnx_builder, context) == 8);
PTP_TEST_ASSERT(offsetof(ptp_sample_values, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_sample_values, names) == 8);
PTP_TEST_ASSERT(offsetof(ptp_samples, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_samples, epoch) == 32);
PTP_TEST_ASSERT(offsetof(ptp_sample_transform, struct_size) == 0);
PTP_TEST_ASSERT(offsetof(ptp_build, struct_size) == 0);

/* What the host reads before it knows anything else. */
PTP_TEST_ASSERT(offsetof(ptp_plugin_info, abi_major) == 0);
PTP_TEST_ASSERT(offsetof(ptp_plugin_info, abi_minor) == 4);
PTP_TEST_ASSERT(offsetof(ptp_plugin_info, struct_size) == 8);

/* Sizes of all structs; the program compares them between the languages.
   NOLINTNEXTLINE(readability-identifier-naming): a name of C. */
static const size_t ptp_test_layout[] = {
    sizeof(ptp_data),        sizeof(ptp_text),           sizeof(ptp_tensor_list),
    sizeof(ptp_tensor_view), sizeof(ptp_setting_info),   sizeof(ptp_port_info),
    sizeof(ptp_global_info), sizeof(ptp_statistic_info), sizeof(ptp_requirement_info),
    sizeof(ptp_host),        sizeof(ptp_binding),        sizeof(ptp_setup),
    sizeof(ptp_step),        sizeof(ptp_component_info), sizeof(ptp_fetch),
    sizeof(ptp_task),        sizeof(ptp_parameters),     sizeof(ptp_mode),
    sizeof(ptp_state),       sizeof(ptp_statistics),     sizeof(ptp_build),
    sizeof(ptp_plugin_info), sizeof(ptp_samples),        sizeof(ptp_sample_transform),
    sizeof(ptp_migrate),     sizeof(ptp_picture),        sizeof(ptp_pictures),
    sizeof(ptp_sampling),    sizeof(ptp_failure)};
enum { PTP_TEST_LAYOUT_COUNT = sizeof(ptp_test_layout) / sizeof(ptp_test_layout[0]) };

/* Each of the four builds of abi_is_c defines one of these, named by PTP_TEST_NAME. */
#ifdef __cplusplus
extern "C" {
#endif
const size_t* layout_c11(void);
const size_t* layout_c17(void);
const size_t* layout_cxx17(void);
const size_t* layout_cxx20(void);
#ifdef __cplusplus
}
#endif
