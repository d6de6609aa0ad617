#include "plugin/precedence.hpp"

#include "plugin/library_file.hpp"
#include "plugin/note.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& folder, const fs::path& file) {
    return (folder / "x").parent_path() == file.parent_path();
}

// Returns the rank of a file in the search; within a folder by the names.
std::pair<std::size_t, std::string> place_of(const Catalog& catalog, const fs::path& file,
                                             std::size_t files_at) {
    const auto folder = std::ranges::find_if(
        catalog.searched, [&](const fs::path& one) { return is_folder(one, file); });
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

}  // namespace

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
