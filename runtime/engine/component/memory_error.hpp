// Errors about memory that a machine or device refused. No type reports them across the boundary to
// components, so they are recognized by the words of libtorch and of the standard library.

#pragma once

#include <string_view>

namespace ptp::engine {

bool is_about_memory(std::string_view message);

inline constexpr std::string_view kMemoryFix =
    "there is not enough memory; a smaller batch_size (with training.accumulate for the same step "
    "of the optimizer), training.precision = \"bf16\" or smaller sizes need less";

}  // namespace ptp::engine
