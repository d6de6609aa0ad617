// The change of a setting that makes sizes agree.

#pragma once

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

// "set training.task.resize_image = [32, 32]"; "" if no single setting decides all these sizes.
std::string setting_fix(const Assembly& assembly, const std::vector<WantedSize>& sizes);

}  // namespace ptp::pipeline
