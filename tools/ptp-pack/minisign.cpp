// Signs and verifies by libsodium, in minisign's formats of keys and signatures.

#include "ptp-pack/minisign.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace ptp::pack {

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::string_view kUntrusted = "untrusted comment: ";
constexpr std::string_view kTrusted = "trusted comment: ";
constexpr std::string_view kAlgorithm = "Ed";
constexpr std::string_view kOfHash = "ED";
constexpr std::string_view kScrypt = "Sc";
constexpr std::string_view kChecksum = "B2";
constexpr std::size_t kMaxSignedText = 16384;

// The layout of a secret key's file.
constexpr std::size_t kSaltBytes = crypto_pwhash_scryptsalsa208sha256_SALTBYTES;
constexpr std::size_t kSaltAt = 6;
constexpr std::size_t kOperationsAt = kSaltAt + kSaltBytes;
constexpr std::size_t kMemoryAt = kOperationsAt + 8;
constexpr std::size_t kSecretAt = kMemoryAt + 8;  // start of the encrypted part
constexpr std::size_t kSecretBytes = 8 + 64 + 32;
constexpr std::size_t kPublicBytes = 2 + 8 + 32;

void start_sodium() {
    if (sodium_init() < 0) {
        refuse(kTrainingError, {"cannot start libsodium"});
    }
}

[[noreturn]] void not_a(const std::string& name, const char* what, const std::string& why) {
    refuse(kDataError, {fmt::format("{}: is not {} of minisign: {}", name, what, why)});
}

std::vector<std::string> signature_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        lines.push_back(std::move(line));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    return lines;
}

std::optional<Bytes> from_base64(const std::string& text) {
    Bytes bytes(text.size());
    std::size_t size = 0;
    const char* end = nullptr;
    const bool is_right =
        sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size,
                          &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
        end == text.data() + text.size();
    bytes.resize(size);
    return is_right ? std::optional(bytes) : std::nullopt;
}

std::string to_base64(const Bytes& bytes) {
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
    std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
    text.pop_back();  // the terminating zero
    return text;
}

std::string_view word_at(const Bytes& bytes, std::size_t at) {
    return {reinterpret_cast<const char*>(bytes.data()) + at, 2};
}

void append(Bytes& bytes, std::string_view word) {
    bytes.insert(bytes.end(), word.begin(), word.end());
}

void append(Bytes& bytes, std::span<const unsigned char> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

void append_number(Bytes& bytes, std::uint64_t number) {
    for (int i = 0; i < 8; ++i) {
        bytes.push_back(static_cast<unsigned char>(number >> (8 * i)));
    }
}

std::uint64_t number_at(const Bytes& bytes, std::size_t at) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i-- > 0;) {
        number = number << 8U | bytes[at + i];
    }
    return number;
}

template <std::size_t N>
void copy_to(std::array<unsigned char, N>& to, const Bytes& from, std::size_t at) {
    std::memcpy(to.data(), from.data() + at, N);
}

// Returns the checksum that verifies the password.
std::array<unsigned char, 32> checksum_of(const SecretKey& key) {
    Bytes content;
    append(content, kAlgorithm);
    append(content, key.id);
    append(content, key.key);
    std::array<unsigned char, 32> sum{};
    crypto_generichash(sum.data(), sum.size(), content.data(), content.size(), nullptr, 0);
    sodium_memzero(content.data(), content.size());
    return sum;
}

struct Scrypt {
    const unsigned char* salt;
    std::uint64_t operations;
    std::uint64_t memory;
};

// Encrypts or decrypts the file: both are the same operation.
void mask(Bytes& file, std::string_view password, const Scrypt& how) {
    Bytes stream(kSecretBytes);
    if (crypto_pwhash_scryptsalsa208sha256(stream.data(), stream.size(), password.data(),
                                           password.size(), how.salt, how.operations,
                                           static_cast<std::size_t>(how.memory)) != 0) {
        refuse(kTrainingError, {"cannot derive a key from the password: too little memory",
                                "free a gigabyte of memory, or use a key without a password"});
    }
    for (std::size_t i = 0; i < kSecretBytes; ++i) {
        file[kSecretAt + i] ^= stream[i];
    }
    sodium_memzero(stream.data(), stream.size());
}

void decrypt(Bytes& file, const std::string& name, const std::function<std::string()>& ask) {
    const Scrypt how{file.data() + kSaltAt, number_at(file, kOperationsAt),
                     number_at(file, kMemoryAt)};
    if (how.operations > crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE ||
        how.memory > crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE) {
        not_a(name, "a secret key", "it takes more memory or time than minisign's");
    }
    std::string password = ask();
    mask(file, password, how);
    sodium_memzero(password.data(), password.size());
}

