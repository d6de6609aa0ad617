// A task of samples that are all zeros, for measuring what is around it.
#pragma once

#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>

#include <ptp/ext/task.h>

#include <cstdint>
#include <string_view>

namespace ptp::bench {

// A table of functions cannot carry anything along: set it before the task is made.
struct ZeroSamples {
    std::int64_t count = 0;
    std::int64_t width = 1;
};
inline ZeroSamples zero_samples;

inline const void* zeros_task_extension(const char* id) {
    static const ptp_task task = {
        sizeof(ptp_task), PTP_TASK_CONCURRENT,
        [](void*, std::int64_t* out) -> ptp_status {
            *out = zero_samples.count;
            return PTP_OK;
        },
        [](void*, const ptp_fetch* wanted, ptp_value* const* outputs) -> ptp_status {
            ptp::test::tensor_in(outputs[0]) =
                at::zeros({static_cast<std::int64_t>(wanted->count), zero_samples.width});
            return PTP_OK;
        }};
    return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
}

}  // namespace ptp::bench
