// Collects the content of a package: a folder with package.toml, experiments and documents, and
// libraries.

#pragma once

#include "ptp-pack/archive.hpp"
#include "ptp-pack/manifest.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kAboutFile = "package.toml";

struct CollectedPackage {
    PackageManifest manifest;
    std::vector<ContentFile> contents;  // in the order of the manifest's files
    std::vector<std::string> left_out;  // files in the folder that are not packed
};

// Collects package.toml, LICENSE*, README*, CHANGELOG*, NOTICE*, COPYING*, experiments/, docs/ and
// all *.so in plugins/ of the folder; and these plugins' files. Values missing in package.toml are
// taken from the plugins if they agree. Throws RunError: kConfigurationError for missing or wrong
// values in package.toml, kPluginError for a library that is not a plugin, kDataError for a link.
CollectedPackage collect_package(const std::optional<std::filesystem::path>& folder,
                                 const std::vector<std::filesystem::path>& plugins);

}  // namespace ptp::pack
