// Models in repositories: published beside packages, found, and installed by their names.

#include "base/sha256.hpp"
#include "bundle/bundle.hpp"
#include "pack/support.hpp"
#include "pack/web_server.hpp"
#include "ptp-pack/repository.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace models_test {

namespace {

namespace fs = std::filesystem;
using ptp::bundle::BundleManifest;
using namespace ptp::test;

// Makes T/FOLDER/NAME.ptpm, whose weights are a text, and signs it with jane's key.
fs::path make_model(const PackUser& user, const std::string& name,
                    const std::string& summary = "Tells kinds apart.",
                    const std::string& folder = "made", const std::string& plugin = "") {
    BundleManifest manifest;
    manifest.name = "small";
    manifest.summary = summary;
    if (!plugin.empty()) {
        manifest.plugins.push_back({plugin, "1.0.0", ptp::sha256(plugin), "1.4", "", "MIT"});
    }
    fs::create_directories(user.path() / folder);
    const fs::path file = user.path() / folder / (name + ".ptpm");
    ptp::bundle::write_bundle(file, manifest,
                              {{"experiment.toml", {.text = "name = \"small\"\n"}},
                               {"run.json", {.text = "{}\n"}},
                               {ptp::bundle::checkpoint_path("checkpoint.toml"), {.text = ""}},
                               {ptp::bundle::checkpoint_path("SHA256SUMS"), {.text = ""}},
                               {ptp::bundle::weights_path(), {.text = "the weights"}}});
    user.sign(file);
    return file;
}

std::vector<std::string> publish_words(const PackUser& user, const std::string& folder = "made") {
    return {"publish", (user.path() / folder).string(),
            "--key",   (user.path() / "jane.key").string(),
            "--name",  "test"};
}

std::string by_jane(const PackUser& user) {
    return "with the key " + ptp::test::id_of_key(user.path() / "jane.pub");
}

fs::path installed(const PackUser& user, const std::string& file) {
    return user.path() / "data/ptp/models" / file;
}

// The whole way with one location.
void use_repository(const PackUser& user, const std::string& location) {
    const auto with = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--repository", location});
        return words;
    };
    CHECK(user.done(with({"search"})) ==
          "good                     1.0.0        \n"
          "kinds                    model        Tells kinds apart.\n");
    CHECK(user.done(with({"search", "TELLS"})) ==
          "kinds                    model        Tells kinds apart.\n");
    CHECK(user.done(with({"search", "good"})) == "good                     1.0.0        \n");
    CHECK(user.done(with({"install", "kinds", "good"})) ==
          "installed good 1.0.0, " + by_jane(user) + "\ninstalled the model kinds, " +
              by_jane(user) + "\n");
    CHECK(user.done(with({"install", "kinds"})) == "nothing to do: the model kinds is installed\n");
    CHECK(user.done(with({"search", "kinds"})) ==
          "kinds                    model        Tells kinds apart. (installed)\n");
    CHECK(user.done({"list"}).ends_with(
        "\nkinds                    model        Tells kinds apart.\n"));
    CHECK(user.done({"show", "kinds"}).starts_with("small\n  summary     Tells kinds apart.\n"));
    CHECK(user.done({"verify", "kinds"}).starts_with("T/data/ptp/models/kinds.ptpm: signed with "));
    CHECK(user.done({"remove", "kinds", "good"}) == "removed the model kinds\nremoved good\n");
    CHECK(!fs::exists(installed(user, "kinds.ptpm.minisig")));
}

}  // namespace

TEST_CASE("models: a folder with packages and models is searched and installed from") {
    const PackUser user;
    user.pack(Packed{});
    make_model(user, "kinds");
    const std::string printed = user.done(publish_words(user));
    CHECK(printed.starts_with("T/made/index.toml: index 1 with 1 package and 1 model, until 20"));
    use_repository(user, (user.path() / "made").string());
}

TEST_CASE("models: the same over HTTP") {
    const PackUser user;
    user.pack(Packed{});
    make_model(user, "kinds");
    user.publish();
    const WebServer server(user.path() / "made");
    if (server.address().empty()) {
        MESSAGE("skipped: there is no python3 here");
        return;
    }
    use_repository(user, server.address());
}

