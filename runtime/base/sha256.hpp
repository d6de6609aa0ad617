// The name of a file's content.
#pragma once

#include <openssl/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ptp {

// SHA-256 of content that comes in pieces. Throws std::runtime_error where OpenSSL has none.
class Sha256 {
public:
    Sha256();
    void add(std::string_view content);

    // 64 hexadecimal digits. Call it once, last.
    std::string digits();

    // The same of what there is so far; more may be added.
    [[nodiscard]] std::string digits_so_far() const;

private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// SHA-256 in 64 hexadecimal digits.
std::string sha256(std::string_view content);

// Of a file, which is read in pieces. Throws FileError (base/file_error.hpp).
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace ptp
