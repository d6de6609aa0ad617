// The size of a file of data, packed or not.

#include "pipeline/evaluate.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

// RFC 1952: a member begins with 1f 8b, 08 for deflate, flags, four bytes of time and one that is
// 0, 2 or 4. Bytes within a member that look like it are rare.
constexpr std::string_view kMemberBegin = "\x1f\x8b\x08";
constexpr std::size_t kHeaderSize = 10;
constexpr std::uintmax_t kSmallestMember = 18;
constexpr std::uintmax_t kMaxSearched = std::uintmax_t{1} << 28;  // more takes too long

bool begins_member(std::string_view header) {
    const auto flags = static_cast<unsigned char>(header[3]);
    const char extra = header[8];
    return (flags & 0xe0U) == 0 && (extra == 0 || extra == 2 || extra == 4);
}

// Returns whether a member seems to begin after the first byte of the file.
bool has_second_member(std::ifstream& file) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::string bytes;
    file.ignore();  // the first member's
    while (file) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        file.read(bytes.data() + before, kPiece);
        bytes.resize(before + static_cast<std::size_t>(file.gcount()));
        const std::string_view all = bytes;
        for (std::size_t at = all.find(kMemberBegin);
             at != std::string_view::npos && at + kHeaderSize <= all.size();
             at = all.find(kMemberBegin, at + 1)) {
            if (begins_member(all.substr(at, kHeaderSize))) {
                return true;
            }
        }
        const std::size_t kept = std::min(bytes.size(), kHeaderSize - 1);
        bytes.erase(0, bytes.size() - kept);
    }
    return false;
}

// A member ends with the size of what it holds, modulo 2^32, lowest byte first. What several
// members hold is known only when they are unpacked.
std::optional<std::int64_t> unpacked_size(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t packed = fs::file_size(path, error);
    if (error || packed < kSmallestMember || packed > kMaxSearched) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    if (has_second_member(file)) {
        return std::nullopt;
    }
    file.clear();
    std::array<char, 4> bytes{};
    file.seekg(-4, std::ios::end);
    file.read(bytes.data(), bytes.size());
    if (!file) {
        return std::nullopt;
    }
    std::int64_t size = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        size = size * 256 + static_cast<unsigned char>(bytes[i]);
    }
    // Deflate shortens to a 1032nd at best: these bytes are not the end of a member.
    constexpr std::uintmax_t kMaxRatio = 1032;
    return static_cast<std::uintmax_t>(size) > packed * kMaxRatio ? std::nullopt
                                                                  : std::optional(size);
}

}  // namespace

std::optional<std::int64_t> size_of_file(const fs::path& folder, const std::string& name) {
    std::error_code error;
    const fs::path plain = folder / name;
    if (fs::is_regular_file(plain, error)) {
        const std::uintmax_t size = fs::file_size(plain, error);
        return error ? std::nullopt : std::optional(static_cast<std::int64_t>(size));
    }
    const fs::path packed = folder / (name + ".gz");
    return fs::is_regular_file(packed, error) ? unpacked_size(packed) : std::nullopt;
}

}  // namespace ptp::pipeline
