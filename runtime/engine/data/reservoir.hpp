// Batches that are trained on again and again while loaders refill them: for data that takes longer
// to load than to learn from. Which batches an episode sees depends on how fast they were loaded,
// so that no two runs are alike.

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

// [main] The source must outlive it. Loaders make batch after batch, epoch after epoch, from the
// batch that it is begun with. They are held until newer ones take their place: after each round,
// which returns every held batch once in a mixed order, at most `reservoir_exchange` that have been
// loaded meanwhile replace the oldest. Only the first round waits, until the reservoir is full.
class Reservoir {
public:
    Reservoir(BatchSource& source, std::uint64_t first_epoch, std::uint64_t first_batch);
    ~Reservoir();
    Reservoir(const Reservoir&) = delete;
    Reservoir& operator=(const Reservoir&) = delete;

    // Shows the next batch in the frame and returns its size. Throws what a loader's task threw.
    std::uint64_t next(Frame& frame);

private:
    void begin_round();
    void work();
    [[nodiscard]] bool has_room() const;  // with the mutex held
    void end();

    BatchSource& source_;
    const std::size_t size_;
    const std::size_t exchange_;
    std::deque<Batch> held_;  // the oldest first
    std::vector<std::int64_t> round_;
    std::size_t given_ = 0;  // of the round
    std::uint64_t rounds_ = 0;

    std::mutex mutex_;  // guards what follows
    std::condition_variable is_loaded_;
    std::condition_variable has_room_;
    std::deque<Batch> loaded_;
    std::size_t being_loaded_ = 0;
    std::uint64_t next_epoch_;  // of the batch that is begun next
    std::uint64_t next_batch_;
    std::shared_ptr<const PassPlan> pass_;  // of the next epoch
    std::exception_ptr error_;
    bool is_ending_ = false;

    std::vector<std::thread> loaders_;
};

}  // namespace ptp::engine
