// Writes bundles, and reads them: their layout first, then what is in their files.

#include "bundle/bundle.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

namespace ptp::bundle {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

// Calls take(piece) for all of a content. Throws RunError.
template <class Take>
void for_each_piece(const Content& content, const Take& take) {
    if (content.file.empty()) {
        take(std::string_view(content.text));
        return;
    }
    try {
        const InputFile file(content.file);
        for (std::uint64_t done = 0; done < file.size(); done += kPiece) {
            take(std::string_view(file.read(done, kPiece)));
        }
    } catch (const FileError& error) {
        throw RunError(kDataError, fmt::format("{}: {}", content.file.string(), error.what()));
    }
}

PackedFile packed(const std::string& path, const Content& content) {
    PackedFile file{.path = path, .sha256 = {}, .size = 0};
    Sha256 hash;
    for_each_piece(content, [&](std::string_view piece) {
        hash.add(piece);
        file.size += static_cast<std::int64_t>(piece.size());
    });
    file.sha256 = hash.digits();
    return file;
}

void require_packable(const PackedFile& file) {
    if (static_cast<std::uint64_t>(file.size) > kMaxTarFile) {
        throw RunError(kDataError, fmt::format("'{}' has more than 8 GiB, the most that a file of "
                                               "a bundle may have",
                                               file.path));
    }
}

void write_members(OutputFile& out, const BundleManifest& manifest,
                   const std::map<std::string, Content>& contents) {
    const std::string text = text_of(manifest);
    out.write(tar_header(kManifestFile, text.size()) + text + tar_padding(text.size()));
    for (const PackedFile& file : manifest.files) {
        const auto size = static_cast<std::uint64_t>(file.size);
        out.write(tar_header(file.path, size));
        Sha256 hash;
        for_each_piece(contents.at(file.path), [&](std::string_view piece) {
            hash.add(piece);
            out.write(piece);
        });
        out.write(tar_padding(size));
        if (hash.digits() != file.sha256) {
            throw RunError(kDataError,
                           fmt::format("{}: has changed while it was packed; try again when "
                                       "nothing writes to it",
                                       contents.at(file.path).file.string()));
        }
    }
    out.write(tar_end());
}

}  // namespace

void write_bundle(const fs::path& file, BundleManifest manifest,
                  const std::map<std::string, Content>& contents) {
    manifest.files.clear();
    for (const auto& [path, content] : contents) {
        manifest.files.push_back(packed(path, content));
        require_packable(manifest.files.back());
    }
    std::ranges::stable_partition(manifest.files,
                                  [](const PackedFile& one) { return one.path != weights_path(); });
    const TemporaryPath made(fmt::format("{}.new-{}", file.string(), ::getpid()));
    std::error_code error;
    fs::remove(made.path(), error);
    OutputFile out = OutputFile::create(made.path());
    write_members(out, manifest, contents);
    out.finish();
    static_cast<void>(BundleFile(made.path()));  // the reader refuses what it would refuse later
    fs::rename(made.path(), file, error);
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", file.string(), error.message()));
    }
    sync_folder(fs::absolute(file).parent_path());
}

BundleFile::BundleFile(fs::path path) : path_(std::move(path)) {
    try {
        members_ = tar_members(path_, experiment::kMaxBundleFiles);
        if (members_.empty() || members_.front().path != kManifestFile) {
            damaged(fmt::format("is not a bundle: {} is not its first file", kManifestFile));
        }
        if (members_.front().size > kMaxManifestBytes) {
            damaged(fmt::format("its {} has more than 4 MiB", kManifestFile));
        }
        const std::string text =
            InputFile(path_).read(members_.front().offset, members_.front().size);
        manifest_ = read_bundle_manifest(text, path_.string() + "/" + kManifestFile);
    } catch (const ResourceError& error) {
        throw RunError(kTrainingError, fmt::format("{}: {}", path_.string(), error.what()));
    } catch (const UnreadableFile& error) {
        throw RunError(kDataError, fmt::format("{}: {}", path_.string(), error.what()));
    } catch (const FileError& error) {
        damaged(fmt::format("is not a bundle, or is damaged: {}", error.what()));
    }
    check_layout();
}

