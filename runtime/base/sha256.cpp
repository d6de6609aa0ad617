// Hashes whole texts and files; the hash itself is in sha256_posix.cpp and sha256_windows.cpp.

#include "base/sha256.hpp"

#include "base/input_file.hpp"

namespace ptp {

std::string sha256(std::string_view content) {
    Sha256 hash;
    hash.add(content);
    return hash.digits();
}

std::string sha256_of_file(const std::filesystem::path& path) {
    constexpr std::uint64_t kPiece = 1U << 20U;
    const InputFile file(path);
    Sha256 hash;
    for (std::uint64_t offset = 0; offset < file.size(); offset += kPiece) {
        hash.add(file.read(offset, kPiece));
    }
    return hash.digits();
}

}  // namespace ptp
