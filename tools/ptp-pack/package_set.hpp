// The builds of plugins that a run has used, and the packages that have them.

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

// A build, by the hash of its file.
struct NeededBuild {
    std::string plugin;
    std::string version;
    std::string sha256;
    std::string file;  // its name in RUN/plugins

    std::vector<schema::Field> fields();
};

// A package that has some of them.
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

// All builds of plugins.lock in the folder of a run. Throws RunError.
std::vector<NeededBuild> builds_of_run(const std::filesystem::path& run);

// A file that text_of() has made. Throws RunError with kDataError.
PackageSet read_package_set(const std::filesystem::path& file);
std::string text_of(const PackageSet& set);

// Where the file of a build is: in an installed package, in one of a repository, or in a folder of
// plugins, such as that of the plugins that come with ptp.
struct BuildSource {
    SetPackage package = {};               // without a name: in a folder of plugins
    std::filesystem::path installed = {};  // the file; empty: not installed
    const IndexEntry* entry = nullptr;     // of a repository; nullptr: installed
    std::string location = {};             // of the repository's package
    std::string path = {};                 // in that package
};

struct KnownBuilds {
    const std::vector<InstalledPackage>& installed;
    const std::vector<std::filesystem::path>& folders;  // of plugins
    const std::vector<OpenRepository>& repositories;
};

// nullopt where nothing has it; looks in that order. A file that was changed is none.
std::optional<BuildSource> find_build(const NeededBuild& build, const KnownBuilds& known);

}  // namespace ptp::pack
