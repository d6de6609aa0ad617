// The packages that are installed in a folder: a folder for each, PACKAGES/NAME, with
//
//     manifest.toml    as it was in the package
//     installed.toml   where it came from, and which of its libraries were taken
//     plugins/         these libraries, each named after its plugin; ptprun searches here
//     ...              its other files, where they were in the package

#pragma once

#include "base/descriptor.hpp"
#include "base/temporary_path.hpp"
#include "ptp-pack/manifest.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

// What installed.toml has.
struct Origin {
    std::string sha256;                  // of the file of the package
    std::string signed_by;               // the id of the key; "": unsigned
    std::string source;                  // a path or an address
    std::vector<std::string> libraries;  // paths in the package of those that were taken

    std::vector<schema::Field> fields();
};

struct InstalledPackage {
    std::string name;
    std::filesystem::path folder;
    PackageManifest manifest = {};
    Origin origin = {};
    std::string problem = {};  // why it cannot be used: a damaged manifest; "" if nothing is wrong

    // Those that were taken.
    [[nodiscard]] std::vector<Library> libraries() const;
    [[nodiscard]] std::filesystem::path file_of(const Library& library) const;
};

class Store {
public:
    // The folder is made by change().
    explicit Store(std::filesystem::path packages) : packages_(std::move(packages)) {}

    [[nodiscard]] const std::filesystem::path& packages() const { return packages_; }

    // By name. Throws RunError where the folder cannot be read; one that is not there has none.
    [[nodiscard]] std::vector<InstalledPackage> list() const;
    [[nodiscard]] std::optional<InstalledPackage> find(std::string_view name) const;

private:
    std::filesystem::path packages_;
};

// A change of a store by one process: others wait. A process that is killed leaves each package
// whole, as the old version or as the new one, and rests that the next one removes: NAME.new or
// NAME.old with files of a package, those whose NAME is in the lock file, where a change is
// recorded before it begins, and folders for staging that are recorded there. What else is in the
// folder is somebody's own.
class StoreChange {
public:
    // Waits for its turn. Throws RunError with kTrainingError.
    explicit StoreChange(const Store& store);

    // An empty folder for files that are needed until the change ends, in the same file system.
    [[nodiscard]] const std::filesystem::path& staging() const { return staging_->path(); }

    // Throws RunError with kPluginError where something lies that is not of this package.
    void check_place(const std::string& name) const;

    // Has `write` fill a new folder, which takes the package's place at once. What it throws passes
    // on, and then nothing has changed.
    void put(const std::string& name,
             const std::function<void(const std::filesystem::path&)>& write) const;

    // REQUIRES: the package is installed.
    void remove(const std::string& name) const;

private:
    void clear_rests() const;
    void begin(const std::string& name) const;
    void record(const std::string& name) const;
    void make_staging();

    std::filesystem::path packages_;
    Descriptor lock_;
    std::optional<TemporaryPath> staging_;
};

// Writes installed.toml, the last file of a package's folder.
void write_origin(const std::filesystem::path& folder, Origin origin);

}  // namespace ptp::pack
