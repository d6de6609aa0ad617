#include "engine/train/training_threads.hpp"

#include "base/cores.hpp"
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

std::string threads_text(std::int64_t threads, std::int64_t cores, bool is_asked_for) {
    const std::string text = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
    const bool are_all_used = is_asked_for || threads >= cores;
    return are_all_used ? text
                        : fmt::format("{} (--threads {} computes on all cores)", text, cores);
}

std::string threads_text() {
    const bool is_asked_for =
        std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("MKL_NUM_THREADS") != nullptr;
    return threads_text(at::get_num_threads(), available_cores(), is_asked_for);
}

}  // namespace ptp::engine
