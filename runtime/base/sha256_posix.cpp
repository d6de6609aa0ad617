// Hashes with OpenSSL.

#include "base/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace ptp {

namespace {

void check(bool is_done) {
    if (!is_done) {
        throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
    }
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::string_view content) {
    check(EVP_DigestUpdate(context_.get(), content.data(), content.size()) == 1);
}

std::string Sha256::digits_so_far() const {
    Sha256 copy;
    check(EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()) == 1);
    return copy.digits();
}

std::string Sha256::digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace ptp
