// How far one pass over a section is, without training: the live line of processing and predicting.

#pragma once

#include "engine/output/console.hpp"
#include "engine/output/pace.hpp"
#include "engine/output/progress_line.hpp"

#include <cstdint>
#include <string>

namespace ptp::engine {

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
