// The interface between a training and the requests that it serves between two of its episodes.

#pragma once

#include "base/value.hpp"
#include "engine/optimizer/training_position.hpp"
#include "run/checkpoint_record.hpp"

#include <cstdint>
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

    // Returns the status of the training, for programs: a table.
    [[nodiscard]] virtual Value status() const = 0;

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
    // Schedules apply to it. Called after check_group() has not thrown.
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
// All may throw RunError.
class LiveRequests {
public:
    virtual ~LiveRequests() = default;

    // Throws if begin() would; changes nothing.
    virtual void check_begin(std::uint64_t entries_seen, std::uint64_t episodes) const = 0;
    // The training begins, or continues, with N episodes done and N entries of the run's journal in
    // effect.
    virtual void begin(std::uint64_t entries_seen, std::uint64_t episodes) = 0;
    // Returns whether the experiment changes before the training continues after N episodes.
    [[nodiscard]] virtual bool has_change(std::uint64_t episodes) const = 0;
    // Returns whether at_boundary() would do something that the processes of a training must do
    // together. Each process calls it, and calls at_boundary() if it is true in one of them.
    [[nodiscard]] virtual bool has_request() = 0;
    // Does everything that is due now.
    virtual Boundary at_boundary(LiveTraining& training, bool has_pass) = 0;

    // Before a checkpoint: writes the journal to the disk.
    virtual void sync() = 0;
    // For the record of a checkpoint: return the number of journal entries in effect, and the
    // active plugins.
    [[nodiscard]] virtual std::uint64_t entries_seen() const = 0;
    [[nodiscard]] virtual std::vector<run::ActivePlugin> plugins(std::uint64_t episodes) const = 0;
};

// [main] A program that the training waits for before each episode, after everything else that is
// due.
class EpisodeWait {
public:
    virtual ~EpisodeWait() = default;
    // Returns whether the training continues.
    virtual bool wait(LiveTraining& training) = 0;
};

}  // namespace ptp::engine
