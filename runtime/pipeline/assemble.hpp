// Turns an experiment and the manifests of the plugins into a plan, or reports all that is wrong,
// without running any plugin code. stages.hpp has the steps.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/load.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The files that must be there, of those that a run would read: all, all but the weights that the
// experiment names, or none. Only the tasks that run count.
enum class NeededFiles { kChecked, kWithoutWeights, kIgnored };

// Returns the drafts of the tasks of [process], which are not wired: assemble() uses them only for
// a plan to process. Reports what is wrong with each by itself.
std::vector<Draft> draft_processed_tasks(const experiment::Experiment& experiment,
                                         const plugin::Catalog& catalog,
                                         const std::filesystem::path& home, Diagnostics& problems);

// In group_globals.cpp: gives the globals that components of groups publish a name for each use,
// "left_feature_map_depth", where the experiment names none.
void separate_globals(const experiment::GroupUses& uses, const plugin::Catalog& catalog,
                      const std::filesystem::path& home, experiment::Experiment& experiment);

// The purpose of a plan: to train, or to process sections.
struct Purpose {
    // The sections, in the experiment, that it is to process; none: it is to train.
    std::vector<std::string> processed = {};
    // For a plan to train: the tasks of [process]. They become a part of its record, and components
    // that run in no other phase may read their streams. nullptr: they are not known.
    const std::vector<Draft>* processed_tasks = nullptr;
    bool is_predicted = false;  // the processed section has new samples, for `ptprun predict`
};

// Reports all that is wrong; nullopt if there are errors. The plan points into the catalog, which
// must outlive it. `home` is what "~" expands to in paths; empty: "~" is refused. A plan to train
// is without the components that run only in the phase "process" and read what no section of the
// training writes; one to process is without those that may be skipped.
std::optional<Plan> assemble(const experiment::Experiment& experiment,
                             const plugin::Catalog& catalog, const std::filesystem::path& home,
                             Diagnostics& problems, NeededFiles files = NeededFiles::kChecked,
                             const Purpose& purpose = {});

// In frozen.cpp: whether the experiment names a file that the component may take its weights from,
// such as pretrained vectors of words: a path, or a text of the author's choice, that ends as files
// do. A default folder is none.
bool may_read_weights(const Node& node);

// In frozen.cpp: the warning about the `freeze` of a component whose until_epoch is after the
// end of the training; nullopt if there is none, or if this depends on the unknown number of
// episodes in an epoch, and for a fast development run, which is one episode.
std::optional<Explanation> freeze_advice(const experiment::ComponentEntry& component,
                                         const experiment::TerminalConditions& limits,
                                         std::optional<std::int64_t> episodes_per_epoch = {});

}  // namespace ptp::pipeline
