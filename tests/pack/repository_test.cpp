// Repositories: folders and addresses.

#include "pack/support.hpp"
#include "pack/web_server.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/libraries.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace repository_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

const std::string kSite = "made";

Packed other_package(const std::string& version, const std::string& more = "") {
    return {.name = "other",
            .version = version,
            .plugin = ptp::test::other_plugin(),
            .more = "summary = \"Plain samples.\"\n" + more};
}

// good 1.0.0 and 1.1.0, and other 1.0.0, which needs good.
void fill(const PackUser& user) {
    user.pack(Packed{}, kSite);
    user.pack({.version = "1.1.0"}, kSite);
    user.pack(other_package("1.0.0", "[dependencies]\ngood = \">=1.0.0\"\n"), kSite);
    user.publish(kSite);
}

std::string by_jane(const PackUser& user) {
    return "with the key " + ptp::test::id_of_key(user.path() / "jane.pub");
}

// The whole way with one location.
void use_repository(const PackUser& user, const std::string& location) {
    const std::vector<std::string> from = {"--repository", location};
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.end(), from.begin(), from.end());
        return words;
    };
    CHECK(user.done(with({"search"})) ==
          "good                     1.1.0        \n"
          "other                    1.0.0        Plain samples.\n");
    CHECK(user.done(with({"search", "PLAIN"})) ==
          "other                    1.0.0        Plain samples.\n");
    CHECK(user.done(with({"search", "nothing"})) == "no package\n");
    CHECK(user.done(with({"install", "good=1.0.0"})) ==
          "installed good 1.0.0, " + by_jane(user) + "\n");
    CHECK(user.done(with({"install", "other"})) ==
          "installed other 1.0.0, " + by_jane(user) + "\n");
    CHECK(user.done(with({"upgrade"})) ==
          "replaced by good 1.1.0 (was 1.0.0), " + by_jane(user) + "\n");
    CHECK(user.done(with({"upgrade", "good"})) ==
          "nothing to do: no repository has a newer version\n");
    CHECK(user.done(with({"search", "good"})) ==
          "good                     1.1.0         (installed: 1.1.0)\n");
    user.done({"remove", "good", "other"});
    CHECK(user.run(with({"install", "other"})).status == 3);  // it needs good
    CHECK(user.done(with({"install", "good", "other"})) ==
          "installed good 1.1.0, " + by_jane(user) + "\ninstalled other 1.0.0, " + by_jane(user) +
              "\n");
    user.done({"remove", "good", "other"});
}

}  // namespace

TEST_CASE("repositories: a folder is searched, installed from, and upgraded from") {
    const PackUser user;
    fill(user);
    use_repository(user, (user.path() / kSite).string());
}

TEST_CASE("repositories: the same over HTTP") {
    const PackUser user;
    fill(user);
    const WebServer server(user.path() / kSite);
    if (server.address().empty()) {
        MESSAGE("skipped: there is no python3 here");
        return;
    }
    use_repository(user, server.address());
    use_repository(user, server.address() + "/");
    const std::string file = "/good-1.0.0-linux-x86_64.ptpkg";
    if (fs::exists(user.path() / (kSite + file))) {
        CHECK(user.done({"install", server.address() + file}) ==
              "installed good 1.0.0, " + by_jane(user) + "\n");
    }
    CHECK(user.run({"search", "--repository", server.address() + "/moved"}).status == 0);
    const auto missing = user.run({"search", "--repository", server.address() + "/nowhere"});
    CHECK(missing.errors == "ptp-pack: error: " + server.address() +
                                "/nowhere/index.toml: there is no such index\n    fix: name the "
                                "folder or the address that ptp-pack publish has written to\n");
    CHECK(missing.status == 4);
}

TEST_CASE("repositories: what a server does wrong is an error with its address") {
    struct Case {
        const char* path;
        const char* errors;
        int status;
    };
    const Case cases[] = {
        {"/busy", "cannot fetch ADDRESS/index.toml: the server answers 503\n", 5},
        {"/loop", "cannot fetch ADDRESS/index.toml: Number of redirects hit maximum amount\n", 5},
        {"/large", "ADDRESS/index.toml: has more than 16777216 bytes\n", 4},
    };
    const PackUser user;
    const WebServer server(user.path());
    if (server.address().empty()) {
        MESSAGE("skipped: there is no python3 here");
        return;
    }
    for (const Case& c : cases) {
        CAPTURE(c.path);
        const std::string address = server.address() + c.path;
        const auto result = user.run({"search", "--repository", address});
        CHECK(ptp::test::replaced(result.errors, address, "ADDRESS") ==
              std::string("ptp-pack: error: ") + c.errors);
        CHECK(result.status == c.status);
    }
}

