// Shows layers.csv of a run, by layer and episode.
#pragma once

#include "base/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::report {

// Adds the section `layers` for a run that has the table: of each layer, in the order of the
// computation, each measure at some of its episodes, at most 120. Adds a sentence to the problems
// for what cannot be read.
void add_layers(Json& sections, const std::filesystem::path& run,
                std::vector<std::string>& problems);

}  // namespace ptp::report
