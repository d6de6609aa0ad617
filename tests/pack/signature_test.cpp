// Keys and signatures: files of minisign, which reads ours and writes what we read.

#include "pack/support.hpp"
#include "ptp-pack/minisign.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace signature_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::PackUser;

// Made by minisign 0.11: `minisign -G -W`, `minisign -S` of a file with "hi\n".
constexpr const char* kPublicKey =
    "untrusted comment: minisign public key 74EE58946A0D8F97\n"
    "RWSXjw1qlFjudOk/3JeDHx+5dTmd1rR6WviYZ9/wZxm+MdNmrAJUgyYD\n";
constexpr const char* kSecretKey =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAl48NapRY7nQnYs4NJP1D64vvrxzAQol15/swOOWs/j0242sBLjTgxuk/3JeDHx+5dTmd1rR6WviYZ9/wZxm+MdNmrAJUgyYDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
constexpr const char* kSignature =
    "untrusted comment: signature from minisign secret key\n"
    "RUSXjw1qlFjudAll4hmyO1ATszdGKc5T0UoMSixrNsg4K8mH/40ngN21sUG2APTmewOcawWIlKwk9i2j0bqncc9On9u2OCL3lAw=\n"
    "trusted comment: timestamp:1795450065\tfile:f\thashed\n"
    "Tux0+f3Bq58JZCzY45gd/46S51r9dKrCS3tHgzOlwEp0t0UARG9baMbaG+Okr1mNJUNSEynb4+c7Q5oRPNWLAw==\n";

bool has_minisign() {
    if (access("/usr/bin/minisign", X_OK) == 0) {
        return true;
    }
    MESSAGE("skipped: minisign is not installed");
    return false;
}

std::string ptp_pack() {
    return (ptp::test::build_dir() / "bin/ptp-pack").string();
}

// By the shell, in a folder; the exit status.
int shell(const fs::path& folder, const std::string& command) {
    return std::system(("cd '" + folder.string() + "' && " + command + " > log 2>&1").c_str());
}

}  // namespace

TEST_CASE("signatures: what minisign has signed is verified, and signed again to the same bytes") {
    const auto key = ptp::pack::read_public_key(kPublicKey, "k.pub");
    CHECK(ptp::pack::id_text(key.id) == "74EE58946A0D8F97");
    const auto signature = ptp::pack::read_signature(kSignature, "f.minisig");
    const auto hash = ptp::pack::hash_of_text("hi\n");
    CHECK(ptp::pack::is_signed_by(key, hash, signature));
    CHECK_FALSE(ptp::pack::is_signed_by(key, ptp::pack::hash_of_text("hi"), signature));
    CHECK(ptp::pack::text_of(key) == kPublicKey);

    const auto secret = ptp::pack::read_secret_key(kSecretKey, "k.key", [] { return ""; });
    CHECK(ptp::pack::public_key_of(secret) == key);
    CHECK(ptp::pack::text_of(secret, "") == kSecretKey);
    // Ed25519 draws no random numbers: one message and one key have one signature.
    CHECK(ptp::pack::text_of(
              ptp::pack::sign(secret, hash, "timestamp:1795450065\tfile:f\thashed")) == kSignature);
}

TEST_CASE("signatures: minisign verifies ours") {
    if (!has_minisign()) {
        return;
    }
    const PackUser user;
    user.temp().write("f", "a file\n");
    user.sign(user.path() / "f");
    CHECK(shell(user.path(), "minisign -Vm f -p jane.pub") == 0);
    CHECK(user.temp().read("log").find("Signature and comment signature verified") !=
          std::string::npos);
    user.temp().write("f", "another file\n");
    CHECK(shell(user.path(), "minisign -Vm f -p jane.pub") != 0);
}