TEST_CASE("repositories: what is remembered of an index, if it is damaged, is named") {
    const PackUser user;
    fill(user);
    const std::vector<std::string> search = {"search", "--repository",
                                             (user.path() / kSite).string()};
    user.done(search);
    const fs::path seen =
        fs::directory_iterator(user.path() / "state/ptp/repositories")->path().filename();
    user.temp().write("state/ptp/repositories" / seen, "version = 1\n");
    const auto result = user.run(search);
    CHECK(result.errors.find("T/state/ptp/repositories/" + seen.string()) != std::string::npos);
    CHECK(
        result.errors.find("    fix: remove this file; ptp-pack then trusts the next index of any "
                           "number\n") != std::string::npos);
    CHECK(result.status == 4);
}

TEST_CASE("repositories: a server that is gone is an error of the network") {
    const PackUser user;
    // Port 9 of this machine: nothing has listened there for decades.
    const auto result = user.run({"search", "--repository", "http://127.0.0.1:9"});
    CHECK(result.errors ==
          "ptp-pack: error: cannot fetch http://127.0.0.1:9/index.toml: Couldn't connect to "
          "server\n");
    CHECK(result.status == 5);
}

TEST_CASE("repositories: those of repositories.toml are used, with the key that it names") {
    const PackUser user;
    fill(user);
    const std::string key = user.temp().read("jane.pub");
    const std::string line = key.substr(key.find('\n') + 1, 56);
    const std::string location = (user.path() / kSite).string();
    user.temp().write("config/ptp/repositories.toml",
                      "[repositories.main]\nurl = \"" + location + "\"\nkey = \"" + line + "\"\n");
    CHECK(user.done({"search", "good"}) == "good                     1.1.0        \n");
    CHECK(user.done({"search", "good", "--repository", "main"}) ==
          "good                     1.1.0        \n");

    user.done({"key", "new", (user.path() / "mallory").string()});
    user.done({"key", "trust", (user.path() / "mallory.pub").string()});
    user.sign(user.path() / kSite / "index.toml", "mallory");
    const std::string id = ptp::test::id_of_key(user.path() / "mallory.pub");
    const auto other = user.run({"search"});
    CHECK(other.errors == "ptp-pack: error: T/made/index.toml: is signed with the key " + id +
                              ", which is not trusted\n    fix: compare the key with its owner's, "
                              "then: ptp-pack key trust FILE.pub\n");
    CHECK(other.status == 4);
    for (const std::string& same : std::vector<std::string>{"main", location, location + "/"}) {
        CAPTURE(same);
        CHECK(user.run({"search", "--repository", same}).errors == other.errors);
    }
    user.temp().write("config/ptp/repositories.toml", "[repositories.main]\nulr = \"x\"\n");
    const auto wrong = user.run({"search"});
    CHECK(
        ptp::test::without_excerpts(wrong.errors)
            .find(
                "T/config/ptp/repositories.toml:2:1: error: repositories.main.ulr: unknown key; did "
                "you mean 'url'?\n") != std::string::npos);
    CHECK(wrong.status == 2);
}

TEST_CASE("repositories: a pre-release is taken where it is named, or where one is installed") {
    const PackUser user;
    const std::string location = (user.path() / kSite).string();
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--repository", location});
        return words;
    };
    user.pack({.version = "1.1.0-rc.1"}, kSite);
    user.publish(kSite);
    const auto early = user.run(with({"install", "good"}));
    CHECK(early.errors ==
          "ptp-pack: error: 'good' has no release for this host, only pre-releases\n    fix: name "
          "the one that you want: good=1.1.0-rc.1\n");
    CHECK(early.status == 3);
    user.pack(Packed{}, kSite);
    user.publish(kSite);
    CHECK(user.done(with({"install", "good"})) == "installed good 1.0.0, " + by_jane(user) + "\n");
    CHECK(user.done(with({"upgrade"})) == "nothing to do: no repository has a newer version\n");
    CHECK(user.done(with({"install", "good=1.1.0-rc.1"})) ==
          "replaced by good 1.1.0-rc.1 (was 1.0.0), " + by_jane(user) + "\n");
    user.pack({.version = "1.1.0-rc.2"}, kSite);
    user.publish(kSite);
    CHECK(user.done(with({"upgrade"})) ==
          "replaced by good 1.1.0-rc.2 (was 1.1.0-rc.1), " + by_jane(user) + "\n");
}

TEST_CASE("repositories: an address is one however it is written") {
    struct Case {
        const char* location;
        const char* normal;
    };
    const Case cases[] = {
        {"https://example.org/ptp", "https://example.org/ptp"},
        {"https://example.org/ptp//", "https://example.org/ptp"},
        {"HTTPS://Example.ORG/Ptp/", "https://example.org/Ptp"},
        {"HTTP://Jane@Example.ORG:8080", "http://Jane@example.org:8080"},
        {"https://Example.org?Q", "https://example.org?Q"},
        {"Folder/", "Folder/"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.location);
        CHECK(ptp::pack::normal_location(c.location) == c.normal);
    }
}

