// From an experiment and the manifests of the plugins to a plan, without running any plugin
// code.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// Whether what a run would read from the disk must be there: all of it, all but the weights that
// the experiment names, or nothing. Of tasks it is those that run.
enum class NeededFiles { kChecked, kWithoutWeights, kIgnored };

// Reports all that is wrong; nullopt if there are errors. The plan points into the catalog, which
// must outlive it. `home` is what "~" expands to in paths; empty: "~" is refused. `processed` are
// the sections, in the experiment, that the plan is to process; none: it is to train.
std::optional<Plan> assemble(const experiment::Experiment& experiment,
                             const plugin::Catalog& catalog, const std::filesystem::path& home,
                             Diagnostics& problems, NeededFiles files = NeededFiles::kChecked,
                             const std::vector<std::string>& processed = {});

// Reports what is wrong with the tasks of [process], by themselves, which assemble() looks at only
// where it is to process them.
void check_processed_tasks(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                           const std::filesystem::path& home, Diagnostics& problems);

}  // namespace ptp::pipeline
