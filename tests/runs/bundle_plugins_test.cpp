// Bundles with the builds of plugins that do not come with ptp: who gets one uses them where the
// signature of the bundle is trusted, and they are asked for.

#include "base/sha256.hpp"
#include "runs/bundled.hpp"
#include "runs/mailed.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace bundle_plugins_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

using Words = std::vector<std::string>;

// A file of a plugin that describes itself with 9 after this text.
std::string described(const fs::path& plugin, const std::string& key) {
    std::string bytes = content_of(plugin);
    const std::size_t at = bytes.find(key);
    REQUIRE(at != std::string::npos);
    bytes[at + key.size()] = '9';
    write_content(plugin, bytes);
    REQUIRE(run_program("ptp-manifest", {"--seal", plugin.string()}).status == 0);
    return content_of(plugin);
}

constexpr const char* kOrInstall =
    "         or install 'accompanied' 1.0.0, and leave out --with-plugins\n";

}  // namespace

TEST_CASE("bundle with plugins: signed by a trusted key it predicts with the bits of the run") {
    const Mailed mailed;
    const std::string of_run =
        mailed.author({"predict", mailed.run(), "--data", "test", "--quiet"});
    mailed.sign();
    mailed.trust();
    mailed.hide_author();
    const ProcessResult predicted = mailed.predict({"--with-plugins"});
    CHECK(predicted.errors == "");
    CHECK(predicted.output == of_run);
}

TEST_CASE("bundle with plugins: commands that need them take the option") {
    const Mailed mailed;
    mailed.sign();
    mailed.trust();
    mailed.hide_author();
    const std::string output = (mailed.path() / "results").string();
    const std::vector<Words> commands = {
        {"process", mailed.model(), "--run-dir", output, "--quiet"},
        {"check", mailed.model()},
        {"draw", mailed.model()},
        {"summary", mailed.model()},
        {"explain", mailed.model(), "pipeline.more.type"},
        {"fetch", mailed.model(), "--list"},
        {"data", mailed.model(), "--samples", "0"}};
    for (const Words& command : commands) {
        CAPTURE(command.front());
        Words with = command;
        with.emplace_back("--with-plugins");
        require_success(mailed.recipient("ptprun", with));
    }
    CHECK(mailed.recipient("ptprun", {"check", mailed.model()}).status != 0);
    CHECK(mailed.recipient("ptprun", {"diff", mailed.model(), mailed.model()}).status == 0);
}

TEST_CASE("bundle with plugins: the same run becomes the same bytes, with what travels with them") {
    const Mailed mailed;
    const std::string again = (mailed.path() / "again.ptpm").string();
    mailed.author({"bundle", mailed.run(), "-o", again, "--with-plugins"});
    CHECK(content_of(again) == content_of(mailed.model()));
    const ptp::bundle::BundleFile file(mailed.model());
    CHECK(file.read(Mailed::kBuild) == content_of(mailed.plugins() / "accompanied.so"));
    CHECK(file.read("plugins/accompanied.libraries/libaccompanying.so") ==
          content_of(mailed.plugins() / "libaccompanying.so"));
    CHECK(file.read("plugins/accompanied.data/number.txt") == "0.5\n");
    CHECK_FALSE(file.has("plugins/losses.so"));  // comes with ptp
    const ProcessResult shown = run_program("ptp-inspect", {mailed.model()});
    CHECK(shown.output.find("  plugin      accompanied 1.0.0, ABI 1.6, sha256 ") !=
          std::string::npos);
    CHECK(shown.output.find(", its build is in it\n") != std::string::npos);
    CHECK(run_program("ptp-pack", {"show", mailed.model()}).output == shown.output);
    CHECK(mailed.pack({"verify", mailed.model(), "--allow-unsigned"}).find(": unsigned: tiny, ") !=
          std::string::npos);
}

TEST_CASE("bundle with plugins: nothing of them is used where it is not asked for") {
    const Mailed mailed;
    mailed.sign();
    mailed.trust();
    mailed.hide_author();
    const ProcessResult refused = mailed.predict();
    CHECK(refused.status == 2);
    CHECK(
        refused.errors ==
        "T/model.ptpm: error: needs the plugin 'accompanied' 1.0.0, which is not installed; the "
        "build in it can be used if its signer is trusted; a repository may have it, or a folder\n"
        "    fix: ptprun predict T/model.ptpm --data test --quiet --with-plugins\n"
        "         ptp-pack install accompanied\n"
        "         ptprun predict T/model.ptpm --data test --quiet --plugins DIR\n");
}

