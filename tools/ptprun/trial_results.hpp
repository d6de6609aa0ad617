// What the trials of a search have come to: a file for each trial of each rung, NAME.rung1.json,
// that is written once. All workers decide by these alone: a trial that has continued in the
// next rung has other numbers in its own folder by then.

#pragma once

#include "experiment/halving.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::ptprun {

struct TrialResult {
    std::string state;  // "stopped" at the end of a rung, "done", "failed"
    int exit_code = 0;
    std::string error = {};              // of one that has failed
    std::int64_t episode = 0;            // that are done
    std::int64_t epoch = 0;              // that are begun
    std::optional<double> value = {};    // of what is judged, the best so far
    std::optional<double> seconds = {};  // of training

    [[nodiscard]] bool has_failed() const { return state == "failed"; }
    [[nodiscard]] experiment::TrialScore score(std::size_t trial, bool is_larger_better) const;
};

// Of a rung, from 0: "NAME.rung1".
std::string rung_name(const std::string& trial, std::size_t rung);

// nullopt where there is none yet. Throws RunError for a file that is not one, or that a newer
// ptprun wrote.
std::optional<TrialResult> read_result(const std::filesystem::path& file);

// Notes beside its results, NAME.rung1.killed, that a trial was killed in the rung. Returns whether
// that was the first time. Throws RunError where it cannot be written.
bool note_killed(const std::filesystem::path& file);

// Keeps the first one. Throws RunError where it cannot be written.
void write_result(const std::filesystem::path& file, const TrialResult& result);

}  // namespace ptp::ptprun
