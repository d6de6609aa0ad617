// [training], [validation], [test] and the sections of [process].

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <optional>
#include <vector>

namespace ptp::experiment {

// `scope` is the section's table; its name is the scope's path. `more` are keys that this section
// has besides the common ones.
void read_section(const Scope& scope, Section& section, std::vector<Field> more = {});

// One set, or sets with names, which are all in other_validations until choose_judge().
void read_validation(const Scope& scope, Experiment& experiment);

// The sections of [process].
void read_processed(const Scope& scope, Experiment& experiment);

// Once [training] and [validation] are read: moves the validation set that judges to
// experiment.validation, and takes its name off the statistic of training.judge. Reports where it
// is not said which, or there is no such set. `root` is the scope of the whole experiment.
void choose_judge(const Scope& root, Experiment& experiment);

void read_training(const Scope& scope, Training& training);

// The table `sampler` of a section, and the reverse. nullopt after reporting that its type is
// missing or unknown.
std::optional<Sampler> read_sampler(const Scope& scope, bool is_training);
Value sampler_tree(const Sampler& sampler);

}  // namespace ptp::experiment
