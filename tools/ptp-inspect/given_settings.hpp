// The file of --with: settings of an author for the components that are checked.
//
//     [ImageFolder]                      # a type; [[ImageFolder]] where it is tried several times
//     data_folder = "pictures"           # a setting
//     globals = { output_size = 10 }     # and what it reads from the pipeline, as in an experiment
#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "plugin/manifest.hpp"

#include <filesystem>
#include <vector>

namespace ptp::inspect {

struct GivenSource {
    std::filesystem::path file;
    std::filesystem::path home = {};  // what "~" expands to
};

// An entry for each table. Reports what cannot be read, and what none of the components has.
std::vector<experiment::ComponentEntry> read_given_settings(
    const GivenSource& source, const std::vector<const plugin::Component*>& components,
    Diagnostics& problems);

}  // namespace ptp::inspect
