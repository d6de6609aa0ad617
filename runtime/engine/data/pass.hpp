// One pass over a section's batches, in order, loaded ahead by worker threads. What comes out does
// not depend on how many there are, except for a training section with a reservoir, whose pass has
// as many batches as the reservoir holds.

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

// [main] The source must outlive it. A pass that is left early is wound up by the destructor.
class Pass {
public:
    // Begins at batch `first_batch` of the epoch, which may be batch_count(): nothing is left then.
    // It returns what a whole pass returns from there on, and no more than `most_batches`.
    // Throws RunError if the machine does not provide that many loader threads.
    Pass(BatchSource& source, std::uint64_t epoch, bool is_training, std::uint64_t first_batch = 0,
         std::uint64_t most_batches = UINT64_MAX);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // Puts the next batch into the frame; false after the last. An error of the task, on whichever
    // thread, is thrown when its batch would be due.
    bool next(Frame& frame);

    // Of the batch that next() gave last.
    [[nodiscard]] std::uint64_t batch_size() const { return batch_size_; }
    [[nodiscard]] std::uint64_t batch_index() const { return given_ - 1; }
    [[nodiscard]] std::uint64_t batch_count() const { return batch_count_; }

    // How long next() has waited for batches since the pass began, or loaded them itself.
    [[nodiscard]] double wait_seconds() const { return wait_seconds_; }

private:
    // A place in the window of batches that are being loaded or wait; batch k uses place k % size.
    struct WindowSlot {
        Batch batch;
        std::exception_ptr error;
        bool is_ready = false;
    };

    void tell_end();
    void work();
    void fit_window(std::uint64_t bytes);
    WindowSlot& next_slot();
    [[nodiscard]] std::uint64_t room() const;
    void send_next();

    BatchSource& source_;
    const PassPlan plan_;
    Reservoir* reservoir_ = nullptr;  // the batches come from it, and all that follows is unused
    const std::uint64_t batch_count_;
    std::uint64_t batch_size_ = 0;
    double wait_seconds_ = 0;
    // The batch that is due; [main] writes it under the mutex, so that it alone may read without.
    std::uint64_t given_;

    std::mutex mutex_;  // guards what follows, but a batch belongs to its worker until it is ready
    std::condition_variable is_ready_;
    std::condition_variable has_room_;
    std::vector<WindowSlot> window_;
    std::uint64_t least_width_ = 0;  // workers and prefetch
    std::uint64_t width_ = 0;        // how many batches may be ahead
    std::uint64_t most_bytes_ = 0;   // of a batch of this pass
    std::uint64_t taken_;            // the batch that a worker begins next
    std::uint64_t sleeping_ = 0;     // workers, for lack of room
    bool is_ending_ = false;

    // To wake a thread takes the one that trains about ten microseconds. So it does not wake them
    // for each batch, but as soon as half of the window is empty: then they load several.
    std::uint64_t least_room_ = 1;

    std::vector<std::thread> workers_;
};

}  // namespace ptp::engine
