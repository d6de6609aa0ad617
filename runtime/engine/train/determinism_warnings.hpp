// On a CUDA device the same seed gives the same bits if libtorch has deterministic algorithms. For
// an operation without one, a run reports the operation.

#pragma once

#include "engine/component/compat.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <optional>
#include <set>
#include <string>

namespace ptp::engine {

// While it exists, libtorch's warnings of operations without a deterministic algorithm become
// warnings of the run, one for each operation. This includes the backward pass: libtorch passes its
// warnings to the thread that called it. [main]
class DeterminismWarnings final : private compat::WarningHandler {
public:
    // Does nothing on the CPU, where all algorithms are deterministic. If a CUDA device need not
    // be, it only warns of that.
    DeterminismWarnings(at::Device device, bool is_deterministic, spdlog::logger& log);

    // Returns whether any operation has caused a warning.
    [[nodiscard]] bool is_any() const { return !operations_.empty(); }

private:
    [[nodiscard]] bool take(const std::string& text) override;

    at::Device device_;
    spdlog::logger& log_;
    std::set<std::string> operations_;  // those reported
    std::optional<compat::WarningGuard> guard_;
};

}  // namespace ptp::engine
