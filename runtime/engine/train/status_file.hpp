// status.json in a run's folder: what a run is doing, or how it ended, for other programs.

#pragma once

#include "engine/train/measurement.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::engine {

// Keys: format (2; without it epochs of `last` and `best` count from 0), state ("running", "done",
// "stopped" by a signal, "failed"), reason and exit_code (null while it runs), episode and epoch (how
// many were done, and how many begun), last and best (null or {set, episode, epoch, loss,
// statistics}), began and ended (RFC 3339, null while it runs), seconds (of training, all processes
// together), and which process it is: pid, host, boot, process_began.
//
// [main] Every change replaces the file as a whole. Throws RunError.
class StatusFile {
public:
    explicit StatusFile(std::filesystem::path file);

    // Keeps what an earlier process of the same run has measured. Gives seconds of training until then: 0 where there is no such file, or one that cannot be read.
    double begin();
    void progress(std::uint64_t episodes, std::uint64_t epoch, double seconds,
                  const Measurement& last, const Measurement& best);
    void end(std::string_view state, std::string_view reason, int exit_code);

private:
    void write() const;

    std::filesystem::path file_;
    nlohmann::ordered_json content_;
};

}  // namespace ptp::engine
