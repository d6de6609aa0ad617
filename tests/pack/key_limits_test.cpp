// Keys that are trusted for some packages, or for some repositories, alone.

#include "pack/support.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace key_limits_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

std::string jane(const PackUser& user) {
    return ptp::test::id_of_key(user.path() / "jane.pub");
}

// Jane's key, trusted anew with these options; what that prints.
std::string trust(const PackUser& user, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"key", "trust", (user.path() / "jane.pub").string()};
    words.insert(words.end(), options.begin(), options.end());
    return user.done(words);
}

const std::string kTrustAgain =
    "    fix: if its owner may sign this too, trust the key again, with all that it may sign: "
    "ptp-pack key trust FILE.pub --package NAME\n";

}  // namespace

TEST_CASE("limits of keys: names and patterns of packages") {
    struct Case {
        const char* pattern;
        const char* name;
        bool fits;
    };
    const Case cases[] = {{"good", "good", true},        {"good", "goods", false},
                          {"jane_*", "jane_loss", true}, {"jane_*", "jane_", true},
                          {"jane_*", "jane", false},     {"*", "good", true},
                          {"*_loss", "my_loss", true},   {"*_loss", "my_loss2", false},
                          {"a*b*c", "axbxbc", true},     {"a*b*c", "axc", false}};
    for (const Case& c : cases) {
        CAPTURE(c.pattern);
        CAPTURE(c.name);
        const ptp::pack::KeyLimits limits{.packages = {"none", c.pattern}, .repositories = {}};
        CHECK(limits.have_package(c.name) == c.fits);
    }
}

TEST_CASE("limits of keys: a file lies in a repository, or leads out of it") {
    const ptp::pack::KeyLimits limits{.packages = {}, .repositories = {"https://example.org/ptp/"}};
    CHECK(limits.have_location("HTTPS://EXAMPLE.org/ptp"));
    CHECK(limits.have_location("https://example.org/ptp/good.ptpkg"));
    for (const char* other :
         {"https://example.org/ptp2/good.ptpkg", "http://example.org/ptp/good.ptpkg",
          "https://example.org/ptp/../good.ptpkg", "https://example.org/ptp/%2e%2e/good.ptpkg",
          "/srv/ptp/good.ptpkg"}) {
        CAPTURE(other);
        CHECK_FALSE(limits.have_location(other));
    }
}

TEST_CASE("limits of keys: a package that the key is not trusted for is refused") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    const std::string shown = ptp::test::replaced(file, user.path().string(), "T");
    CHECK(trust(user, {"--package", "jane_*", "--package", "my_loss"}) ==
          "trusted: " + jane(user) + ", for the packages jane_*, my_loss alone\n");
    CHECK(user.done({"key", "list"}) ==
          jane(user) + "  trusted     T/config/ptp/trusted_keys/" + jane(user) +
              ".pub\n                              for the packages jane_*, my_loss alone\n");
    for (const char* command : {"install", "verify"}) {
        CAPTURE(command);
        const auto refused = user.run({command, file});
        CHECK(refused.errors ==
              "ptp-pack: error: " + shown + ": is of the package 'good', and signed with the key " +
                  jane(user) + ", which is trusted for the packages jane_*, my_loss alone\n" +
                  kTrustAgain);
        CHECK(refused.status == 4);
    }
    CHECK(user.in_packages() == std::vector<std::string>{".lock"});
    CHECK(user.done({"install", file, "--allow-unsigned"}) == "installed good 1.0.0, unsigned\n");
    user.done({"remove", "good"});

    CHECK(trust(user, {"--package", "go*"}) ==
          "trusted: " + jane(user) + ", for the packages go* alone\n");
    CHECK(user.done({"install", file}) ==
          "installed good 1.0.0, with the key " + jane(user) + "\n");
    CHECK(trust(user, {}) ==
          "trusted: " + jane(user) + ", for every package; until now for the packages go* alone\n");
    CHECK(trust(user, {}) == "trusted: " + jane(user) + "\n");
}

