// The rounds over held batches, and the loaders that replace the oldest.

#include "engine/data/reservoir.hpp"

#include "base/random.hpp"
#include "engine/data/loader_threads.hpp"

#include <numeric>
#include <utility>

namespace ptp::engine {

namespace {

// Returns the exception, which must not leave the thread, for next().
std::exception_ptr fetched(BatchSource& source, const PassPlan& pass, std::uint64_t index,
                           Batch& batch) {
    try {
        source.fetch(pass, index, batch);
        source.make_ready(batch);
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

}  // namespace

Reservoir::Reservoir(BatchSource& source, std::uint64_t first_epoch, std::uint64_t first_batch)
    : source_(source),
      size_(static_cast<std::size_t>(source.section().dataloader.reservoir_size)),
      exchange_(static_cast<std::size_t>(source.section().dataloader.reservoir_exchange)),
      next_epoch_(first_epoch),
      next_batch_(first_batch) {
    const auto count = static_cast<std::uint64_t>(source.section().dataloader.num_workers);
    loaders_ = start_loaders(source.section(), count, *this);
}

Reservoir::~Reservoir() {
    request_stop();
    for (std::thread& loader : loaders_) {
        loader.join();
    }
}

void Reservoir::request_stop() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    has_room_.notify_all();
}

std::uint64_t Reservoir::next(Frame& frame) {
    if (given_ == round_.size()) {
        begin_round();
    }
    Batch& batch = held_[static_cast<std::size_t>(round_[given_++])];
    source_.send(batch);
    source_.show(batch, frame);
    if (given_ < round_.size()) {  // the next one is copied during this one's step
        source_.send(held_[static_cast<std::size_t>(round_[given_])]);
    }
    return batch.size;
}

void Reservoir::begin_round() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (held_.size() < size_) {
        is_loaded_.wait(lock, [this] { return error_ || !loaded_.empty(); });
        if (error_) {
            break;
        }
        held_.push_back(std::move(loaded_.front()));
        loaded_.pop_front();
        has_room_.notify_one();
    }
    if (error_) {
        std::rethrow_exception(error_);
    }
    for (std::size_t i = 0; rounds_ > 0 && i < exchange_ && !loaded_.empty(); ++i) {
        held_.pop_front();
        held_.push_back(std::move(loaded_.front()));
        loaded_.pop_front();
    }
    lock.unlock();
    has_room_.notify_all();
    round_.resize(held_.size());
    std::iota(round_.begin(), round_.end(), 0);
    shuffle(round_, derived(0, ++rounds_));
    given_ = 0;
}

bool Reservoir::has_room() const {
    return loaded_.size() + being_loaded_ < exchange_;
}

void Reservoir::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        has_room_.wait(lock, [this] { return is_ending_ || error_ || has_room(); });
        if (is_ending_ || error_) {
            return;
        }
        if (!pass_ || next_batch_ == source_.batch_count()) {
            if (pass_) {
                ++next_epoch_;
            }
            next_batch_ %= source_.batch_count();
            pass_ = std::make_shared<const PassPlan>(source_.plan_pass(next_epoch_, true));
        }
        const std::shared_ptr<const PassPlan> pass = pass_;
        const std::uint64_t index = next_batch_++;
        ++being_loaded_;
        lock.unlock();
        Batch batch = source_.new_batch();
        const std::exception_ptr error = fetched(source_, *pass, index, batch);
        lock.lock();
        --being_loaded_;
        if (error) {
            error_ = error;
        } else {
            loaded_.push_back(std::move(batch));
        }
        is_loaded_.notify_one();
    }
}

}  // namespace ptp::engine
