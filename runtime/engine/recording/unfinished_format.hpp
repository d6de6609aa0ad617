// The format of FILE.unfinished, for its writer and its reader.

#pragma once

#include <cstdint>
#include <string_view>

namespace ptp::engine {

// The beginning of the first line: the mark, the number of the format, and the place of the first
// part.
inline constexpr std::string_view kUnfinishedMark = "ptp_recording unfinished ";
inline constexpr std::string_view kPartsBegin = " parts at ";
inline constexpr std::uint64_t kMaxUnfinishedRoom = std::uint64_t{16} << 20U;

// The key in the metadata of a part.
inline constexpr const char* kUnfinishedPart = "part";
inline constexpr const char* kUnfinishedPartHash = "part_sha256";
inline constexpr const char* kUnfinishedPartSums = "checksums";

// Returns the number of zeros after a part of this size, so that the next begins at a multiple of
// 8.
constexpr std::uint64_t filling_behind(std::uint64_t size) {
    return (8 - size % 8) % 8;
}

}  // namespace ptp::engine
