// The index of a repository, `index.toml`: which packages it has. It is signed, names how long it
// holds (against a server that stops at an old one) and is numbered (against one that goes back).

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
    std::string file;    // the name of the package's file, beside the index
    std::string sha256;  // of that file
    std::int64_t size = 0;
    std::vector<Library> libraries;

    std::vector<schema::Field> fields();
};

struct Index {
    std::string name;  // of the repository, for people
    std::int64_t version = 0;
    std::string published;  // "2026-11-23T16:00:00Z"
    std::string expires;
    std::vector<IndexEntry> packages;
};

// Throws RunError with kDataError and all that is wrong.
Index read_index(std::string_view text, const std::string& name);
std::string text_of(const Index& index);

// "2026-11-23T16:00:00Z" of this moment in UTC.
std::string utc_text(std::time_t when);

// Whether it is such a text; two of them compare as the moments do.
bool is_utc_text(std::string_view text);

}  // namespace ptp::pack
