// The builds of plugins that a run has used, and the packages that contain them.

#pragma once

#include "base/value.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// A build, identified by the hash of its file.
struct NeededBuild {
    std::string plugin;
    std::string version;
    std::string sha256;
    std::string file;  // its name in RUN/plugins

    std::vector<schema::Field> fields();
};

// A package that contains some of them.
struct SetPackage {
    std::string name;
    std::string version;
    std::string sha256;  // of its file

    std::vector<schema::Field> fields();
    friend bool operator==(const SetPackage&, const SetPackage&) = default;
};

struct PackageSet {
    std::vector<SetPackage> packages;
    std::vector<NeededBuild> builds;
};

// Returns all builds of plugins.lock in the folder of a run. Throws RunError.
std::vector<NeededBuild> builds_of_run(const std::filesystem::path& run);

// Reads a file made by text_of(). Throws RunError with kDataError.
PackageSet read_package_set(const std::filesystem::path& file);
std::string text_of(const PackageSet& set);

// The source of a build's file: an installed package, one of a repository, or a folder of plugins,
// such as that of the plugins that come with ptp.
struct BuildSource {
    SetPackage package = {};               // unnamed: in a folder of plugins
    std::filesystem::path installed = {};  // the file; empty: not installed
    const IndexEntry* entry = nullptr;     // in a repository; nullptr: installed
    std::string location = {};             // of the repository's package
    std::string path = {};                 // within that package
};

struct KnownBuilds {
    const std::vector<InstalledPackage>& installed;
    const std::vector<std::filesystem::path>& folders;  // of plugins
    const std::vector<OpenRepository>& repositories;
};

// Searches in that order, ignoring changed files. Returns nullopt if no source has the build.
std::optional<BuildSource> find_build(const NeededBuild& build, const KnownBuilds& known);

}  // namespace ptp::pack
