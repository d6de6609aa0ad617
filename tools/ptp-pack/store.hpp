// The installed packages of a folder, each in a folder PACKAGES/NAME with
//
//     manifest.toml    as in the package
//     installed.toml   its origin, and the installed libraries
//     plugins/         these libraries, each named after its plugin; ptprun searches here
//     ...              its other files, with the paths of the package

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

// The content of installed.toml.
struct Origin {
    std::string sha256;                  // of the file of the package
    std::string signed_by;               // the id of the key; "": unsigned
    std::string source;                  // a path or an address
    std::vector<std::string> libraries;  // paths of the installed ones in the package

    std::vector<schema::Field> fields();
};

struct InstalledPackage {
    std::string name;
    std::filesystem::path folder;
    PackageManifest manifest = {};
    Origin origin = {};
    std::string problem = {};  // why it cannot be used: a damaged manifest; "" if it can

    // Returns the installed libraries.
    [[nodiscard]] std::vector<Library> libraries() const;
    [[nodiscard]] std::filesystem::path file_of(const Library& library) const;
};

class Store {
public:
    // The folder is created by the first StoreChange.
    explicit Store(std::filesystem::path packages) : packages_(std::move(packages)) {}

    [[nodiscard]] const std::filesystem::path& packages() const { return packages_; }

    // Returns the packages by name. Throws RunError if the folder cannot be read; a missing one has
    // none.
    [[nodiscard]] std::vector<InstalledPackage> list() const;
    [[nodiscard]] std::optional<InstalledPackage> find(std::string_view name) const;

private:
    std::filesystem::path packages_;
};

// A change of a store by one process, while others wait. If a process is killed, each package is
// complete, in its old or new version, and the next process removes the leftovers: NAME.new or
// NAME.old with files of a package, for NAMEs in the lock file, where a change is recorded before
// it begins, and staging folders that are recorded there. All other files in the folder belong to
// the user.
class StoreChange {
public:
    // Waits for other processes. Throws RunError with kTrainingError.
    explicit StoreChange(const Store& store);

    // Returns an empty folder in the same file system, for files that are needed until the change
    // ends.
    [[nodiscard]] const std::filesystem::path& staging() const { return staging_->path(); }

    // Throws RunError with kPluginError if the package's folder exists and is not the package's.
    void check_place(const std::string& name) const;

    // Has `write` fill a new folder, which replaces the package's in one step. An exception of
    // `write` passes on, and then nothing has changed.
    void put(const std::string& name,
             const std::function<void(const std::filesystem::path&)>& write) const;

    // Removes the package. REQUIRES: it is installed.
    void remove(const std::string& name) const;

private:
    [[noreturn]] void refuse_lock(const char* what) const;
    void clear_rests() const;
    void record(const std::string& name) const;
    void make_staging();

    std::filesystem::path packages_;
    Descriptor lock_;
    std::optional<TemporaryPath> staging_;
};

// Writes installed.toml, the last file of a package's folder.
void write_origin(const std::filesystem::path& folder, Origin origin);

}  // namespace ptp::pack
