// The change of a setting that makes sizes agree.

#pragma once

#include "pipeline/shapes.hpp"
#include "pipeline/size_table.hpp"
#include "pipeline/wiring.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A size that should be another one.
struct WantedSize {
    SizeSource source;
    std::int64_t wanted = 0;
};

// Separates the setting of a task in a fix from the other sections that need the same.
inline constexpr const char* kSameIn = ", and the same in ";

// "set training.task.resize_image = [32, 32]"; "" if no single setting decides all these sizes.
std::string setting_fix(const Assembly& assembly, const std::vector<WantedSize>& sizes);

// The setting that states how many dimensions the input has, such as `num_targets_dims`, where the
// input has `count` with another number, and all that depend on it then fit their streams: "set
// pipeline.loss.num_targets_dims = 2"; else "".
std::string count_fix(const Shapes& shapes, const Draft& draft, const Binding& input,
                      std::int64_t count);

}  // namespace ptp::pipeline
