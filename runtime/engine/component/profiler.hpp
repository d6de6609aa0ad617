// Where the time of a training goes: for each component forward and backward, the loaders, the
// optimizer, the records.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] The plan must outlive it. A training without a profiler pays one comparison for each
// activity. On a GPU every activity waits for the device to be done, which a training without a
// profiler does not: shares are right, the sum is an upper bound.
class Profiler {
public:
    // Those after the last are the components, forward.
    enum Activity : std::size_t {
        kWait,
        kBackward,
        kOptimizer,
        kStatistics,
        kRecords,
        kCheckpoints,
        kProcesses,
        kSums,
        kSumsInBackward,
        kFixed
    };

    Profiler(const pipeline::Plan& plan, at::Device device);
    ~Profiler() = default;
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

    [[nodiscard]] static std::size_t forward_of(std::size_t node) { return kFixed + node; }

    // Times an activity as long as it lives; nothing without a profiler.
    class Timer {
    public:
        Timer(Profiler* profiler, std::size_t activity) : profiler_(profiler), activity_(activity) {
            if (profiler_ != nullptr) {
                profiler_->begin();
            }
        }
        ~Timer() {
            if (profiler_ != nullptr) {
                profiler_->end(activity_);
            }
        }
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;

    private:
        Profiler* profiler_;
        std::size_t activity_;
    };

    // The node has written these streams: its part of the backward pass begins when the gradient of
    // one of them is there, and ends when the gradient of a stream of another node is.
    void watch_backward(std::size_t node, const Frame& frame);

    // It waits for the other processes of its training from here on, within another activity or
    // not, and until there. A wait that fails has no end.
    void begin_wait() { waits_since_ = now(); }
    void end_wait() { add(kProcesses, waits_since_, now()); }

    // Gradients were on their way to other processes for this time, beside all else; the backward
    // pass ended at `backward_end`.
    void add_sum(std::chrono::steady_clock::time_point begin,
                 std::chrono::steady_clock::time_point end,
                 std::chrono::steady_clock::time_point backward_end);

    // A table for a person, longest first.
    [[nodiscard]] std::string table() const;

    // For chrome://tracing, Perfetto and their like: the first kMaxEvents activities. Throws
    // RunError.
    void write_trace(const std::filesystem::path& file) const;

private:
    using Clock = std::chrono::steady_clock;

    struct Total {
        std::string name;
        double seconds = 0;
        std::uint64_t calls = 0;
    };
    struct Event {
        std::size_t activity;
        Clock::time_point begin;
        Clock::time_point end;
    };
    struct Backward {
        std::size_t node;
        Clock::time_point begin;
    };

    [[nodiscard]] std::string text_of_sums() const;
    void begin();
    void end(std::size_t activity);
    void reached(std::size_t node);
    void close_backward(Clock::time_point now);
    void add(std::size_t activity, Clock::time_point begin, Clock::time_point end);
    [[nodiscard]] Clock::time_point now() const;

    const pipeline::Plan& plan_;
    at::Device device_;
    Clock::time_point created_ = Clock::now();
    std::vector<Total> totals_;               // by activity
    std::vector<Clock::time_point> started_;  // activities may contain each other
    std::optional<Backward> backward_;
    Clock::time_point waits_since_;
    std::vector<Event> events_;
};

}  // namespace ptp::engine
