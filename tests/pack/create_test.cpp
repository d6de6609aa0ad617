// Making packages.

#include "base/sha256.hpp"
#include "pack/support.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/libraries.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace create_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

const std::string kAbout = "name = \"good\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n";

// The same library as if it were built for another machine.
fs::path library_of_another_machine(const PackUser& user) {
    constexpr std::size_t kMachineAt = 18;
    std::ifstream in(ptp::test::good_plugin(), std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    content[kMachineAt] =
        static_cast<char>(ptp::pack::host_platform() == "linux-aarch64" ? 62 : 183);
    return user.temp().write("cross/good.so", content);
}

}  // namespace

TEST_CASE("create: the same content has the same bytes, whatever its times and owners") {
    const PackUser user;
    const fs::path first = user.pack(Packed{}, "first");
    fs::last_write_time(user.path() / "source_of_good/docs/readme.md",
                        fs::file_time_type::clock::now() - std::chrono::hours(1000));
    fs::permissions(user.path() / "source_of_good/docs/readme.md", fs::perms::all);
    const fs::path second = user.pack(Packed{}, "second");
    CHECK(ptp::sha256_of_file(first) == ptp::sha256_of_file(second));
    CHECK(first.filename() == second.filename());
}

TEST_CASE("create: the folder's documents and experiments are packed, and nothing else") {
    const PackUser user;
    for (const char* file :
         {"README.md", "LICENSE", "docs/a.md", "docs/b/c.svg", "docs/.swp", "experiments/x.toml",
          "CMakeLists.txt", "old.so", "source.cpp", ".git/config"}) {
        user.temp().write(fs::path("mine") / file, file);
    }
    user.temp().write("mine/package.toml", kAbout + "summary = \"Losses.\"\n");
    fs::create_directories(user.path() / "mine/plugins");
    fs::copy_file(ptp::test::good_plugin(), user.path() / "mine/plugins/good.so");
    const std::string printed =
        user.done({"create", (user.path() / "mine").string(), "-o", user.path().string()});
    const std::string platform = ptp::pack::host_platform();
    CHECK(printed == "T/good-1.0.0-" + platform +
                         ".ptpkg\n"
                         "  LICENSE\n  README.md\n  docs/a.md\n  docs/b/c.svg\n"
                         "  experiments/x.toml\n  plugins/" +
                         platform +
                         "/any-libtorch/good.so\n"
                         "left out: .git, CMakeLists.txt, docs/.swp, old.so, source.cpp\n");
}

TEST_CASE(
    "create: license, author and homepage are those of the plugin, unless package.toml has others") {
    const PackUser user;
    user.temp().write("mine/package.toml", "license = \"MIT\"\n");
    const fs::path library = ptp::test::good_plugin();
    user.done({"create", (user.path() / "mine").string(), "--plugin", library.string(), "-o",
               user.path().string()});
    const std::string platform = ptp::pack::host_platform();
    const std::string file = (user.path() / ("good-1.2.3-" + platform + ".ptpkg")).string();
    const std::string shown = user.done({"show", file});
    CHECK(shown.find("good 1.2.3\n"
                     "  license       MIT\n"
                     "  author        Jane \"JD\" Doe <jane@example.org>; others\n"
                     "  homepage      https://example.org/good\n"
                     "  plugin        good 1.2.3, " +
                     platform + ", ABI ") == 0);
    CHECK(shown.find(", any libtorch (for this host)\n    components  task ") != std::string::npos);
}

TEST_CASE("create: libraries for several machines are one package, and the host takes its own") {
    const PackUser user;
    user.temp().write("mine/package.toml", kAbout);
    user.done({"create", (user.path() / "mine").string(), "--plugin",
               ptp::test::good_plugin().string(), "--plugin",
               library_of_another_machine(user).string(), "-o", user.path().string()});
    const fs::path file = user.path() / "good-1.0.0-multi.ptpkg";
    const ptp::pack::PackageFile package(file, "");
    CHECK(package.manifest().libraries.size() == 2);
    user.sign(file);
    CHECK(user.run({"install", file.string()}).status == 0);
    CHECK(ptp::sha256_of_file(user.packages() / "good/plugins/good.so") ==
          ptp::sha256_of_file(ptp::test::good_plugin()));
    CHECK_FALSE(fs::exists(user.packages() / "good/plugins/linux-aarch64"));
}

