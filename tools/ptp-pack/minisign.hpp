// Ed25519 signatures in the format of minisign (https://jedisct1.github.io/minisign/), which reads
// and writes the same files: keys, and signatures of the BLAKE2b hash of a file ("ED").

#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace ptp::pack {

using KeyId = std::array<unsigned char, 8>;
using FileHash = std::array<unsigned char, 64>;  // BLAKE2b-512
using SignatureBytes = std::array<unsigned char, 64>;

// The bytes of a public key's file, as base64 there.
struct PublicKey {
    std::array<char, 2> algorithm = {'E', 'd'};
    KeyId id{};
    std::array<unsigned char, 32> key{};

    friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

// A secret key, which is erased from memory at the end.
struct SecretKey {
    std::array<char, 2> algorithm = {'E', 'd'};
    KeyId id{};
    std::array<unsigned char, 64> key{};

    ~SecretKey();
};

struct Signature {
    // The bytes of the first line, as base64 there.
    struct OfHash {
        std::array<char, 2> algorithm = {'E', 'D'};
        KeyId id{};
        SignatureBytes signature{};
    } of_hash;
    SignatureBytes of_comment{};  // and of `of_hash`
    std::string trusted_comment;

    [[nodiscard]] const KeyId& id() const { return of_hash.id; }
};

// Returns "74EE58946A0D8F97", as printed by minisign.
std::string id_text(const KeyId& id);

// Returns a new pair. Call it before the other functions, which need no random numbers.
SecretKey new_secret_key();
PublicKey public_key_of(const SecretKey& secret);

// The texts of the files. Reading throws RunError with kDataError; `name` is for messages.
std::string text_of(const PublicKey& key);
PublicKey read_public_key(std::string_view text, const std::string& name);

// The secret key. With a password it is encrypted as by minisign: scrypt with a gigabyte of memory
// and a second or two. `ask` is called if the key is encrypted. Throws RunError with kDataError for
// a wrong password, kTrainingError if there is too little memory.
std::string text_of(const SecretKey& key, std::string_view password);
SecretKey read_secret_key(std::string_view text, const std::string& name,
                          const std::function<std::string()>& ask);

std::string text_of(const Signature& signature);
Signature read_signature(std::string_view text, const std::string& name);

// Throws RunError with kDataError.
FileHash hash_of_file(const std::filesystem::path& path);
// Also replaces `beginning` by the first bytes that were hashed, as many as it has.
FileHash hash_of_file(const std::filesystem::path& path, std::string& beginning);
FileHash hash_of_text(std::string_view text);

// Signs a hash. REQUIRES: the comment is one line.
Signature sign(const SecretKey& key, const FileHash& hash, const std::string& trusted_comment);
// Returns whether the hash and the trusted comment were signed with this key.
bool is_signed_by(const PublicKey& key, const FileHash& hash, const Signature& signature);

}  // namespace ptp::pack
