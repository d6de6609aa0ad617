// Plain tar archives of one form: regular files of ustar, without times, owners and links. An
// archive has these bytes and no others, so that nothing can be hidden in one, and its files can be
// read, or mapped into memory, where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// Headers, and the bytes of each file, begin at a multiple of this.
inline constexpr std::uint64_t kTarBlock = 512;

// The largest file of the format, and the longest path in it.
inline constexpr std::uint64_t kMaxTarFile = (std::uint64_t{1} << 33U) - 1;
inline constexpr std::size_t kMaxTarPath = 99;

struct ArchivedFile {
    std::string path;
    std::uint64_t offset = 0;  // of its first byte in the archive
    std::uint64_t size = 0;
};

// Returns the header of a file. REQUIRES: path and size are within the limits.
std::string tar_header(std::string_view path, std::uint64_t size);

// Returns the zeros that follow a file of this size in the archive.
std::string tar_padding(std::uint64_t size);

// Returns the end of an archive.
std::string tar_end();

// Returns whether a file begins like an archive whose first file has this path. Unreadable files
// do not.
bool begins_as_tar(const std::filesystem::path& file, std::string_view first);

// Returns the files of an archive, at most `most`, without reading what is in them. The archive may
// be hostile. Throws FileError for an archive of any other form.
std::vector<ArchivedFile> tar_members(const std::filesystem::path& file, std::size_t most);

}  // namespace ptp