// Returns whether the second half of a secret key, the public key, follows from the first half, the
// seed.
bool is_pair(const SecretKey& secret) {
    SecretKey again;
    std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> unused{};
    crypto_sign_seed_keypair(unused.data(), again.key.data(), secret.key.data());
    return sodium_memcmp(again.key.data(), secret.key.data(), again.key.size()) == 0;
}

// Returns the content of the second signature.
Bytes comment_content(const Signature& signature) {
    Bytes content;
    append(content, signature.of_hash);
    append(content, signature.trusted_comment);
    return content;
}

}  // namespace

SecretKey::~SecretKey() {
    sodium_memzero(key.data(), key.size());
}

std::string id_text(const KeyId& id) {
    std::string text;
    for (auto byte = id.rbegin(); byte != id.rend(); ++byte) {
        text += fmt::format("{:02X}", *byte);
    }
    return text;
}

SecretKey new_secret_key() {
    start_sodium();
    SecretKey secret;
    std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> unused{};
    crypto_sign_keypair(unused.data(), secret.key.data());
    randombytes_buf(secret.id.data(), secret.id.size());
    return secret;
}

PublicKey public_key_of(const SecretKey& secret) {
    PublicKey key{.id = secret.id};
    crypto_sign_ed25519_sk_to_pk(key.key.data(), secret.key.data());
    return key;
}

std::string text_of(const PublicKey& key) {
    Bytes bytes;
    append(bytes, kAlgorithm);
    append(bytes, key.id);
    append(bytes, key.key);
    return fmt::format("{}minisign public key {}\n{}\n", kUntrusted, id_text(key.id),
                       to_base64(bytes));
}

PublicKey read_public_key(std::string_view text, const std::string& name) {
    const auto lines = signature_lines(text.substr(0, kMaxSignedText));
    if (lines.empty() || lines.size() > 2 ||
        (lines.size() == 2 && !lines.front().starts_with(kUntrusted))) {
        not_a(name, "a public key", "it must be a line with a comment and a line with a key");
    }
    const auto bytes = from_base64(lines.back());
    if (bytes && bytes->size() == kSecretAt + kSecretBytes) {
        not_a(name, "a public key", "it is a secret one; name the file that ends with .pub");
    }
    if (!bytes || bytes->size() != kPublicBytes || word_at(*bytes, 0) != kAlgorithm) {
        not_a(name, "a public key", "its last line must be 42 bytes in base64, of an Ed25519 key");
    }
    PublicKey key;
    copy_to(key.id, *bytes, 2);
    copy_to(key.key, *bytes, 10);
    return key;
}

std::string text_of(const SecretKey& key, std::string_view password) {
    start_sodium();
    const bool is_encrypted = !password.empty();
    constexpr std::uint64_t kOperations = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
    constexpr std::uint64_t kMemory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
    std::array<unsigned char, kSaltBytes> salt{};
    std::array<unsigned char, 32> sum{};
    if (is_encrypted) {
        randombytes_buf(salt.data(), salt.size());
        sum = checksum_of(key);
    }
    Bytes bytes;
    append(bytes, kAlgorithm);
    append(bytes, is_encrypted ? kScrypt : std::string_view("\0\0", 2));
    append(bytes, kChecksum);
    append(bytes, salt);
    append_number(bytes, is_encrypted ? kOperations : 0);
    append_number(bytes, is_encrypted ? kMemory : 0);
    append(bytes, key.id);
    append(bytes, key.key);
    append(bytes, sum);
    if (is_encrypted) {
        mask(bytes, password, {salt.data(), kOperations, kMemory});
    }
    std::string text =
        fmt::format("{}minisign encrypted secret key\n{}\n", kUntrusted, to_base64(bytes));
    sodium_memzero(bytes.data(), bytes.size());
    return text;
}

SecretKey read_secret_key(std::string_view text, const std::string& name,
                          const std::function<std::string()>& ask) {
    start_sodium();
    const auto lines = signature_lines(text.substr(0, kMaxSignedText));
    if (lines.size() != 2 || !lines.front().starts_with(kUntrusted)) {
        not_a(name, "a secret key", "it must be a line with a comment and a line with a key");
    }
    auto bytes = from_base64(lines.back());
    if (bytes && bytes->size() == kPublicBytes) {
        not_a(name, "a secret key", "it is a public one; name the file that ends with .key");
    }
    if (!bytes || bytes->size() != kSecretAt + kSecretBytes || word_at(*bytes, 0) != kAlgorithm ||
        word_at(*bytes, 4) != kChecksum) {
        not_a(name, "a secret key", "its last line must be 158 bytes in base64, of an Ed25519 key");
    }
    const bool is_encrypted = word_at(*bytes, 2) == kScrypt;
    if (is_encrypted) {
        decrypt(*bytes, name, ask);
    } else if (word_at(*bytes, 2) != std::string_view("\0\0", 2)) {
        not_a(name, "a secret key", "it is encrypted in a way that minisign does not know");
    }
    SecretKey key;
    copy_to(key.id, *bytes, kSecretAt);
    copy_to(key.key, *bytes, kSecretAt + 8);
    std::array<unsigned char, 32> sum{};
    copy_to(sum, *bytes, kSecretAt + 8 + 64);
    sodium_memzero(bytes->data(), bytes->size());
    // Without a password, minisign omits the checksum.
    const bool is_summed = is_encrypted || !sodium_is_zero(sum.data(), sum.size());
    if (is_summed && sodium_memcmp(sum.data(), checksum_of(key).data(), sum.size()) != 0) {
        refuse(kDataError, {fmt::format("{}: {}", name,
                                        is_encrypted ? "the password is wrong"
                                                     : "is damaged: its checksum is wrong")});
    }
    if (!is_pair(key)) {
        refuse(kDataError,
               {fmt::format("{}: is damaged: its two halves are not of one key", name)});
    }
    return key;
}

