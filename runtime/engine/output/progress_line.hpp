// The live line of a training: as much as fits into the terminal, the most important parts first.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ptp::engine {

// For output that is not a terminal: columns of a line, and seconds between two lines.
inline constexpr std::size_t kPlainLineWidth = 120;
inline constexpr double kPlainLineSeconds = 10;
inline constexpr double kPlainEpochSeconds = 1;  // between two results of epochs

inline constexpr std::uint64_t kMiB = 1U << 20U;  // in bytes

struct ProgressView {
    std::string label;  // "epoch 3/10  training"
    std::uint64_t done = 0;
    std::uint64_t count = 0;  // the batches of this phase
    std::string loss_name = {};
    double loss = std::numeric_limits<double>::quiet_NaN();  // NaN: none
    std::string statistic_name = {};
    double statistic = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> seconds_left = {};
    double batches_per_second = 0;
    std::uint64_t memory_mib = 0;
    double wait_share = 0;
};

// Returns "epoch 3/10  training  [====>   ]  90/200  loss 0.3170  accuracy 0.8500  12 s left", in
// at most `width` columns.
std::string progress_line(const ProgressView& view, std::size_t width);

// Returns "[====>   ]", of `width` characters.
std::string progress_bar(std::uint64_t done, std::uint64_t count, std::size_t width);

}  // namespace ptp::engine
