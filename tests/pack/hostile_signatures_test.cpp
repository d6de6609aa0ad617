// Signatures and keys that are wrong, and who may have changed what.

#include "pack/support.hpp"
#include "ptp-pack/minisign.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hostile_signatures_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

std::string line(const std::string& text, int index) {
    std::size_t begin = 0;
    for (int i = 0; i < index; ++i) {
        begin = text.find('\n', begin) + 1;
    }
    return text.substr(begin, text.find('\n', begin) - begin);
}

// What becomes of a signature.
struct Forgery {
    const char* name;
    std::function<std::string(const std::string&)> change;
    std::string message;
};

std::string with_character_changed(std::string text, std::size_t at) {
    text[at] = text[at] == 'A' ? 'B' : 'A';
    return text;
}

const std::string kWrong =
    "T/made/p.ptpkg: its signature is wrong: it was changed after the key ID signed it\n    fix: "
    "fetch it again, with its signature\n";
const std::string kNone = "T/made/p.ptpkg.minisig: is not a signature of minisign: ";

std::vector<Forgery> forgeries() {
    const auto at_line = [](int index, std::size_t column) {
        return [=](const std::string& text) {
            return with_character_changed(text, text.find(line(text, index)) + column);
        };
    };
    const std::string lines =
        kNone + "it must be a comment, a signature, a trusted comment and its signature\n";
    const std::string bytes = kNone + "its lines must be 74 and 64 bytes in base64\n";
    return {
        {"empty", [](const std::string&) { return ""; }, lines},
        {"a text", [](const std::string&) { return "trust me\n"; }, lines},
        {"without the trusted comment",
         [](const std::string& text) { return line(text, 0) + "\n" + line(text, 1) + "\n"; },
         lines},
        {"not base64",
         [](const std::string& text) { return ptp::test::replaced(text, line(text, 1), "???"); },
         bytes},
        {"cut off in the middle of the signature",
         [](const std::string& text) {
             return ptp::test::replaced(text, line(text, 1), line(text, 1).substr(0, 80));
         },
         bytes},
        {"another signature", at_line(1, 30), kWrong},
        {"another trusted comment",
         [](const std::string& text) {
             return ptp::test::replaced(text, "trusted comment: timestamp",
                                        "trusted comment: Timestamp");
         },
         kWrong},
        {"another signature of the trusted comment", at_line(3, 30), kWrong},
        {"the legacy form",
         [](const std::string& text) {
             return ptp::test::replaced(text, line(text, 1), "RWQ" + line(text, 1).substr(3));
         },
         "T/made/p.ptpkg.minisig: is in minisign's legacy form\n    fix: sign again with minisign "
         "0.10 or newer, without -l\n"},
        {"another algorithm",
         [](const std::string& text) {
             return ptp::test::replaced(text, line(text, 1), "QUF" + line(text, 1).substr(3));
         },
         kNone + "it is not of an Ed25519 key\n"},
        {"control characters in the trusted comment",
         [](const std::string& text) {
             return ptp::test::replaced(text, "hashed", "\x1b[2Jhashed");
         },
         kNone + "its trusted comment has control characters\n"},
        {"twice", [](const std::string& text) { return text + text; }, lines},
    };
}

fs::path packed_as_p(const PackUser& user) {
    const fs::path made = user.pack(Packed{});
    const fs::path file = made.parent_path() / "p.ptpkg";
    fs::rename(made, file);
    fs::rename(made.string() + ".minisig", file.string() + ".minisig");
    return file;
}

}  // namespace

