// The plugins of a run, as a set of packages and back.

#include "base/sha256.hpp"
#include "pack/support.hpp"
#include "ptp-pack/libraries.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace restore_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

// A run that has used the plugin `good`; its copy was lost.
std::string lock_of(const std::string& hash) {
    return "# format 1: which plugins were active from which episode; written by ptprun\n\n"
           "[[plugins.good]]\ngeneration = 1\nversion = \"1.2.3\"\nsha256 = \"" +
           hash + "\"\nfile = \"good.0." + hash.substr(0, 16) +
           ".so\"\nsource = \"/elsewhere/good.so\"\nfrom_episode = 0\n";
}

struct LostRun {
    explicit LostRun(const PackUser& user)
        : hash(ptp::sha256_of_file(ptp::test::good_plugin())),
          file("good.0." + hash.substr(0, 16) + ".so"),
          folder((user.path() / "run").string()) {
        user.temp().write("run/plugins.lock", lock_of(hash));
    }

    std::string hash;
    std::string file;
    std::string folder;
};

}  // namespace

TEST_CASE("restore: the builds of a run come back from an installed package, by their hashes") {
    const PackUser user;
    const LostRun run(user);
    user.done({"install", user.pack(Packed{}).string()});
    const fs::path restored = fs::path(run.folder) / "plugins" / run.file;
    CHECK(user.done({"restore", run.folder}) ==
          "restored T/run/plugins/" + run.file + " from good 1.0.0\n");
    CHECK(ptp::sha256_of_file(restored) == run.hash);
    CHECK(user.done({"restore", run.folder}) == "nothing to do: all builds are in T/run/plugins\n");
    user.temp().write("run/plugins/" + run.file, "damaged");
    CHECK(user.run({"restore", run.folder}).status == 0);
    CHECK(ptp::sha256_of_file(restored) == run.hash);
}

TEST_CASE("restore: or from a repository, from which the one package with the build is fetched") {
    const PackUser user;
    const LostRun run(user);
    user.pack({.version = "2.0.0"});
    user.publish();
    const std::string folder = (user.path() / "back").string();
    CHECK(user.done({"restore", run.folder, "--to", folder, "--repository",
                     (user.path() / "made").string()}) ==
          "restored T/back/" + run.file + " from good 2.0.0\n");
    CHECK(ptp::sha256_of_file(user.path() / "back" / run.file) == run.hash);
    CHECK(user.in_packages().empty());
}

TEST_CASE("restore: or from a folder of plugins, such as that of those that come with ptp") {
    const PackUser user;
    const LostRun run(user);
    const std::string folder = ptp::test::good_plugin().parent_path().string();
    const auto result = user.run({"restore", run.folder}, {{"PTP_PLUGIN_PATH", folder}});
    CHECK(result.output == "restored T/run/plugins/" + run.file + " from " + folder + "/good.so\n");
    CHECK(ptp::sha256_of_file(user.path() / "run/plugins" / run.file) == run.hash);
    const auto set = user.run({"set", run.folder}, {{"PTP_PLUGIN_PATH", folder}});
    CHECK(set.output.find("packages = []\n") != std::string::npos);
    CHECK(set.output.find("# no package") == std::string::npos);
}

TEST_CASE("restore: a set names the packages and the builds of a run, and is restored as it is") {
    const PackUser user;
    const LostRun run(user);
    const fs::path package = user.pack(Packed{});
    user.done({"install", package.string()});
    const std::string set = (user.path() / "set.toml").string();
    user.done({"set", run.folder, "-o", set});
    CHECK(user.temp().read("set.toml") ==
          "format = 1\n\n[[packages]]\nname = \"good\"\nversion = \"1.0.0\"\nsha256 = \"" +
              ptp::sha256_of_file(package) +
              "\"\n\n[[builds]]\nplugin = \"good\"\nversion = \"1.2.3\"\nsha256 = \"" + run.hash +
              "\"\nfile = \"" + run.file + "\"\n");
    CHECK(user.done({"restore", set, "--to", (user.path() / "back").string()}) ==
          "restored T/back/" + run.file + " from good 1.0.0\n");
    const auto nowhere = user.run({"restore", set});
    CHECK(nowhere.errors ==
          "ptp-pack: error: --to FOLDER is needed for a list of packages\n    help: "
          "ptp-pack help restore\n");
    CHECK(nowhere.status == 2);
}

TEST_CASE("restore: a build that no package has is an error, and nothing is written") {
    const PackUser user;
    const std::string hash(64, 'a');
    user.temp().write("run/plugins.lock", lock_of(hash));
    user.done({"install", user.pack(Packed{}).string()});
    const auto result = user.run({"restore", (user.path() / "run").string()});
    CHECK(result.errors ==
          "ptp-pack: error: no package is known that has this build:\n    good 1.2.3, sha256 " +
              hash +
              "\n    fix: name a repository that has it, --repository LOCATION, or continue with "
              "another build: ptprun resume RUN --plugins DIR\n");
    CHECK(result.status == 3);
    CHECK_FALSE(fs::exists(user.path() / "run/plugins"));
    CHECK(user.done({"set", (user.path() / "run").string()})
              .find("# no package is known that has the build of good\n") == 0);
}