TEST_CASE("create: a package for other machines alone does not fit this host") {
    const PackUser user;
    const fs::path file = user.pack({.plugin = library_of_another_machine(user)});
    const auto result = user.run({"install", file.string()});
    CHECK(result.errors.find("ptp-pack: error: good 1.0.0: has no library of the plugin 'good' for "
                             "this host\n    plugins/linux-") == 0);
    CHECK(result.errors.find("    fix: ask its author for a package for this host, or build the "
                             "plugin from its source\n") != std::string::npos);
    CHECK(result.status == 3);
}

TEST_CASE(
    "create: plugins that are built in the folder are named by the fix, and not packed unasked") {
    const PackUser user;
    user.temp().write("mine/package.toml", kAbout);
    const std::string folder = (user.path() / "mine").string();
    fs::create_directories(user.path() / "mine/build/lib/ptp/plugins");
    fs::copy_file(ptp::test::good_plugin(), user.path() / "mine/build/lib/ptp/plugins/good.so");
    const auto result = user.run({"create", folder, "-o", folder});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptp-pack: error: there is no plugin to pack\n    fix: ptp-pack create T/mine -o T/mine "
          "--plugin T/mine/build/lib/ptp/plugins/good.so\n");
}

TEST_CASE("create: what is missing or wrong is refused by name") {
    struct Case {
        std::string about;
        std::vector<std::string> more;  // arguments
        const char* message;
        int status;
    };
    const std::string good = ptp::test::good_plugin().string();
    const Case cases[] = {
        {kAbout,
         {},
         "ptp-pack: error: there is no plugin to pack\n    fix: name its file, --plugin "
         "FILE.so, or put it into the folder plugins/\n",
         2},
        {"naem = \"x\"\n",
         {"--plugin", good},
         "T/mine/package.toml:1:1: error: naem: unknown key; did you mean 'name'?\n",
         2},
        {"name = \"My Losses\"\n",
         {"--plugin", good},
         "T/mine/package.toml:1:8: error: name = \"My Losses\": must be at most 64 lower-case "
         "letters, digits and '_', a letter first\n",
         2},
        {"license = \"BSD\"\n",
         {"--plugin", good},
         "T/mine/package.toml:1:11: error: license = \"BSD\": must be an identifier of the SPDX "
         "license list, such as MIT, or several, such as Apache-2.0 OR MIT\n"
         "    fix: write license = \"BSD-3-Clause\"\n",
         2},
        {"name = \"\"\n",
         {"--plugin", good},
         "T/mine/package.toml:1:8: error: name = \"\": must not be empty; without this line it is "
         "that of the plugins\n",
         2},
        {"version = \"1.0\"\n",
         {"--plugin", good},
         "T/mine/package.toml:1:11: error: version = \"1.0\": must be a version such as 1.2.0 or "
         "1.2.0-rc.1\n",
         2},
        {kAbout + "[dependencies]\nother = \"1.0\"\n",
         {"--plugin", good},
         "T/mine/package.toml:5:9: error: dependencies.other: must be a requirement of a version\n"
         "    fix: write \"*\", \">=1.2.0\" or \">=1.2.0, <2.0.0\"\n",
         2},
        {kAbout,
         {"--plugin", good, "--plugin", good},
         "ptp-pack: error: GOOD and GOOD are the same plugin for the same platform and libtorch\n"
         "    fix: remove one of them\n",
         2},
        {"",
         {"--plugin", good, "--plugin", ptp::test::other_plugin().string()},
         "ptp-pack: error: the package has no name: the plugins declare none, or several\n    fix: "
         "add name = \"...\" to T/mine/package.toml\n",
         2},
        {"",
         {"--plugin", "/etc/passwd"},
         "ptp-pack: error: /etc/passwd: is not an ELF file: it begins with 'root:x:'\n",
         3},
    };
    for (const Case& c : cases) {
        CAPTURE(c.about);
        const PackUser user;
        user.temp().write("mine/package.toml", c.about);
        std::vector<std::string> words = {"create", (user.path() / "mine").string(), "-o",
                                          user.path().string()};
        words.insert(words.end(), c.more.begin(), c.more.end());
        const auto result = user.run(words);
        CHECK(ptp::test::without_excerpts(result.errors) ==
              ptp::test::replaced(c.message, "GOOD", good));
        CHECK(result.status == c.status);
        CHECK(result.output == "");
    }
}

