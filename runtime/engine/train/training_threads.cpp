#include "engine/train/training_threads.hpp"

#include "base/cores.hpp"
#include "base/counted.hpp"
#include "base/cpu_times.hpp"
#include "engine/train/process_setup.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <cstdlib>

namespace ptp::engine {

TrainingThreads::TrainingThreads(bool may_change, spdlog::logger& log)
    : watch_({at::get_num_threads(), own_core_limits().affinity, may_change, available_cores()},
             cpu_times),
      log_(log) {}

void TrainingThreads::episode(double seconds) {
    const auto advice = watch_.episode(seconds);
    if (!advice) {
        return;
    }
    if (advice->threads != at::get_num_threads()) {
        at::set_num_threads(static_cast<int>(advice->threads));
        bind_blas_threads();
    }
    log_.warn(advice->text);
}

std::string threads_text(std::int64_t threads, std::int64_t cores, std::int64_t asked) {
    const std::string text = counted(threads, "thread");
    if (asked > threads) {
        return fmt::format("{} ({} were asked for: OpenBLAS takes no more)", text, asked);
    }
    const bool are_all_used = asked > 0 || threads >= cores;
    return are_all_used ? text
                        : fmt::format("{} (--threads {} computes on all cores)", text, cores);
}

std::string threads_text() {
    std::int64_t asked = 0;
    for (const char* name : {"MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
        const char* value = std::getenv(name);
        asked = value == nullptr ? asked : std::atoi(value);  // reads "4,2" as 4
    }
    return threads_text(at::get_num_threads(), available_cores(), asked);
}

}  // namespace ptp::engine
