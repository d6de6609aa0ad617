// The plugins of a run, loaded from copies in the run's folder.

#pragma once

#include "config/value.hpp"
#include "pipeline/plan.hpp"
#include "plugin/generation.hpp"
#include "plugin/loader.hpp"

#include <ptp/abi.h>

#include <filesystem>
#include <map>
#include <string>

namespace ptp::engine {

// [main]
class Plugins {
public:
    // Loads each plugin that the plan uses, once. Throws RunError with kPluginError.
    Plugins(const pipeline::Plan& plan, const std::filesystem::path& copies);

    // The description of a node's component in the loaded plugin.
    [[nodiscard]] const ptp_component_info& component(const pipeline::Node& node) const;

    // For the record: a table for each plugin with its name, its version and its file's SHA-256.
    [[nodiscard]] config::Value record() const;

private:
    void load(const plugin::CatalogEntry& entry);

    plugin::Loader loader_;
    std::map<std::string, plugin::Generation> loaded_;  // by the plugin's name
};

}  // namespace ptp::engine
