// Hashes whole texts and files; the hash itself is in sha256_posix.cpp and sha256_windows.cpp.

#include "base/sha256.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"

#include <algorithm>

namespace ptp {

std::string sha256(std::string_view content) {
    Sha256 hash;
    hash.add(content);
    return hash.digits();
}

namespace {

std::string hash_of(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
    constexpr std::uint64_t kPiece = 1U << 20U;
    Sha256 hash;
    for (std::uint64_t done = 0; done < size; done += kPiece) {
        const std::string piece = file.read(offset + done, std::min(kPiece, size - done));
        if (piece.empty()) {
            throw UnfinishedFile("became shorter while it was read");
        }
        hash.add(piece);
    }
    return hash.digits();
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
    const InputFile file(path);
    return hash_of(file, 0, file.size());
}

std::string sha256_of_part(const std::filesystem::path& path, std::uint64_t offset,
                           std::uint64_t size) {
    return hash_of(InputFile(path), offset, size);
}

}  // namespace ptp