TEST_CASE("models: an index without any is as before") {
    const PackUser user;
    user.pack(Packed{});
    user.publish();
    CHECK(user.temp().read("made/index.toml").find("models") == std::string::npos);
}

TEST_CASE("models: what cannot be published is refused with the reason") {
    const PackUser user;
    user.pack(Packed{});
    const auto refused = [&](int status) {
        const auto result = user.run(publish_words(user));
        CHECK(result.status == status);
        CHECK(result.output == "");
        return result.errors;
    };
    const fs::path clash = make_model(user, "good");
    CHECK(ptp::test::replaced(refused(4), "x86_64", "MACHINE") ==
          "ptp-pack: error: good.ptpm: has the name of a package, that of "
          "good-1.0.0-linux-MACHINE.ptpkg\n    fix: rename it, and its signature: "
          "good_model.ptpm\n");
    fs::remove(clash);
    const fs::path best = make_model(user, "best");
    CHECK(refused(2) ==
          "ptp-pack: error: T/made/best.ptpm: its name cannot be that of an installed model, which "
          "is made of lower-case letters, digits and '_', and is not 'last' or 'best'\n    fix: "
          "rename the file: my_model.ptpm\n");
    fs::remove(best);
    const fs::path kinds = make_model(user, "kinds");
    fs::remove(kinds.string() + ".minisig");
    CHECK(refused(4) ==
          "ptp-pack: error: T/made/kinds.ptpm: is not signed: there is no kinds.ptpm.minisig\n"
          "    fix: ptp-pack sign T/made/kinds.ptpm --key T/jane.key\n"
          "         or, if it is not yours, ask its author to sign it\n");
    user.temp().write("made/kinds.ptpm", "x");
    user.sign(kinds);
    CHECK(refused(4) ==
          "ptp-pack: error: T/made/kinds.ptpm: is not a bundle, or is damaged: is cut off\n");
    make_model(user, "kinds");
    user.done(publish_words(user));
    make_model(user, "kinds", "Another one.");
    CHECK(refused(4) ==
          "ptp-pack: error: kinds.ptpm: is another model than the one that was published under "
          "this name\n    fix: give the new model another name: kinds_2.ptpm\n");
}

TEST_CASE("models: one that is published without a folder is to be put into one") {
    const PackUser user;
    const fs::path kinds = make_model(user, "kinds");
    std::vector<std::string> words = {"publish", kinds.string(), "--key",
                                      (user.path() / "jane.key").string()};
    const std::string problem =
        "ptp-pack: error: T/made/kinds.ptpm: is a file, and a repository is a folder\n    fix: ";
    const std::string rest =
        "mkdir -p site && cp T/made/kinds.ptpm T/made/kinds.ptpm.minisig site && ptp-pack publish "
        "site --key T/jane.key --name \"MY MODELS\"\n";
    const auto signed_one = user.run(words);
    CHECK(signed_one.errors == problem + rest);
    CHECK(signed_one.status == 2);
    fs::remove(kinds.string() + ".minisig");
    CHECK(user.run(words).errors ==
          problem + "ptp-pack sign T/made/kinds.ptpm --key T/jane.key && " + rest);
    words.insert(words.end(), {"--password-file", "my word", "--name", "Two Nets"});
    CHECK(user.run(words).errors ==
          problem +
              "ptp-pack sign T/made/kinds.ptpm --key T/jane.key --password-file 'my word' && mkdir "
              "-p site && cp T/made/kinds.ptpm T/made/kinds.ptpm.minisig site && ptp-pack publish "
              "site --key T/jane.key --password-file 'my word' --name 'Two Nets'\n");
}

