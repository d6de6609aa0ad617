#include "experiment/precision.hpp"

#include "experiment/libtorch_version.hpp"

#include <fmt/core.h>

namespace ptp::experiment {

namespace {

constexpr const char* kPrecisionKey = "training.precision";

}  // namespace

void check_precision(const Scope& root, const Experiment& experiment) {
    if (experiment.training.precision == "fp16" && experiment.device == "cpu" &&
        !is_from(libtorch_version(), kFirstWithFloat16)) {
        root.problems.error(
            *root.table.find_path(kPrecisionKey), kPrecisionKey,
            Explanation{
                fmt::format("not on the CPU, where libtorch {} does not compute in float16 (from "
                            "{}.{} on it does)",
                            libtorch_version(), kFirstWithFloat16[0], kFirstWithFloat16[1]),
                "precision = \"bf16\", or --device cuda"});
    }
}

}  // namespace ptp::experiment
