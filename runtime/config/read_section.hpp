// [training], [validation] and [test].

#pragma once

#include "config/experiment.hpp"
#include "config/fields.hpp"

namespace ptp::config {

// `scope` is the section's table; its name is the scope's path. `more` are keys that this section
// has besides the common ones.
void read_section(const Scope& scope, Section& section, std::vector<Field> more = {});

void read_training(const Scope& scope, Training& training);

// The table `sampler` of a section, and the reverse.
Sampler read_sampler(const Scope& scope, bool is_training);
Value sampler_tree(const Sampler& sampler);

}  // namespace ptp::config
