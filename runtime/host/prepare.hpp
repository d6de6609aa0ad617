// The steps of every command before it uses an experiment: read it, find the plugins, assemble the
// pipeline.

#pragma once

#include "base/diagnostics.hpp"
#include "bundle/bundle.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

struct Request {
    std::string file;
    std::vector<std::string> overrides;          // --set
    std::vector<std::filesystem::path> plugins;  // --plugins
    // The copies that a run has: these files are the plugins, after --plugins. nullopt:
    // not the plugins of a run.
    std::optional<std::vector<std::filesystem::path>> run_plugins = {};
    bool uses_search_path = false;  // after the plugins of a run
    bool is_safe = false;           // --safe-mode: no plugins but those that come with ptp
    // The sections to process; empty: `test`, or else `validation`. nullopt: to train.
    std::optional<std::vector<std::string>> processed = {};
    bool is_predicted = false;  // they are processed to predict; prepare_prediction() sets it
    std::string section_option = "--section";  // by which the user named them
    // (optional) after it was read
    std::function<void(experiment::Experiment&, Diagnostics&)> change = {};
    // (optional) the same, once the plugins are known
    std::function<void(experiment::Experiment&, const plugin::Catalog&, Diagnostics&)> adapt = {};
    std::optional<std::string> text = {};  // (optional) the experiment, in place of what `file` has
    std::vector<std::filesystem::path> over = {};  // --over
    // (optional) The bundle whose experiment `file` is; its folder exists as long as a request.
    std::shared_ptr<const bundle::OpenedBundle> bundle = {};
};

// May be moved: the plan points to what the catalog holds, not to the catalog.
struct Prepared {
    experiment::Experiment experiment;
    plugin::Catalog catalog;
    std::vector<std::string> processed;  // the sections
    std::vector<std::string> overrides;  // of the request
    std::optional<pipeline::Plan> plan;  // absent if there are errors
};

// Returns the plugins that an experiment can use.
plugin::Catalog find_plugins(const Request& request, const experiment::Experiment& experiment);

Prepared prepare(const Request& request, Diagnostics& problems,
                 pipeline::NeededFiles files = pipeline::NeededFiles::kChecked);

// Returns the exit code: 0 without errors, 3 if all are about plugins, 4 if all are missing files,
// 2 otherwise.
int exit_code_for(const Diagnostics& problems, const plugin::Catalog& catalog);

// The source of weights that compute.
struct TrainedWeights {
    std::optional<std::filesystem::path> run;         // its folder: with the copies of its plugins
    std::optional<std::filesystem::path> checkpoint;  // its folder; nullopt: the experiment's

    // Returns which files the experiment needs: a run has its weights, whatever it once began with.
    [[nodiscard]] pipeline::NeededFiles files() const {
        return checkpoint ? pipeline::NeededFiles::kWithoutWeights
                          : pipeline::NeededFiles::kChecked;
    }
};

// Prepares the experiment of a run or of a file for them, with the plugins that the run has: sets
// those of the request. `files` are those that must exist besides the weights.
Prepared prepare_trained(Request& request, const TrainedWeights& weights,
                         pipeline::NeededFiles files, Diagnostics& problems);

// A prepared run, and the streams that it is to predict.
struct PreparedPrediction {
    Prepared prepared;                               // its plan is for processing one section
    std::optional<pipeline::Prediction> prediction;  // absent without a plan
};

// `request` selects the section in `processed`, at the latest in its `adapt`. `streams` are those
// to predict; none: those that the losses read. Reports everything that is wrong.
PreparedPrediction prepare_prediction(Request& request, const TrainedWeights& weights,
                                      const std::vector<std::string>& streams,
                                      pipeline::NeededFiles files, Diagnostics& problems);

// In loaded_scales.cpp: warns of weights that are loaded from a training whose task normalizes
// images, or other numbers, otherwise than that of this training.
void warn_of_other_scales(const Prepared& prepared, Diagnostics& problems);

// Makes components without inputs, such as a loss without targets, inactive.
void allow_missing_inputs(experiment::Experiment& experiment);

// Reports, as missing data, missing files of the folder, and models of the plan that the run that
// wrote it did not have, which is known if the checkpoint is in its run.
void check_checkpoint(const std::filesystem::path& checkpoint, const pipeline::Plan& plan,
                      Diagnostics& problems);

}  // namespace ptp::host