TEST_CASE("hostile signatures: none is accepted, by install and by verify alike") {
    const PackUser user;
    const fs::path file = packed_as_p(user);
    const std::string right = user.temp().read("made/p.ptpkg.minisig");
    for (const Forgery& forgery : forgeries()) {
        CAPTURE(forgery.name);
        user.temp().write("made/p.ptpkg.minisig", forgery.change(right));
        const std::string message = ptp::test::replaced(
            forgery.message, "ID", ptp::test::id_of_key(user.path() / "jane.pub"));
        for (const char* command : {"install", "verify"}) {
            for (const bool allows : {false, true}) {
                std::vector<std::string> words = {command, file.string()};
                if (allows) {
                    words.emplace_back("--allow-unsigned");
                }
                const auto result = user.run(words);
                CHECK(result.errors == "ptp-pack: error: " + message);
                CHECK(result.status == 4);
            }
        }
        CHECK(user.in_packages() == std::vector<std::string>{".lock"});
    }
}

TEST_CASE("hostile signatures: a package that was changed after it was signed is refused") {
    const PackUser user;
    const fs::path file = packed_as_p(user);
    std::string content = user.temp().read("made/p.ptpkg");
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    user.temp().write("made/p.ptpkg", content);
    const auto result = user.run({"install", file.string(), "--allow-unsigned"});
    CHECK(result.errors ==
          "ptp-pack: error: " +
              ptp::test::replaced(kWrong, "ID", ptp::test::id_of_key(user.path() / "jane.pub")));
    CHECK(result.status == 4);
}

TEST_CASE("hostile signatures: a key that is not trusted, and one under the id of a trusted one") {
    const PackUser user;
    const fs::path file = packed_as_p(user);
    user.done({"key", "new", (user.path() / "mallory").string()});
    user.sign(file, "mallory");
    const std::string id = ptp::test::id_of_key(user.path() / "mallory.pub");
    auto result = user.run({"install", file.string()});
    CHECK(result.errors ==
          "ptp-pack: error: T/made/p.ptpkg: is signed with the key " + id +
              ", which is not trusted\n    fix: compare the key with its owner's, then: ptp-pack "
              "key trust FILE.pub\n");
    CHECK(result.status == 4);

    ptp::pack::SecretKey forged = ptp::pack::new_secret_key();
    forged.id = ptp::pack::read_public_key(user.temp().read("jane.pub"), "").id;
    user.temp().write("forged.key", ptp::pack::text_of(forged, ""));
    user.sign(file, "forged");
    result = user.run({"install", file.string(), "--allow-unsigned"});
    CHECK(result.errors ==
          "ptp-pack: error: " +
              ptp::test::replaced(kWrong, "ID", ptp::test::id_of_key(user.path() / "jane.pub")));
    CHECK(result.status == 4);
}

TEST_CASE("hostile signatures: what is not signed is taken only if that is allowed") {
    const PackUser user;
    const fs::path file = packed_as_p(user);
    fs::remove(file.string() + ".minisig");
    const auto refused = user.run({"install", file.string()});
    CHECK(
        refused.errors ==
        "ptp-pack: error: T/made/p.ptpkg: is not signed: there is no p.ptpkg.minisig\n    fix: ask "
        "its author to sign it (ptp-pack sign); --allow-unsigned takes it as it is\n");
    CHECK(refused.status == 4);
    const auto allowed = user.run({"install", file.string(), "--allow-unsigned"});
    CHECK(allowed.output == "installed good 1.0.0, unsigned\n");
    CHECK(allowed.status == 0);
}

TEST_CASE("hostile signatures: a distrusted key counts nowhere, even where unsigned ones do") {
    const PackUser user;
    const fs::path file = packed_as_p(user);
    const std::string id = ptp::test::id_of_key(user.path() / "jane.pub");
    CHECK(user.done({"key", "distrust", id}) == "distrusted: " + id + "\n");
    for (const char* option : {"--allow-unsigned", "--system"}) {
        const auto result = user.run({"verify", file.string(), option});
        CHECK(result.errors == "ptp-pack: error: T/made/p.ptpkg: is signed with the key " + id +
                                   ", which is distrusted\n    fix: ask its author for one that is "
                                   "signed with another key\n");
        CHECK(result.status == 4);
    }
    const std::string help = user.done({"help", "key"});
    CHECK(help.find("a file\nwhose signature somebody has removed is unsigned, and "
                    "--allow-unsigned takes it.\n") != std::string::npos);
    const auto again = user.run({"key", "trust", (user.path() / "jane.pub").string()});
    CHECK(again.errors == "ptp-pack: error: T/jane.pub: the key " + id +
                              " is distrusted\n    fix: its owner must make a new one\n");
    CHECK(again.status == 4);
}

