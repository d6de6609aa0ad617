// Parts of a component's declaration in the words of the listings.
#pragma once

#include "plugin/manifest.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::inspect {

// "required", "= 0.5", or "" for an optional setting without a default.
std::string default_text(const plugin::Setting& setting);

// "must exist", "samples without targets", or "": what a path is to the task that reads it.
std::string reading_text(const plugin::Setting& setting);

// "[0, 1), 1 to 2 of them": range and length.
std::string limits_text(const plugin::Setting& setting);

// "[B, 10]"; "" for a port that carries anything.
std::string shape_text(const plugin::Port& port);

// "optional; a loss; if use_bias; one for each name in extra_streams".
std::string conditions_text(const plugin::Port& port);

// "writes", "reads", "reads if named".
std::string access_text(const plugin::Global& global);

// "mean over samples, with minimum, maximum and deviation; whole numbers".
std::string aggregation_text(const plugin::Statistic& statistic);

// "help (note)", "help" without a note, "note" without help.
std::string with_note(const std::string& help, const std::string& note);

// The libraries that a plugin's file asks the loader for, in its order; none of a file that cannot
// be read any more.
std::vector<std::string> needed_libraries(const std::filesystem::path& plugin);

}  // namespace ptp::inspect
