// Unpacks a gzip file at once, in less than half the time that zlib takes piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

// Whether the file is one gzip stream of exactly as many bytes, and whole: `to` has them then, and
// something else otherwise. It reports no reasons; zlib does, and reads what is left to it: files
// of several streams, or too large for memory beside their content. Throws DataError for other
// bytes behind the stream, which zlib would not notice; zeros may be there.
bool unpack_whole_gzip(const std::filesystem::path& path, std::span<uint8_t> to);
