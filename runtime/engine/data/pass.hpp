// One pass over a section's batches, in order, loaded ahead by loader threads. The result does not
// depend on their number, except for a training section with a reservoir, whose pass has as many
// batches as the reservoir holds.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/data/batch_source.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ptp::engine {

// [main] The source must outlive it. The destructor ends a pass that is not finished.
class Pass {
public:
    // Begins at batch `first_batch` of the epoch, which may be batch_count(): then nothing is left.
    // The pass returns what a whole one returns from there on, at most `most_batches`. Throws
    // RunError if the machine does not provide that many loader threads.
    Pass(BatchSource& source, std::uint64_t epoch, bool is_training, std::uint64_t first_batch = 0,
         std::uint64_t most_batches = UINT64_MAX);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // Puts the next batch into the frame; returns false after the last. An error of the task, on
    // any thread, is thrown when its batch is due.
    bool next(Frame& frame);

    // Returns the size of the last batch from next().
    [[nodiscard]] std::uint64_t batch_size() const { return batch_size_; }
    [[nodiscard]] std::uint64_t batch_index() const { return given_ - 1; }
    [[nodiscard]] std::uint64_t batch_count() const { return batch_count_; }

    // Returns how long next() has waited for batches since the pass began, or loaded them itself.
    [[nodiscard]] double wait_seconds() const { return wait_seconds_; }

    // Called by start_loaders(): loads batches, in each loader thread, and ends that.
    void work();
    void request_stop();

private:
    // A slot in the window of batches that are being loaded or wait; batch k uses slot k % size.
    struct WindowSlot {
        Batch batch;
        std::exception_ptr error;
        bool is_ready = false;
    };

    void fit_window(std::uint64_t bytes);
    WindowSlot& next_slot();
    [[nodiscard]] std::uint64_t room() const;
    void send_next();

    BatchSource& source_;
    const PassPlan plan_;
    Reservoir* reservoir_ = nullptr;  // if set, the members below are unused
    const std::uint64_t batch_count_;
    std::uint64_t batch_size_ = 0;
    double wait_seconds_ = 0;
    // The batch that is due; [main] writes it under the mutex, and may therefore read it without.
    std::uint64_t given_;

    std::mutex mutex_;  // guards the following members; a batch is its loader's until ready
    std::condition_variable is_ready_;
    std::condition_variable has_room_;
    std::vector<WindowSlot> window_;
    std::uint64_t least_width_ = 0;  // loaders and prefetch
    std::uint64_t width_ = 0;        // the maximum number of batches ahead
    std::uint64_t most_bytes_ = 0;   // the largest batch of this pass
    std::uint64_t taken_;            // the next batch for a loader
    std::uint64_t sleeping_ = 0;     // loaders, without room
    bool is_ending_ = false;

    // Waking a thread costs the training thread about ten microseconds. So it wakes them not for
    // each batch, but when half of the window is empty: then they load several.
    std::uint64_t least_room_ = 1;

    std::vector<std::thread> loaders_;
};

}  // namespace ptp::engine
