// The index of a repository, `index.toml`, which lists its packages. It is signed, states its
// expiry (against a server that keeps an old one) and is numbered (against a rollback).

#pragma once

#include "ptp-pack/manifest.hpp"

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kIndexFile = "index.toml";
inline constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{16} << 20U;

struct IndexEntry {
    About about;
    std::string file;    // name of the package's file, beside the index
    std::string sha256;  // of that file
    std::int64_t size = 0;
    std::vector<Library> libraries;

    std::vector<schema::Field> fields();
};

struct Index {
    std::string name;  // name of the repository, for people
    std::int64_t version = 0;
    std::string published;  // "2026-11-23T16:00:00Z"
    std::string expires;
    std::vector<IndexEntry> packages;
};

// Throws RunError with kDataError and all errors.
Index read_index(std::string_view text, const std::string& name);
std::string text_of(const Index& index);

// Returns a moment in UTC as "2026-11-23T16:00:00Z".
std::string utc_text(std::time_t when);

// Returns whether it is such a text; these texts are ordered as the moments are.
bool is_utc_text(std::string_view text);

}  // namespace ptp::pack
