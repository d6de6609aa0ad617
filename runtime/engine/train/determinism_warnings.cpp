// The translation of libtorch's warnings about nondeterministic operations.

#include "engine/train/determinism_warnings.hpp"

#include <fmt/core.h>

namespace ptp::engine {

namespace {

// The text after the name of an operation in libtorch's warning (Context::alertNotDeterministic).
constexpr const char* kWords = " does not have a deterministic implementation";

}  // namespace

DeterminismWarnings::DeterminismWarnings(at::Device device, bool is_deterministic,
                                         spdlog::logger& log)
    : device_(device), log_(log) {
    if (device.is_cpu()) {
        return;
    }
    if (!is_deterministic) {
        log.warn(fmt::format(
            "deterministic = false: another run with the same seed may differ from this "
            "one in the last bits of its numbers on {}",
            device.str()));
    } else {
        guard_.emplace(static_cast<c10::WarningHandler*>(this));
    }
}

bool DeterminismWarnings::take(const std::string& text) {
    const std::size_t end = text.find(kWords);
    if (end == std::string::npos) {
        return false;
    }
    const std::string operation = text.substr(0, end);
    if (operations_.insert(operation).second) {
        log_.warn(fmt::format(
            "{}: libtorch has no deterministic algorithm for it on {}; another run with the same "
            "seed may differ from this one in the last bits of its numbers",
            operation, device_.str()));
    }
    return true;
}

}  // namespace ptp::engine
