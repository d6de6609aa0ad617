// Measures the time of a training by activity: the forward and backward pass of each component, the
// wait for loaders, the optimizer, the records.

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
// activity. On a GPU every activity waits for the device, which a training without a profiler does
// not: the shares are right, the sum is an upper bound.
class Profiler {
public:
    // Values after the last are the forward passes of the components.
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

    // Times an activity as long as it exists; does nothing without a profiler.
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

    // Times the node, which has written these streams, in the backward pass: from the gradient of
    // one of its streams to that of a stream of another node.
    void watch_backward(std::size_t node, const Frame& frame);

    // Begins a wait for the other processes of the training, within another activity or not, until
    // end_wait(). A wait that fails has no end.
    void begin_wait() { waits_since_ = now(); }
    void end_wait() { add(kProcesses, waits_since_, now()); }

    // Adds a time during which gradients were sent to other processes, in parallel with everything
    // else; the backward pass ended at `backward_end`.
    void add_sum(std::chrono::steady_clock::time_point begin,
                 std::chrono::steady_clock::time_point end,
                 std::chrono::steady_clock::time_point backward_end);

    // Returns a table for users, longest first.
    [[nodiscard]] std::string table() const;

    // Writes the first kMaxEvents activities in the format of chrome://tracing and Perfetto. Throws
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
    void begin() { started_.push_back(now()); }
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
