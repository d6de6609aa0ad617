// SHA-256 hashes, by which the content of files is identified.
#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ptp {

// The SHA-256 of content in pieces. Throws std::runtime_error if OpenSSL does not provide it.
class Sha256 {
public:
    Sha256();
    void add(std::string_view content);

    // Returns 64 hexadecimal digits. Call it once, last.
    std::string digits();

    // Returns the digits of the content so far; more may be added.
    [[nodiscard]] std::string digits_so_far() const;

private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// Returns the SHA-256 as 64 hexadecimal digits.
std::string sha256(std::string_view content);

// Returns the SHA-256 of a file, read in pieces. Throws FileError (base/file_error.hpp).
std::string sha256_of_file(const std::filesystem::path& path);

// Returns the SHA-256 of `size` bytes of a file. Throws FileError, also where it has fewer.
std::string sha256_of_part(const std::filesystem::path& path, std::uint64_t offset,
                           std::uint64_t size);

}  // namespace ptp
