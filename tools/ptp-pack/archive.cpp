// Reads and writes the file of a package. A package that is read may be hostile.

#include "ptp-pack/archive.hpp"

#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

std::string_view type_text(archive_entry* entry) {
    if (archive_entry_hardlink(entry) != nullptr) {
        return "a hard link";
    }
    switch (archive_entry_filetype(entry)) {
        case AE_IFLNK:
            return "a symbolic link";
        case AE_IFDIR:
            return "a folder";
        case AE_IFCHR:
        case AE_IFBLK:
            return "a device";
        case AE_IFIFO:
            return "a named pipe";
        case AE_IFSOCK:
            return "a socket";
        default:
            return "not a file";
    }
}

// Replaces control characters, because a terminal shows the message.
std::string printable(std::string_view text) {
    constexpr std::size_t kMaxShown = 100;
    std::string shown(text.substr(0, kMaxShown));
    std::ranges::replace_if(
        shown, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return shown;
}

class ArchiveWriter {
public:
    explicit ArchiveWriter(const fs::path& path)
        : file_(OutputFile::create(path)), writer_(archive_write_new(), archive_write_free) {
        require(archive_write_set_format_pax_restricted(writer_.get()));
        require(archive_write_add_filter_zstd(writer_.get()));
        require(archive_write_set_options(writer_.get(), "zstd:compression-level=15"));
        require(archive_write_set_bytes_in_last_block(writer_.get(), 1));
        require(archive_write_open_filename(writer_.get(), path.c_str()));
    }

    void add(const std::string& path, std::string_view content) {
        constexpr int kReadable = 0644;
        const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                             archive_entry_free);
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), kReadable);
        archive_entry_set_mtime(entry.get(), 0, 0);
        require(archive_write_header(writer_.get(), entry.get()));
        const la_ssize_t written =
            archive_write_data(writer_.get(), content.data(), content.size());
        if (written != static_cast<la_ssize_t>(content.size())) {
            fail();
        }
    }

    void finish() {
        require(archive_write_close(writer_.get()));
        file_.finish();
    }

private:
    void require(int status) {
        if (status != ARCHIVE_OK) {
            fail();
        }
    }

    [[noreturn]] void fail() {
        file_.refuse({archive_errno(writer_.get()), std::generic_category()});
    }

    OutputFile file_;
    std::unique_ptr<archive, int (*)(archive*)> writer_;
};

void write_to(const fs::path& path, const PackageManifest& manifest,
              const std::map<std::string, fs::path>& contents) {
    ArchiveWriter writer(path);
    writer.add(kManifestFile, text_of(manifest));
    for (const PackedFile& file : manifest.files) {
        const fs::path& source = contents.at(file.path);
        const std::string content = read_text(source);
        if (sha256(content) != file.sha256) {
            refuse(kDataError, {fmt::format("{}: has changed while it was packed", source.string()),
                                "try again when nothing writes to it"});
        }
        writer.add(file.path, content);
    }
    writer.finish();
}

// Rejects what ptp-pack install would reject, by the same limits.
void require_readable(const fs::path& made, const std::string& shown) {
    try {
        const PackageFile package(made, shown);
    } catch (const RunError& error) {
        refuse(kDataError, {error.what(), kSmallerPackage});
    }
}

}  // namespace

std::string refuse_sizes(const PackageManifest& manifest, std::uint64_t package_bytes) {
    const std::uint64_t most =
        std::min(kMaxUnpackedBytes, kFreeBytes + kMaxUnpackedRatio * package_bytes);
    if (manifest.files.size() > kMaxPackedFiles) {
        return fmt::format("has {} files, more than {}", manifest.files.size(), kMaxPackedFiles);
    }
    std::uint64_t sum = 0;
    for (const PackedFile& file : manifest.files) {
        sum += std::min(static_cast<std::uint64_t>(file.size), kMaxUnpackedBytes + 1);
        if (sum > most) {
            return fmt::format(
                "would unpack to more than {} bytes, which is too much for a package of {} bytes",
                most, package_bytes);
        }
    }
    return "";
}

PackageFile::PackageFile(const fs::path& path, std::string shown)
    : shown_(std::move(shown)),
      archive_(archive_read_new(), archive_read_free),
      buffer_(kPieceBytes) {
    const OpenedFile opened = open_regular(path);
    if (!opened.descriptor.is_open()) {
        refuse(code_for_unreadable(opened.reason),
               {fmt::format("cannot read {}: {}", shown_, opened.problem())});
    }
    size_ = opened.size;
    if (size_ > kMaxPackageBytes) {
        damaged("has more than 2 GiB");
    }
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_tar(archive_.get());
    if (archive_read_open_filename(archive_.get(), path.c_str(), kPieceBytes) != ARCHIVE_OK) {
        damaged("is not a package, or is damaged: it cannot be read as a tar archive with zstd");
    }
    // Nested compression could take hours to read.
    if (archive_filter_count(archive_.get()) != 2 ||
        archive_filter_code(archive_.get(), 0) != ARCHIVE_FILTER_ZSTD) {
        damaged("is not a package, or is damaged: it cannot be read as a tar archive with zstd");
    }
    read_manifest();
}

