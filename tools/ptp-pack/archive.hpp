// The file of a package: a tar archive, compressed with zstd. Its bytes depend on its content
// alone: files in a fixed order, with no times, owners or permissions of their own.

#pragma once

#include "ptp-pack/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace ptp::pack {

struct ContentFile {
    std::string path;              // in the package
    std::filesystem::path source;  // whose content it gets
};

// Far beyond what packages need; with them, reading one that is damaged, or wrong on purpose, ends
// soon and takes little memory and disk.
inline constexpr std::uint64_t kMaxPackageBytes = std::uint64_t{2} << 30U;
inline constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{4} << 30U;
inline constexpr std::uint64_t kMaxUnpackedRatio = 200;  // times the size of the package, ...
inline constexpr std::uint64_t kFreeBytes = 1U << 20U;   // ... and besides these
inline constexpr std::size_t kMaxPackedFiles = 10'000;
inline constexpr std::size_t kMaxPackageManifest = std::size_t{4} << 20U;

// What to do where a package would be refused for its size.
inline constexpr const char* kSmallerPackage =
    "ptp-pack install would refuse it: leave out files, or make several packages";

// Why no package may have so much, "would unpack to more than ..."; "" if it may.
std::string refuse_sizes(const PackageManifest& manifest, std::uint64_t package_bytes);

// Writes the archive in place of `file`, which is whole or as it was. The manifest's files are
// those of `contents`, in their order. Throws RunError: kDataError where a file has changed since
// the manifest was made, and where PackageFile would not read what was written; kTrainingError
// where it cannot be written.
void write_package(const std::filesystem::path& file, const PackageManifest& manifest,
                   const std::vector<ContentFile>& contents);

// An archive that may be anything. Throws RunError with kDataError and a message that begins with
// its path, wherever it is not what a package has to be; and with kTrainingError where what is
// unpacked cannot be written.
class PackageFile {
public:
    // Reads its manifest, which comes first. `shown` is its name in messages.
    PackageFile(const std::filesystem::path& path, std::string shown);
    ~PackageFile();
    PackageFile(const PackageFile&) = delete;
    PackageFile& operator=(const PackageFile&) = delete;

    [[nodiscard]] const PackageManifest& manifest() const { return manifest_; }

    // As it is in the package.
    [[nodiscard]] const std::string& manifest_text() const { return manifest_text_; }

    // Where a file of the package is to be written; nullopt: it is read and compared only.
    using Where = std::function<std::optional<std::filesystem::path>(const PackedFile&)>;

    // Reads all files, once, and compares them with the manifest. Folders are made as needed. What
    // it has written when it throws is the caller's to remove.
    void unpack(const Where& where);

private:
    [[noreturn]] void damaged(const std::string& why) const;
    [[nodiscard]] bool next(std::string& path, std::int64_t& size);
    [[nodiscard]] std::string_view read_piece();
    void read_manifest();
    void copy(const PackedFile& file, const std::optional<std::filesystem::path>& to);

    std::string shown_;
    std::uint64_t size_ = 0;
    std::unique_ptr<archive, int (*)(archive*)> archive_;
    std::vector<char> buffer_;
    std::string manifest_text_;
    PackageManifest manifest_;
};

}  // namespace ptp::pack
