// Installing, upgrading and removing packages.

#include "pack/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace install_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

Packed other_package(const std::string& version, const std::string& more = "") {
    return {.name = "other", .version = version, .plugin = ptp::test::other_plugin(), .more = more};
}

std::string by_jane(const PackUser& user) {
    return "with the key " + ptp::test::id_of_key(user.path() / "jane.pub");
}

void install(const PackUser& user, const fs::path& file) {
    user.done({"install", file.string()});
}

}  // namespace

TEST_CASE("install: ptp-inspect and ptprun find the plugins of an installed package") {
    const PackUser user;
    const auto before = user.run_other("ptp-inspect", {"GoodModel"});
    CHECK(before.status == 3);
    const auto result = user.run({"install", user.pack(Packed{}).string()});
    CHECK(result.output == "installed good 1.0.0, " + by_jane(user) + "\n");
    CHECK(result.errors == "");
    const auto after = user.run_other("ptp-inspect", {"GoodModel"});
    CHECK(after.status == 0);
    CHECK(user.in_packages() == std::vector<std::string>{".lock", "good"});
    CHECK(user.temp().read("data/ptp/packages/good/docs/readme.md") == "What it is.\n");
}

TEST_CASE("install: a type that another plugin has, too, is named") {
    const PackUser user;
    const fs::path folder = ptp::test::build_dir() / "tests/hostile/components";
    const fs::path package =
        user.pack({.name = "patient", .plugin = folder / "hanging_component.so"});
    user.temp().write("data/ptp/plugins/here", "");
    fs::copy_file(folder / "hostile_components.so",
                  user.path() / "data/ptp/plugins/hostile_components.so");
    CHECK(user.done({"install", package.string()}) ==
          "installed patient 1.0.0, " + by_jane(user) +
              "\nwarning: the plugin 'hostile_components' has a component PlainTask, too: "
              "experiments must name \"hanging_component/PlainTask\" or "
              "\"hostile_components/PlainTask\"\n");
}

TEST_CASE("install: list, show and verify have what is installed") {
    const PackUser user;
    CHECK(user.done({"list"}) == "no packages in T/data/ptp/packages\n");
    install(user, user.pack({.more = "summary = \"Does nothing.\"\n"}));
    const std::string id = ptp::test::id_of_key(user.path() / "jane.pub");
    CHECK(user.done({"list"}) ==
          "good                     1.0.0        " + id + "          Does nothing.\n");
    CHECK(user.done({"verify", "good"}) ==
          "good 1.0.0: 2 files as installed, with the key " + id + "\n");
    const std::string shown = user.done({"show", "good"});
    CHECK(shown.find("good 1.0.0\n  summary       Does nothing.\n") == 0);
    CHECK(shown.find("  folder        T/data/ptp/packages/good\n") != std::string::npos);
    fs::create_directory("good");  // a folder of the same name here is not what is meant
    CHECK(user.run({"verify", "good"}).status == 0);
    fs::remove("good");
    user.temp().write("data/ptp/packages/good/docs/readme.md", "What it was.\n");
    const auto changed = user.run({"verify", "good"});
    CHECK(changed.errors ==
          "ptp-pack: error: T/data/ptp/packages/good/docs/readme.md: was changed after it was "
          "installed\n    fix: install it again, after this: ptp-pack remove good\n");
    CHECK(changed.status == 4);
    fs::remove(user.packages() / "good/plugins/good.so");
    const auto missing = user.run({"verify", "good"});
    CHECK(missing.errors ==
          "ptp-pack: error: T/data/ptp/packages/good/docs/readme.md: was changed after it was "
          "installed\n    fix: install it again, after this: ptp-pack remove good\n");
    fs::remove(user.packages() / "good/docs/readme.md");
    CHECK(
        user.run({"verify", "good"}).errors ==
        "ptp-pack: error: T/data/ptp/packages/good/docs/readme.md: is missing\n    fix: install it "
        "again, after this: ptp-pack remove good\n");
}

TEST_CASE("install: verify refuses a file that was added to an installed package") {
    const PackUser user;
    install(user, user.pack(Packed{}));
    for (const char* added : {"plugins/evil.so", "notes.txt"}) {
        CAPTURE(added);
        user.temp().write(std::string("data/ptp/packages/good/") + added, "x");
        const auto result = user.run({"verify", "good"});
        CHECK(result.errors == "ptp-pack: error: T/data/ptp/packages/good/" + std::string(added) +
                                   ": is not of the package: it was added after it was "
                                   "installed\n    fix: install it again, after this: "
                                   "ptp-pack remove good\n");
        CHECK(result.status == 4);
        fs::remove(user.packages() / "good" / added);
    }
    fs::create_directory_symlink(user.path(), user.packages() / "good/linked");
    CHECK(user.run({"verify", "good"}).status == 4);
    fs::remove(user.packages() / "good/linked");
    CHECK(user.run({"verify", "good"}).status == 0);
}

