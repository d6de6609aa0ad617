// On a CUDA device the same seed gives the same bits, as far as libtorch has algorithms that do.
// Where it has none, a run states which operation it is.

#pragma once

#include "engine/component/compat.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <optional>
#include <set>
#include <string>

namespace ptp::engine {

// While it lives, libtorch's warnings of operations without a deterministic algorithm are warnings
// of the run instead, one for each operation. The backward pass has them too: libtorch hands its
// warnings to the thread that called it. [main]
class DeterminismWarnings final : private compat::WarningHandler {
public:
    // On the CPU it does nothing: all algorithms there are deterministic. Where a CUDA device need
    // not be, it warns of that alone.
    DeterminismWarnings(at::Device device, bool is_deterministic, spdlog::logger& log);

    // Whether there has been one of an operation.
    [[nodiscard]] bool is_any() const { return !operations_.empty(); }

private:
    [[nodiscard]] bool take(const std::string& text) override;

    at::Device device_;
    spdlog::logger& log_;
    std::set<std::string> operations_;  // that were reported
    std::optional<compat::WarningGuard> guard_;
};

}  // namespace ptp::engine