TEST_CASE("create: links and names that other systems cannot have are refused") {
    const PackUser user;
    user.temp().write("mine/package.toml", kAbout);
    user.temp().write("mine/docs/a.md", "a");
    fs::create_symlink("/etc/passwd", user.path() / "mine/docs/link");
    const std::vector<std::string> words = {"create",   (user.path() / "mine").string(),
                                            "--plugin", ptp::test::good_plugin().string(),
                                            "-o",       user.path().string()};
    auto result = user.run(words);
    CHECK(result.errors ==
          "ptp-pack: error: T/mine/docs/link: is a link: a package has regular "
          "files only\n    fix: replace it with the file itself, or remove it\n");
    CHECK(result.status == 4);
    fs::remove(user.path() / "mine/docs/link");
    user.temp().write("mine/docs/what?.md", "a");
    result = user.run(words);
    CHECK(
        result.errors ==
        "ptp-pack: error: T/mine/docs/what?.md: its path in the package has a character other than "
        "printable ASCII without blanks and \\ : * ? \" < > |\n    fix: rename it\n");
    CHECK(result.status == 4);
}

TEST_CASE("create: what install would refuse for its size is not made") {
    const PackUser user;
    user.temp().write("mine/package.toml", kAbout);
    const fs::path large = user.temp().write("mine/docs/large", "");
    const std::vector<std::string> words = {"create",   (user.path() / "mine").string(),
                                            "--plugin", ptp::test::good_plugin().string(),
                                            "-o",       (user.path() / "made").string()};
    const std::string fix = "\n    fix: leave out files, or make several smaller packages\n";
    const auto refused_with = [&](const std::string& message) {
        const auto result = user.run(words);
        CHECK(result.errors == "ptp-pack: error: " + message + fix);
        CHECK(result.status == 4);
        CHECK((!fs::exists(user.path() / "made") || fs::is_empty(user.path() / "made")));
    };
    fs::resize_file(large, std::uintmax_t{5} << 30U);  // a hole
    refused_with(
        "the package 'good' would unpack to more than 4294967296 bytes, which is too much for a "
        "package of 2147483648 bytes");

    fs::remove(large);
    for (int i = 0; i < 10'001; ++i) {
        std::ofstream(user.path() / "mine/docs" / std::to_string(i)) << i;
    }
    refused_with("the package 'good' has 10002 files, more than 10000");
    fs::remove_all(user.path() / "mine/docs");

    user.temp().write("mine/docs/zeros", std::string(std::size_t{40} << 20U, '\0'));
    const auto zeros = user.run(words);
    CHECK(zeros.errors.find("ptp-pack: error: T/made/good-1.0.0-" + ptp::pack::host_platform() +
                            ".ptpkg: would unpack to more than ") == 0);
    CHECK(zeros.errors.find(", which is too much for a package of ") != std::string::npos);
    CHECK(zeros.errors.ends_with(" bytes" + fix));
    CHECK(zeros.status == 4);
    CHECK(fs::is_empty(user.path() / "made"));
}

TEST_CASE("create: paths that are one on other systems are refused") {
    const PackUser user;
    user.temp().write("mine/package.toml", kAbout);
    user.temp().write("mine/docs/A.md", "a");
    user.temp().write("mine/docs/A.MD", "A");
    const auto result = user.run({"create", (user.path() / "mine").string(), "--plugin",
                                  ptp::test::good_plugin().string(), "-o", user.path().string()});
    CHECK(
        result.errors ==
        "ptp-pack: error: the package 'good' would have 'docs/a.md' twice: case does not count in "
        "paths\n    fix: rename one of them\n");
    CHECK(result.status == 4);
}

}  // namespace create_test
