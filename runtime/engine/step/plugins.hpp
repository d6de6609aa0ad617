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
#include <vector>

namespace ptp::engine {

// [main]
class Plugins {
public:
    // Loads each plugin that the plan uses, once. Throws RunError with kPluginError.
    Plugins(const pipeline::Plan& plan, const std::filesystem::path& copies);

    struct Loaded {
        plugin::Generation generation;  // in force
        std::filesystem::path source;   // what it was copied from
    };
    [[nodiscard]] std::vector<Loaded> loaded() const;

    // The description of a node's component in the loaded plugin.
    [[nodiscard]] const ptp_component_info& component(const pipeline::Node& node) const;

    // A newer build of a plugin, beside the one in force. Its file must be a copy in the run's
    // folder. One thread at a time, also while components of others run. Throws
    // plugin::LoadError.
    [[nodiscard]] plugin::Generation load_newer(const plugin::CatalogEntry& entry);

    // From now on this is the plugin of its name.
    void put_in_force(plugin::Generation generation, std::filesystem::path source);

    // For the record: a table for each plugin with its name, its version and its file's SHA-256.
    [[nodiscard]] config::Value record() const;

private:
    void load(const plugin::CatalogEntry& entry);

    plugin::Loader loader_;
    std::map<std::string, Loaded> loaded_;  // by the plugin's name
};

}  // namespace ptp::engine
