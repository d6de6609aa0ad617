// The settings that a user of a bundle may change.

#pragma once

#include "base/diagnostics.hpp"
#include "bundle/bundle.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::host {

// For the folder of an opened bundle, reports values of --set that change what it computes and that
// it does not declare as its parameters, and files of --over. Where its data are and which device
// computes may be set. With other parameters it computes something else than its stored samples,
// so that it has no self-test.
void use_parameters(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                    const std::vector<std::filesystem::path>& over, Diagnostics& problems);

// Does the same for settings of tasks that prepare samples, unless they are those of the training:
// where the data are, and how their files are written, may be set, and so may another task, for
// files of another form, with sizes that the training's task has without a setting.
void use_preparations(const std::filesystem::path& folder, const experiment::Experiment& experiment,
                      const plugin::Catalog& catalog, Diagnostics& problems);

// Returns the names of the settings of a node of the plan, whose table is `table`, that a bundle
// does not let be set; none for any other folder.
std::vector<std::string> fixed_settings(const std::filesystem::path& folder,
                                        const pipeline::Plan& plan, const std::string& table);

}  // namespace ptp::host
