// The differences between two runs: settings, plugins, machine, results.

#pragma once

#include "ptprun/commands.hpp"
#include "run/run.hpp"

#include <array>
#include <string>
#include <vector>

namespace ptp::runs {

struct Line {
    std::string key;
    std::array<std::string, 2> sides;  // "" if a run has no value

    [[nodiscard]] bool is_same() const { return sides[0] == sides[1]; }
};

struct Part {
    std::string name;         // "settings"
    std::vector<Line> lines;  // a key of either run each

    [[nodiscard]] std::size_t difference_count() const;
};

struct RunDifference {
    std::vector<Part> parts;            // settings, plugins, machine, results
    std::vector<std::string> problems;  // unreadable parts, which cannot be compared

    // Ignores names, times and durations of the runs.
    [[nodiscard]] bool is_same() const;
};

// Compares the runs; also reads run.json of both.
RunDifference difference_of(const run::Run& left, const run::Run& right);

// Returns the text for a person; `names` are the names of the runs.
std::string text_of(const RunDifference& difference, const std::array<std::string, 2>& names);

// Runs `ptprun diff`.
int show_difference(const ptprun::Given& given);

}  // namespace ptp::runs