std::string text_of(const Signature& signature) {
    Bytes bytes;
    append(bytes, kOfHash);
    append(bytes, signature.id);
    append(bytes, signature.of_hash);
    const Bytes of_comment(signature.of_comment.begin(), signature.of_comment.end());
    return fmt::format("{}signature from minisign secret key\n{}\n{}{}\n{}\n", kUntrusted,
                       to_base64(bytes), kTrusted, signature.trusted_comment,
                       to_base64(of_comment));
}

Signature read_signature(std::string_view text, const std::string& name) {
    constexpr std::size_t kSignatureBytes = 2 + 8 + 64;
    const auto lines = signature_lines(text.substr(0, kMaxSignedText));
    if (lines.size() != 4 || !lines[0].starts_with(kUntrusted) || !lines[2].starts_with(kTrusted)) {
        not_a(name, "a signature",
              "it must be a comment, a signature, a trusted comment and its signature");
    }
    const auto bytes = from_base64(lines[1]);
    const auto of_comment = from_base64(lines[3]);
    if (!bytes || bytes->size() != kSignatureBytes || !of_comment || of_comment->size() != 64) {
        not_a(name, "a signature", "its lines must be 74 and 64 bytes in base64");
    }
    if (word_at(*bytes, 0) == kAlgorithm) {
        refuse(kDataError, {fmt::format("{}: is in minisign's legacy form", name),
                            "sign again with minisign 0.10 or newer, without -l"});
    }
    if (word_at(*bytes, 0) != kOfHash) {
        not_a(name, "a signature", "it is not of an Ed25519 key");
    }
    Signature signature;
    copy_to(signature.id, *bytes, 2);
    copy_to(signature.of_hash, *bytes, 10);
    copy_to(signature.of_comment, *of_comment, 0);
    signature.trusted_comment = lines[2].substr(kTrusted.size());
    if (!is_plain(signature.trusted_comment)) {
        not_a(name, "a signature", "its trusted comment has control characters");
    }
    return signature;
}

FileHash hash_of_file(const std::filesystem::path& path) try {
    constexpr std::uint64_t kPiece = 1U << 20U;
    start_sodium();
    const InputFile file(path);
    crypto_generichash_state state;
    FileHash hash{};
    crypto_generichash_init(&state, nullptr, 0, hash.size());
    std::uint64_t at = 0;
    std::string piece;
    do {
        piece = file.read(at, kPiece);
        crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(piece.data()),
                                  piece.size());
        at += piece.size();
    } while (piece.size() == kPiece);
    crypto_generichash_final(&state, hash.data(), hash.size());
    return hash;
} catch (const FileError& error) {
    refuse(kDataError, {fmt::format("{}: {}", path.string(), error.what())});
}

FileHash hash_of_text(std::string_view text) {
    start_sodium();
    FileHash hash{};
    crypto_generichash(hash.data(), hash.size(),
                       reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr,
                       0);
    return hash;
}

Signature sign(const SecretKey& key, const FileHash& hash, const std::string& trusted_comment) {
    Signature signature{.id = key.id, .trusted_comment = trusted_comment};
    crypto_sign_detached(signature.of_hash.data(), nullptr, hash.data(), hash.size(),
                         key.key.data());
    const Bytes content = comment_content(signature);
    crypto_sign_detached(signature.of_comment.data(), nullptr, content.data(), content.size(),
                         key.key.data());
    return signature;
}

bool is_signed_by(const PublicKey& key, const FileHash& hash, const Signature& signature) {
    const Bytes content = comment_content(signature);
    return signature.id == key.id &&
           crypto_sign_verify_detached(signature.of_hash.data(), hash.data(), hash.size(),
                                       key.key.data()) == 0 &&
           crypto_sign_verify_detached(signature.of_comment.data(), content.data(), content.size(),
                                       key.key.data()) == 0;
}

}  // namespace ptp::pack
