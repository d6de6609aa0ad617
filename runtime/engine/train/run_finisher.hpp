// Ends a run, or the processing of sections, in its status file, its log and its sinks.

#pragma once

#include "base/error.hpp"
#include "engine/output/sinks.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/status_file.hpp"

#include <spdlog/logger.h>

#include <exception>
#include <string>

namespace ptp::engine {

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
