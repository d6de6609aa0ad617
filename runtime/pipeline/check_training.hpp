// Checks what [training] specifies for components and losses, once the pipeline is wired.
#pragma once

#include "pipeline/wiring.hpp"

namespace ptp::pipeline {

// Unless it is only processed there is a loss to minimize; the losses that are given a weight
// exist, and not all weigh nothing; the components that have options of their own have parameters.
void check_training(const experiment::Experiment& experiment, const Assembly& assembly,
                    bool is_processed, Diagnostics& problems);

// Once the phases are found: training minimizes a loss, and the validation set that judges compares
// models by it.
void check_losses_of_sections(const experiment::Experiment& experiment, const Assembly& assembly,
                              Diagnostics& problems);

// The statistic that judges validations is measured there.
void check_judge(const experiment::Experiment& experiment, const Assembly& assembly,
                 Diagnostics& problems);

// Not all models are frozen.
void check_something_is_trained(const experiment::Experiment& experiment, const Assembly& assembly,
                                Diagnostics& problems);

// A component that computes statistics over a whole set must be able to save what it has counted:
// its manifest states so, if the manifest states anything about it.
void check_counts_are_saved(const Assembly& assembly, Diagnostics& problems);

}  // namespace ptp::pipeline
