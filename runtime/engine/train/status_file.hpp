// Keeps status.json in a run's folder (run/status.hpp) during the training.

#pragma once

#include "engine/train/measurement.hpp"
#include "run/status.hpp"

#include <cstdint>
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
    void progress(std::uint64_t episodes, std::uint64_t epoch, double seconds,
                  const Measurement& last, const Measurement& best);
    void end(std::string_view state, std::string_view reason, int exit_code);

private:
    void write() const;

    std::filesystem::path file_;
    run::Status status_;
};

}  // namespace ptp::engine