TEST_CASE("bundle with plugins: without a trusted signature none is opened") {
    const Mailed mailed;
    mailed.hide_author();
    const ProcessResult is_unsigned = mailed.predict({"--with-plugins"});
    CHECK(is_unsigned.status == 4);
    CHECK(is_unsigned.output == "");
    CHECK(is_unsigned.errors ==
          std::string("ptprun: error: --with-plugins: T/model.ptpm: is not signed: there is no "
                      "model.ptpm.minisig\n"
                      "    fix: ask its author to sign it (ptp-pack sign)\n") +
              kOrInstall);
    mailed.sign();
    const std::string unknown =
        std::string(
            "ptprun: error: --with-plugins: T/model.ptpm: is signed with the key K, which is not "
            "trusted\n"
            "    fix: compare the key with its owner's, then: ptp-pack key trust FILE.pub\n") +
        kOrInstall;
    CHECK(mailed.predict({"--with-plugins"}).errors == unknown);
    mailed.trust();
    CHECK(mailed.predict({"--with-plugins"}).errors == "");
    // Its key is distrusted later.
    CHECK(mailed.pack({"key", "distrust", mailed.key("jane.pub")}).find("error") ==
          std::string::npos);
    CHECK(mailed.predict({"--with-plugins"})
              .errors.starts_with("ptprun: error: --with-plugins: T/model.ptpm: is signed with the "
                                  "key K, which is distrusted\n"));
}

TEST_CASE("bundle with plugins: one that was changed after it was signed is refused") {
    const Mailed mailed;
    mailed.sign();
    mailed.trust();
    const std::string whole = content_of(mailed.model());
    mailed.rewrite([](Contents& contents, ptp::bundle::BundleManifest&) {
        contents["plugins/accompanied.data/number.txt"] = {.text = "0.75\n"};
    });
    const ProcessResult resigned = mailed.predict({"--with-plugins"});
    CHECK(resigned.status == 4);
    CHECK(resigned.errors ==
          std::string("ptprun: error: --with-plugins: T/model.ptpm: its signature is wrong: it was "
                      "changed after the key K signed it\n"
                      "    fix: fetch it again, with its signature\n") +
              kOrInstall);
    // A signature does not make the hashes right.
    std::string flipped = whole;
    const std::size_t at = flipped.find(
                               "\x7f"
                               "ELF") +
                           4096;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    write_content(mailed.model(), flipped);
    mailed.sign();
    CHECK(mailed.predict({"--with-plugins"})
              .errors.find("' is not what manifest.toml declares: it was changed\n") !=
          std::string::npos);
    // Nor is another build the one that trained the model.
    write_content(mailed.model(), whole);
    mailed.rewrite([](Contents& contents, ptp::bundle::BundleManifest&) {
        contents["plugins/accompanied.data/number.txt"] = {.text = "0.75\n"};
    });
    mailed.sign();
    mailed.hide_author();
    CHECK(mailed.predict({"--with-plugins"})
              .errors.starts_with(
                  "T/model.ptpm: error: needs the plugin 'accompanied' 1.0.0, which is not "
                  "installed; its own build cannot be used here: it is not the build that trained "
                  "the model; a repository may have it, or a folder\n    fix: ptp-pack install "
                  "accompanied\n"));
}

TEST_CASE("bundle with plugins: a build for another ABI is refused with the reason") {
    const Mailed mailed;
    const fs::path other = mailed.path() / "accompanied.so";
    fs::copy(mailed.plugins() / "accompanied.so", other);
    mailed.replace_build(described(other, "\"abi_minor\":"));
    mailed.sign();
    mailed.trust();
    mailed.hide_author();
    const ProcessResult refused = mailed.predict({"--with-plugins"});
    CHECK(refused.status == 2);
    CHECK(refused.errors.starts_with(
        "T/model.ptpm: error: needs the plugin 'accompanied' 1.0.0, which is not installed; its "
        "own build cannot be used here: built for ABI 1.9, this host has 1.6"));
}