TEST_CASE("install: the same package again is nothing to do, an older one needs a flag") {
    const PackUser user;
    const fs::path one = user.pack(Packed{});
    const fs::path two = user.pack({.version = "2.0.0"});
    install(user, one);
    CHECK(user.done({"install", one.string()}) == "nothing to do: all of this is installed\n");
    CHECK(user.done({"install", two.string()}) ==
          "replaced by good 2.0.0 (was 1.0.0), " + by_jane(user) + "\n");
    const auto older = user.run({"install", one.string()});
    CHECK(
        older.errors ==
        "ptp-pack: error: good 1.0.0 is older than 2.0.0, which is installed; it can replace that "
        "nevertheless\n    fix: --allow-downgrade\n");
    CHECK(older.status == 3);
    const fs::path same = user.pack({.version = "2.0.0", .readme = "Other.\n"}, "again");
    const auto other = user.run({"install", same.string()});
    CHECK(
        other.errors ==
        "ptp-pack: error: good 2.0.0 is installed with other content\n    fix: a new build gets a "
        "new version; --allow-downgrade replaces it\n");
    CHECK(other.status == 3);
    CHECK(user.done({"install", one.string(), "--allow-downgrade"}) ==
          "replaced by good 1.0.0 (was 2.0.0), " + by_jane(user) + "\n");
}

TEST_CASE("install: a package is replaced by one of another key only if that is allowed") {
    const PackUser user;
    install(user, user.pack(Packed{}));
    user.done({"key", "new", (user.path() / "mallory").string()});
    user.done({"key", "trust", (user.path() / "mallory.pub").string()});
    const fs::path file = user.pack({.version = "1.1.0"});
    user.sign(file, "mallory");
    user.publish();
    const std::string other = "with the key " + ptp::test::id_of_key(user.path() / "mallory.pub");
    const std::string fix =
        ", but 1.0.0, which is installed, is signed " + by_jane(user) +
        "\n    fix: ask its author whether the key was changed; --allow-other-key takes it\n";
    const std::string site = file.parent_path().string();
    const std::vector<std::string> upgrade = {"upgrade", "--repository", site};
    const std::vector<std::string> from_file = {"install", file.string()};
    for (const std::vector<std::string>& words : {upgrade, from_file}) {
        CAPTURE(words[0]);
        const auto result = user.run(words);
        CHECK(result.errors == "ptp-pack: error: good 1.1.0: is signed " + other + fix);
        CHECK(result.status == 4);
    }
    fs::rename(file.string() + ".minisig", file.string() + ".aside");
    const auto stripped = user.run({"install", file.string(), "--allow-unsigned"});
    CHECK(stripped.errors == "ptp-pack: error: good 1.1.0: is unsigned" + fix);
    CHECK(stripped.status == 4);
    fs::rename(file.string() + ".aside", file.string() + ".minisig");
    CHECK(user.done({"upgrade", "--repository", site, "--allow-other-key"}) ==
          "replaced by good 1.1.0 (was 1.0.0), " + other + "\n");
}

TEST_CASE(
    "install: a package needs the packages that it declares, in the versions that it declares") {
    const PackUser user;
    const std::string needs = "[dependencies]\ngood = \">=1.1.0, <2.0.0\"\n";
    const fs::path other = user.pack(other_package("1.0.0", needs));
    const auto missing = user.run({"install", other.string()});
    CHECK(
        missing.errors ==
        "ptp-pack: error: other 1.0.0 needs good >=1.1.0, <2.0.0, which is not installed\n    "
        "fix: name it, or its file, beside this one; or install it first: ptp-pack install good\n");
    CHECK(missing.status == 3);
    const fs::path old = user.pack(Packed{});
    const auto wrong = user.run({"install", other.string(), old.string()});
    CHECK(wrong.errors ==
          "ptp-pack: error: other 1.0.0 needs good >=1.1.0, <2.0.0, and 1.0.0 is "
          "to be installed\n");
    install(user, old);
    const auto outdated = user.run({"install", other.string()});
    CHECK(outdated.errors ==
          "ptp-pack: error: other 1.0.0 needs good >=1.1.0, <2.0.0, and 1.0.0 is installed\n    "
          "fix: replace it first: ptp-pack upgrade good\n"
          "         or by a version that you choose: ptp-pack install good=VERSION\n");
    CHECK(outdated.status == 3);
    user.done({"remove", "good"});
    const fs::path right = user.pack({.version = "1.1.0"});
    CHECK(user.done({"install", other.string(), right.string()}) ==
          "installed other 1.0.0, " + by_jane(user) + "\ninstalled good 1.1.0, " + by_jane(user) +
              "\n");
    const auto newer = user.run({"install", user.pack({.version = "2.0.0"}).string()});
    CHECK(newer.errors ==
          "ptp-pack: error: other 1.0.0 is installed and needs good >=1.1.0, <2.0.0, not 2.0.0\n"
          "    fix: install another version of other with it, or remove it first\n");
    CHECK(newer.status == 3);
    const auto needed = user.run({"remove", "good"});
    CHECK(needed.errors ==
          "ptp-pack: error: good is needed by other\n    fix: remove both: ptp-pack "
          "remove other good\n");
    CHECK(needed.status == 3);
    CHECK(user.done({"remove", "other", "good"}) == "removed other\nremoved good\n");
    CHECK(user.in_packages() == std::vector<std::string>{".lock"});
}