TEST_CASE("signatures: minisign signs with our keys, and its keys are ours") {
    if (!has_minisign()) {
        return;
    }
    const PackUser user;
    user.temp().write("f", "a file\n");
    CHECK(shell(user.path(), "minisign -S -s jane.key -m f -t 'by minisign'") == 0);
    CHECK(user.done({"verify", (user.path() / "f").string()}) ==
          "T/f: signed with the key " + ptp::test::id_of_key(user.path() / "jane.pub") +
              " (by minisign)\n");
    CHECK(shell(user.path(), "minisign -G -W -p theirs.pub -s theirs.key") == 0);
    user.done({"key", "trust", (user.path() / "theirs.pub").string()});
    user.sign(user.path() / "f", "theirs");
    CHECK(shell(user.path(), "minisign -Vm f -p theirs.pub") == 0);
}

TEST_CASE("signatures: a key with a password needs it") {
    const PackUser user;
    user.temp().write("password", "correct horse\n");
    user.temp().write("wrong", "battery staple\n");
    user.temp().write("f", "a file\n");
    const std::string folder = user.path().string();
    const std::string printed =
        user.done({"key", "new", folder + "/safe", "--password-file", folder + "/password"});
    CHECK(printed ==
          "T/safe.key: the secret key, with a password; keep it to yourself\n"
          "T/safe.pub: the public key " +
              ptp::test::id_of_key(user.path() / "safe.pub") + "\n");
    struct stat status {};
    stat((folder + "/safe.key").c_str(), &status);
    CHECK((status.st_mode & 0777U) == 0600);

    const std::vector<std::string> sign = {"sign", folder + "/f", "--key", folder + "/safe.key"};
    auto words = sign;
    words.insert(words.end(), {"--password-file", folder + "/wrong"});
    const auto wrong = user.run(words);
    CHECK(wrong.errors == "ptp-pack: error: T/safe.key: the password is wrong\n");
    CHECK(wrong.status == 4);
    const auto silent = shell(user.path(), "setsid -w '" + ptp_pack() + "' sign f --key safe.key");
    CHECK(silent != 0);
    CHECK(
        user.temp().read("log") ==
        "ptp-pack: error: safe.key: has a password, and there is no terminal to ask for it\n    fix: "
        "write the password into a file: --password-file FILE\n");
    words.back() = folder + "/password";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr std::uint64_t kLittleMemory = std::uint64_t{256} << 20U;
    CHECK(
        user.run(words, {}, {{RLIMIT_AS, kLittleMemory}}).errors ==
        "ptp-pack: error: cannot derive a key from the password: too little memory\n    fix: free a "
        "gigabyte of memory, or use a key without a password\n");
#endif
    CHECK(user.run(words).output == "T/f.minisig\n");
    user.done({"key", "trust", folder + "/safe.pub"});
    CHECK(user.run({"verify", folder + "/f"}).status == 0);
    if (has_minisign()) {
        CHECK(shell(user.path(), "minisign -S -s safe.key -m f < password") == 0);
        CHECK(user.run({"verify", folder + "/f"}).status == 0);
    }
}

TEST_CASE("signatures: keys are rotated by signing the new one with the old one") {
    const PackUser user;
    const std::string folder = user.path().string();
    user.done({"key", "new", folder + "/next"});
    const auto unsigned_key = user.run({"key", "trust", folder + "/next.pub", "--signed"});
    CHECK(
        unsigned_key.errors ==
        "ptp-pack: error: T/next.pub: is not signed: there is no next.pub.minisig\n    fix: ask its "
        "author to sign it (ptp-pack sign); --allow-unsigned takes it as it is\n");
    CHECK(unsigned_key.status == 4);
    user.sign(user.path() / "next.pub");
    const std::string next = ptp::test::id_of_key(user.path() / "next.pub");
    const std::string jane = ptp::test::id_of_key(user.path() / "jane.pub");
    CHECK(user.done({"key", "trust", folder + "/next.pub", "--signed"}) ==
          "trusted: " + next + "\n");
    user.done({"key", "distrust", jane});
    CHECK(user.done({"key", "list"}) ==
          next + "  trusted     T/config/ptp/trusted_keys/" + next + ".pub\n" + jane +
              "  distrusted  T/config/ptp/distrusted_keys/" + jane + ".pub\n");
}

}  // namespace signature_test
