// The window of batches that loader threads fill and the training empties.

#include "engine/data/pass.hpp"

#include "engine/data/loader_threads.hpp"
#include "engine/data/reservoir.hpp"

#include <algorithm>
#include <chrono>

namespace ptp::engine {

namespace {

// Beside a busy process, a loader thread may get no core for some milliseconds, in which a small
// model computes many steps. So the window holds more than `prefetch` batches where they are small:
// at most this many, with at most these bytes together.
constexpr std::uint64_t kMaxSmallBatches = 32;
constexpr std::uint64_t kMaxSmallBytes = 1 << 20;

std::uint64_t bytes_of(const Batch& batch) {
    std::uint64_t bytes = 0;
    for (const Slot& slot : batch.slots) {
        if (slot.is_dropped) {
            continue;
        }
        bytes += slot.tensor.defined() ? slot.tensor.nbytes() : 0;
        for (const at::Tensor& tensor : slot.list.tensors()) {
            bytes += tensor.defined() ? tensor.nbytes() : 0;
        }
        bytes += slot.text.offsets != nullptr ? slot.text.offsets[slot.text.string_count] : 0;
    }
    return bytes;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Pass::Pass(BatchSource& source, std::uint64_t epoch, bool is_training, std::uint64_t first_batch,
           std::uint64_t most_batches)
    : source_(source),
      plan_(source.plan_pass(epoch, is_training)),
      batch_count_(first_batch + std::min(most_batches, source.batch_count() - first_batch)),
      given_(first_batch),
      taken_(first_batch) {
    const experiment::DataLoader& loader = source.section().dataloader;
    if (loader.is_reservoir() && is_training) {
        reservoir_ = &source.reservoir(epoch, first_batch);
        return;
    }
    const std::uint64_t loaders = source.loader_count();
    const std::uint64_t size =
        loaders == 0 ? 1 : loaders + static_cast<std::uint64_t>(loader.prefetch);
    const std::uint64_t remaining = batch_count_ - first_batch;
    const std::uint64_t most = loaders == 0 ? 1 : std::max(size, kMaxSmallBatches);
    for (std::uint64_t i = 0; i < std::min(most, remaining); ++i) {
        window_.push_back({source.new_batch(), nullptr, false});
    }
    least_width_ = std::min(size, remaining);
    width_ = least_width_;
    least_room_ = (width_ + 1) / 2;
    loaders_ = start_loaders(source.section(), std::min(loaders, remaining), *this);
}

Pass::~Pass() {
    request_stop();
    for (std::thread& loader : loaders_) {
        loader.join();
    }
}

void Pass::request_stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    has_room_.notify_all();
}

bool Pass::next(Frame& frame) {
    if (given_ == batch_count_) {
        return false;
    }
    const auto begin = std::chrono::steady_clock::now();
    if (reservoir_ != nullptr) {
        batch_size_ = reservoir_->next(frame);
        wait_seconds_ += seconds_since(begin);
        ++given_;
        return true;
    }
    WindowSlot& slot = next_slot();
    wait_seconds_ += seconds_since(begin);
    if (slot.error) {
        std::rethrow_exception(slot.error);
    }
    batch_size_ = slot.batch.size;
    source_.send(slot.batch);
    source_.exchange(slot.batch, frame);
    bool is_due = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        slot.is_ready = false;
        ++given_;
        is_due = sleeping_ > 0 && room() >= least_room_;
    }
    if (is_due) {
        has_room_.notify_all();
    }
    send_next();
    return true;
}

// Sends the batch after the one that next() returns, if it is loaded: it is copied during that
// one's step. Only one, because batches on the device take its memory.
void Pass::send_next() {
    if (loaders_.empty() || given_ == batch_count_) {
        return;
    }
    WindowSlot& slot = window_[given_ % window_.size()];
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!slot.is_ready || slot.error) {
            return;
        }
    }
    source_.send(slot.batch);
}

// Fits the window to the largest batch so far. Called with the mutex held.
void Pass::fit_window(std::uint64_t bytes) {
    if (bytes <= most_bytes_) {
        return;
    }
    most_bytes_ = bytes;
    width_ = std::clamp<std::uint64_t>(kMaxSmallBytes / bytes, least_width_, window_.size());
    least_room_ = (width_ + 1) / 2;
    if (sleeping_ > 0 && room() >= least_room_) {
        has_room_.notify_all();
    }
}

Pass::WindowSlot& Pass::next_slot() {
    WindowSlot& slot = window_[given_ % window_.size()];
    if (loaders_.empty()) {
        source_.fetch(plan_, given_, slot.batch);
        source_.make_ready(slot.batch);
        return slot;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    is_ready_.wait(lock, [&slot] { return slot.is_ready; });
    return slot;
}

// Called with the mutex held.
std::uint64_t Pass::room() const {
    return given_ + width_ - std::min(taken_, given_ + width_);  // the window may have shrunk
}

// Keeps any exception for next(): it must not leave the thread.
void Pass::work() {
    for (;;) {
        std::uint64_t index = 0;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            ++sleeping_;
            has_room_.wait(lock,
                           [this] { return is_ending_ || taken_ == batch_count_ || room() > 0; });
            --sleeping_;
            if (is_ending_ || taken_ == batch_count_) {
                return;
            }
            index = taken_++;
        }
        WindowSlot& slot = window_[index % window_.size()];
        try {
            source_.fetch(plan_, index, slot.batch);
            source_.make_ready(slot.batch);
        } catch (...) {
            slot.error = std::current_exception();
        }
        const std::uint64_t bytes = slot.error ? 0 : bytes_of(slot.batch);
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            slot.is_ready = true;
            fit_window(bytes);
        }
        is_ready_.notify_one();
    }
}

}  // namespace ptp::engine
