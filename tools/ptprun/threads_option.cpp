#include "threads_option.hpp"

#include "base/cores.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace ptp::ptprun {

namespace {

constexpr const char* kAuto = "auto";
constexpr std::int64_t kMaxThreads = 1024;

std::int64_t threads_from(const std::string& text) {
    std::int64_t threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 ||
        threads > kMaxThreads) {
        throw UsageError(
            fmt::format("--threads {}: must be a number from 1 to {}, or auto", text, kMaxThreads));
    }
    return threads;
}

// Returns the cores per process of a training on this host.
std::int64_t free_cores(const Given& given) {
    const std::int64_t processes = given.has("nproc") ? *given.integer("nproc") : 1;
    return std::max<std::int64_t>(available_cores() / processes, 1);
}

}  // namespace

Option threads_option() {
    return {.name = "threads",
            .value = "N",
            .help =
                "threads that compute (default: OMP_NUM_THREADS, or as libtorch chooses); "
                "auto: one for each core; while it trains, fewer beside other processes. The last "
                "bits of all numbers depend on it",
            .completions = {kAuto}};
}

void use_threads(const Given& given) {
    if (!given.has("threads")) {
        return;
    }
    const std::int64_t threads =
        adapts_threads(given) ? free_cores(given) : threads_from(given.text("threads"));
    const std::string text = std::to_string(threads);
    setenv("OMP_NUM_THREADS", text.c_str(), 1);
    if (std::getenv("MKL_NUM_THREADS") != nullptr) {  // it would take precedence
        setenv("MKL_NUM_THREADS", text.c_str(), 1);
    }
}

bool adapts_threads(const Given& given) {
    return given.has("threads") && given.text("threads") == kAuto;
}

}  // namespace ptp::ptprun