PackageFile::~PackageFile() = default;

void PackageFile::damaged(const std::string& why) const {
    refuse(kDataError, {fmt::format("{}: {}", shown_, why)});
}

bool PackageFile::next(std::string& path, std::int64_t& size) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    if (status == ARCHIVE_EOF) {
        return false;
    }
    if (status != ARCHIVE_OK) {
        const char* const why = archive_error_string(archive_.get());
        damaged(fmt::format("is not a package, or is damaged: {}",
                            why == nullptr ? "it cannot be read" : printable(why)));
    }
    const char* const name = archive_entry_pathname(entry);
    path = name == nullptr ? "" : name;
    const std::string shown = printable(path);
    if (const std::string why = refuse_path(path); !why.empty()) {
        damaged(fmt::format("the path '{}' {}", shown, why));
    }
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
        damaged(
            fmt::format("'{}' is {}: a package has regular files only", shown, type_text(entry)));
    }
    if (archive_entry_sparse_count(entry) > 0) {
        damaged(fmt::format("'{}' is a file with holes: a package has regular files only", shown));
    }
    size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : -1;
    return true;
}

std::string_view PackageFile::read_piece() {
    const la_ssize_t count = archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
    if (count < 0) {
        damaged("is damaged, or cut off");
    }
    return {buffer_.data(), static_cast<std::size_t>(count)};
}

void PackageFile::read_manifest() {
    std::string path;
    std::int64_t size = 0;
    if (!next(path, size) || path != kManifestFile) {
        damaged(fmt::format("is not a package: {} is not its first file", kManifestFile));
    }
    for (std::string_view piece = read_piece(); !piece.empty(); piece = read_piece()) {
        manifest_text_ += piece;
        if (manifest_text_.size() > kMaxPackageManifest) {
            damaged(fmt::format("its {} has more than 4 MiB", kManifestFile));
        }
    }
    manifest_ = read_package_manifest(manifest_text_, shown_ + "/" + kManifestFile);
    if (const std::string why = refuse_sizes(manifest_, size_); !why.empty()) {
        damaged(why);
    }
}

void PackageFile::copy(const PackedFile& file, const std::optional<fs::path>& to) {
    std::optional<OutputFile> output;
    if (to) {
        make_folder(to->parent_path());
        output.emplace(OutputFile::create(*to));
    }
    Sha256 hash;
    std::uint64_t size = 0;
    for (std::string_view piece = read_piece(); !piece.empty(); piece = read_piece()) {
        size += piece.size();
        if (size > static_cast<std::uint64_t>(file.size)) {
            break;
        }
        hash.add(piece);
        if (output) {
            output->write(piece);
        }
    }
    if (size != static_cast<std::uint64_t>(file.size) || hash.digits() != file.sha256) {
        damaged(
            fmt::format("'{}' is not what {} declares: it was changed", file.path, kManifestFile));
    }
    if (output) {
        output->finish();
    }
}

void PackageFile::unpack(const Where& where) {
    std::map<std::string, const PackedFile*> missing;
    for (const PackedFile& file : manifest_.files) {
        missing.emplace(file.path, &file);
    }
    std::string path;
    std::int64_t size = 0;
    while (next(path, size)) {
        const auto found = missing.find(path);
        if (found == missing.end()) {
            const bool is_known = std::ranges::find(manifest_.files, path, &PackedFile::path) !=
                                      manifest_.files.end() ||
                                  path == kManifestFile;
            damaged(fmt::format("'{}' is {}", path,
                                is_known ? "in it twice" : "not declared in its manifest"));
        }
        if (size != found->second->size) {
            damaged(
                fmt::format("'{}' is not what {} declares: it was changed", path, kManifestFile));
        }
        copy(*found->second, where(*found->second));
        missing.erase(found);
    }
    if (!missing.empty()) {
        damaged(fmt::format("lacks '{}', which its manifest declares", missing.begin()->first));
    }
}

void write_package(const fs::path& file, const PackageManifest& manifest,
                   const std::map<std::string, fs::path>& contents) {
    const fs::path made = file.string() + ".new";
    std::error_code error;
    fs::remove(made, error);
    try {
        write_to(made, manifest, contents);
        require_readable(made, file.string());
        fs::rename(made, file, error);
        if (error) {
            refuse(kTrainingError,
                   {fmt::format("cannot write {}: {}", file.string(), error.message())});
        }
    } catch (...) {
        fs::remove(made, error);
        throw;
    }
    sync_folder(file.parent_path());
}

}  // namespace ptp::pack
