// Describes the plugins of a model, and takes their builds along.

#include "ptp-bundle/contents.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/tar.hpp"
#include "host/open_engine.hpp"
#include "plugin/companions.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::bundling {

namespace fs = std::filesystem;

namespace {

using bundle::Content;

// Returns nullptr for a plugin that is not there.
const plugin::CatalogEntry* entry_of(const std::string& name, const plugin::Catalog& catalog) {
    const auto entry = std::ranges::find_if(
        catalog.plugins, [&](const auto& one) { return one.manifest.name == name; });
    return entry == catalog.plugins.end() ? nullptr : &*entry;
}

std::string abi_of(const plugin::Manifest& manifest) {
    return fmt::format("{}.{}", manifest.abi_major, manifest.abi_minor);
}

// Adds a build with what travels with it. Throws RunError.
void add_build(const bundle::NeededPlugin& plugin, const fs::path& file,
               std::map<std::string, Content>& files) {
    const fs::path place = bundle::build_path(plugin.name);
    const auto add = [&](const fs::path& path, const fs::path& from) {
        std::string why = bundle::refuse_path(path.string());
        if (why.empty() && path.string().size() > kMaxTarPath) {
            why = fmt::format("is longer than {} bytes", kMaxTarPath);
        }
        if (!why.empty()) {
            throw WithFix<RunError>(
                kDataError,
                {fmt::format("--with-plugins: {}: its path in the bundle, {}, {}", from.string(),
                             path.string(), why),
                 "leave out --with-plugins, or rename the file where the plugin is made"});
        }
        files.insert_or_assign(path.string(), Content{.text = {}, .file = from});
    };
    if (plugin::build_hash(file) != plugin.sha256) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("--with-plugins: {} is another build of the plugin '{}' than that of the "
                         "training",
                         file.string(), plugin.name),
             "leave out --plugins: the run has the builds that it was trained with"});
    }
    add(place, file);
    for (const plugin::Companion& companion : plugin::companions_of(file)) {
        add(plugin::place_beside(place, companion), companion.file);
    }
}

}  // namespace

std::vector<bundle::NeededPlugin> plugins_of(const run::CheckpointRecord& checkpoint,
                                             const plugin::Catalog& catalog) {
    std::vector<bundle::NeededPlugin> needed;
    for (const run::ActivePlugin& active : checkpoint.plugins) {
        bundle::NeededPlugin& plugin = needed.emplace_back();
        plugin.name = active.name;
        plugin.version = active.version;
        plugin.sha256 = active.sha256;
        if (const plugin::CatalogEntry* const entry = entry_of(active.name, catalog)) {
            plugin.abi = abi_of(entry->manifest);
            plugin.libtorch = entry->manifest.build.libtorch;
            plugin.license = entry->manifest.license;
        }
    }
    return needed;
}

void add_builds(const std::vector<bundle::NeededPlugin>& plugins, const plugin::Catalog& catalog,
                std::map<std::string, Content>& files) {
    const fs::path installation = plugin::installation_folder(host::program_path());
    for (const bundle::NeededPlugin& plugin : plugins) {
        const plugin::CatalogEntry* const entry = entry_of(plugin.name, catalog);
        if (entry == nullptr) {
            throw WithFix<RunError>(
                kPluginError,
                {fmt::format("--with-plugins: the plugin '{}' {}, which the model was trained "
                             "with, is not found",
                             plugin.name, plugin.version),
                 "leave out --with-plugins; or name the folder of its build: --plugins DIR"});
        }
        if (!plugin::is_first_party(plugin.name, entry->path, installation)) {
            add_build(plugin, entry->path, files);
        }
    }
}

}  // namespace ptp::bundling
