// Measurements in a file, and whether later ones are worse.
#pragma once

#include <string>
#include <vector>

namespace ptp::bench {

// How fast the engine trains a network beside a loop by hand.
struct Result {
    std::string net;
    int threads = 1;
    double by_hand_ms = 0;  // of a step, the median of all rounds
    double engine_ms = 0;

    // Above 1 the engine is faster.
    [[nodiscard]] double ratio() const { return by_hand_ms / engine_ms; }
    [[nodiscard]] std::string title() const;  // "LeNet-5, batch 64, 1 thread"
};

// JSON; `system` is what they were measured on.
void write_results(const std::string& file, const std::string& system,
                   const std::vector<Result>& results);

// Throws std::runtime_error that names the file, where it is not there or no such file.
std::vector<Result> read_results(const std::string& file);

// Where the engine has lost a tenth or more against the loop by hand: "LeNet-5, batch 64, 1 thread:
// 0.98 of the speed by hand, 1.15 in the baseline: 15 % worse". "" where it has not, or the
// baseline has no such measurement.
std::string loss_of(const Result& now, const std::vector<Result>& baseline);

}  // namespace ptp::bench