TEST_CASE("bundle with plugins: a build for another libtorch is refused with the reason") {
    const Mailed mailed;
    const fs::path other = mailed.path() / "rectified.so";
    fs::copy(ptp::test::build_dir() / "tests/runs/plugins/rectified.so", other);
    mailed.replace_build(described(other, "\"libtorch\":\""));
    mailed.sign();
    mailed.trust();
    mailed.hide_author();
    const ProcessResult refused = mailed.predict({"--with-plugins"});
    CHECK(refused.errors.find("which is not installed; its own build cannot be used here: built "
                              "for libtorch 9") != std::string::npos);
}

TEST_CASE("bundle with plugins: the installed build of its hash is used, or else the one in it") {
    const Mailed mailed;
    const std::string of_run =
        mailed.author({"predict", mailed.run(), "--data", "test", "--quiet"});
    mailed.hide_author();
    const fs::path user = mailed.path() / "home/data/ptp/plugins";
    const auto install = [&](const fs::path& folder) {
        fs::remove_all(user);
        fs::create_directories(user.parent_path());
        fs::copy(folder, user, fs::copy_options::recursive);
    };
    // By the hash, in silence.
    install(mailed.path() / "hidden_plugins");
    const ProcessResult same = mailed.predict();
    CHECK(same.errors == "");
    CHECK(same.output == of_run);
    // Another version, with the difference named.
    install(ptp::test::build_dir() / "tests/runs/accompanied_later");
    const ProcessResult later = mailed.predict({"--no-self-test"});
    CHECK(later.status == 0);
    CHECK(later.output != of_run);
    CHECK(
        later.errors ==
        "T/model.ptpm: warning: was trained with another build of 'accompanied' 1.0.0 (here "
        "2.0.0): its numbers may differ; the builds in it can be used if its signer is trusted\n"
        "    fix: ptprun predict T/model.ptpm --data test --quiet --no-self-test --with-plugins\n");
    // The one in it goes before another version.
    mailed.sign();
    mailed.trust();
    const ProcessResult own = mailed.predict({"--with-plugins"});
    CHECK(own.errors == "");
    CHECK(own.output == of_run);
}

TEST_CASE("bundle with plugins: ptp-pack unpacks them for --plugins") {
    const Mailed mailed;
    const std::string to = mailed.key("unpacked");
    CHECK(mailed.pack({"unpack", mailed.model(), "--to", to}) ==
          "ptp-pack: error: T/model.ptpm: is not signed: there is no model.ptpm.minisig\n"
          "    fix: ask its author to sign it (ptp-pack sign)\n");
    CHECK_FALSE(fs::exists(to));
    mailed.sign();
    mailed.trust();
    CHECK(mailed.pack({"unpack", mailed.model(), "--to", to})
              .starts_with("T/unpacked: 3 files, signed with the key K ("));
    CHECK(mailed.pack({"unpack", mailed.model(), "--to", to}) ==
          "ptp-pack: error: --to T/unpacked: is there already and not empty\n"
          "    fix: name a new folder, or remove what is in it\n");
    mailed.hide_author();
    CHECK(mailed.predict({"--plugins", to}).errors == "");
}

TEST_CASE("bundle with plugins: programs that show, check and unpack it load none") {
    const Mailed mailed;
    // A plugin that ends its process when it is loaded.
    mailed.replace_build(content_of(ptp::test::build_dir() / "tests/hostile/crash/hostile.so"));
    mailed.sign();
    mailed.trust();
    CHECK(mailed.recipient("ptp-inspect", {mailed.model()}).status == 0);
    CHECK(mailed.recipient("ptp-pack", {"show", mailed.model()}).status == 0);
    CHECK(mailed.recipient("ptp-pack", {"verify", mailed.model()}).status == 0);
    CHECK(
        mailed.recipient("ptp-pack", {"unpack", mailed.model(), "--to", mailed.key("to")}).status ==
        0);
    CHECK(mailed.recipient("ptprun", {"diff", mailed.model(), mailed.model()}).status == 0);
    mailed.hide_author();
    const ProcessResult predicted = mailed.predict({"--with-plugins"});
    CHECK(predicted.status == 2);
    CHECK(
        predicted.errors.find("cannot be used here: it is not the build that trained the model") !=
        std::string::npos);
}

TEST_CASE("bundle with plugins: only the build of the training is taken along") {
    const Mailed mailed;
    const fs::path later = ptp::test::build_dir() / "tests/runs/accompanied_later";
    const ProcessResult made =
        run_program("ptprun", {"bundle", mailed.run(), "-o", mailed.model(), "--with-plugins",
                               "--plugins", later.string()});
    CHECK(made.status == 2);
    CHECK(made.errors ==
          "ptp-bundle: error: --with-plugins: " + later.string() +
              "/accompanied_later.so is another build of the plugin 'accompanied' than that of the "
              "training\n"
              "    fix: leave out --plugins: the run has the builds that it was trained with\n");
}

