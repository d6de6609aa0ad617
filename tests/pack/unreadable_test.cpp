// What cannot be read is not taken for absent: a distrusted key would count, an older index be
// taken, a repository not be searched.

#include "pack/support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace unreadable_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

// What a command says where this file or folder of the user is a link to nothing.
std::string refusal(const PackUser& user, const fs::path& file,
                    const std::vector<std::string>& command) {
    fs::remove_all(user.path() / file);
    fs::create_directories((user.path() / file).parent_path());
    fs::create_symlink("nowhere", user.path() / file);
    const auto result = user.run(command);
    CHECK(result.status == 4);
    return result.errors;
}

}  // namespace

TEST_CASE("unreadable: folders of keys") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    for (const char* folder : {"distrusted_keys", "trusted_keys"}) {
        CAPTURE(folder);
        CHECK(refusal(user, std::string("config/ptp/") + folder, {"install", file}) ==
              "ptp-pack: error: cannot read T/config/ptp/" + std::string(folder) +
                  ": No such file or directory\n");
        fs::remove(user.path() / "config/ptp" / folder);
    }
    CHECK_FALSE(fs::exists(user.packages() / "good"));
}

TEST_CASE("unreadable: limits of keys, which earlier versions had, do not vanish in silence") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    user.temp().write("config/ptp/trusted_keys/limits.toml", "");
    for (const char* command : {"install", "verify"}) {
        const auto result = user.run({command, file});
        CHECK(
            result.errors ==
            "ptp-pack: error: T/config/ptp/trusted_keys/limits.toml: limits keys, which this "
            "ptp-pack does not: it trusts a key for every package\n    fix: remove this file, and "
            "the keys that are not to be trusted for every package\n");
        CHECK(result.status == 2);
    }
}

TEST_CASE("unreadable: a signature") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    const std::string shown = ptp::test::replaced(file, user.path().string(), "T") + ".minisig";
    fs::remove(file + ".minisig");
    fs::create_symlink("nowhere", file + ".minisig");
    for (const char* command : {"verify", "install"}) {
        CAPTURE(command);
        const auto result = user.run({command, file, "--allow-unsigned"});
        CHECK(result.errors.find(shown) != std::string::npos);
        CHECK(result.errors.find("No such file or directory") != std::string::npos);
        CHECK(result.status == 4);
    }
}

TEST_CASE("unreadable: the list of repositories, and what was seen of one") {
    const PackUser user;
    user.pack(Packed{});
    user.publish();
    const std::string site = (user.path() / "made").string();
    user.done({"search", "--repository", site});
    std::vector<fs::path> seen;
    for (const auto& entry : fs::directory_iterator(user.path() / "state/ptp/repositories")) {
        seen.push_back(entry.path().lexically_relative(user.path()));
    }
    REQUIRE(seen.size() == 1);
    CHECK(refusal(user, seen.front(), {"search", "--repository", site}) ==
          "ptp-pack: error: cannot read T/" + seen.front().string() +
              ": No such file or directory\n");
    fs::remove(user.path() / seen.front());
    CHECK(refusal(user, "config/ptp/repositories.toml", {"search", "good"}) ==
          "ptp-pack: error: cannot read T/config/ptp/repositories.toml: No such file or "
          "directory\n");
}

TEST_CASE("unreadable: the packages that are installed") {
    const PackUser user;
    CHECK(refusal(user, "data/ptp/packages", {"list"}) ==
          "ptp-pack: error: cannot read T/data/ptp/packages: No such file or directory\n");
}

TEST_CASE("publish: an index with the greatest number has no next one") {
    const PackUser user;
    user.pack(Packed{});
    user.publish();
    const fs::path index = user.path() / "made/index.toml";
    const std::string text =
        ptp::test::replaced(user.temp().read("made/index.toml"), "\nversion = 1\n",
                            "\nversion = 9223372036854775807\n");
    std::ofstream(index) << text;
    const auto result = user.run(
        {"publish", (user.path() / "made").string(), "--key", (user.path() / "jane.key").string()});
    CHECK(result.status == 4);
    CHECK(result.errors ==
          "ptp-pack: error: T/made/index.toml: is index 9223372036854775807, and no number is "
          "greater\n    fix: publish in another folder\n");
    CHECK(user.temp().read("made/index.toml") == text);
}

}  // namespace unreadable_test
