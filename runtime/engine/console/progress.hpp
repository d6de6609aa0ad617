// How far a training is, for the person at the terminal.

#pragma once

#include "base/value.hpp"
#include "engine/console/console.hpp"
#include "engine/console/pace.hpp"
#include "engine/console/progress_line.hpp"
#include "engine/stats/statistics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ptp::engine {

// An episode that is done; the first has number 0.
struct EpisodeDone {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;
    double loss = 0;
    double wait_seconds = 0;                                      // for its batch
    double statistic = std::numeric_limits<double>::quiet_NaN();  // nan: none to show
};

// What has been measured of a set, to be shown as a line that stays.
struct SetResult {
    std::string where;  // "epoch 3/10"
    std::string set;    // "validation"
    std::string text;   // "loss 0.1234  accuracy 0.9876"
    bool is_best = false;
    bool has_more = false;  // another set of the same epoch follows
};

struct ProgressSetup {
    Course course;
    std::string loss_name = "loss";
    std::string statistic_name = {};  // "": none is shown
    Clock clock = steady_seconds;
};

// What a training consists of, as its limits determine it; of no more than the training itself
// unless the batches of the other sets are added.
Course course_of(const experiment::Experiment& experiment, std::uint64_t episodes_per_epoch);

// [main] One live line on a terminal, an event about once a second for a program; elsewhere a line
// for each epoch, at most one in ten seconds and always the last. Verbose, nothing is left out, and
// there are some lines within each epoch. Rates are of this process, from its first episode on.
class Progress {
public:
    Progress(Console& console, ProgressSetup setup);
    // What was measured last is shown, however the training ends.
    ~Progress() { flush(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Other limits count from now on.
    void change_limits(const experiment::TerminalConditions& limits);

    void episode(const EpisodeDone& done);

    // A pass over a validation set or the test set begins, after these batches of other sets of
    // the same validation; one of its batches is done.
    void begin_pass(Phase phase, std::uint64_t batches_before = 0);
    void batch(std::uint64_t done, std::uint64_t count);

    void result(const SetResult& result);

    // Shows the last result, if that was left out.
    void flush();

    // What passes between these two, as in a pause, does not count.
    void hold() { pace_.hold(); }
    void release() { pace_.release(); }

    // Other plugins compute from now on: nothing is known of their pace.
    void forget_pace() { pace_.forget(); }

    // "3/10", or "3" where there is no limit; the first epoch has number 0.
    [[nodiscard]] std::string epoch_text(std::uint64_t epoch) const;

    // The whole of a training, in episodes, as far as limits determine it.
    [[nodiscard]] std::uint64_t episode_count() const { return setup_.course.episode_count; }

    // Until the end, of validations and the test too; nullopt where that cannot be known.
    [[nodiscard]] std::optional<double> seconds_left() const;

    // For a program that asks: epoch_count and episode_count where there are limits, seconds_left
    // where it is known, episodes_per_second.
    void add_to(Value& table) const;

private:
    [[nodiscard]] ProgressView view() const;
    [[nodiscard]] std::string json() const;
    void show();

    Console& console_;
    ProgressSetup setup_;
    Pace pace_;
    Phase phase_ = Phase::kTraining;
    std::uint64_t phase_before_ = 0;  // batches of sets before it
    std::uint64_t phase_done_ = 0;    // batches of the pass that is under way
    std::uint64_t phase_count_ = 0;
    EpisodeDone last_;
    std::uint64_t episodes_ = 0;  // done, by earlier processes too
    double wait_seconds_ = 0;
    std::string results_;  // of the epoch, not yet shown
    bool is_complete_ = false;
    double last_line_ = -std::numeric_limits<double>::infinity();
};

// "loss 0.1234  accuracy 0.9876": what is shown of a set.
std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