TEST_CASE("bundle with plugins: one that is not found is named, and none is made without it") {
    const ptp::test::Bundled bundled;
    const fs::path checkpoint = fs::path(bundled.run()) / "checkpoints/best";
    std::string record = content_of(checkpoint / "checkpoint.toml");
    std::string sums = content_of(checkpoint / "SHA256SUMS");
    const std::string hash = ptp::sha256(record);
    record.replace(record.find("\"losses\""), 8, "\"absent\"");
    sums.replace(sums.find(hash), hash.size(), ptp::sha256(record));
    write_content(checkpoint / "checkpoint.toml", record);
    write_content(checkpoint / "SHA256SUMS", sums);
    const std::string file = (bundled.path() / "whole.ptpm").string();
    const ProcessResult made =
        run_program("ptprun", {"bundle", bundled.run(), "-o", file, "--with-plugins"});
    CHECK(made.status == 3);
    CHECK(made.errors ==
          "ptp-bundle: error: --with-plugins: the plugin 'absent' 0.1.0, which the model was "
          "trained with, is not found\n"
          "    fix: leave out --with-plugins; or name the folder of its build: --plugins DIR\n");
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("bundle with plugins: its options are refused for a run, which has its own plugins") {
    const ptp::test::Bundled bundled;
    const auto refused = [&](const std::string& command, const std::string& option) {
        const ProcessResult result = run_program(
            "ptprun", command == "check" ? Words{command, bundled.run(), option}
                                         : Words{command, bundled.run(), "--data", "test", option});
        CHECK(result.status == 2);
        return bundled.shown(result.errors);
    };
    const std::string with_plugins =
        "ptprun: error: --with-plugins: is of bundles, and T/run is none: it has no plugins "
        "that a signature would be needed for\n"
        "    fix: leave out --with-plugins\n";
    CHECK(refused("predict", "--with-plugins") == with_plugins);
    CHECK(refused("check", "--with-plugins") == with_plugins);
    CHECK(refused("predict", "--no-self-test") ==
          "ptprun: error: --no-self-test: is of bundles, and T/run is none: it has no stored "
          "samples to test itself with\n"
          "    fix: leave out --no-self-test\n");
}

TEST_CASE("bundle with plugins: ptp-pack refuses to unpack another than the one that was opened") {
    const Mailed mailed;
    mailed.sign();
    mailed.trust();
    const std::string to = (mailed.path() / "to").string();
    const auto unpack = [&](const std::string& hash) {
        return mailed.pack({"unpack", mailed.model(), "--to", to, "--manifest-sha256", hash});
    };
    CHECK(unpack(std::string(64, '0')) ==
          "ptp-pack: error: T/model.ptpm: is another bundle than the one that was opened\n"
          "    fix: try again when nothing writes to it\n");
    CHECK_FALSE(fs::exists(to));
    const std::string read = ptp::bundle::BundleFile(mailed.model()).manifest_text();
    CHECK(unpack(ptp::sha256(read)).starts_with("T/to: 3 files, signed with the key "));
}

TEST_CASE("bundle with plugins: one whose plugins all come with ptp has none, and needs no key") {
    const ptp::test::Bundled bundled;
    const ProcessResult made =
        run_program("ptprun", {"bundle", bundled.run(), "-o", bundled.model(), "--with-plugins"});
    CHECK(made.output.find(", no plugins: all come with ptp; replaces ") != std::string::npos);
    const ProcessResult predicted = run_program(
        "ptprun", {"predict", bundled.model(), "--data", "test", "--quiet", "--with-plugins"});
    CHECK(predicted.status == 0);
    CHECK(bundled.shown(predicted.errors) ==
          "T/model.ptpm: warning: has no plugins in it, and uses the installed ones\n"
          "    fix: leave out --with-plugins\n");
    CHECK(bundled.shown(run_program("ptp-pack", {"unpack", bundled.model(), "--to",
                                                 (bundled.path() / "to").string()})
                            .errors) ==
          "ptp-pack: error: T/model.ptpm: has no plugins\n"
          "    fix: ask its author to make it again: ptprun bundle RUN --with-plugins\n");
}

}  // namespace bundle_plugins_test