TEST_CASE("repositories: publishing numbers the index, and keeps what was published as it was") {
    const PackUser user;
    user.pack(Packed{}, kSite);
    const std::vector<std::string> publish = {"publish", (user.path() / kSite).string(), "--key",
                                              (user.path() / "jane.key").string()};
    const auto nameless = user.run(publish);
    CHECK(nameless.errors ==
          "ptp-pack: error: --name is needed for a new repository: what people "
          "call it\n    help: ptp-pack help publish\n");
    user.publish(kSite);
    const std::string second = user.done(publish);
    CHECK(second.find("T/made/index.toml: index 2 with 1 package, until 20") == 0);
    const fs::path changed = user.pack({.readme = "Changed.\n"}, kSite);
    const auto refused = user.run(publish);
    CHECK(refused.errors == "ptp-pack: error: " + changed.filename().string() +
                                ": is another package than the one that was published under this "
                                "name\n    fix: give the new build a new version\n");
    CHECK(refused.status == 4);
    fs::rename(changed, user.path() / kSite / "nice.ptpkg");
    fs::rename(changed.string() + ".minisig", user.path() / kSite / "nice.ptpkg.minisig");
    const auto misnamed = user.run(publish);
    CHECK(misnamed.errors ==
          "ptp-pack: error: T/made/nice.ptpkg: is good 1.0.0\n    fix: rename it, "
          "and its signature: " +
              changed.filename().string() + "\n");
    fs::remove(user.path() / kSite / "nice.ptpkg.minisig");
    const auto unsigned_one = user.run(publish);
    CHECK(unsigned_one.errors ==
          "ptp-pack: error: T/made/nice.ptpkg: is not signed: there is no nice.ptpkg.minisig\n"
          "    fix: ptp-pack sign T/made/nice.ptpkg --key T/jane.key\n"
          "         or, if it is not yours, ask its author to sign it\n");
    CHECK(unsigned_one.status == 4);
}

TEST_CASE("repositories: an index that was lost or is damaged is continued by its number") {
    const PackUser user;
    user.pack(Packed{}, kSite);
    user.publish(kSite);
    const fs::path index = user.path() / kSite / "index.toml";
    std::vector<std::string> publish = {"publish", (user.path() / kSite).string(),
                                        "--key",   (user.path() / "jane.key").string(),
                                        "--name",  "Jane's"};
    std::ofstream(index) << "format = ";
    const auto damaged = user.run(publish);
    CHECK(damaged.status == 4);
    CHECK(damaged.errors.find("T/made/index.toml:1:10: error: ") != std::string::npos);
    CHECK(
        damaged.errors.ends_with("\n    fix: restore it, or replace it: --number N, greater than "
                                 "the number of the last index\n"));
    publish.insert(publish.end(), {"--number", "5"});
    CHECK(user.done(publish).find("T/made/index.toml: index 5 with 1 package, until 20") !=
          std::string::npos);
    fs::remove(index);
    publish.back() = "7";
    CHECK(user.done(publish).find("T/made/index.toml: index 7 with 1 package, until 20") == 0);
    CHECK(user.run(publish).errors ==
          "ptp-pack: error: --number 7: must be greater than 7, that of T/made/index.toml\n"
          "    help: ptp-pack help publish\n");
}

TEST_CASE("repositories: what none of them has is reported with what they have") {
    const PackUser user;
    fill(user);
    struct Case {
        std::vector<std::string> words;
        std::string errors;
        int status;
    };
    const std::string location = (user.path() / kSite).string();
    const Case cases[] = {
        {{"install", "good"},
         "ptp-pack: error: there is no repository that could have 'good'\n    fix: name one: "
         "--repository LOCATION, or in repositories.toml\n",
         3},
        {{"install", "god", "--repository", location},
         "ptp-pack: error: no repository has a package or a model 'god'; did you mean 'good'?\n",
         3},
        {{"install", "good=3.0.0", "--repository", location},
         "ptp-pack: error: no package 'good' of version 3.0.0 fits this host; there are:\n    good "
         "1.0.0 for PLATFORM\n    good 1.1.0 for PLATFORM\n    fix: ask its author for a package "
         "for this host, or build the plugin from its source\n",
         3},
        {{"install", "good=x", "--repository", location},
         "ptp-pack: error: 'good=x' is neither a file, NAME.ptpkg or NAME.ptpm, nor the name of a package or model\n    fix: write a name of lower-case "
         "letters, digits and '_': NAME, or NAME=VERSION of a package\n",
         2},
        {{"upgrade", "good", "--repository", location},
         "ptp-pack: error: no package 'good' is installed\n",
         3},
    };
    const std::string platform = ptp::pack::host_platform();
    for (const Case& c : cases) {
        CAPTURE(c.words[1]);
        const auto result = user.run(c.words);
        CHECK(result.errors == ptp::test::replaced(c.errors, "PLATFORM", platform));
        CHECK(result.status == c.status);
    }
}

}  // namespace repository_test
