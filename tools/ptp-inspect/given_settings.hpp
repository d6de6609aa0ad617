// The file of --with: an author's settings for the checked components.
//
//     [ImageFolder]                      # a type; [[ImageFolder]] to try it several times
//     data_folder = "pictures"           # a setting
//     globals = { output_size = 10 }     # globals that it reads, as in an experiment
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

// Returns an entry for each table. Reports unreadable content, and keys that no component has.
std::vector<experiment::ComponentEntry> read_given_settings(
    const GivenSource& source, const std::vector<const plugin::Component*>& components,
    Diagnostics& problems);

}  // namespace ptp::inspect
