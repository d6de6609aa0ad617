// The available plugins: the result of scanning the search path without running plugin code.
#pragma once

#include "plugin/manifest.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// A plugin that this host can use.
struct CatalogEntry {
    std::filesystem::path path;  // absolute
    Manifest manifest;
};

// A file on the path that cannot be used, and the reason as a sentence with the fix.
struct RejectedFile {
    std::filesystem::path path;
    std::string reason;
};

// A component and its plugin.
struct Found {
    const CatalogEntry* plugin = nullptr;
    const Component* component = nullptr;
};

// The plugins of the search path. Pointers into a catalog are valid until it is destroyed or
// scanned again.
struct Catalog {
    std::vector<CatalogEntry> plugins;  // sorted by name
    std::vector<RejectedFile> rejected;
    std::vector<std::filesystem::path> searched;  // folders in order, for messages
    // The plugins of a run: a type with their name means theirs, even if another plugin has one of
    // the same name.
    std::vector<std::string> deciding = {};

    // Returns all components of a type: "LeNet5", or "vision_models/LeNet5" for that of one plugin.
    // One of a plugin with lists of layers is left out if another plugin has the type, so that its
    // layers do not change the meaning of a pipeline.
    [[nodiscard]] std::vector<Found> find(std::string_view type) const;
};

// Scans folders in order for *.so files. An unusable file never hides the others. A plugin with the
// name of one from an earlier folder is rejected with the reason; so is a folder that does not
// exist. Then scans these files; one whose plugin is in a folder is ignored. Throws ResourceError
// if the process has no file descriptor left to read one.
Catalog scan(const std::vector<std::filesystem::path>& folders,
             const std::vector<std::filesystem::path>& files = {});

// Returns the first catalog with those plugins of the second whose names are not in the first.
Catalog joined(Catalog catalog, Catalog more);

// Returns the rejected file of a catalog that would have been the plugin of this name if it were
// valid: it comes first on the path, and its manifest, or else its name, identifies it as this
// plugin. `files_at` is the number of folders of the path that precede files outside of folders,
// such as the copies of a run. nullptr if there is none. The files are read again.
const RejectedFile* preceding(const Catalog& catalog, const CatalogEntry& entry,
                              std::size_t files_at);

}  // namespace ptp::plugin
