// The report that a training writes of itself: the program ptp-report, started on the run's folder.

#pragma once

#include "base/stopwatch.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

// Starts `ptp-report report RUN -o RUN/report.html` after each n-th epoch, without waiting for it,
// if all reports, this one and that of the end included, take no more than their share of the time
// so far. At the end of the run it does so in any case, and waits unless a signal has stopped the
// run. Only the log learns that a report could not be written: a process that fails, is killed or
// does not end changes nothing in the training.
class Reporter : public Sink {
public:
    // The log must outlive it. At the end of the training, `peers` other processes wait.
    Reporter(experiment::Reporting settings, std::filesystem::path run_folder, spdlog::logger& log,
             std::uint64_t peers = 0);
    // A report that is still written has no reader any more.
    ~Reporter() override;

    [[nodiscard]] std::string_view name() const override { return "report"; }
    void begin(const RunInfo&) override;
    void set(const SetRow& row) override;
    void end(const RunOutcome& outcome) override;

private:
    [[nodiscard]] bool is_affordable() const;
    void start_with_room();
    void start();
    void stop();  // kills the process, if there is one
    // Reports how the process has ended, if it has.
    bool has_ended();
    void wait();
    void fail(const std::string& reason);

    experiment::Reporting settings_;
    std::filesystem::path run_folder_;
    spdlog::logger& log_;
    bool has_peers_ = false;
    bool has_begun_ = false;
    std::optional<pid_t> process_;                         // that writes a report
    std::filesystem::file_time_type written_before_ = {};  // that of the report before it
    Stopwatch since_begin_;                                // since the run has begun
    double last_seconds_ = 0.1;  // of computing, of the last one; a guess for the first
    double seconds_so_far_ = 0;  // of computing, of all of them
};

}  // namespace ptp::engine
