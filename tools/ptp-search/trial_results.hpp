// The results of the trials of a search: a file for each trial and rung, NAME.rung1.json, that is
// written once. All workers decide only by these: the folder of a trial that has continued in the
// next rung has different numbers.

#pragma once

#include "ptp-search/halving.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::search {

struct TrialResult {
    std::string state;  // "stopped" at the end of a rung, "done", "failed"
    int exit_code = 0;
    std::string error = {};              // for a failed one
    std::int64_t episode = 0;            // number of finished episodes
    std::int64_t epoch = 0;              // number of begun epochs
    std::optional<double> value = {};    // of the judged value, the best so far
    std::optional<double> seconds = {};  // of training

    [[nodiscard]] bool has_failed() const { return state == "failed"; }
    [[nodiscard]] TrialScore score(std::size_t trial, bool is_larger_better) const;
};

// Returns "NAME.rung1" for a rung, counted from 0.
std::string rung_name(const std::string& trial, std::size_t rung);

// Returns nullopt if there is none yet. Throws RunError for an invalid file, or one that a newer
// ptprun wrote.
std::optional<TrialResult> read_result(const std::filesystem::path& file);

// Records in NAME.rung1.killed, beside its results, that a trial was killed in the rung. Returns
// whether that was the first time. Throws RunError if writing fails.
bool note_killed(const std::filesystem::path& file);

// Writes the result unless there is one. Throws RunError if writing fails.
void write_result(const std::filesystem::path& file, const TrialResult& result);

}  // namespace ptp::search
