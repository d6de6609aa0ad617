#include "engine/train/failure.hpp"

#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <filesystem>
#include <new>

namespace ptp::engine {

RunError as_run_error(const std::exception& error) {
    if (const auto* own = dynamic_cast<const RunError*>(&error)) {
        return *own;
    }
    if (const auto* disk = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        return {kTrainingError,
                fmt::format("cannot use {}: {}", disk->path1().string(), disk->code().message())};
    }
    if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) {
        return {kTrainingError, fmt::format("libtorch: {}", torch->what_without_backtrace())};
    }
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return {kTrainingError, "out of memory"};
    }
    return {kTrainingError, error.what()};
}

}  // namespace ptp::engine
