// The plugins that a model needs, and their builds.
#pragma once

#include "bundle/bundle.hpp"
#include "plugin/catalog.hpp"
#include "run/checkpoint_record.hpp"

#include <map>
#include <string>
#include <vector>

namespace ptp::bundling {

// Returns the builds that were active at the checkpoint.
std::vector<bundle::NeededPlugin> plugins_of(const run::CheckpointRecord& checkpoint,
                                             const plugin::Catalog& catalog);

// Adds the builds of those plugins that do not come with ptp, with what travels with each. Throws
// RunError for another build than that of the training, and for a file whose name no package has.
void add_builds(const std::vector<bundle::NeededPlugin>& plugins, const plugin::Catalog& catalog,
                std::map<std::string, bundle::Content>& files);

}  // namespace ptp::bundling