TEST_CASE("limits of keys: what is not of the key's repository is refused") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    user.publish();
    const std::string site = (user.path() / "made").string();
    CHECK(trust(user, {"--repository", site + "/"}) ==
          "trusted: " + jane(user) + ", for packages from T/made alone\n");
    CHECK(user.done({"install", "good", "--repository", site}) ==
          "installed good 1.0.0, with the key " + jane(user) + "\n");
    fs::copy(user.path() / "made", user.path() / "elsewhere");
    const auto index = user.run({"search", "--repository", (user.path() / "elsewhere").string()});
    CHECK(index.errors == "ptp-pack: error: T/elsewhere/index.toml: is signed with the key " +
                              jane(user) + ", which is trusted for packages from T/made alone\n" +
                              kTrustAgain);
    CHECK(index.status == 4);
    const std::string copy = ptp::test::replaced(file, "/made/", "/elsewhere/");
    const auto package = user.run({"install", copy});
    CHECK(package.errors ==
          "ptp-pack: error: " + ptp::test::replaced(copy, user.path().string(), "T") +
              ": is of the package 'good', and signed with the key " + jane(user) +
              ", which is trusted for packages from T/made alone\n" + kTrustAgain);
}

TEST_CASE("limits of keys: an index has nothing to say of packages that its key is not for") {
    const PackUser user;
    user.pack(Packed{});
    user.pack({.name = "other", .plugin = ptp::test::other_plugin()});
    user.publish();
    trust(user, {"--package", "other"});
    const auto found = user.run({"search", "--repository", (user.path() / "made").string()});
    CHECK(found.output == "other                    1.0.0        \n");
    CHECK(found.errors ==
          "ptp-pack: note: T/made/index.toml: 'good' is left out: the key " + jane(user) +
              ", which signed the index, is trusted for the packages other alone\n");
    CHECK(found.status == 0);
}

TEST_CASE("limits of keys: a key that one with limits has signed has the same ones") {
    const PackUser user;
    trust(user, {"--package", "jane_*"});
    const std::string folder = user.path().string();
    user.done({"key", "new", folder + "/next"});
    user.sign(user.path() / "next.pub");
    const std::string next = ptp::test::id_of_key(user.path() / "next.pub");
    CHECK(user.done({"key", "trust", folder + "/next.pub", "--signed"}) ==
          "trusted: " + next + ", for the packages jane_* alone\n");
    const auto wider =
        user.run({"key", "trust", folder + "/next.pub", "--signed", "--package", "good"});
    CHECK(
        wider.errors ==
        "ptp-pack: error: --signed and --package exclude each other\n    help: ptp-pack help key\n");
    CHECK(wider.status == 2);
}

TEST_CASE("limits of keys: what is wrong with them is named") {
    struct Case {
        const char* text;
        const char* errors;
    };
    const Case cases[] = {
        {"[jane]\npackages = [\"good\"]\n",
         "T/keys/limits.toml:1:1: error: jane = { packages = [\"good\"] }: must be a table with the id of a key, 16 hexadecimal "
         "digits\n"},
        {"[74EE58946A0D8F97]\npackages = [\"Good\"]\n",
         "T/keys/limits.toml:2:12: error: 74EE58946A0D8F97.packages = [\"Good\"]: 'Good' must be the name of a "
         "package, lower-case letters, digits and '_', where '*' is any letters\n"},
        {"[74EE58946A0D8F97]\npackages = []\n",
         "T/keys/limits.toml:2:12: error: 74EE58946A0D8F97.packages = []: must have at least 1 item, has "
         "0\n"},
        {"[74EE58946A0D8F97]\n",
         "T/keys/limits.toml:1:1: error: 74EE58946A0D8F97.packages: is missing, and so is "
         "repositories\n    fix: add one of them, or remove this table\n"},
    };
    const PackUser user;
    for (const Case& c : cases) {
        CAPTURE(c.text);
        user.temp().write("keys/limits.toml", c.text);
        const auto result = user.run({"key", "list", "--keys", (user.path() / "keys").string()});
        CHECK(ptp::test::without_excerpts(result.errors) == c.errors);
        CHECK(result.status == 2);
    }
    std::filesystem::remove(user.path() / "keys/limits.toml");
    std::filesystem::create_symlink("absent.toml", user.path() / "keys/limits.toml");
    const auto dangling = user.run({"key", "list", "--keys", (user.path() / "keys").string()});
    CHECK(dangling.errors ==
          "ptp-pack: error: cannot read T/keys/limits.toml: No such file or directory\n");
    CHECK(dangling.status != 0);
    const auto pattern =
        user.run({"key", "trust", (user.path() / "jane.pub").string(), "--package", "Good"});
    CHECK(
        pattern.errors ==
        "ptp-pack: error: --package Good: must be the name of a package, lower-case letters, digits "
        "and '_', where '*' is any letters\n    help: ptp-pack help key\n");
    CHECK(pattern.status == 2);
}

}  // namespace key_limits_test
