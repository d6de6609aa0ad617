// Sections of an experiment as a command line names them: by their whole name, or by its last part.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <string>
#include <vector>

namespace ptp::host {

// A name for each section, which means that one alone: "hard" of [validation.hard], or all of it
// where another section has the same last part.
std::vector<std::string> section_names(const experiment::Experiment& experiment);

// The sections that a name can mean. "validation" is also the set that judges, if it has a name.
std::vector<std::string> sections_named(const std::string& name,
                                        const experiment::Experiment& experiment);

// [test], else the validation that judges, else [training].
const std::string& default_section(const experiment::Experiment& experiment);

// The sections to process, by default the one above. Reports names that mean none or several, which
// the user gave by this option.
std::vector<std::string> sections_of(const std::vector<std::string>& asked_for,
                                     const std::string& option,
                                     const experiment::Experiment& experiment,
                                     Diagnostics& problems);

}  // namespace ptp::host
