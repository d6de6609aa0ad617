// What can be asked of a training between two of its episodes, and what it asks of those who do.

#pragma once

#include "base/value.hpp"
#include "engine/optim/training_position.hpp"
#include "run/checkpoint_record.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] Implemented by the trainer, and by a test's.
class LiveTraining {
public:
    virtual ~LiveTraining() = default;

    // Of the episode that comes next.
    [[nodiscard]] virtual TrainingPosition next_position() const = 0;

    // The state of the training, for a program: a table.
    [[nodiscard]] virtual Value standing() const = 0;

    // Other components are active from now on; weights that were saved before may not fit them.
    virtual void swapped(bool has_other_tensors) = 0;

    // The experiment has changed in what a resume may change.
    virtual void experiment_changed() = 0;

    // Throws RunError if the training cannot continue.
    virtual void save_now() = 0;

    // Measures the whole validation set, and returns what it found for a person; it changes nothing
    // but the records. nullopt if a signal ended it. Throws RunError.
    virtual std::optional<std::string> validate_now() = 0;

    // Why it cannot validate now; "" if it can.
    [[nodiscard]] virtual std::string no_validation() const = 0;

    // Of a parameter group, or of all for an empty name, in place of the experiment's. Schedules
    // apply to it. REQUIRES: check_group() has let it pass.
    virtual void set_learning_rate(double rate, const std::string& group) = 0;

    // Throws RunError (kConfigurationError) if there is no such group.
    virtual void check_group(const std::string& group) const = 0;
};

enum class Boundary {
    kContinue,
    kNewPass,     // a pass over the training set is in the way: ask again without one
    kInterrupted  // by a signal
};

// [main] Where a training lets others act on it: before each episode, and with each checkpoint. All
// throw RunError.
struct LiveHooks {
    // The training begins, or continues, when N episodes are done and N entries of the
    // run's journal have taken effect.
    std::function<void(std::uint64_t entries_seen, std::uint64_t episodes)> begin;
    // Whether the experiment is to be changed before the training continues after N episodes.
    std::function<bool(std::uint64_t episodes)> has_change;
    // (optional) Whether at_boundary() would have something to do that the processes of a training
    // must do together: asked in each, and true in all of them if it is in one.
    std::function<bool()> has_request = {};
    // All that is due now.
    std::function<Boundary(LiveTraining& training, bool has_pass)> at_boundary;

    // Before a checkpoint: what the journal has seen is on the disk.
    std::function<void()> sync;
    // For the record of a checkpoint: the entries of the journal that have taken effect, and the
    // active plugins.
    std::function<std::uint64_t()> entries_seen;
    std::function<std::vector<run::ActivePlugin>(std::uint64_t episodes)> plugins;
};

}  // namespace ptp::engine
