#include "pipeline/file_size.hpp"

#include <array>
#include <fstream>
#include <system_error>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

// RFC 1952: a member ends with the size of what it holds, modulo 2^32, lowest byte first. Less than
// 18 bytes are no member.
std::optional<std::int64_t> unpacked_size(const fs::path& path) {
    constexpr std::uintmax_t kSmallestMember = 18;
    std::error_code error;
    const std::uintmax_t packed = fs::file_size(path, error);
    if (error || packed < kSmallestMember) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
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
    return size;
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
