// The file of a package: a tar archive, compressed with zstd. Its bytes depend only on its content:
// files are in a fixed order, without their times, owners and permissions.
#pragma once

#include "ptp-pack/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace ptp::pack {

// Limits far beyond the needs of packages; they bound the time, memory and disk space for reading a
// damaged or malicious one.
inline constexpr std::uint64_t kMaxPackageBytes = std::uint64_t{2} << 30U;
inline constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{4} << 30U;
inline constexpr std::uint64_t kMaxUnpackedRatio = 200;  // times the size of the package, ...
inline constexpr std::uint64_t kFreeBytes = 1U << 20U;   // ... and besides these
inline constexpr std::size_t kMaxPackedFiles = 10'000;
inline constexpr std::size_t kMaxPackageManifest = std::size_t{4} << 20U;

// The fix for a package that would be rejected for its size.
inline constexpr const char* kSmallerPackage = "leave out files, or make several smaller packages";

// Returns why no package may have such sizes, "would unpack to more than ..."; "" if it may.
std::string refuse_sizes(const PackageManifest& manifest, std::uint64_t package_bytes);

// Writes the archive over `file`, which is complete or unchanged afterwards. `contents` are the
// sources of the manifest's files, by their paths. Throws RunError: kDataError if a file has
// changed since the manifest was made, or if PackageFile would not read the result; kTrainingError
// if writing fails.
void write_package(const std::filesystem::path& file, const PackageManifest& manifest,
                   const std::map<std::string, std::filesystem::path>& contents);

// Reads an archive, which may be arbitrary. Throws RunError with kDataError and a message that
// begins with its path if it is not a valid package, and with kTrainingError if an unpacked file
// cannot be written.
class PackageFile {
public:
    // Reads the manifest, which comes first. `shown` is the archive's name in messages.
    PackageFile(const std::filesystem::path& path, std::string shown);
    ~PackageFile();
    PackageFile(const PackageFile&) = delete;
    PackageFile& operator=(const PackageFile&) = delete;

    [[nodiscard]] const PackageManifest& manifest() const { return manifest_; }

    // Returns the manifest as in the package.
    [[nodiscard]] const std::string& manifest_text() const { return manifest_text_; }

    // Returns where to write a file of the package; nullopt to only read and compare it.
    using Where = std::function<std::optional<std::filesystem::path>(const PackedFile&)>;

    // Reads all files once, and compares them with the manifest. Creates folders as needed. If it
    // throws, the caller removes the files written so far.
    void unpack(const Where& where);

    // Reads all files once, and only compares them.
    void check() {
        unpack([](const PackedFile&) { return std::nullopt; });
    }

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