TEST_CASE("hostile keys: files that are not keys are refused by name") {
    struct Case {
        const char* file;
        std::string text;
        const char* message;
    };
    const std::string comment = "untrusted comment: x\n";
    // 158 bytes: "EdScB2", and numbers that ask for all memory there is.
    std::string greedy = std::string("EdScB2") + std::string(32, 's') + std::string(16, '\xff') +
                         std::string(104, 'k');
    const std::string unprotected = ptp::pack::text_of(ptp::pack::new_secret_key(), "");
    ptp::pack::SecretKey mixed = ptp::pack::new_secret_key();
    const ptp::pack::SecretKey other = ptp::pack::new_secret_key();
    std::copy(other.key.end() - 32, other.key.end(), mixed.key.end() - 32);
    const Case cases[] = {
        {"x.pub", "",
         "T/x.pub: is not a public key of minisign: it must be a line with a comment "
         "and a line with a key\n"},
        {"x.pub", comment + "????\n",
         "T/x.pub: is not a public key of minisign: its last line must be 42 bytes in base64, of an "
         "Ed25519 key\n"},
        {"x.pub", comment + "RWQ=\n",
         "T/x.pub: is not a public key of minisign: its last line must be 42 bytes in base64, of an "
         "Ed25519 key\n"},
        {"x.pub", unprotected,
         "T/x.pub: is not a public key of minisign: it is a secret one; name the file that ends with "
         ".pub\n"},
        {"x.key", ptp::pack::text_of(ptp::pack::public_key_of(mixed)),
         "T/x.key: is not a secret key of minisign: it is a public one; name the file that ends with "
         ".key\n"},
        {"x.key", "secret\n",
         "T/x.key: is not a secret key of minisign: it must be a line with a "
         "comment and a line with a key\n"},
        {"x.key", comment + "RWQAAEIy\n",
         "T/x.key: is not a secret key of minisign: its last line must be 158 bytes in base64, of an "
         "Ed25519 key\n"},
        {"x.key", ptp::test::replaced(unprotected, "AAA=", "AAE="),
         "T/x.key: is damaged: its checksum is wrong\n"},
        {"x.key", ptp::pack::text_of(mixed, ""),
         "T/x.key: is damaged: its two halves are not of one key\n"},
        {"x.key", ptp::test::replaced(unprotected, "RWQAAEIy", "RWRYWEIy"),
         "T/x.key: is not a secret key of minisign: it is encrypted in a way that minisign does not "
         "know\n"},
        {"x.key", comment + "GREEDY\n",
         "T/x.key: is not a secret key of minisign: it takes more memory or time than minisign's\n"},
    };
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string encoded;
    greedy += '\0';  // 159 bytes are 53 groups of three; the last group is shortened below
    for (std::size_t i = 0; i < greedy.size(); i += 3) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(greedy[at]); };
        const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        for (unsigned shift = 18;; shift -= 6) {
            encoded += digits[group >> shift & 63U];
            if (shift == 0) {
                break;
            }
        }
    }
    encoded.back() = '=';
    const PackUser user;
    for (const Case& c : cases) {
        CAPTURE(c.text);
        const auto file =
            user.temp().write(c.file, ptp::test::replaced(c.text, "GREEDY", encoded)).string();
        const auto result =
            file.ends_with(".pub")
                ? user.run({"key", "trust", file})
                : user.run({"sign", (user.path() / "jane.pub").string(), "--key", file});
        CHECK(result.errors == std::string("ptp-pack: error: ") + c.message);
        CHECK(result.status == 4);
    }
}

}  // namespace hostile_signatures_test
