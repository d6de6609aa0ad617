// Texts for parts of a component's declaration in the listings.
#pragma once

#include "plugin/manifest.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::inspect {

// Returns "required", "= 0.5", or "" for an optional setting without a default.
std::string default_text(const plugin::Setting& setting);

// Returns how a task uses a path: "must exist", "samples without targets", or "".
std::string reading_text(const plugin::Setting& setting);

// Returns range and length: "[0, 1), 1 to 2 of them".
std::string limits_text(const plugin::Setting& setting);

// Returns "[B, 10]"; "" for a port that carries anything.
std::string shape_text(const plugin::Port& port);

// Returns "optional; a loss; if use_bias; one for each name in extra_streams".
std::string conditions_text(const plugin::Port& port);

// Returns "writes", "reads" or "reads if named".
std::string access_text(const plugin::Global& global);

// Returns "mean over samples, with minimum, maximum and deviation; whole numbers".
std::string aggregation_text(const plugin::Statistic& statistic);

// Returns "help (note)", "help" without a note, "note" without help.
std::string with_note(const std::string& help, const std::string& note);

// Returns the libraries that a plugin's file needs, in its order; none if the file can no longer be
// read.
std::vector<std::string> needed_libraries(const std::filesystem::path& plugin);

}  // namespace ptp::inspect