TEST_CASE("restore: what is not a run, and a set that leads out of the folder") {
    const PackUser user;
    const auto none = user.run({"restore", user.path().string()});
    CHECK(none.errors ==
          "ptp-pack: error: T: has no plugins.lock: it is not the folder of a run\n"
          "    fix: name the folder that has it, RUN\n");
    CHECK(none.status == 4);
    user.temp().write("set.toml",
                      "format = 1\n[[builds]]\nplugin = \"good\"\nversion = \"1\"\nsha256 = \"" +
                          std::string(64, 'a') + "\"\nfile = \"../good.so\"\n");
    const auto evil = user.run(
        {"restore", (user.path() / "set.toml").string(), "--to", (user.path() / "back").string()});
    CHECK(
        evil.errors.find("builds: '../good.so' must be the name of a file, NAME.so, with a sha256 "
                         "of 64 hexadecimal digits\n") != std::string::npos);
    CHECK(evil.status == 4);
}

TEST_CASE(
    "restore: a library and data beside a plugin are packed, installed and restored with it") {
    const PackUser user;
    const fs::path built = ptp::test::build_dir() / "tests/runs/accompanied";
    fs::create_directories(user.path() / "mine");
    fs::copy(built, user.path() / "mine/plugins", fs::copy_options::recursive);
    user.temp().write("mine/package.toml", "license = \"MIT\"\n");
    const std::string packed =
        user.done({"create", (user.path() / "mine").string(), "-o", user.path().string()});
    const std::string platform = ptp::pack::host_platform();
    const std::string folder = "  plugins/" + platform + "/any-libtorch/";
    const std::string name = "accompanied-1.0.0-" + platform + ".ptpkg";
    CHECK(packed == "T/" + name + "\n" + folder + "accompanied.data/number.txt\n" + folder +
                        "accompanied.so\n" + folder + "libaccompanying.so\n");
    const auto installed = user.run({"install", (user.path() / name).string(), "--allow-unsigned"});
    CHECK(installed.output == "installed accompanied 1.0.0, unsigned\n");
    const fs::path plugins = user.packages() / "accompanied/plugins";
    for (const char* file :
         {"accompanied.so", "libaccompanying.so", "accompanied.data/number.txt"}) {
        CHECK(ptp::sha256_of_file(plugins / file) == ptp::sha256_of_file(built / file));
    }
    CHECK(user.done({"verify", "accompanied"}).find("3 files as installed") != std::string::npos);

    const std::string of_data =
        ptp::sha256_of_file(built / "accompanied.data/number.txt") + "  data/number.txt\n";
    const std::string of_library =
        ptp::sha256_of_file(built / "libaccompanying.so") + "  libaccompanying.so\n";
    const std::string hash =
        ptp::sha256(ptp::sha256_of_file(built / "accompanied.so") + "\n" +
                    std::min(of_data, of_library) + std::max(of_data, of_library));
    user.temp().write("run/plugins.lock",
                      ptp::test::replaced(lock_of(hash), "good", "accompanied"));
    user.done({"restore", (user.path() / "run").string()});
    const std::string copy = "run/plugins/accompanied.0." + hash.substr(0, 16);
    CHECK(fs::exists(user.path() / (copy + ".libraries/libaccompanying.so")));
    CHECK(fs::exists(user.path() / (copy + ".data/number.txt")));
    CHECK(user.done({"restore", (user.path() / "run").string()}) ==
          "nothing to do: all builds are in T/run/plugins\n");
}

TEST_CASE("install: a library that is not on this host is named") {
    const PackUser user;
    user.temp().write("mine/package.toml", "license = \"MIT\"\n");
    const fs::path plugin = ptp::test::build_dir() / "tests/hostile/kit/kit_missing_library.so";
    user.done({"create", (user.path() / "mine").string(), "--plugin", plugin.string(), "-o",
               user.path().string()});
    const std::string file =
        (user.path() / ("kit-0.1.0-" + ptp::pack::host_platform() + ".ptpkg")).string();
    CHECK(user.done({"show", file}).find("    not found   libptp-of-nowhere.so\n") !=
          std::string::npos);
    CHECK(user.run({"install", file, "--allow-unsigned"}).output ==
          "installed kit 0.1.0, unsigned\n"
          "warning: the plugin 'kit' needs libptp-of-nowhere.so, which is not found on this host: "
          "it cannot be loaded before the package of this system that has the file is installed\n");
}

}  // namespace restore_test
