// The files that components read, such as vocabularies, which travel with the model.
#pragma once

#include "base/value.hpp"
#include "bundle/bundle.hpp"
#include "pipeline/plan.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace ptp::bundling {

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

}  // namespace ptp::bundling
