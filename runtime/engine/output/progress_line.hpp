// The progress line of a training, as much as fits into the terminal, the most important parts
// first; and the progress of one pass over a section without training.

#pragma once

#include "engine/output/console.hpp"
#include "engine/output/pace.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ptp::engine {

// The columns of a line, and the seconds between two lines, in output that is not a terminal.
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

struct SamplesDone {
    std::uint64_t done = 0;
    std::uint64_t count = 0;  // of the section
};

// [main] One live line on a terminal; elsewhere a line every ten seconds. Begins when it is made.
class PassProgress {
public:
    PassProgress(Console& console, std::string label, Clock clock = steady_seconds);
    ~PassProgress() { console_.clear_progress(); }
    PassProgress(const PassProgress&) = delete;
    PassProgress& operator=(const PassProgress&) = delete;

    // A batch is done.
    void batch(SamplesDone samples);

private:
    [[nodiscard]] ProgressView view(double now) const;

    Console& console_;
    std::string label_;
    Clock clock_;
    double begin_;
    double last_line_;
    SamplesDone samples_;
    std::uint64_t batches_ = 0;
    std::uint64_t first_samples_ = 0;  // of the first batch, which is slow
    double first_end_ = 0;
};

}  // namespace ptp::engine
