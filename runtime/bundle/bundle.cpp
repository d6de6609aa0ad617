// Writes bundles, and reads them: their layout first, then what is in their files.

#include "bundle/bundle.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/partial_file.hpp"
#include "base/sha256.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::bundle {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

bool is_text(std::string_view path) {
    return path != weights_path() && path != kOnnxFile && !is_in_builds(path) &&
           !path.starts_with(std::string(kFilesFolder) + "/");
}

// Calls take(piece) for a part of a file. Throws FileError, also where it has fewer bytes.
template <class Take>
void for_each_piece(const InputFile& file, std::uint64_t begin, std::uint64_t size,
                    const Take& take) {
    for (std::uint64_t done = 0; done < size; done += kPiece) {
        const std::string piece = file.read(begin + done, std::min(kPiece, size - done));
        if (piece.empty()) {
            throw UnfinishedFile("became shorter while it was read");
        }
        take(std::string_view(piece));
    }
}

// Calls take(piece) for all of a content. Throws RunError.
template <class Take>
void for_each_piece(const Content& content, const Take& take) {
    if (content.file.empty()) {
        take(std::string_view(content.text));
        return;
    }
    try {
        const InputFile file(content.file);
        for_each_piece(file, 0, file.size(), take);
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
    PartialFile made(file);
    OutputFile out = made.open_to_write();
    write_members(out, manifest, contents);
    out.finish();
    static_cast<void>(BundleFile(made.path()));  // the reader refuses what it would refuse later
    made.finish();
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
        manifest_text_ = InputFile(path_).read(members_.front().offset, members_.front().size);
        manifest_ = read_bundle_manifest(manifest_text_, path_.string() + "/" + kManifestFile);
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
        if (is_text(found.path) && found.size > kMaxTextBytes) {
            damaged(fmt::format("its {} has more than 64 MiB", found.path));
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

void BundleFile::read_pieces(const PackedFile& file, const Take& take) const {
    const ArchivedFile& place = member(file.path);
    Sha256 hash;
    try {
        for_each_piece(InputFile(path_), place.offset, place.size, [&](std::string_view piece) {
            hash.add(piece);
            take(piece);
        });
    } catch (const FileError& error) {
        damaged(error.what());
    }
    if (hash.digits() != file.sha256) {
        damaged(
            fmt::format("'{}' is not what {} declares: it was changed", file.path, kManifestFile));
    }
}

std::string BundleFile::read(std::string_view file) const {
    const auto declared = std::ranges::find(manifest_.files, file, &PackedFile::path);
    if (declared == manifest_.files.end()) {
        damaged(fmt::format("has no {}", file));
    }
    std::string text;
    read_pieces(*declared, [&](std::string_view piece) { text += piece; });
    return text;
}

void BundleFile::check() const {
    for (const PackedFile& file : manifest_.files) {
        read_pieces(file, [](std::string_view) {});
    }
}

}  // namespace ptp::bundle
