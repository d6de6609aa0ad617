// Writes a bundle into a folder that is used as that of a run, and finds the bundle of a folder.

#include "bundle/bundle.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/temporary_folders.hpp"
#include "base/toml_reader.hpp"
#include "experiment/load/load.hpp"
#include "run/paths.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <system_error>
#include <utility>

namespace ptp::bundle {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_make(const fs::path& made, const std::error_code& error) {
    throw RunError(kTrainingError,
                   fmt::format("cannot make {}: {}", made.string(), error.message()));
}

void make_folders(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        cannot_make(folder, error);
    }
}

}  // namespace

// The experiment of a bundle has written out what `include`, `vars` and `group` mean, so that its
// pipeline is what is read there, and its parameters are all that may be set.
void BundleFile::check_experiment() const {
    const std::string name = path_.string() + "/" + run::kExperimentFile;
    Diagnostics problems;
    const auto tree = read_toml(read(run::kExperimentFile), name, problems);
    if (!tree) {
        throw RunError(kDataError, problems.text());
    }
    std::vector<std::string> refused = {"plugins"};
    for (const schema::Key& key : experiment::loading_keys()) {
        refused.push_back(key.name);
    }
    for (const Member& member : tree->members()) {
        if (contains(refused, member.key)) {
            problems.error(member.key_place, member.key,
                           "the experiment of a bundle has no such key");
        }
    }
    const Value* const pipeline = tree->find("pipeline");
    for (const Member& member : pipeline != nullptr && pipeline->is_table()
                                    ? pipeline->members()
                                    : std::vector<Member>()) {
        if (const Value* const use = member.value.find("use")) {
            problems.error(*use, schema::below("pipeline." + member.key, "use"),
                           "the experiment of a bundle has no groups");
        }
    }
    if (!problems.ok()) {
        throw RunError(kDataError, problems.text());
    }
}

void BundleFile::write(const PackedFile& file, const fs::path& place) const {
    make_folders(place.parent_path());
    // Not flushed to the disk: it is temporary.
    OutputFile out = OutputFile::create(place);
    read_pieces(file, [&](std::string_view piece) { out.write(piece); });
}

void BundleFile::write_builds(const fs::path& folder) const {
    for (const PackedFile& file : manifest_.files) {
        if (is_in_builds(file.path)) {
            write(file, folder / fs::path(file.path).lexically_relative(kBuildsFolder));
        }
    }
}

void BundleFile::lay_out(const fs::path& folder) const {
    check_experiment();
    std::error_code error;
    const auto require = [&](const fs::path& made) {
        if (error) {
            cannot_make(made, error);
        }
    };
    for (const PackedFile& file : manifest_.files) {
        // ONNX is for other programs, and large.
        if (file.path != kOnnxFile && file.path != weights_path() && !is_in_builds(file.path)) {
            write(file, folder / file.path);
        }
    }
    make_folders((folder / weights_path()).parent_path());
    const fs::path checkpoint = fs::path(folder / weights_path()).parent_path();
    fs::create_symlink(fs::absolute(path_), folder / weights_path(), error);
    require(folder / weights_path());
    fs::create_directory_symlink(checkpoint.filename(),
                                 checkpoint.parent_path() / run::kLastCheckpoint, error);
    require(checkpoint);
    OutputFile::create(folder / kLaidOutManifest).write(text_of(manifest_));
}

OpenedBundle::OpenedBundle(const fs::path& path)
    : file_(path), folder_(TemporaryPath::new_folder()), process_(::getpid()) {
    file_.lay_out(folder_.path());
}

OpenedBundle::~OpenedBundle() {
    if (process_ != ::getpid()) {
        folder_.keep();
    }
}

std::string with_bundles_named(std::string text) {
    std::error_code error;  // without a folder for temporary files none is laid out
    const fs::path parent = fs::temp_directory_path(error);
    const std::string pattern = (parent / temporary_folder_pattern(parent)).string();
    const std::string begin = pattern.substr(0, pattern.find_last_not_of('X') + 1);
    for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
        const fs::path folder = text.substr(at, pattern.size());
        const fs::path file = fs::read_symlink(folder / weights_path(), error);
        if (!error && is_laid_out(folder)) {
            text.replace(at, pattern.size(), file.string());
        }
    }
    return text;
}

void leave_out_samples(const fs::path& folder) {
    std::error_code error;
    fs::remove(folder / kSamplesFile, error);
    if (error) {
        throw RunError(
            kTrainingError,
            fmt::format("cannot remove {}: {}", (folder / kSamplesFile).string(), error.message()));
    }
}

bool is_laid_out(const fs::path& folder) {
    std::error_code ignored;  // a folder that cannot be looked at was not made here
    return fs::is_regular_file(folder / kLaidOutManifest, ignored);
}

std::optional<LaidOutBundle> laid_out_bundle(const fs::path& folder) {
    if (!is_laid_out(folder)) {
        return std::nullopt;
    }
    const fs::path manifest = folder / kLaidOutManifest;
    std::error_code error;
    fs::path file = fs::read_symlink(folder / weights_path(), error);
    if (error) {
        throw RunError(kDataError,
                       fmt::format("{}: is no link to a bundle: {}",
                                   (folder / weights_path()).string(), error.message()));
    }
    return LaidOutBundle{std::move(file),
                         read_bundle_manifest(read_text(manifest), manifest.string())};
}

}  // namespace ptp::bundle