TEST_CASE("models: who publishes one that was made again is told to sign it again") {
    const PackUser user;
    const fs::path kinds = make_model(user, "kinds");
    const std::string signature = user.temp().read("made/kinds.ptpm.minisig");
    make_model(user, "kinds", "Another one.");
    user.temp().write("made/kinds.ptpm.minisig", signature);
    const auto refused = user.run(publish_words(user));
    CHECK(refused.errors ==
          "ptp-pack: error: T/made/kinds.ptpm: was changed, or made again, after the key " +
              ptp::test::id_of_key(user.path() / "jane.pub") +
              " signed it\n    fix: ptp-pack sign T/made/kinds.ptpm --key T/jane.key\n");
    CHECK(refused.status == 4);
    user.done({"sign", kinds.string(), "--key", (user.path() / "jane.key").string()});
    user.done(publish_words(user));
}

TEST_CASE("models: one that is not what the index has is not installed") {
    const PackUser user;
    make_model(user, "kinds");
    user.publish();
    const std::vector<std::string> install = {"install", "kinds", "--repository",
                                              (user.path() / "made").string()};
    make_model(user, "kinds", "Another one that is much longer, and signed with the right key.");
    auto result = user.run(install);
    CHECK(result.errors ==
          "ptp-pack: error: T/made/kinds.ptpm: is not the file that the index names: it was "
          "changed\n    fix: ask who publishes the repository to publish again\n");
    CHECK(result.status == 4);
    user.temp().write("made/kinds.ptpm", std::string(1U << 20U, 'x'));
    CHECK(user.run(install).errors.ends_with(" bytes\n"));  // more than the index has
    make_model(user, "kinds");
    fs::remove(user.path() / "made/kinds.ptpm.minisig");
    result = user.run(install);
    CHECK(result.errors ==
          "ptp-pack: error: T/made/kinds.ptpm: is not signed: there is no kinds.ptpm.minisig\n"
          "    fix: ask its author to sign it (ptp-pack sign); --allow-unsigned takes it as it "
          "is\n");
    CHECK(result.status == 4);
    fs::remove(user.path() / "made/kinds.ptpm");
    CHECK(user.run(install).errors ==
          "ptp-pack: error: T/made/kinds.ptpm: there is no such model\n");
    CHECK(!fs::exists(installed(user, "kinds.ptpm")));
    CHECK(user.done({"list"}) == "no packages in T/data/ptp/packages\n");
}

TEST_CASE("models: a name is one thing, a package or a model") {
    const PackUser user;
    const fs::path package = user.pack(Packed{});
    make_model(user, "kinds");
    user.publish();
    const fs::path model = make_model(user, "good", "A model.", "other");
    user.publish("other");
    const std::string packages = (user.path() / "made").string();
    const std::string models = (user.path() / "other").string();
    const auto refused = [&](const std::vector<std::string>& words, int status) {
        const auto result = user.run(words);
        CHECK(result.status == status);
        CHECK(result.output == "");
        return ptp::test::replaced(result.errors, package.filename().string(), "PACKAGE");
    };
    CHECK(refused({"install", "good", "--repository", packages, "--repository", models}, 3) ==
          "ptp-pack: error: 'good' is a package, T/made/PACKAGE, and a model, T/other/good.ptpm\n"
          "    fix: name the file of the one that you want: ptp-pack install T/other/good.ptpm\n");
    CHECK(refused({"install", "kinds=1.0.0", "--repository", packages}, 2) ==
          "ptp-pack: error: 'kinds' is a model, which has no versions\n"
          "    fix: ptp-pack install kinds --repository T/made\n");
    CHECK(
        refused({"install", "kindz", "--repository", packages}, 3) ==
        "ptp-pack: error: no repository has a package or a model 'kindz'; did you mean 'kinds'?\n");
    const std::string of_package =
        "ptp-pack: error: T/other/good.ptpm: a package of the name good is installed, or is to be\n"
        "    fix: leave out one of the two, or remove the one that is there: ptp-pack remove good\n";
    CHECK(refused({"install", model.string(), package.string()}, 3) == of_package);
    user.done({"install", package.string()});
    CHECK(refused({"install", model.string()}, 3) == of_package);
    user.done({"remove", "good"});
    user.done({"install", model.string()});
    CHECK(
        refused({"install", package.string()}, 3) ==
        "ptp-pack: error: T/made/PACKAGE: a model of the name good is installed, or is to be\n"
        "    fix: leave out one of the two, or remove the one that is there: ptp-pack remove good\n");
    CHECK(refused({"upgrade", "good", "--repository", packages}, 3) ==
          "ptp-pack: error: 'good' is a model, and models stay as they are\n"
          "    fix: a newer one has a name of its own: ptp-pack search\n");
    CHECK(refused({"install", model.string(), model.string()}, 2) ==
          "ptp-pack: error: T/other/good.ptpm: the model good is named twice\n"
          "    fix: name it once\n");
}

