// Recordings of components of an experiment, and replays of them.
#pragma once

#include "runs/support.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// Trains the folder's experiment into record_COMPONENT, and keeps N batches of the component in
// COMPONENT.ptprec.
ProcessResult record(const ExperimentFolder& folder, const std::string& component, int batches,
                     const std::vector<std::string>& more = {});

// Feeds this build with COMPONENT.ptprec.
ProcessResult replay(const ExperimentFolder& folder, const std::string& component,
                     const std::string& plugin, const std::vector<std::string>& more = {});

}  // namespace ptp::test