void BundleFile::damaged(const std::string& why) const {
    throw RunError(kDataError, fmt::format("{}: {}", path_.string(), why));
}

void BundleFile::check_layout() const {
    if (members_.size() != manifest_.files.size() + 1) {
        damaged(fmt::format("has {} files, and its manifest lists {}", members_.size() - 1,
                            manifest_.files.size()));
    }
    for (std::size_t i = 0; i < manifest_.files.size(); ++i) {
        const PackedFile& declared = manifest_.files[i];
        const ArchivedFile& found = members_[i + 1];
        if (found.path != declared.path ||
            found.size != static_cast<std::uint64_t>(declared.size)) {
            damaged(fmt::format("'{}' is not where {} declares it: it was changed", declared.path,
                                kManifestFile));
        }
    }
}

bool BundleFile::has(std::string_view file) const {
    return std::ranges::find(manifest_.files, file, &PackedFile::path) != manifest_.files.end();
}

const ArchivedFile& BundleFile::member(std::string_view file) const {
    const auto found = std::ranges::find(members_, file, &ArchivedFile::path);
    if (found == members_.end()) {
        damaged(fmt::format("has no {}", file));
    }
    return *found;
}

std::string BundleFile::read(std::string_view file) const {
    const ArchivedFile& place = member(file);
    try {
        std::string text = InputFile(path_).read(place.offset, place.size);
        const auto declared = std::ranges::find(manifest_.files, file, &PackedFile::path);
        if (declared == manifest_.files.end() || sha256(text) != declared->sha256) {
            damaged(
                fmt::format("'{}' is not what {} declares: it was changed", file, kManifestFile));
        }
        return text;
    } catch (const FileError& error) {
        damaged(error.what());
    }
}

void BundleFile::check() const {
    for (const PackedFile& file : manifest_.files) {
        const ArchivedFile& place = member(file.path);
        std::string found;
        try {
            found = sha256_of_part(path_, place.offset, place.size);
        } catch (const FileError& error) {
            damaged(error.what());
        }
        if (found != file.sha256) {
            damaged(fmt::format("'{}' is not what {} declares: it was changed", file.path,
                                kManifestFile));
        }
    }
}

void BundleFile::lay_out(const fs::path& folder) const {
    std::error_code error;
    const auto require = [&](const fs::path& made) {
        if (error) {
            throw RunError(kTrainingError,
                           fmt::format("cannot make {}: {}", made.string(), error.message()));
        }
    };
    const auto write = [&](const fs::path& place, const std::string& text) {
        fs::create_directories(place.parent_path(), error);
        require(place.parent_path());
        std::ofstream out(place, std::ios::binary);  // not flushed to the disk: it is temporary
        out << text;
        if (!out.flush()) {
            error = std::make_error_code(std::errc::no_space_on_device);
            require(place);
        }
    };
    for (const PackedFile& file : manifest_.files) {
        if (file.path != weights_path()) {
            write(folder / file.path, read(file.path));
        }
    }
    const fs::path checkpoint = fs::path(folder / weights_path()).parent_path();
    fs::create_symlink(fs::absolute(path_), folder / weights_path(), error);
    require(folder / weights_path());
    fs::create_directory_symlink(checkpoint.filename(),
                                 checkpoint.parent_path() / run::kLastCheckpoint, error);
    require(checkpoint);
    write(folder / kLaidOutManifest, text_of(manifest_));
}

OpenedBundle::OpenedBundle(const fs::path& path)
    : file_(path), folder_(TemporaryPath::new_folder()) {
    file_.lay_out(folder_.path());
}

bool is_laid_out(const fs::path& folder) {
    std::error_code ignored;  // a folder that cannot be looked at was not made here
    return fs::is_regular_file(folder / kLaidOutManifest, ignored);
}

}  // namespace ptp::bundle
