// Which plugins there are: the result of scanning the search path without running plugin code.
#pragma once

#include "plugin/manifest.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// A plugin that can be used by this host.
struct CatalogEntry {
    std::filesystem::path path;  // absolute
    Manifest manifest;
};

// A file on the path that cannot be used, and why, in a sentence that states how to fix it.
struct RejectedFile {
    std::filesystem::path path;
    std::string reason;
};

// A component and the plugin it comes from.
struct Found {
    const CatalogEntry* plugin = nullptr;
    const Component* component = nullptr;
};

// Pointers into a catalog stay valid as long as it lives and is not scanned again.
struct Catalog {
    std::vector<CatalogEntry> plugins;  // sorted by name
    std::vector<RejectedFile> rejected;
    std::vector<std::filesystem::path> searched;  // folders in order, for messages
    // The plugins of a run: a type of theirs means theirs, though another plugin has one of its
    // name.
    std::vector<std::string> deciding = {};

    // All components of a type: "LeNet5", or "vision_models/LeNet5" for the component of one
    // plugin.
    [[nodiscard]] std::vector<Found> find(std::string_view type) const;
};

// Scans folders in order for *.so files. One bad file never hides the others. A plugin whose name
// an earlier folder has offered is rejected with the reason; so is a folder that does not exist.
// Throws ResourceError when the process has no file descriptor left to read one.
Catalog scan(const std::vector<std::filesystem::path>& folders);

// The same, and then these files. One whose plugin a folder has offered is left out.
Catalog scan(const std::vector<std::filesystem::path>& folders,
             const std::vector<std::filesystem::path>& files);

// The first catalog, and of the second the plugins whose names the first has not.
Catalog joined(Catalog catalog, Catalog more);

}  // namespace ptp::plugin
