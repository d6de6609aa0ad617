// Batches that are trained on repeatedly while loaders replace them: for data that takes longer to
// load than to learn from. The batches of an episode depend on the speed of loading, so that no two
// runs are alike.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/data/batch_source.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ptp::engine {

// [main] The source must outlive it. Loaders load batch after batch, epoch after epoch, from its
// first batch on. Batches are held until newer ones replace them: after each round, which returns
// every held batch once in a mixed order, at most `reservoir_exchange` newly loaded ones replace
// the oldest. Only the first round waits, until the reservoir is full.
class Reservoir {
public:
    Reservoir(BatchSource& source, std::uint64_t first_epoch, std::uint64_t first_batch);
    ~Reservoir();
    Reservoir(const Reservoir&) = delete;
    Reservoir& operator=(const Reservoir&) = delete;

    // Shows the next batch in the frame and returns its size. Rethrows a loader's exception.
    std::uint64_t next(Frame& frame);

    // Called by start_loaders(): loads batches, in each loader thread, and ends that.
    void work();
    void request_stop();

private:
    void begin_round();
    [[nodiscard]] bool has_room() const;  // called with the mutex held

    BatchSource& source_;
    const std::size_t size_;
    const std::size_t exchange_;
    std::deque<Batch> held_;  // the oldest first
    std::vector<std::int64_t> round_;
    std::size_t given_ = 0;  // in this round
    std::uint64_t rounds_ = 0;

    std::mutex mutex_;  // guards the following members
    std::condition_variable is_loaded_;
    std::condition_variable has_room_;
    std::deque<Batch> loaded_;
    std::size_t being_loaded_ = 0;
    std::uint64_t next_epoch_;  // the next batch to load
    std::uint64_t next_batch_;
    std::shared_ptr<const PassPlan> pass_;  // the next epoch
    std::exception_ptr error_;
    bool is_ending_ = false;

    std::vector<std::thread> loaders_;
};

}  // namespace ptp::engine
