// The exit code and the sentence of each kind of exception.

#include "engine/train/failure.hpp"

#include "base/explanation.hpp"
#include "engine/component/component_error.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <new>

namespace ptp::engine {

std::string torch_text(const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return is_about_memory(text) || dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr
               ? Explanation{text, std::string(kMemoryFix)}.text()
               : text;
}

RunError as_run_error(const std::exception& error) {
    if (const auto* own = dynamic_cast<const RunError*>(&error)) {
        return *own;
    }
    if (const auto* disk = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        return {kTrainingError,
                fmt::format("cannot use {}: {}", disk->path1().string(), disk->code().message())};
    }
    if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) {
        return {kTrainingError, "libtorch: " + torch_text(*torch)};
    }
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return {kTrainingError, "out of memory"};
    }
    return {kTrainingError, error.what()};
}

}  // namespace ptp::engine
