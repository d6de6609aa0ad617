// Keeps status.json in a run's folder (run/status.hpp) during the training, and ends a run.

#pragma once

#include "base/error.hpp"
#include "engine/output/sinks.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/trainer_progress.hpp"
#include "run/status.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::engine {

// [main] Every change replaces the file as a whole. Throws RunError.
class StatusFile {
public:
    explicit StatusFile(std::filesystem::path file);

    // Keeps the values that an earlier process of the same run has measured. Returns the seconds of
    // training until then: 0 if there is no such file, or it cannot be read. A newer format is
    // refused, and never overwritten.
    double begin();
    // Return the numbers of epochs begun and of episodes done, of an earlier process until this one
    // has some.
    [[nodiscard]] std::int64_t epochs() const { return status_.epoch; }
    [[nodiscard]] std::int64_t episodes() const { return status_.episode; }
    // `last` may be newer than the one in `state`.
    void progress(const TrainerProgress& state, double seconds, const run::Measurement& last);
    void end(std::string_view state, std::string_view reason, int exit_code);

private:
    void write() const;

    std::filesystem::path file_;
    run::Status status_;
};

// Ends a run, or the processing of sections, in its status file, its log and its sinks.
// [main] Its parts must outlive it.
class RunFinisher {
public:
    RunFinisher(StatusFile& status, spdlog::logger& log, Sinks& sinks)
        : status_(status), log_(log), sinks_(sinks) {}

    // Does the work, and reports an exception before it is rethrown as RunError. Returns the exit
    // code of the work.
    template <class Work>
    int guard(Work work) {
        try {
            return work();
        } catch (const std::exception& error) {
            const RunError reason = as_run_error(error);
            failed(reason);
            throw reason;
        }
    }

    // Both return the exit code. They throw RunError if the status cannot be written.
    int done(const std::string& reason);
    int stopped(int signal);

private:
    void failed(const RunError& reason);

    StatusFile& status_;
    spdlog::logger& log_;
    Sinks& sinks_;
};

}  // namespace ptp::engine
