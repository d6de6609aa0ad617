// What two runs do not have in common: settings, plugins, machine, results.

#pragma once

#include "run/run.hpp"

#include <array>
#include <string>
#include <vector>

namespace ptp::run {

struct Line {
    std::string key;
    std::array<std::string, 2> sides;  // "" where a run has no value

    [[nodiscard]] bool is_same() const { return sides[0] == sides[1]; }
};

struct Part {
    std::string name;         // "settings"
    std::vector<Line> lines;  // of results all, else those that differ
    std::size_t count = 0;    // of all lines

    [[nodiscard]] std::size_t difference_count() const;
};

struct RunDifference {
    std::vector<Part> parts;            // settings, plugins, machine, results
    std::vector<std::string> problems;  // what cannot be compared, because it cannot be read

    // That the runs had other names, times and durations does not count.
    [[nodiscard]] bool is_same() const;
};

// Reads also run.json of both.
RunDifference difference_of(const Run& left, const Run& right);

// For a person; `names` are the names of the runs.
std::string text_of(const RunDifference& difference, const std::array<std::string, 2>& names);

}  // namespace ptp::run
