// Scans folders and files for plugins, and finds components and unusable files among them.

#include "plugin/catalog.hpp"

#include "base/text.hpp"
#include "plugin/companions.hpp"
#include "plugin/library_file.hpp"
#include "plugin/note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

// Returns the files of a folder that are named like plugins, in the order of their names.
std::vector<fs::path> plugin_files(const fs::path& folder, std::error_code& error) {
    std::vector<fs::path> files;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() == library_suffix()) {
            files.push_back(it->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// A run writes down where its plugins came from, as text.
constexpr const char* kNotUtf8 = "its path is not UTF-8 text: rename the folder or the file";

// Reports that the system lacks what it takes to look at any file, so that a search would find less
// than there is.
[[noreturn]] void lack(const fs::path& path, const std::string& reason) {
    throw ResourceError(fmt::format("{}: {}", path.string(), reason));
}

bool is_lack(const std::error_code& error) {
    return error == std::errc::too_many_files_open ||
           error == std::errc::too_many_files_open_in_system ||
           error == std::errc::not_enough_memory;
}

void add_file(Catalog& catalog, const fs::path& path) {
    try {
        if (!is_utf8(path.string())) {
            throw FileError(fmt::format("cannot be used: {}", kNotUtf8));
        }
        CatalogEntry entry{.path = path, .manifest = read_manifest(path)};
        const auto earlier = std::ranges::find_if(catalog.plugins, [&](const CatalogEntry& e) {
            return e.manifest.name == entry.manifest.name;
        });
        if (earlier != catalog.plugins.end()) {
            throw FileError(fmt::format("offers the plugin '{}', which {} offers already",
                                        entry.manifest.name, earlier->path.string()));
        }
        catalog.plugins.push_back(std::move(entry));
    } catch (const ResourceError& error) {
        lack(path, error.what());
    } catch (const std::exception& error) {
        catalog.rejected.push_back({path, error.what()});
    }
}

// Removes the libraries that lie beside the plugins that need them from the rejected files: they
// are no plugins, and nothing is wrong with that.
void leave_out_needed_libraries(Catalog& catalog, const fs::path& folder) {
    const auto is_here = [&](const auto& file) { return file.path.parent_path() == folder; };
    if (std::ranges::none_of(catalog.rejected, is_here)) {
        return;
    }
    for (const CatalogEntry& entry : catalog.plugins) {
        if (!is_here(entry)) {
            continue;
        }
        try {
            for (const Companion& companion : companions_of(entry.path)) {
                std::erase_if(catalog.rejected, [&](const RejectedFile& file) {
                    return file.path == companion.file;
                });
            }
        } catch (const std::exception&) {  // reported when the plugin is loaded
        }
    }
}

// Returns the rank of a file in the search; within a folder by the names.
std::pair<std::size_t, std::string> place_of(const Catalog& catalog, const fs::path& file,
                                             std::size_t files_at) {
    const auto folder = std::ranges::find_if(catalog.searched, [&](const fs::path& one) {
        return (one / "x").parent_path() == file.parent_path();
    });
    const auto number = static_cast<std::size_t>(folder - catalog.searched.begin());
    std::size_t place = files_at;
    if (folder != catalog.searched.end()) {
        place = number < files_at ? number : number + 1;
    }
    return {place, file.filename().string()};
}

// Returns whether the file claims to be the plugin; if its manifest may be damaged too, the file's
// name counts.
bool says_it_is(const fs::path& file, const std::string& plugin) {
    const std::string stem = file.stem().string();
    if (stem == plugin || stem == "lib" + plugin) {
        return true;
    }
    try {
        return name_in_note(read_library(file)) == plugin;
    } catch (const std::exception&) {
        return false;
    }
}

// Returns whether the component's plugin has lists of its components.
bool has_layers(const Found& found) {
    return std::ranges::any_of(found.plugin->manifest.components, [](const Component& component) {
        return std::ranges::any_of(component.settings, [](const Setting& setting) {
            return setting.type == SettingType::kLayers;
        });
    });
}

}  // namespace

std::vector<Found> Catalog::find(std::string_view type) const {
    const std::size_t slash = type.find('/');
    const bool is_qualified = slash != std::string_view::npos;
    const std::string_view plugin_name = is_qualified ? type.substr(0, slash) : "";
    const std::string_view name = is_qualified ? type.substr(slash + 1) : type;
    std::vector<Found> found;
    for (const CatalogEntry& entry : plugins) {
        if (is_qualified && entry.manifest.name != plugin_name) {
            continue;
        }
        for (const Component& component : entry.manifest.components) {
            if (component.name == name) {
                found.push_back({&entry, &component});
            }
        }
    }
    const auto decides = [&](const Found& one) {
        return std::ranges::count(deciding, one.plugin->manifest.name) > 0;
    };
    if (std::ranges::any_of(found, decides)) {
        std::erase_if(found, [&](const Found& one) { return !decides(one); });
    }
    if (!std::ranges::all_of(found, has_layers)) {
        std::erase_if(found, has_layers);
    }
    return found;
}

Catalog scan(const std::vector<fs::path>& folders, const std::vector<fs::path>& files) {
    Catalog catalog;
    for (const fs::path& given : folders) {
        const fs::path folder = fs::absolute(given).lexically_normal();
        catalog.searched.push_back(folder);
        if (!is_utf8(folder.string())) {
            catalog.rejected.push_back({folder, fmt::format("cannot be searched: {}", kNotUtf8)});
            continue;
        }
        std::error_code error;
        const std::vector<fs::path> found = plugin_files(folder, error);
        if (is_lack(error)) {
            lack(folder, fmt::format("cannot be searched: {}", error.message()));
        }
        if (std::error_code ignored; error && fs::is_regular_file(folder, ignored)) {
            catalog.rejected.push_back({folder, fmt::format("is a file, and folders are searched: "
                                                            "name {}",
                                                            folder.parent_path().string())});
        } else if (error) {
            catalog.rejected.push_back(
                {folder, fmt::format("cannot be searched: {}", error.message())});
        }
        for (const fs::path& file : found) {
            add_file(catalog, file);
        }
        leave_out_needed_libraries(catalog, folder);
    }
    Catalog more;
    for (const fs::path& file : files) {
        add_file(more, fs::absolute(file).lexically_normal());
    }
    return joined(std::move(catalog), std::move(more));
}

Catalog joined(Catalog catalog, Catalog more) {
    for (CatalogEntry& entry : more.plugins) {
        const bool is_offered = std::ranges::any_of(catalog.plugins, [&](const CatalogEntry& e) {
            return e.manifest.name == entry.manifest.name;
        });
        if (!is_offered) {
            catalog.plugins.push_back(std::move(entry));
        }
    }
    std::ranges::move(more.rejected, std::back_inserter(catalog.rejected));
    std::ranges::move(more.searched, std::back_inserter(catalog.searched));
    std::ranges::sort(catalog.plugins, {}, [](const CatalogEntry& e) { return e.manifest.name; });
    return catalog;
}

const RejectedFile* preceding(const Catalog& catalog, const CatalogEntry& entry,
                              std::size_t files_at) {
    const auto taken = place_of(catalog, entry.path, files_at);
    for (const RejectedFile& file : catalog.rejected) {
        if (file.path.extension() == library_suffix() &&
            place_of(catalog, file.path, files_at) < taken &&
            says_it_is(file.path, entry.manifest.name)) {
            return &file;
        }
    }
    return nullptr;
}

}  // namespace ptp::plugin
