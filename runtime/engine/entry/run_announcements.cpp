#include "engine/entry/run_announcements.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cstdint>

namespace ptp::engine {

namespace {

std::string machine_text(const Session& session) {
    const std::string processes =
        session.shared ? fmt::format("{} processes, ", session.shared->group().size()) : "";
    return fmt::format("seed {}; on {}, {}{}", *session.experiment.seed,
                       session.executor.device().str(), processes, threads_text());
}

// "" where OpenBLAS has chosen by itself.
std::string kernels_text(const BlasKernels& kernels) {
    if (kernels.instead_of.empty()) {
        return "";
    }
    const bool is_recorded = kernels.family == kernels.recorded;
    return fmt::format("OpenBLAS computes with its kernels for {}, {}, instead of those for {}",
                       kernels.family,
                       is_recorded ? "as the run did" : "the newest that run on this processor",
                       kernels.instead_of);
}

}  // namespace

void announce_training(const Session& session, const RunRequest& request,
                       const std::filesystem::path& run, Console& console) {
    const BatchSource& training = *session.training;
    console.headline(fmt::format("{}  in {}", session.experiment.name, run.string()));
    console.say(fmt::format("{} samples, {} episodes in an epoch; {}", training.sample_count(),
                            training.batch_count(), machine_text(session)));
    if (const std::string text = kernels_text(request.kernels); !text.empty()) {
        console.say(text);
    }
    if (!request.trial.empty()) {
        console.announce(request.trial);
    }
    const auto workers = session.experiment.training.dataloader.num_workers;
    if (training.loader_count() < static_cast<std::uint64_t>(workers)) {
        console.say(
            fmt::format("{} keeps state: its batches are loaded when they are due, not ahead",
                        training.task().title()));
    }
}

void write_profile(const Profiler& profiler, const std::filesystem::path& file, Console& console,
                   spdlog::logger& log) {
    console.say(profiler.table());
    try {
        profiler.write_trace(file);
    } catch (const RunError& error) {  // The training itself has ended well.
        log.warn(fmt::format("no trace was written: {}", error.what()));
        return;
    }
    console.say(fmt::format("for chrome://tracing or Perfetto: {}", file.string()));
}

}  // namespace ptp::engine
