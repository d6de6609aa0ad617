// [training], [validation] and [test].

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <optional>
#include <vector>

namespace ptp::experiment {

// `scope` is the section's table; its name is the scope's path. `more` are keys that this section
// has besides the common ones.
void read_section(const Scope& scope, Section& section, std::vector<Field> more = {});

void read_training(const Scope& scope, Training& training);

// The table `sampler` of a section, and the reverse. nullopt after reporting that its type is
// missing or unknown.
std::optional<Sampler> read_sampler(const Scope& scope, bool is_training);
Value sampler_tree(const Sampler& sampler);

}  // namespace ptp::experiment
