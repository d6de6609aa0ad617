// The installed packages, and changes of them, which survive a kill at any moment.

#include "ptp-pack/store.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/replace_folder.hpp"
#include "base/toml_writer.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sstream>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStoreLock = ".lock";
constexpr std::string_view kStaging = ".staging-";

InstalledPackage read_installed(const fs::path& folder) {
    InstalledPackage package{.name = folder.filename().string(), .folder = folder};
    try {
        const fs::path file = folder / kManifestFile;
        const fs::path origin = folder / kInstalledFile;
        package.manifest = read_package_manifest(read_text(file), file.string());
        read_document(read_text(origin), origin.string(), kDataError, [&](const auto& scope) {
            schema::read_all_fields(scope, package.origin.fields());
        });
        if (package.manifest.about.name != package.name) {
            package.problem =
                fmt::format("its manifest is that of '{}'", package.manifest.about.name);
        }
    } catch (const RunError& error) {
        package.problem = error.what();
    }
    return package;
}

constexpr const char* kRestEndings[] = {".new", ".old"};

bool is_leftover(const fs::path& entry) {
    return contains(kRestEndings, entry.extension().string()) &&
           is_package_name(entry.stem().string());
}

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

// Returns whether this program has created the folder, rather than the user.
bool is_of_package(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) &&
           (is_there(folder / kManifestFile) || is_there(folder / kInstalledFile));
}

[[noreturn]] void refuse_foreign(const fs::path& path, const std::string& package) {
    refuse(kPluginError,
           {fmt::format("{}: is not of a package, and is where '{}' goes", path.string(), package),
            "move it to another place"});
}

// Returns the changes since the last cleanup: names of packages, and of folders for staging.
std::vector<std::string> begun_changes(const fs::path& lock) {
    std::vector<std::string> names;
    std::istringstream lines(read_text(lock));
    for (std::string line; std::getline(lines, line);) {
        names.push_back(line);
    }
    return names;
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
        manifest.libraries, std::back_inserter(taken),
        [&](const Library& library) { return contains(origin.libraries, library.path); });
    return taken;
}

fs::path InstalledPackage::file_of(const Library& library) const {
    return folder / plugin::kPackagePlugins / (library.plugin + ".so");
}

std::vector<InstalledPackage> Store::list() const {
    std::vector<InstalledPackage> found;
    if (packages_.empty() || is_absent(packages_)) {
        return found;
    }
    for (const fs::directory_entry& entry : entries_of(packages_)) {
        if (is_package_name(entry.path().filename().string()) && is_of_package(entry.path())) {
            found.push_back(read_installed(entry.path()));
        }
    }
    std::ranges::sort(found, {}, &InstalledPackage::name);
    return found;
}

std::optional<InstalledPackage> Store::find(std::string_view name) const {
    const fs::path folder = packages_ / name;
    return !packages_.empty() && is_package_name(name) && is_of_package(folder)
               ? std::optional(read_installed(folder))
               : std::nullopt;
}

// Refuses by the reason of the last call of the system.
void StoreChange::refuse_lock(const char* what) const {
    const int reason = errno;
    refuse(kTrainingError, {fmt::format("cannot {} {}: {}", what, (packages_ / kStoreLock).string(),
                                        std::generic_category().message(reason)),
                            "name a folder that you can write: --into FOLDER"});
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
    lock_ = Descriptor(open((packages_ / kStoreLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock_.is_open()) {
        refuse_lock("write");
    }
    while (flock(lock_.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            refuse_lock("lock");
        }
    }
    clear_rests();
    make_staging();
}

void StoreChange::make_staging() {
    std::random_device random;
    const std::string name = fmt::format("{}{:08x}{:08x}", kStaging, random(), random());
    record(name);
    const fs::path folder = packages_ / name;
    std::error_code error;
    if (!fs::create_directory(folder, error)) {
        refuse(kTrainingError, {fmt::format("cannot write {}: {}", folder.string(),
                                            error ? error.message() : "it is there already")});
    }
    staging_.emplace(folder);
}

void StoreChange::clear_rests() const {
    const std::vector<std::string> begun = begun_changes(packages_ / kStoreLock);
    const auto is_begun = [&](const fs::path& name) { return contains(begun, name.string()); };
    bool is_clear = true;
    for (const fs::directory_entry& entry : entries_of(packages_)) {
        const fs::path name = entry.path().filename();
        std::error_code error;
        if (name.string().starts_with(kStaging) && is_begun(name)) {
            fs::remove_all(entry.path(), error);
            is_clear = is_clear && !error;
        } else if (is_leftover(name) && entry.is_directory(error) && !entry.is_symlink(error) &&
                   (is_of_package(entry.path()) || is_begun(name.stem()))) {
            recover_folder(packages_ / name.stem(), [](const fs::path& folder) {
                return is_there(folder / kInstalledFile);
            });
            fs::remove_all(entry.path(), error);
            is_clear = is_clear && !error;
        }
    }
    if (is_clear && !begun.empty() && ftruncate(lock_.get(), 0) != 0) {
        refuse_lock("write");
    }
}

void StoreChange::check_place(const std::string& name) const {
    const fs::path folder = packages_ / name;
    if (is_there(folder) && !is_of_package(folder)) {
        refuse_foreign(folder, name);
    }
    for (const char* ending : kRestEndings) {
        if (const fs::path rest = folder.string() + ending; is_there(rest)) {
            refuse_foreign(rest, name);
        }
    }
}

void StoreChange::record(const std::string& name) const {
    const std::string line = name + '\n';
    if (lseek(lock_.get(), 0, SEEK_END) < 0 ||
        write(lock_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
        fsync(lock_.get()) != 0) {
        refuse_lock("write");
    }
}

void StoreChange::put(const std::string& name,
                      const std::function<void(const fs::path&)>& write) const {
    check_place(name);
    record(name);
    replace_folder(packages_ / name, write);
}

void StoreChange::remove(const std::string& name) const {
    check_place(name);
    record(name);
    // The manifest is removed first, so that a kill leaves a folder that is not taken for a whole
    // package.
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
