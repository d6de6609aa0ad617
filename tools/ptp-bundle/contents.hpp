// Collects the parts of a run that belong into a bundle.
#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "base/value.hpp"
#include "bundle/bundle.hpp"
#include "bundle/manifest.hpp"
#include "host/prepare.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"
#include "plugin/catalog.hpp"
#include "run/checkpoint_record.hpp"
#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::bundling {

// The run to pack.
struct Source {
    std::filesystem::path run;
    std::filesystem::path checkpoint;
    std::vector<std::filesystem::path> plugins;  // --plugins
    bool with_plugins = false;  // with the builds of plugins that do not come with ptp
};

// The pipeline of a run: all of it, and what predicts.
struct Pipelines {
    host::Prepared prepared;
    std::optional<pipeline::Plan> predicting;
    pipeline::Prediction prediction;
};

// Prepares a prediction for the section that is measured by default. The data may be missing.
// Reports what is wrong with the run.
Pipelines pipelines_of(const Source& source, Diagnostics& problems);

// The statements of people about a model, besides the facts.
struct Statements {
    std::string license;
    std::string author;
    std::string summary;
    std::vector<std::string> parameters = {};  // keys that users of the model may set
};

struct Contents {
    bundle::BundleManifest manifest;
    std::optional<Explanation> why_no_samples = {};  // nullopt: there are some, or none were wanted
    std::map<std::string, bundle::Content> files;    // by their paths in the bundle
};

// The samples that the model is tested with before it is used.
struct Samples {
    std::int64_t count = 0;     // at most; 0: none
    bool are_demanded = false;  // an error where there can be none
};

// Collects the experiment with the files that its components read, the weights that the run was
// judged by, the state and the globals of its components, what is known about the training,
// samples with what the components compute of them, and builds of plugins where they are wanted.
// Reports parameters that are none, before the samples are computed. Throws RunError for files that
// cannot be read. REQUIRES: made.predicting.
Contents contents_of(const Source& source, Pipelines& made, const Statements& statements,
                     const Samples& samples, Diagnostics& problems);

// The parts that contents_of() puts together.

// Returns what the weights were measured with at their checkpoint, and with the test set if they
// are those that it was measured with.
std::vector<run::Measurement> metrics_of(const Source& source,
                                         const run::CheckpointRecord& checkpoint);

// Returns the builds that were active at the checkpoint.
std::vector<bundle::NeededPlugin> plugins_of(const run::CheckpointRecord& checkpoint,
                                             const plugin::Catalog& catalog);

// Adds the builds of those plugins that do not come with ptp, with what travels with each. Throws
// RunError for another build than that of the training, and for a file whose name no package has.
void add_builds(const std::vector<bundle::NeededPlugin>& plugins, const plugin::Catalog& catalog,
                std::map<std::string, bundle::Content>& files);

// Puts the files that components read into the bundle, and their places there into the experiment.
class ComponentFiles {
public:
    // Both must outlive it.
    ComponentFiles(Value& experiment, std::map<std::string, bundle::Content>& files)
        : experiment_(experiment), files_(files) {}

    // Takes the files that the settings of a component name and that are there.
    void add(const pipeline::Node& node);

private:
    void replace(Value& value);

    Value& experiment_;
    std::map<std::string, bundle::Content>& files_;
    std::map<std::filesystem::path, std::string> places_;
};

// Returns the card in Markdown. A heading for which the manifest has no facts is left out.
std::string card_of(const bundle::BundleManifest& manifest);

}  // namespace ptp::bundling