TEST_CASE("install: packages that need each other are installed together") {
    const PackUser user;
    const fs::path good = user.pack({.more = "[dependencies]\nother = \"*\"\n"});
    const fs::path other = user.pack(other_package("1.0.0", "[dependencies]\ngood = \"*\"\n"));
    CHECK(user.run({"install", good.string(), other.string()}).status == 0);
    CHECK(user.in_packages() == std::vector<std::string>{".lock", "good", "other"});
}

TEST_CASE("install: two versions of a package exclude each other") {
    const PackUser user;
    const auto result = user.run(
        {"install", user.pack(Packed{}).string(), user.pack({.version = "2.0.0"}).string()});
    CHECK(result.errors == "ptp-pack: error: good 1.0.0 and good 2.0.0 exclude each other\n");
    CHECK(result.status == 3);
}

TEST_CASE("install: processes at the same time wait for each other") {
    const PackUser user;
    const std::string one = user.pack(Packed{}).string();
    const std::string other = user.pack(other_package("1.0.0")).string();
    std::vector<std::thread> threads;
    std::array<int, 6> statuses{};
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        threads.emplace_back([&, i] {
            statuses[i] = user.run({"install", i % 2 == 0 ? one : other}).status;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(statuses == std::array<int, 6>{});
    CHECK(user.run({"verify", "good", "other"}).status == 0);
    CHECK(user.in_packages() == std::vector<std::string>{".lock", "good", "other"});
}

TEST_CASE("install: two packages with one plugin exclude each other") {
    const PackUser user;
    install(user, user.pack(Packed{}));
    const auto result = user.run({"install", user.pack({.name = "better"}).string()});
    CHECK(result.errors ==
          "ptp-pack: error: better 1.0.0 has the plugin 'good', which the package 'good' has too\n"
          "    fix: remove one of them: ptp-pack remove good\n");
    CHECK(result.status == 3);
    CHECK(user.in_packages() == std::vector<std::string>{".lock", "good"});
}

TEST_CASE("install: of several packages none is installed if one is damaged") {
    const PackUser user;
    const fs::path good = user.pack(Packed{});
    const fs::path other = user.pack(other_package("1.0.0"));
    std::string content = user.temp().read("made/" + other.filename().string());
    content.resize(content.size() - 100);
    user.temp().write("made/" + other.filename().string(), content);
    user.sign(other);
    const auto result = user.run({"install", good.string(), other.string()});
    CHECK(result.status == 4);
    CHECK(user.in_packages() == std::vector<std::string>{".lock"});
}

TEST_CASE("install: --into and --system choose other folders") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    const std::string folder = (user.path() / "mine").string();
    user.done({"install", file, "--into", folder});
    CHECK(fs::exists(user.path() / "mine/packages/good/plugins/good.so"));
    CHECK_FALSE(fs::exists(user.packages() / "good"));
    const auto found = user.run_other(
        "ptp-inspect", {"GoodModel", "--plugins", folder + "/packages/good/plugins"});
    CHECK(found.status == 0);
    const auto both = user.run({"list", "--into", folder, "--system"});
    CHECK(both.errors ==
          "ptp-pack: error: --system and --into exclude each other\n    help: "
          "ptp-pack help list\n");
    CHECK(both.status == 2);
}

TEST_CASE("install: a damaged package is reported by list, and repaired by installing it again") {
    const PackUser user;
    const fs::path file = user.pack(Packed{});
    install(user, file);
    user.temp().write("data/ptp/packages/good/manifest.toml", "= =");
    CHECK(user.done({"list"}).find("good                     damaged: T/data/ptp/packages/good/"
                                   "manifest.toml:1:1: ") == 0);
    CHECK(user.run({"install", file.string()}).status == 0);
    CHECK(user.run({"verify", "good"}).status == 0);
}

TEST_CASE("install: somebody's own files among the packages stay as they are") {
    const PackUser user;
    const fs::path file = user.pack(Packed{});
    const std::vector<std::string> own = {
        "photos.old/a.jpg", "photos.new/a.jpg", "My photos.old/a.jpg", "notes.old",
        "good/a.jpg",       ".staging/a.jpg",   ".staging-0/a.jpg"};
    for (const std::string& one : own) {
        user.temp().write("data/ptp/packages/" + one, "mine");
    }
    const auto wrong = user.run({"install", "good=x", "--into", (user.path() / "other").string()});
    CHECK(wrong.status == 2);
    CHECK_FALSE(fs::exists(user.path() / "other"));
    const auto taken = user.run({"install", file.string()});
    CHECK(taken.errors ==
          "ptp-pack: error: T/data/ptp/packages/good: is not of a package, and is where 'good' "
          "goes\n    fix: move it to another place\n");
    CHECK(taken.status == 3);
    const auto removed = user.run({"remove", "good"});
    CHECK(removed.errors == "ptp-pack: error: no package 'good' is installed\n");
    CHECK(removed.status == 3);
    CHECK(user.done({"list"}) == "no packages in T/data/ptp/packages\n");
    for (const std::string& one : own) {
        CAPTURE(one);
        CHECK(user.temp().read("data/ptp/packages/" + one) == "mine");
    }
    for (const char* ending : {".old", ".new"}) {
        const std::string rest = std::string("good") + ending;
        fs::rename(user.packages() / "good", user.packages() / rest);
        const auto beside = user.run({"install", file.string()});
        CHECK(beside.errors == "ptp-pack: error: T/data/ptp/packages/" + rest +
                                   ": is not of a package, and is where 'good' goes\n    fix: move "
                                   "it to another place\n");
        CHECK(user.temp().read("data/ptp/packages/" + rest + "/a.jpg") == "mine");
        fs::rename(user.packages() / rest, user.packages() / "good");
    }
    fs::remove_all(user.packages() / "good");
    install(user, file);
}

TEST_CASE("install: on a full disk the error has the reason, and nothing is left") {
    const PackUser user;
    const fs::path file = user.pack(Packed{});
    for (const char* part : {"package.ptpkg", "good.so", "manifest.toml", "installed.toml"}) {
        CAPTURE(part);
        const auto result =
            user.run({"install", file.string()},
                     {{"LD_PRELOAD", (ptp::test::build_dir() / "tests/write_failures.so").string()},
                      {"PTP_TEST_FAIL", "*/packages/*/" + std::string(part)},
                      {"PTP_TEST_FAIL_ROOM", "100"},
                      {"PTP_TEST_FAIL_WITH", std::to_string(ENOSPC)}});
        if (result.errors.find("ASan runtime") != std::string::npos) {
            return;  // a sanitizer must be the first library of a program
        }
        CHECK(result.errors.find("ptp-pack: error: cannot write T/data/ptp/packages/") == 0);
        CHECK(result.errors.find(": No space left on device\n") != std::string::npos);
        CHECK(result.status == 5);
        CHECK(user.in_packages() == std::vector<std::string>{".lock"});
    }
    const auto large = user.run({"install", file.string()}, {}, {{RLIMIT_FSIZE, 1000}});
    const std::string staging = "packages/.staging-";
    const std::size_t at = large.errors.find(staging);
    REQUIRE(at != std::string::npos);
    CHECK(large.errors.substr(0, at + staging.size()) +
              large.errors.substr(large.errors.find("/0/")) ==
          "ptp-pack: error: cannot write "
          "T/data/ptp/packages/.staging-/0/package.ptpkg: File too large\n");
    CHECK(large.status == 5);
    CHECK(user.in_packages() == std::vector<std::string>{".lock"});
}

TEST_CASE("install: a folder that cannot be written is reported, with another to choose") {
    const PackUser user;
    const fs::path file = user.pack(Packed{});
    user.temp().write("data/ptp", "a file");
    const auto result = user.run({"install", file.string()});
    CHECK(result.errors ==
          "ptp-pack: error: cannot make the folder of packages 'T/data/ptp/packages': Not a "
          "directory\n    fix: name a folder that you can write: --into FOLDER\n");
    CHECK(result.status == 5);
}

}  // namespace install_test
