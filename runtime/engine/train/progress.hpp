// How far a training is, for the person at the terminal.

#pragma once

#include "config/experiment.hpp"
#include "engine/stats/statistics.hpp"
#include "engine/train/console.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// One live line on a terminal; elsewhere a few lines in each epoch.
class Progress {
public:
    Progress(Console& console, const config::Experiment& experiment,
             std::uint64_t episodes_per_epoch);

    // An episode is done; the first has number 0.
    void episode(std::uint64_t episode, std::uint64_t epoch, double loss);

    // "3/10", or "3" where there is no limit; the first epoch has number 0.
    [[nodiscard]] std::string epoch_text(std::uint64_t epoch) const;

    // The whole of a training, in episodes, as far as limits tell.
    [[nodiscard]] std::uint64_t episode_count() const { return episode_count_; }

private:
    [[nodiscard]] std::string text(std::uint64_t episode, std::uint64_t epoch, double loss) const;

    Console& console_;
    std::uint64_t episodes_per_epoch_;
    std::uint64_t epoch_count_;
    std::uint64_t episode_count_;
    std::chrono::steady_clock::time_point begin_;
};

// "loss 0.1234  accuracy 0.9876": what is shown of a set.
std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
