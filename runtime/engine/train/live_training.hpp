// The interface between a training and the requests that it serves between two of its episodes.

#pragma once

#include "base/value.hpp"
#include "engine/optimizer/training_position.hpp"
#include "run/checkpoint_record.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Implemented by the trainer, and by tests.
class LiveTraining {
public:
    virtual ~LiveTraining() = default;

    // Returns the position of the next episode.
    [[nodiscard]] virtual TrainingPosition next_position() const = 0;

    // Returns the state of the training, for programs: a table.
    [[nodiscard]] virtual Value standing() const = 0;

    // Other components are active from now on; previously saved weights may not fit them.
    virtual void swapped(bool has_other_tensors) = 0;

    // The experiment has changed in ways that a resume allows.
    virtual void experiment_changed() = 0;

    // Throws RunError if the training cannot continue.
    virtual void save_now() = 0;

    // Evaluates the whole validation set, and returns the result for users; changes only the
    // records. Returns nullopt if a signal ended it. Throws RunError.
    virtual std::optional<std::string> validate_now() = 0;

    // Returns why it cannot validate now, or "" if it can.
    [[nodiscard]] virtual std::string no_validation() const = 0;

    // Replaces the experiment's learning rate of a parameter group, or of all for an empty name.
    // Schedules apply to it. REQUIRES: check_group() has not thrown.
    virtual void set_learning_rate(double rate, const std::string& group) = 0;

    // Throws RunError (kConfigurationError) if there is no such group.
    virtual void check_group(const std::string& group) const = 0;
};

enum class Boundary {
    kContinue,
    kNewPass,     // a pass over the training set prevents it: ask again without one
    kInterrupted  // by a signal
};

// [main] Where a training is changed from outside: before each episode, and with each checkpoint.
// All throw RunError.
struct LiveHooks {
    // The training begins, or continues, with N episodes done and N entries of the run's journal in
    // effect.
    std::function<void(std::uint64_t entries_seen, std::uint64_t episodes)> begin;
    // Returns whether the experiment changes before the training continues after N episodes.
    std::function<bool(std::uint64_t episodes)> has_change;
    // (optional) Returns whether at_boundary() would do something that the processes of a training
    // must do together: called in each, and true in all of them if it is in one.
    std::function<bool()> has_request = {};
    // Does everything that is due now.
    std::function<Boundary(LiveTraining& training, bool has_pass)> at_boundary;

    // Before a checkpoint: writes the journal to the disk.
    std::function<void()> sync;
    // For the record of a checkpoint: return the number of journal entries in effect, and the
    // active plugins.
    std::function<std::uint64_t()> entries_seen;
    std::function<std::vector<run::ActivePlugin>(std::uint64_t episodes)> plugins;
};

}  // namespace ptp::engine
