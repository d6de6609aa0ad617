// Reads [training], [validation], [test] and the sections of [process].

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <optional>
#include <vector>

namespace ptp::experiment {

// Reads the table `scope`, whose path is the section's name. `more` are additional keys of this
// section.
void read_section(const Scope& scope, Section& section, std::vector<Field> more = {});

// Reads one set, or named sets, which are all in other_validations until choose_judge().
void read_validation(const Scope& scope, Experiment& experiment);

// The sections of [process].
void read_processed(const Scope& scope, Experiment& experiment);

// Moves the validation set that judges to experiment.validation, and removes its name from the
// statistic of training.judge; call it after [training] and [validation] are read. Reports if the
// choice is ambiguous, or there is no such set. `root` is the scope of the whole experiment.
void choose_judge(const Scope& root, Experiment& experiment);

void read_training(const Scope& scope, Training& training);

// Reads and writes the table `sampler` of a section. Reading returns nullopt after reporting that
// its type is missing or unknown.
std::optional<Sampler> read_sampler(const Scope& scope, bool is_training);
Value sampler_tree(const Sampler& sampler);

}  // namespace ptp::experiment
