// The progress of a training, for users at a terminal.

#pragma once

#include "base/value.hpp"
#include "engine/output/console.hpp"
#include "engine/output/pace.hpp"
#include "engine/output/progress_line.hpp"
#include "engine/statistics/statistics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ptp::engine {

// A completed episode; the first has number 0.
struct EpisodeDone {
    std::uint64_t episode = 0;
    std::uint64_t epoch = 0;
    double loss = 0;
    double wait_seconds = 0;                                      // the wait for its batch
    double statistic = std::numeric_limits<double>::quiet_NaN();  // NaN: none to show
};

// The measurement of a set, shown as a permanent line.
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
    std::string statistic_name = {};  // "": none
    Clock clock = steady_seconds;
};

// Returns the content of a training, as its limits determine it; only the training itself unless
// the batches of the other sets are added.
Course course_of(const experiment::Experiment& experiment, std::uint64_t episodes_per_epoch);

// [main] One live line on a terminal, an event about once a second for programs; elsewhere a line
// for each of the first twenty epochs, then at most one in a second, and always the last. If
// verbose, every line is shown, and some within each epoch. Rates are of this process, from its
// first episode on.
class Progress {
public:
    Progress(Console& console, ProgressSetup setup);
    // The last measurement is always shown, however the training ends.
    ~Progress() { flush(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Applies other limits from now on.
    void change_limits(const experiment::TerminalConditions& limits);

    void episode(const EpisodeDone& done);

    // Begins a pass over a validation set or the test set, after these batches of other sets of the
    // same validation; then counts one of its batches.
    void begin_pass(Phase phase, std::uint64_t batches_before);
    void batch(std::uint64_t done, std::uint64_t count);

    void result(const SetResult& result);

    // Shows the last result if it has not been shown.
    void flush();

    // The time between these two, as in a pause, is not counted.
    void hold() { pace_.hold(); }
    void release() { pace_.release(); }

    // Other plugins compute from now on: their pace is unknown.
    void forget_pace() { pace_.forget(); }

    // Returns "3/10", or "3" if there is no limit; the first epoch has number 0.
    [[nodiscard]] std::string epoch_text(std::uint64_t epoch) const;

    // Returns the number of episodes of the whole training, as far as limits determine it.
    [[nodiscard]] std::uint64_t episode_count() const { return setup_.course.episode_count; }

    // Returns the seconds until the end, including validations and test; nullopt if unknown.
    [[nodiscard]] std::optional<double> seconds_left() const;

    // Adds, for programs, epoch_count and episode_count if there are limits, seconds_left if it is
    // known, and episodes_per_second.
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
    std::uint64_t phase_done_ = 0;    // batches of the current pass
    std::uint64_t phase_count_ = 0;
    EpisodeDone last_;
    std::uint64_t episodes_ = 0;  // done, including earlier processes
    double wait_seconds_ = 0;
    std::string results_;  // the epoch's, not yet shown
    bool is_complete_ = false;
    std::uint64_t lines_ = 0;
    double last_line_ = -std::numeric_limits<double>::infinity();
};

// Returns the text shown for a set: "loss 0.1234  accuracy 0.9876".
std::string set_text(const std::vector<Column>& columns, const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
