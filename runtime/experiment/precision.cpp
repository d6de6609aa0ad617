#include "experiment/precision.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>

namespace ptp::experiment {

namespace {

constexpr const char* kPrecisionKey = "training.precision";
constexpr std::array kFirstWithFloat16 = {2, 4};

}  // namespace

bool has_float16_on_cpu(std::string_view libtorch) {
    std::array version = {0, 0};
    for (int& part : version) {
        const auto [end, error] =
            std::from_chars(libtorch.data(), libtorch.data() + libtorch.size(), part);
        libtorch.remove_prefix(static_cast<std::size_t>(end - libtorch.data()));
        if (libtorch.starts_with('.')) {
            libtorch.remove_prefix(1);
        }
    }
    return version >= kFirstWithFloat16;
}

void check_precision(const Scope& root, const Experiment& experiment) {
    constexpr std::string_view kLibtorch = PTP_LIBTORCH_FINGERPRINT;
    if (experiment.training.precision == "fp16" && experiment.device == "cpu" &&
        !has_float16_on_cpu(kLibtorch)) {
        root.problems.error(
            *root.table.find_path(kPrecisionKey), kPrecisionKey,
            fmt::format("not on the CPU, where libtorch {} does not compute in float16 (from {}.{} "
                        "on it does)\n    fix: precision = \"bf16\", or --device cuda",
                        kLibtorch.substr(0, kLibtorch.find(' ')), kFirstWithFloat16[0],
                        kFirstWithFloat16[1]));
    }
}

}  // namespace ptp::experiment
