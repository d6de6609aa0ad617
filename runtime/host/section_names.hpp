// Sections of an experiment on a command line: by their whole name, or by its last part.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <string>
#include <vector>

namespace ptp::host {

// Returns a unique name for each section: "hard" for [validation.hard], or the whole name if
// another section has the same last part.
std::vector<std::string> section_names(const experiment::Experiment& experiment);

// Returns the sections that a name can mean. "validation" is also the set that judges, if it has a
// name.
std::vector<std::string> sections_named(const std::string& name,
                                        const experiment::Experiment& experiment);

// Returns [test], otherwise the validation that judges, otherwise [training].
const std::string& default_section(const experiment::Experiment& experiment);

// Returns the sections to process, by default the one above. Reports names from this option of the
// user that mean no section or several.
std::vector<std::string> sections_of(const std::vector<std::string>& asked_for,
                                     const std::string& option,
                                     const experiment::Experiment& experiment,
                                     Diagnostics& problems);

}  // namespace ptp::host
