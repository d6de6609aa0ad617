// The plugins of a run, loaded from copies in the run's folder.

#pragma once

#include "base/exit_code.hpp"
#include "base/value.hpp"
#include "pipeline/plan.hpp"
#include "plugin/generation.hpp"
#include "plugin/loader.hpp"

#include <ptp/abi.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns kPluginError, or kTrainingError if the system and not the plugin is the cause.
ExitCode code_of(const plugin::LoadError& error);

// The loaded descriptions of components. Implemented by the plugins of a run, and by tests.
class Descriptors {
public:
    virtual ~Descriptors() = default;
    // Returns the description of a node's component.
    [[nodiscard]] virtual const ptp_component_info& component(const pipeline::Node& node) const = 0;
};

// [main]
class Plugins final : public Descriptors {
public:
    // Loads each plugin that the plan uses, once. Throws RunError: kPluginError, or kTrainingError
    // if the system lacks descriptors, memory or space for the copies.
    Plugins(const pipeline::Plan& plan, const std::filesystem::path& copies);

    // Like above, in steps, for a plan that may be made again: no plugin is loaded yet.
    explicit Plugins(const std::filesystem::path& copies) : loader_(copies) {}
    // Copies each plugin that the plan uses. Returns the current entries, by the path of their
    // file, of those that have changed since the plan was made. Throws as above.
    [[nodiscard]] std::vector<plugin::CatalogEntry> copy(const pipeline::Plan& plan);
    void load(const pipeline::Plan& plan);

    struct Loaded {
        plugin::Generation generation;  // active
        std::filesystem::path source;   // what it was copied from
    };
    [[nodiscard]] std::vector<Loaded> loaded() const;

    [[nodiscard]] const ptp_component_info& component(const pipeline::Node& node) const override;

    // Loads a newer build of a plugin besides the active one. Its file must be a copy in the run's
    // folder. One thread at a time, possibly while components of others run. Throws
    // plugin::LoadError.
    [[nodiscard]] plugin::Generation load_newer(const plugin::CatalogEntry& entry);

    // Uses this generation of the plugin from now on.
    void activate(plugin::Generation generation, std::filesystem::path source);

    // Returns a table for each plugin with its name, version and file's SHA-256, for the record.
    [[nodiscard]] Value record() const;

private:
    template <class Work>
    void for_each_plugin(const pipeline::Plan& plan, Work work) const;
    void load(const plugin::CatalogEntry& entry);

    plugin::Loader loader_;
    std::map<std::string, Loaded> loaded_;  // by the plugin's name
};

}  // namespace ptp::engine
