// Reads and writes what [training] specifies for optimizer, learning rate and gradients.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

// The values of [training] that are read in a second pass, after the section's keys.
struct RawOptimization {
    RawTable optimizer;
    RawTable scheduler;
    RawTable warm_up;
    RawTable weight_average;
    Map<double> loss_weights;
    std::optional<double> clipping;
    RawTable clipping_table;
    std::string bad_loss_action;
    RawTable bad_loss;

    // Returns the section's keys, including those with plain values.
    std::vector<Field> fields(Optimization& optimization);
};

void read_optimization(const Scope& training, const RawOptimization& raw,
                       Optimization& optimization);

// Checks what depends on other tables: the components of parameter groups, and the presence of a
// validation. `root` is the scope of the whole experiment.
void check_optimization(const Scope& root, const Experiment& experiment);

// Adds the keys to the tree of [training].
void write_optimization(const Optimization& optimization, Value& training);

}  // namespace ptp::experiment
