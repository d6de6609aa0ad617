// Hashes with Windows' own library.

#include "base/sha256.hpp"

#include "base/windows_api.hpp"

#include <fmt/format.h>

#include <bcrypt.h>

#include <array>
#include <stdexcept>
#include <utility>

// Windows' own hash library replaces OpenSSL.
struct evp_md_ctx_st {
    BCRYPT_ALG_HANDLE algorithm = nullptr;
    BCRYPT_HASH_HANDLE hash = nullptr;

    ~evp_md_ctx_st() {
        if (hash != nullptr) {
            ::BCryptDestroyHash(hash);
        }
        if (algorithm != nullptr) {
            ::BCryptCloseAlgorithmProvider(algorithm, 0);
        }
    }
};

namespace ptp {

namespace {

void require_hash(NTSTATUS status) {
    if (status < 0) {
        throw std::runtime_error("SHA-256 is not available in this Windows");
    }
}

void free_context(EVP_MD_CTX* context) {
    delete context;
}

UCHAR* bytes_of(std::string_view content) {
    return reinterpret_cast<UCHAR*>(const_cast<char*>(content.data()));  // it is only read
}

}  // namespace

Sha256::Sha256() : context_(new evp_md_ctx_st, free_context) {
    require_hash(
        ::BCryptOpenAlgorithmProvider(&context_->algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0));
    require_hash(
        ::BCryptCreateHash(context_->algorithm, &context_->hash, nullptr, 0, nullptr, 0, 0));
}

void Sha256::add(std::string_view content) {
    constexpr std::size_t kMaxPiece = std::size_t{1} << 30U;
    while (!content.empty()) {
        const std::string_view piece = content.substr(0, kMaxPiece);
        require_hash(
            ::BCryptHashData(context_->hash, bytes_of(piece), static_cast<ULONG>(piece.size()), 0));
        content.remove_prefix(piece.size());
    }
}

std::string Sha256::digits_so_far() const {
    Sha256 copy;
    ::BCryptDestroyHash(std::exchange(copy.context_->hash, nullptr));
    require_hash(::BCryptDuplicateHash(context_->hash, &copy.context_->hash, nullptr, 0, 0));
    return copy.digits();
}

std::string Sha256::digits() {
    std::array<unsigned char, 32> digest{};
    require_hash(::BCryptFinishHash(context_->hash, digest.data(), digest.size(), 0));
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace ptp
