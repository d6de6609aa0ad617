#include "ptp-pack/store.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/replace_folder.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/entry_path.hpp"
#include "ptp-pack/refuse.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStoreLock = ".lock";
constexpr const char* kStaging = ".staging";

Origin read_origin(const fs::path& file) {
    Origin origin;
    Diagnostics problems;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::ReadOptions unused;
        schema::read_all_fields({*root, "", unused, problems}, origin.fields());
    }
    if (!problems.ok()) {
        throw RunError(kDataError, problems.text());
    }
    return origin;
}

InstalledPackage read_installed(const fs::path& folder) {
    InstalledPackage package{.name = folder.filename().string(), .folder = folder};
    try {
        const fs::path file = folder / kManifestFile;
        package.manifest = read_package_manifest(read_text(file), file.string());
        package.origin = read_origin(folder / kInstalledFile);
        if (package.manifest.about.name != package.name) {
            package.problem =
                fmt::format("its manifest is that of '{}'", package.manifest.about.name);
        }
    } catch (const RunError& error) {
        package.problem = error.what();
    }
    return package;
}

bool is_rest(const std::string& name) {
    return name.ends_with(".new") || name.ends_with(".old");
}

}  // namespace

std::vector<schema::Field> Origin::fields() {
    return {{.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "signed_by", .into = &signed_by, .is_required = true},
            {.name = "source", .into = &source, .is_required = true},
            {.name = "libraries", .into = &libraries, .is_required = true}};
}

std::vector<Library> InstalledPackage::libraries() const {
    std::vector<Library> taken;
    std::ranges::copy_if(
        manifest.libraries, std::back_inserter(taken), [&](const Library& library) {
            return std::ranges::find(origin.libraries, library.path) != origin.libraries.end();
        });
    return taken;
}

fs::path InstalledPackage::file_of(const Library& library) const {
    return folder / plugin::kPackagePlugins / (library.plugin + ".so");
}

std::vector<InstalledPackage> Store::list() const {
    std::vector<InstalledPackage> found;
    std::error_code error;
    if (packages_.empty() || !fs::exists(packages_, error)) {
        return found;
    }
    for (const fs::directory_entry& entry : entries_of(packages_)) {
        if (is_package_name(entry.path().filename().string()) && entry.is_directory(error)) {
            found.push_back(read_installed(entry.path()));
        }
    }
    std::ranges::sort(found, {}, &InstalledPackage::name);
    return found;
}

std::optional<InstalledPackage> Store::find(std::string_view name) const {
    std::error_code error;
    const fs::path folder = packages_ / name;
    return is_package_name(name) && fs::is_directory(folder, error)
               ? std::optional(read_installed(folder))
               : std::nullopt;
}

StoreChange::StoreChange(const Store& store) : packages_(store.packages()) {
    std::error_code error;
    fs::create_directories(packages_, error);
    if (packages_.empty() || error) {
        refuse(kTrainingError,
               {fmt::format("cannot make the folder of packages '{}': {}", packages_.string(),
                            packages_.empty() ? "HOME is not set" : error.message()),
                "name a folder that you can write: --into FOLDER"});
    }
    const fs::path lock = packages_ / kStoreLock;
    lock_ = Descriptor(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock_.is_open()) {
        refuse(kTrainingError, {fmt::format("cannot write {}: {}", lock.string(),
                                            std::generic_category().message(errno)),
                                "name a folder that you can write: --into FOLDER"});
    }
    while (flock(lock_.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            refuse(kTrainingError, {fmt::format("cannot lock {}: {}", lock.string(),
                                                std::generic_category().message(errno))});
        }
    }
    clear_rests();
    staging_.emplace(packages_ / kStaging);
    fs::create_directory(packages_ / kStaging, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot write {}: {}", staging().string(), error.message())});
    }
}

void StoreChange::clear_rests() const {
    const auto is_whole = [](const fs::path& folder) {
        std::error_code error;
        return fs::exists(folder / kInstalledFile, error);
    };
    for (const fs::directory_entry& entry : entries_of(packages_)) {
        const std::string name = entry.path().filename().string();
        std::error_code ignored;
        if (is_rest(name)) {
            recover_folder(packages_ / entry.path().stem(), is_whole);
            fs::remove_all(entry.path(), ignored);
        } else if (name == kStaging) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

void StoreChange::put(const std::string& name,
                      const std::function<void(const fs::path&)>& write) const {
    replace_folder(packages_ / name, write);
}

void StoreChange::remove(const std::string& name) const {
    // Its manifest goes first, so that a kill leaves a rest that is not taken for a whole package.
    const fs::path old = retire_folder(packages_ / name);
    std::error_code error;
    fs::remove(old / kInstalledFile, error);
    fs::remove_all(old, error);
    if (error) {
        refuse(kTrainingError,
               {fmt::format("cannot remove {}: {}", old.string(), error.message())});
    }
    sync_folder(packages_);
}

void write_origin(const fs::path& folder, Origin origin) {
    OutputFile file = OutputFile::create(folder / kInstalledFile);
    file.write(to_toml(schema::write_fields(origin.fields())));
    file.finish();
}

}  // namespace ptp::pack
