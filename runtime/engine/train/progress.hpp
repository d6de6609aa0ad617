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

// An episode that is done; the first has number 0.
struct EpisodeDone {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;
    double loss = 0;
    double wait_seconds = 0;  // for its batch
};

// One live line on a terminal, an event about once a second for a program; elsewhere a few lines in
// each epoch. Rates are those of this process, from its first episode on.
class Progress {
public:
    Progress(Console& console, const config::Experiment& experiment,
             std::uint64_t episodes_per_epoch);

    // Other limits count from now on.
    void change_limits(const config::TerminalConditions& limits);

    void episode(const EpisodeDone& done);

    // "3/10", or "3" where there is no limit; the first epoch has number 0.
    [[nodiscard]] std::string epoch_text(std::uint64_t epoch) const;

    // The whole of a training, in episodes, as far as limits tell.
    [[nodiscard]] std::uint64_t episode_count() const { return episode_count_; }

private:
    struct Pace {
        double episodes_per_second = 0;
        double seconds_left = 0;
        double wait_share = 0;
    };

    [[nodiscard]] Pace pace(const EpisodeDone& done) const;
    [[nodiscard]] std::string text(const EpisodeDone& done) const;
    [[nodiscard]] std::string json(const EpisodeDone& done) const;

    Console& console_;
    std::uint64_t episodes_per_epoch_;
    std::uint64_t epoch_count_ = 0;
    std::uint64_t episode_count_ = 0;
    std::chrono::steady_clock::time_point begin_;
    std::uint64_t episodes_ = 0;  // of this process
    double wait_seconds_ = 0;
};

// "loss 0.1234  accuracy 0.9876": what is shown of a set.
std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
