#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/entry_path.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

std::string files_text(std::size_t count) {
    return fmt::format("{} {}", count, count == 1 ? "file" : "files");
}

void verify_file(const std::string& file, const TrustedKeys& keys, Unsigned unsigned_files) {
    SignedBy by =
        check_signature({file, hash_of_file(file), file + kSignatureEnding}, keys, unsigned_files);
    std::string content;
    if (fs::path(file).extension() == ".ptpkg") {
        PackageFile package(file, file);
        by = within_limits(by, {file, fs::absolute(file).string(), package.manifest().about.name},
                           keys, unsigned_files);
        package.unpack([](const PackedFile&) { return std::nullopt; });
        content = fmt::format(": {} {}, {}", package.manifest().about.name,
                              package.manifest().about.version,
                              files_text(package.manifest().files.size()));
    }
    fmt::print("{}: {}{}\n", file,
               by.key.empty()
                   ? "unsigned"
                   : fmt::format("signed with the key {} ({})", by.key, by.trusted_comment),
               content);
}

// All but folders, in order.
std::set<fs::path> files_below(const fs::path& folder) {
    std::set<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (it->is_symlink() || !it->is_directory()) {
            files.insert(it->path());
        }
    }
    if (error) {
        refuse(kDataError, {fmt::format("cannot read {}: {}", folder.string(), error.message())});
    }
    return files;
}

// The files of an installed package against its manifest.
void verify_installed(const InstalledPackage& package) {
    const auto damaged = [&](const fs::path& file, const char* what) {
        refuse(kDataError,
               {fmt::format("{}: {}", file.string(), what),
                fmt::format("ptp-pack remove {0}, and install it again", package.name)});
    };
    if (!package.problem.empty()) {
        throw RunError(kDataError, package.problem);
    }
    std::set<fs::path> known = {package.folder / kManifestFile, package.folder / kInstalledFile};
    for (const PackedFile& packed : package.manifest.files) {
        const auto place =
            installed_path(packed.path, package.manifest.libraries, package.libraries());
        if (!place) {
            continue;
        }
        const fs::path file = package.folder / *place;
        std::error_code error;
        if (!fs::is_regular_file(file, error) || fs::is_symlink(file, error)) {
            damaged(file, "is missing");
        }
        if (sha256(read_text(file)) != packed.sha256) {
            damaged(file, "was changed after it was installed");
        }
        known.insert(file);
    }
    for (const fs::path& file : files_below(package.folder)) {
        if (!known.contains(file)) {
            damaged(file, "is not of the package: it was added after it was installed");
        }
    }
    constexpr std::size_t kOwnFiles = 2;  // that no manifest has
    fmt::print("{} {}: {} as installed, {}\n", package.name, package.manifest.about.version,
               files_text(known.size() - kOwnFiles), signed_text(package.origin.signed_by));
}

int run_verify(const Given& given) {
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const Store store = chosen_store(given, folders);
    for (const std::string& name : given.operands()) {
        std::error_code error;
        const bool is_name = name.find_first_of("./") == std::string::npos;
        if (!is_name || (fs::exists(name, error) && !fs::is_directory(name, error))) {
            verify_file(name, keys, chosen_strictness(given));
        } else if (const auto package = store.find(name)) {
            verify_installed(*package);
        } else {
            refuse_not_installed(name, store.list());
        }
    }
    return kDone;
}

}  // namespace

Command verify_command() {
    return {.name = "verify",
            .summary = "checks signatures, and contents of packages",
            .details =
                "Of any file it checks FILE.minisig; of a package also that its content is what "
                "its\nmanifest declares; of an installed package that no file of it was "
                "changed,\nand none added.\n",
            .operands = {{.name = "FILE|NAME",
                          .what = "a file or an installed package",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = tools::concat({trust_options(), store_options()}),
            .example = "ptp-pack verify my_losses-1.2.0-linux-x86_64.ptpkg",
            .run = run_verify};
}

}  // namespace ptp::pack
