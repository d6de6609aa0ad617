// What can be asked of a training between two of its episodes.

#pragma once

#include "base/value.hpp"
#include "engine/swap/rehearsal.hpp"

#include <optional>
#include <string>

namespace ptp::engine {

// [main]
class LiveTraining {
public:
    virtual ~LiveTraining() = default;

    // Of the episode that comes next.
    [[nodiscard]] virtual TrainingPosition next_position() const = 0;

    // Where it stands, for a program: a table.
    [[nodiscard]] virtual Value standing() const = 0;

    // Other components are in force from now on; weights that were saved before may not fit them.
    virtual void swapped(bool has_other_tensors) = 0;

    // The experiment has changed in what a resume may change.
    virtual void experiment_changed() = 0;

    // Throws RunError if the training cannot go on.
    virtual void save_now() = 0;

    // Measures the whole validation set, and gives what it found for a person; it changes nothing but
    // the records. nullopt if a signal ended it. Throws RunError.
    virtual std::optional<std::string> validate_now() = 0;

    // Why it cannot validate now; "" if it can.
    [[nodiscard]] virtual std::string no_validation() const = 0;

    // Of a parameter group, or of all for an empty name, in place of the experiment's. Schedules
    // apply to it. REQUIRES: check_group() has let it pass.
    virtual void set_learning_rate(double rate, const std::string& group) = 0;

    // Throws RunError (kConfigurationError) if there is no such group.
    virtual void check_group(const std::string& group) const = 0;
};

}  // namespace ptp::engine
