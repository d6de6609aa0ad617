#include "selection.hpp"

#include "base/suggest.hpp"
#include "plugin/library_file.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;

// Returns whether the name is a file's: "x.so", "/x", "./x", "../x"; not "losses/L1Loss".
bool is_file_name(const fs::path& name) {
    const fs::path first = name.empty() ? name : *name.begin();
    return name.extension() == plugin::library_suffix() || name.has_root_directory() ||
           (first != name && (first == "." || first == ".."));
}

plugin::CatalogEntry read_file(const std::string& name) {
    try {
        return {.path = fs::absolute(name).lexically_normal(),
                .manifest = plugin::read_manifest(name)};
    } catch (const std::runtime_error& error) {
        throw NotFound(fmt::format("{}: {}", name, error.what()));
    }
}

const plugin::CatalogEntry* find_entry(const plugin::Catalog& catalog, std::string_view name) {
    const auto found = std::ranges::find_if(
        catalog.plugins, [&](const plugin::CatalogEntry& e) { return e.manifest.name == name; });
    return found != catalog.plugins.end() ? &*found : nullptr;
}

// Returns the names to suggest; those like plugin/Type only if the user has typed a '/'.
std::vector<std::string> known_names(const plugin::Catalog& catalog, bool is_qualified) {
    std::vector<std::string> known;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        if (!is_qualified) {
            known.push_back(entry.manifest.name);
        }
        for (const plugin::Component& component : entry.manifest.components) {
            known.push_back(is_qualified ? entry.manifest.name + "/" + component.name
                                         : component.name);
        }
    }
    return known;
}

}  // namespace

Plugins find_plugins(const Options& options) {
    Plugins plugins;
    plugins.catalog =
        plugin::scan(plugin::search_folders(plugin::search_path_here(options.plugin_folders)));
    for (const std::string& name : options.names) {
        if (is_file_name(name)) {
            plugins.files.plugins.push_back(read_file(name));
        }
    }
    return plugins;
}

Selection select(const std::vector<std::string>& names, const Plugins& plugins) {
    Selection selection;
    std::string unknown;
    std::size_t file = 0;
    for (const std::string& name : names) {
        if (is_file_name(name)) {
            selection.plugins.push_back(&plugins.files.plugins[file++]);
            continue;
        }
        if (const plugin::CatalogEntry* entry = find_entry(plugins.catalog, name)) {
            selection.plugins.push_back(entry);
            continue;
        }
        const std::vector<plugin::Found> found = plugins.catalog.find(name);
        if (found.empty()) {
            const bool is_qualified = name.find('/') != std::string::npos;
            unknown += fmt::format("{}unknown plugin or component '{}'{}",
                                   unknown.empty() ? "" : "\n", name,
                                   hint(name, known_names(plugins.catalog, is_qualified),
                                        "without a name ptp-inspect lists all"));
        }
        std::ranges::copy(found, std::back_inserter(selection.components));
    }
    if (!unknown.empty()) {
        throw NotFound(unknown);
    }
    return selection;
}

}  // namespace ptp::inspect
