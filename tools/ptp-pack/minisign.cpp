// Signs and verifies by libsodium, in minisign's formats of keys and signatures.

#include "ptp-pack/minisign.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::pack {

namespace {

constexpr std::string_view kUntrusted = "untrusted comment: ";
constexpr std::string_view kTrusted = "trusted comment: ";
constexpr std::array<char, 2> kScrypt = {'S', 'c'};
constexpr std::array<char, 2> kChecksum = {'B', '2'};
constexpr std::size_t kMaxSignedText = 16384;
constexpr int kBase64 = sodium_base64_VARIANT_ORIGINAL;

// The bytes of a secret key's file, as base64 there. Numbers are little-endian, as those of all
// machines that plugins are built for.
struct [[gnu::packed]] SecretFile {
    std::array<char, 2> algorithm{};
    std::array<char, 2> encryption{};  // zeros: none
    std::array<char, 2> checksum{};
    std::array<unsigned char, crypto_pwhash_scryptsalsa208sha256_SALTBYTES> salt{};
    std::uint64_t operations = 0;
    std::uint64_t memory = 0;
    // These are encrypted.
    KeyId id{};
    std::array<unsigned char, 64> key{};
    std::array<unsigned char, 32> sum{};

    ~SecretFile() { sodium_memzero(this, sizeof *this); }
};
constexpr std::size_t kEncryptedAt = offsetof(SecretFile, id);
constexpr std::size_t kEncryptedBytes = sizeof(SecretFile) - kEncryptedAt;
static_assert(sizeof(PublicKey) == 42 && sizeof(Signature::OfHash) == 74 &&
              sizeof(SecretFile) == 158);

void start_sodium() {
    if (sodium_init() < 0) {
        refuse(kTrainingError, {"cannot start libsodium"});
    }
}

[[noreturn]] void not_a(const std::string& name, const char* what, const std::string& why) {
    refuse(kDataError, {fmt::format("{}: is not {} of minisign: {}", name, what, why)});
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
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

// Returns the bytes of a line, if they are as many as those of a T.
template <class T>
std::optional<T> from_base64(const std::string& line) {
    T value;
    std::size_t size = 0;
    const bool is_whole =
        sodium_base642bin(reinterpret_cast<unsigned char*>(&value), sizeof value, line.data(),
                          line.size(), nullptr, &size, nullptr, kBase64) == 0;
    return is_whole && size == sizeof value ? std::optional(value) : std::nullopt;
}

template <class T>
std::string to_base64(const T& value) {
    std::string text(sodium_base64_ENCODED_LEN(sizeof value, kBase64), '\0');
    sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(&value),
                      sizeof value, kBase64);
    text.pop_back();  // the terminating zero
    return text;
}

// Returns the checksum that verifies the password.
std::array<unsigned char, 32> checksum_of(const SecretKey& key) {
    std::array<unsigned char, 32> sum{};
    crypto_generichash(sum.data(), sum.size(), reinterpret_cast<const unsigned char*>(&key),
                       sizeof key, nullptr, 0);
    return sum;
}

// Encrypts or decrypts the file: both are the same operation.
void mask(SecretFile& file, std::string_view password) {
    std::array<unsigned char, kEncryptedBytes> stream{};
    if (crypto_pwhash_scryptsalsa208sha256(stream.data(), stream.size(), password.data(),
                                           password.size(), file.salt.data(), file.operations,
                                           static_cast<std::size_t>(file.memory)) != 0) {
        refuse(kTrainingError, {"cannot derive a key from the password: too little memory",
                                "free a gigabyte of memory, or use a key without a password"});
    }
    auto* const encrypted = reinterpret_cast<unsigned char*>(&file) + kEncryptedAt;
    for (std::size_t i = 0; i < stream.size(); ++i) {
        encrypted[i] ^= stream[i];
    }
    sodium_memzero(stream.data(), stream.size());
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
std::string comment_content(const Signature& signature) {
    const SignatureBytes& first = signature.of_hash.signature;
    return std::string(first.begin(), first.end()) + signature.trusted_comment;
}

// Returns the line with a key of a file whose first line is a comment, which may be missing where
// that is allowed.
std::string key_line(std::string_view text, bool needs_comment) {
    const auto lines = signature_lines(text.substr(0, kMaxSignedText));
    const bool has_comment = lines.size() == 2 && lines.front().starts_with(kUntrusted);
    return has_comment || (lines.size() == 1 && !needs_comment) ? lines.back() : "";
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
    return fmt::format("{}minisign public key {}\n{}\n", kUntrusted, id_text(key.id),
                       to_base64(key));
}

PublicKey read_public_key(std::string_view text, const std::string& name) {
    const std::string line = key_line(text, false);
    if (line.empty()) {
        not_a(name, "a public key", "it must be a line with a comment and a line with a key");
    }
    if (from_base64<SecretFile>(line)) {
        not_a(name, "a public key", "it is a secret one; name the file that ends with .pub");
    }
    const auto key = from_base64<PublicKey>(line);
    if (!key || key->algorithm != PublicKey().algorithm) {
        not_a(name, "a public key", "its last line must be 42 bytes in base64, of an Ed25519 key");
    }
    return *key;
}

std::string text_of(const SecretKey& key, std::string_view password) {
    start_sodium();
    SecretFile file{
        .algorithm = key.algorithm, .checksum = kChecksum, .id = key.id, .key = key.key};
    if (!password.empty()) {
        file.encryption = kScrypt;
        randombytes_buf(file.salt.data(), file.salt.size());
        file.operations = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
        file.memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
        file.sum = checksum_of(key);
        mask(file, password);
    }
    return fmt::format("{}minisign encrypted secret key\n{}\n", kUntrusted, to_base64(file));
}

SecretKey read_secret_key(std::string_view text, const std::string& name,
                          const std::function<std::string()>& ask) {
    start_sodium();
    const std::string line = key_line(text, true);
    if (line.empty()) {
        not_a(name, "a secret key", "it must be a line with a comment and a line with a key");
    }
    if (from_base64<PublicKey>(line)) {
        not_a(name, "a secret key", "it is a public one; name the file that ends with .key");
    }
    auto file = from_base64<SecretFile>(line);
    if (!file || file->algorithm != SecretKey().algorithm || file->checksum != kChecksum) {
        not_a(name, "a secret key", "its last line must be 158 bytes in base64, of an Ed25519 key");
    }
    const bool is_encrypted = file->encryption == kScrypt;
    if (is_encrypted) {
        if (file->operations > crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE ||
            file->memory > crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE) {
            not_a(name, "a secret key", "it takes more memory or time than minisign's");
        }
        std::string password = ask();
        mask(*file, password);
        sodium_memzero(password.data(), password.size());
    } else if (file->encryption != SecretFile().encryption) {
        not_a(name, "a secret key", "it is encrypted in a way that minisign does not know");
    }
    SecretKey key{.id = file->id, .key = file->key};
    // Without a password, minisign omits the checksum.
    const bool is_summed = is_encrypted || file->sum != SecretFile().sum;
    if (is_summed && file->sum != checksum_of(key)) {
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
    return fmt::format("{}signature from minisign secret key\n{}\n{}{}\n{}\n", kUntrusted,
                       to_base64(signature.of_hash), kTrusted, signature.trusted_comment,
                       to_base64(signature.of_comment));
}

Signature read_signature(std::string_view text, const std::string& name) {
    const auto lines = signature_lines(text.substr(0, kMaxSignedText));
    if (lines.size() != 4 || !lines[0].starts_with(kUntrusted) || !lines[2].starts_with(kTrusted)) {
        not_a(name, "a signature",
              "it must be a comment, a signature, a trusted comment and its signature");
    }
    const auto of_hash = from_base64<Signature::OfHash>(lines[1]);
    const auto of_comment = from_base64<SignatureBytes>(lines[3]);
    if (!of_hash || !of_comment) {
        not_a(name, "a signature", "its lines must be 74 and 64 bytes in base64");
    }
    if (of_hash->algorithm == PublicKey().algorithm) {
        refuse(kDataError, {fmt::format("{}: is in minisign's legacy form", name),
                            "sign again with minisign 0.10 or newer, without -l"});
    }
    if (of_hash->algorithm != Signature::OfHash().algorithm) {
        not_a(name, "a signature", "it is not of an Ed25519 key");
    }
    Signature signature{*of_hash, *of_comment, lines[2].substr(kTrusted.size())};
    if (!is_plain(signature.trusted_comment)) {
        not_a(name, "a signature", "its trusted comment has control characters");
    }
    return signature;
}

FileHash hash_of_file(const std::filesystem::path& path) {
    std::string nothing;
    return hash_of_file(path, nothing);
}

FileHash hash_of_file(const std::filesystem::path& path, std::string& beginning) try {
    constexpr std::uint64_t kPiece = 1U << 20U;
    start_sodium();
    const InputFile file(path);
    crypto_generichash_state state;
    FileHash hash{};
    crypto_generichash_init(&state, nullptr, 0, hash.size());
    const std::size_t wanted = std::exchange(beginning, {}).size();
    std::uint64_t at = 0;
    std::string piece;
    do {
        piece = file.read(at, kPiece);
        beginning += piece.substr(0, wanted - std::min(wanted, beginning.size()));
        crypto_generichash_update(&state, bytes_of(piece), piece.size());
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
    crypto_generichash(hash.data(), hash.size(), bytes_of(text), text.size(), nullptr, 0);
    return hash;
}

Signature sign(const SecretKey& key, const FileHash& hash, const std::string& trusted_comment) {
    Signature signature{{.id = key.id}, {}, trusted_comment};
    crypto_sign_detached(signature.of_hash.signature.data(), nullptr, hash.data(), hash.size(),
                         key.key.data());
    const std::string content = comment_content(signature);
    crypto_sign_detached(signature.of_comment.data(), nullptr, bytes_of(content), content.size(),
                         key.key.data());
    return signature;
}

bool is_signed_by(const PublicKey& key, const FileHash& hash, const Signature& signature) {
    const std::string content = comment_content(signature);
    return signature.id() == key.id &&
           crypto_sign_verify_detached(signature.of_hash.signature.data(), hash.data(), hash.size(),
                                       key.key.data()) == 0 &&
           crypto_sign_verify_detached(signature.of_comment.data(), bytes_of(content),
                                       content.size(), key.key.data()) == 0;
}

}  // namespace ptp::pack
