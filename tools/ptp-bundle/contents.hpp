// Collects the parts of a run that belong into a bundle.
#pragma once

#include "base/diagnostics.hpp"
#include "bundle/bundle.hpp"
#include "host/prepare.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::bundling {

// The run to pack.
struct Source {
    std::filesystem::path run;
    std::filesystem::path checkpoint;
    std::vector<std::filesystem::path> plugins;  // --plugins
};

// The statements of people about a model, besides the facts.
struct Statements {
    std::string license;
    std::string author;
    std::string summary;
};

struct Contents {
    bundle::BundleManifest manifest;
    std::map<std::string, bundle::Content> files;  // by their paths in the bundle
};

// Collects the experiment with the files that its components read, the weights that the run was
// judged by, the state and the globals of its components, and what is known about the training.
// Reports what is wrong with the run. Throws RunError for files that cannot be read.
Contents contents_of(const Source& source, const Statements& statements, Diagnostics& problems);

}  // namespace ptp::bundling
