// Indexes that are wrong, old or forged: nothing is installed from any.

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "pack/support.hpp"
#include "ptp-pack/minisign.hpp"
#include "ptp-pack/repository.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hostile_indexes_test {

namespace {

namespace fs = std::filesystem;
using ptp::pack::Index;
using ptp::test::PackUser;

// What is published instead, signed with the right key.
struct HostileIndex {
    std::string name;
    std::function<std::string(Index)> make;
    std::string message;
    int status = 4;
};

std::function<std::string(Index)> changed(const std::function<void(Index&)>& change) {
    return [change](Index index) {
        change(index);
        return text_of(index);
    };
}

std::function<std::string(Index)> with_text_replaced(const std::string& from,
                                                     const std::string& to) {
    return [=](const Index& index) { return ptp::test::replaced(text_of(index), from, to); };
}

// The index with a model, changed.
std::function<std::string(Index)> with_model(
    const std::function<void(ptp::pack::ModelEntry&)>& change) {
    return changed([change](Index& index) {
        ptp::pack::ModelEntry model{.name = "kinds"};
        model.sha256 = ptp::sha256("a model");
        model.size = 7;
        change(model);
        index.models.push_back(model);
    });
}

std::vector<HostileIndex> hostile_models() {
    using ptp::pack::ModelEntry;
    const std::string name =
        "models.name: must be at most 64 lower-case letters, digits and '_', a letter first, and "
        "not 'last' or 'best'";
    const std::string text = "models: must have texts of one line without control characters";
    return {
        {"a model with a path for a name",
         with_model([](ModelEntry& model) { model.name = "../../evil"; }), name},
        {"a model with an address for a name",
         with_model([](ModelEntry& model) { model.name = "http://x/evil"; }), name},
        {"a model without a name", with_model([](ModelEntry& model) { model.name = ""; }), name},
        {"a model with the name of a run",
         with_model([](ModelEntry& model) { model.name = "best"; }), name},
        {"a model with a long name",
         with_model([](ModelEntry& model) { model.name = std::string(65, 'a'); }), name},
        {"a model with a hash that is not one",
         with_model([](ModelEntry& model) { model.sha256 = "x"; }),
         "models.sha256: must be 64 hexadecimal digits"},
        {"a model of no bytes", with_model([](ModelEntry& model) { model.size = 0; }),
         "models.size = 0: must be in [1, inf)"},
        {"a model of more than 16 GiB",
         with_model([](ModelEntry& model) { model.size = std::int64_t{1} << 40U; }),
         "models.size: must be at most 16 GiB"},
        {"a model with a terminal's command",
         with_model([](ModelEntry& model) { model.summary = "\x1b[2J"; }), text},
        {"a model with two lines for a license",
         with_model([](ModelEntry& model) { model.license = "a\nb"; }), text},
        {"a model with the name of a package",
         with_model([](ModelEntry& model) { model.name = "good"; }),
         "models: 'good' is the name of a package, too"},
        {"a model twice", changed([](Index& index) {
             index.models.assign(2, {.name = "kinds"});
             index.models[0].sha256 = index.models[1].sha256 = ptp::sha256("");
             index.models[0].size = index.models[1].size = 1;
         }),
         "models: 'kinds' is there twice"},
        {"models that are no list", with_text_replaced("format = 1", "format = 1\nmodels = 1"),
         "models = 1: must be a list of tables"},
        {"a model with code",
         with_text_replaced("format = 1", "format = 1\nmodels = [{ name = \"a\", code = \"x\" }]"),
         "models.code: unknown key"},
    };
}

std::vector<HostileIndex> hostile_indexes() {
    const std::string begin = "T/made/index.toml";
    const std::string differs =
        "ptp-pack: error: FILE: is good 1.0.0, and differs from what the index has of ";
    return {
        {"nothing", [](const Index&) { return ""; },
         begin + ": name: required, but missing: a string\n"},
        {"not TOML", [](const Index&) { return "= ="; }, begin + ":1:1: error: "},
        {"nested too deep", [](const Index&) { return "a = " + std::string(100'000, '['); },
         begin + ":1:"},
        {"a newer format", with_text_replaced("format = 1", "format = 2"),
         "ptp-pack: error: " + begin +
             ": is of format 2, this ptp-pack reads 1\n    fix: use a newer ptp\n"},
        {"an unknown key", with_text_replaced("published = ", "run = "),
         begin + ":4:1: error: run: "},
        {"number 0", changed([](Index& index) { index.version = 0; }),
         begin + ":3:11: error: version = 0: must be in [1, inf)\n"},
        {"times that are none", changed([](Index& index) { index.expires = "never"; }),
         "must be times as 2026-11-23T16:00:00Z\n"},
        {"expired", changed([](Index& index) { index.expires = "2026-01-01T00:00:00Z"; }),
         "ptp-pack: error: " + begin +
             ": has expired on 2026-01-01T00:00:00Z\n    fix: ask who "
             "publishes it to publish again; --allow-expired takes it\n"},
        {"a name that is a path",
         changed([](Index& index) { index.packages.front().about.name = "../good"; }),
         "must be at most 64 lower-case letters, digits and '_', a letter first\n"},
        {"a version that is not one",
         changed([](Index& index) { index.packages.front().about.version = "new"; }),
         "must be a version such as 1.2.0 or 1.2.0-rc.1\n"},
        {"a file that leads elsewhere",
         changed([](Index& index) { index.packages.front().file = "../../evil.ptpkg"; }),
         "packages.file: must be the name of a file, NAME.ptpkg, without a folder\n"},
        {"a file that is an address",
         changed([](Index& index) { index.packages.front().file = "http://x/evil.ptpkg"; }),
         "packages.file: must be the name of a file, NAME.ptpkg, without a folder\n"},
        {"a file that is not a package",
         changed([](Index& index) { index.packages.front().file = "passwd"; }),
         "packages.file: must be the name of a file, NAME.ptpkg, without a folder\n"},
        {"a hash that is not one",
         changed([](Index& index) { index.packages.front().sha256 = "0"; }),
         "packages.sha256: must be 64 hexadecimal digits\n"},
        {"a size of nothing", changed([](Index& index) { index.packages.front().size = 0; }),
         "packages.size = 0: must be in [1, inf)\n"},
        {"a size of more than 2 GiB",
         changed([](Index& index) { index.packages.front().size = std::int64_t{1} << 40U; }),
         "packages.size: must be at most 2 GiB\n"},
        {"a package twice",
         changed([](Index& index) { index.packages.push_back(index.packages.front()); }),
         "is there twice\n"},
        {"the hash of another file",
         changed([](Index& index) { index.packages.front().sha256 = ptp::sha256("another"); }),
         "ptp-pack: error: FILE: is not the file that the index names: it was changed\n    fix: ask who "
         "publishes the repository to publish again\n"},
        {"a size that is too small",
         changed([](Index& index) { index.packages.front().size = 10; }),
         "ptp-pack: error: FILE: has more than 10 bytes\n"},
        {"a file that is missing",
         changed([](Index& index) { index.packages.front().file = "none.ptpkg"; }),
         "ptp-pack: error: T/made/none.ptpkg: there is no such package\n"},
        {"another version than the package's",
         changed([](Index& index) { index.packages.front().about.version = "9.0.0"; }),
         differs + "good 9.0.0\n"},
        {"fewer dependencies than the package's",
         changed([](Index& index) { index.packages.front().about.dependencies.clear(); }),
         differs + "good 1.0.0\n"},
        {"other libraries than the package's",
         changed([](Index& index) { index.packages.front().libraries.front().plugin = "losses"; }),
         differs + "good 1.0.0\n"},
        {"libraries for another host", changed([](Index& index) {
             index.packages.front().libraries.front().platform = "linux-pdp11";
         }),
         "ptp-pack: error: no package 'good' fits this host; there are:\n", 3},
    };
}

// A repository with one package, good 1.0.0, which needs no other of any name but one that is
// there.
fs::path published(const PackUser& user) {
    const fs::path file = user.pack({.more = "[dependencies]\nother = \"*\"\n"});
    const auto other =
        user.pack({.name = "other", .plugin = ptp::test::other_plugin()}, "elsewhere");
    user.done({"install", other.string()});
    user.publish();
    return file;
}

}  // namespace

TEST_CASE(
    "hostile indexes: nothing is installed from any, though each is signed with a trusted key") {
    for (const HostileIndex& hostile : hostile_indexes()) {
        CAPTURE(hostile.name);
        const PackUser user;
        const fs::path file = published(user);
        const Index right = ptp::pack::read_index(user.temp().read("made/index.toml"), "");
        user.temp().write("made/index.toml", hostile.make(right));
        user.sign(user.path() / "made/index.toml");
        const auto result =
            user.run({"install", "good", "--repository", (user.path() / "made").string()});
        CAPTURE(result.errors);
        CHECK(ptp::test::replaced(result.errors, "T/made/" + file.filename().string(), "FILE")
                  .find(hostile.message) != std::string::npos);
        CHECK(result.status == hostile.status);
        CHECK(result.output == "");
        CHECK(user.in_packages() == std::vector<std::string>{".lock", "other"});
    }
}

TEST_CASE("hostile indexes: models that no repository has are refused") {
    const PackUser user;
    published(user);
    const Index right = ptp::pack::read_index(user.temp().read("made/index.toml"), "");
    for (const HostileIndex& hostile : hostile_models()) {
        CAPTURE(hostile.name);
        std::string text;
        try {
            ptp::pack::read_index(hostile.make(right), "index.toml");
        } catch (const ptp::RunError& error) {
            CHECK(error.code() == ptp::kDataError);
            text = error.what();
        }
        CHECK_MESSAGE(text.find(hostile.message) != std::string::npos, text);
    }
}

TEST_CASE("hostile indexes: one without a right signature is refused") {
    const PackUser user;
    published(user);
    const std::vector<std::string> install = {"install", "good", "--repository",
                                              (user.path() / "made").string()};
    const std::string id = ptp::test::id_of_key(user.path() / "jane.pub");
    const std::string text = user.temp().read("made/index.toml");
    user.temp().write("made/index.toml", text + "\n");
    auto result = user.run(install);
    CHECK(result.errors ==
          "ptp-pack: error: T/made/index.toml: its signature is wrong: it was changed "
          "after the key " +
              id + " signed it\n    fix: fetch it again, with its signature\n");
    CHECK(result.status == 4);
    user.temp().write("made/index.toml", text);
    fs::remove(user.path() / "made/index.toml.minisig");
    result = user.run(install);
    CHECK(
        result.errors ==
        "ptp-pack: error: T/made/index.toml: is not signed: there is no index.toml.minisig\n    fix: "
        "ask its author to sign it (ptp-pack sign); --allow-unsigned takes it as it is\n");
    CHECK(result.status == 4);
}

TEST_CASE("hostile indexes: one that goes back, or changes under its number, is refused") {
    const PackUser user;
    published(user);
    const fs::path index = user.path() / "made/index.toml";
    const std::string old_text = user.temp().read("made/index.toml");
    const std::string old_signature = user.temp().read("made/index.toml.minisig");
    user.publish();
    const std::vector<std::string> search = {"search", "--repository",
                                             (user.path() / "made").string()};
    user.done(search);
    user.temp().write("made/index.toml", old_text);
    user.temp().write("made/index.toml.minisig", old_signature);
    auto result = user.run(search);
    const fs::path seen =
        fs::directory_iterator(user.path() / "state/ptp/repositories")->path().filename();
    CHECK(
        result.errors ==
        "ptp-pack: error: T/made/index.toml: is index 1, an older one than index 2, which was seen "
        "before\n    fix: ask who publishes it; somebody may be offering outdated packages. If it "
        "begins anew, remove T/state/ptp/repositories/" +
            seen.string() + "\n");
    CHECK(result.status == 4);
    Index other = ptp::pack::read_index(old_text, "");
    other.version = 2;
    other.name = "other";
    user.temp().write("made/index.toml", text_of(other));
    user.sign(index);
    result = user.run(search);
    CHECK(
        result.errors ==
        "ptp-pack: error: T/made/index.toml: is another index 2 than the one that was seen before\n"
        "    fix: ask who publishes it to publish again\n");
    CHECK(result.status == 4);
    user.publish();
    CHECK(user.run(search).status == 0);
}

TEST_CASE("hostile indexes: the number of one that is not signed is not remembered") {
    const PackUser user;
    published(user);
    const std::string text = user.temp().read("made/index.toml");
    const std::string signature = user.temp().read("made/index.toml.minisig");
    Index forged = ptp::pack::read_index(text, "");
    forged.version = 1000000;
    user.temp().write("made/index.toml", text_of(forged));
    fs::remove(user.path() / "made/index.toml.minisig");
    const std::vector<std::string> search = {"search", "--repository",
                                             (user.path() / "made").string()};
    auto allowed = search;
    allowed.emplace_back("--allow-unsigned");
    CHECK(user.run(allowed).status == 0);
    user.temp().write("made/index.toml", text);
    user.temp().write("made/index.toml.minisig", signature);
    CHECK(user.run(search).errors == "");
}

TEST_CASE("hostile indexes: an expired one is taken only if that is allowed") {
    const PackUser user;
    published(user);
    Index index = ptp::pack::read_index(user.temp().read("made/index.toml"), "");
    index.expires = "2026-01-01T00:00:00Z";
    user.temp().write("made/index.toml", text_of(index));
    user.sign(user.path() / "made/index.toml");
    const std::vector<std::string> install = {"install", "good", "--repository",
                                              (user.path() / "made").string()};
    CHECK(user.run(install).status == 4);
    auto allowed = install;
    allowed.emplace_back("--allow-expired");
    CHECK(user.run(allowed).status == 0);
}

}  // namespace hostile_indexes_test