TEST_CASE("models: nothing is installed where one of several is refused") {
    const PackUser user;
    const fs::path model = make_model(user, "kinds");
    const auto result = user.run({"install", model.string(), "nothing", "--repository",
                                  (user.path() / "made").string(), "--allow-unsigned"});
    CHECK(result.status == 4);
    CHECK(
        result.errors.starts_with("ptp-pack: error: T/made/index.toml: there is no such index\n"));
    const fs::path package = user.pack(Packed{});
    fs::remove(package.string() + ".minisig");
    CHECK(user.run({"install", model.string(), package.string()}).status == 4);
    CHECK(!fs::exists(installed(user, "kinds.ptpm")));
    CHECK(fs::is_empty(user.path() / "data/ptp/models"));
}

TEST_CASE("models: an old signature does not stay beside an unsigned model") {
    const PackUser user;
    const fs::path model = make_model(user, "kinds");
    user.done({"install", model.string()});
    fs::remove(installed(user, "kinds.ptpm"));  // by hand
    CHECK(fs::exists(installed(user, "kinds.ptpm.minisig")));
    make_model(user, "kinds", "Another one.");
    fs::remove(model.string() + ".minisig");
    CHECK(user.done({"install", model.string(), "--allow-unsigned"}) ==
          "installed the model kinds, unsigned\n");
    CHECK(user.done({"verify", "kinds", "--allow-unsigned"}) ==
          "T/data/ptp/models/kinds.ptpm: unsigned: small, 5 files\n");
    fs::create_directories(installed(user, "other.ptpm.minisig/x"));
    make_model(user, "other");
    const auto result = user.run({"install", (user.path() / "made/other.ptpm").string()});
    CHECK(result.errors ==
          "ptp-pack: error: cannot remove T/data/ptp/models/other.ptpm.minisig: Directory not "
          "empty\n");
    CHECK(result.status == 5);
    CHECK(!fs::exists(installed(user, "other.ptpm")));
}

TEST_CASE("models: a signature that comes later is put beside the model that is installed") {
    const PackUser user;
    const fs::path model = make_model(user, "kinds");
    fs::remove(model.string() + ".minisig");
    user.done({"install", model.string(), "--allow-unsigned"});
    CHECK(user.done({"install", model.string(), "--allow-unsigned"}) ==
          "nothing to do: the model kinds is installed\n");
    user.sign(model);
    CHECK(user.done({"install", model.string()}) ==
          "added the signature: the model kinds is installed, " + by_jane(user) + "\n");
    CHECK(user.done({"verify", "kinds"}).starts_with("T/data/ptp/models/kinds.ptpm: signed with "));
    CHECK(user.done({"install", model.string()}) ==
          "nothing to do: the model kinds is installed\n");
}

TEST_CASE("models: what an interrupted installation has left is removed by the next") {
    const PackUser user;
    const fs::path rest = installed(user, ".new-12345");
    fs::create_directories(rest);
    fs::copy_file(make_model(user, "kinds"), rest / "kinds.ptpm");
    user.done({"install", (user.path() / "made/kinds.ptpm").string()});
    CHECK(!fs::exists(rest));
    CHECK(fs::exists(installed(user, "kinds.ptpm")));
}

TEST_CASE("models: a plugin that one needs and that is missing is named") {
    const PackUser user;
    const fs::path file = make_model(user, "kinds", "", "made", "plugin_of_nobody");
    CHECK(user.done({"install", file.string()}) ==
          "installed the model kinds, " + by_jane(user) +
              "\nwarning: the model kinds needs the plugin 'plugin_of_nobody' 1.0.0, which is not "
              "installed\n");
}

}  // namespace models_test
