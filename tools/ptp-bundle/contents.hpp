// Collects the parts of a run that belong into a bundle.
#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "bundle/bundle.hpp"
#include "host/prepare.hpp"
#include "pipeline/prediction.hpp"

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

}  // namespace ptp::bundling
