// Fetches, checks and unpacks a package.

#include "ptp-pack/plan.hpp"

#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// A folder of its own for each, because several may have one name.
fs::path new_place(const fs::path& staging) {
    for (int i = 0;; ++i) {
        const fs::path folder = staging / std::to_string(i);
        std::error_code error;
        if (fs::create_directory(folder, error)) {
            return folder / "package.ptpkg";
        }
        if (error) {
            refuse(kTrainingError,
                   {fmt::format("cannot make {}: {}", folder.string(), error.message())});
        }
    }
}

// The manifest must be the one that the plan was made with.
void check_promised(const Candidate& candidate, const PackageManifest& manifest) {
    const About& promised = candidate.about;
    const About& about = manifest.about;
    const auto is_same = [](const auto& left, const auto& right) {
        return left.key == right.key && left.value == right.value;
    };
    if (about.name != promised.name || about.version != promised.version ||
        !std::ranges::equal(about.dependencies, promised.dependencies, is_same) ||
        manifest.libraries != candidate.libraries) {
        refuse(kDataError,
               {fmt::format("{}: is {} {}, and differs from what the index has of {} {}",
                            candidate.source, about.name, about.version, promised.name,
                            promised.version),
                "ask who publishes the repository to publish again"});
    }
}

// The folders of a package's folder, so that a loss of power leaves none of them empty.
void sync_below(const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (it->is_directory(error)) {
            sync_folder(it->path());
        }
    }
}

void fill_package_folder(const Candidate& candidate, const fs::path& folder) {
    PackageFile package(candidate.file, candidate.source);
    const std::string shown = fmt::format("{} {}", candidate.about.name, candidate.about.version);
    const std::vector<Library> chosen = choose_libraries(candidate.libraries, shown);
    const fs::path plugins = folder / plugin::kPackagePlugins;
    const auto place_in = [&](const PackedFile& file) -> std::optional<fs::path> {
        const auto place = installed_path(file.path, candidate.libraries, chosen);
        return place ? std::optional(folder / *place) : std::nullopt;
    };
    package.unpack(place_in);
    Origin origin{.sha256 = candidate.sha256,
                  .signed_by = candidate.signed_by,
                  .source = candidate.source,
                  .libraries = {}};
    for (const Library& library : chosen) {
        check_unpacked(plugins / (library.plugin + ".so"), library, shown);
        origin.libraries.push_back(library.path);
    }
    OutputFile manifest = OutputFile::create(folder / kManifestFile);
    manifest.write(package.manifest_text());
    manifest.finish();
    sync_below(folder);
    write_origin(folder, origin);
}

}  // namespace

void acquire(Candidate& candidate, const Access& access, const fs::path& staging) {
    const bool is_promised = !candidate.sha256.empty();
    const fs::path file = new_place(staging);
    const auto max_bytes =
        is_promised ? static_cast<std::uint64_t>(candidate.size) : kMaxPackageBytes;
    if (fetch(candidate.source, file, max_bytes) == Fetched::kMissing) {
        refuse(kDataError, {fmt::format("{}: there is no such package", candidate.source)});
    }
    const std::string hash = sha256_of_file(file);
    if (is_promised && hash != candidate.sha256) {
        refuse_other_file(candidate.source);
    }
    candidate.signed_by = check_signature({candidate.source, hash_of_file(file),
                                           fetch_signature(candidate.source, file)},
                                          access.keys, access.unsigned_files)
                              .key;
    candidate.sha256 = hash;
    candidate.file = file;
    const PackageFile package(file, candidate.source);
    if (is_promised) {
        check_promised(candidate, package.manifest());
    } else {
        candidate.about = package.manifest().about;
        candidate.libraries = package.manifest().libraries;
    }
}

void install(const Candidate& candidate, const StoreChange& change) {
    change.put(candidate.about.name,
               [&](const fs::path& folder) { fill_package_folder(candidate, folder); });
}

}  // namespace ptp::pack
