#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/system_library.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace ptp_manifest_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::content_of;
using ptp::test::run_program;

std::string good() {
    return (ptp::test::build_dir() / "tests/plugins/good/good.so").string();
}

}  // namespace

TEST_CASE("ptp-manifest: the note's source is written, the same each time") {
    const ptp::test::TempFolder temp;
    const std::string out = (temp.path() / "x.S").string();
    CHECK(run_program("ptp-manifest", {good(), out}).status == 0);
    const std::string source = temp.read("x.S");
    CHECK(
        source.starts_with("/* The manifest of plugin good, written by ptp-manifest. */\n"
                           "    .section .note.ptp, \"aR\", %note\n"));
    CHECK(run_program("ptp-manifest", {good(), out}).status == 0);
    CHECK(temp.read("x.S") == source);
    CHECK(!fs::exists(out + ".new"));
}

TEST_CASE("ptp-manifest: a file that is not a plugin is refused, and nothing is written") {
    const ptp::test::TempFolder temp;
    const std::string file = temp.write("x.so", "hello world").string();
    const auto result = run_program("ptp-manifest", {file, (temp.path() / "x.S").string()});
    CHECK(result.status == 3);
    CHECK(result.errors == file + ": is not an ELF file: it begins with 'hello w'\n");
    CHECK(!fs::exists(temp.path() / "x.S"));
}

TEST_CASE("ptp-manifest: a library with other symbols is refused") {
    const std::string library = ptp::test::system_library("libm.so.6");
    const auto result = run_program("ptp-manifest", {library, "/x.S"});
    CHECK(result.status == 3);
    CHECK(result.errors ==
          library +
              ": exports other symbols than ptp_plugin_entry: link it with the SDK's plugin.map\n");
}

TEST_CASE("ptp-manifest: without nm, or with one that cannot be started, it says so") {
    const ptp::test::TempFolder temp;
    const std::string source = (temp.path() / "x.S").string();
    const auto errors_with = [&](const fs::path& path) {
        const auto result =
            run_program("ptp-manifest", {good(), source}, {{"PATH", path.string()}});
        CHECK(result.status == 3);
        CHECK_FALSE(fs::exists(source));
        return result.errors;
    };
    const std::string cannot = good() + ": its symbols cannot be read ";
    CHECK(errors_with(temp.path()) == cannot + "without the program nm: install binutils\n");
    fs::permissions(temp.write("nm", "no program"), fs::perms::owner_read);
    CHECK(errors_with(temp.path()) == cannot + "without the program nm: install binutils\n");
    fs::permissions(temp.path() / "nm", fs::perms::owner_all);
    CHECK(errors_with(temp.path()) == cannot + "by nm: Exec format error\n");
}

TEST_CASE("ptp-manifest: a file that cannot be written is named") {
    const auto result = run_program("ptp-manifest", {good(), "/nowhere/x.S"});
    CHECK(result.status == 2);
    CHECK(result.errors == "cannot write /nowhere/x.S.new: No such file or directory\n");
}

TEST_CASE("ptp-manifest: without two names it says how it is used") {
    const auto result = run_program("ptp-manifest", {});
    CHECK(result.status == 2);
    const std::string usage =
        "usage: ptp-manifest PLUGIN.so OUT.S [--license TEXT] [--author TEXT] [--homepage TEXT]\n"
        "       ptp-manifest --seal PLUGIN.so\n"
        "       ptp-manifest --embed PLUGIN.so\n";
    CHECK(result.errors == usage);
    CHECK(run_program("ptp-manifest", {good(), "x.S", "--license"}).errors == usage);
    CHECK(run_program("ptp-manifest", {good(), "x.S", "--licence", "MIT"}).errors == usage);
}

TEST_CASE("ptp-manifest: a license that the build says and the plugin does not is refused") {
    const ptp::test::TempFolder temp;
    const std::string out = (temp.path() / "x.S").string();
    CHECK(run_program("ptp-manifest", {good(), out, "--license", "Apache-2.0", "--homepage",
                                       "https://example.org/good"})
              .status == 0);
    fs::remove(out);
    const auto result = run_program("ptp-manifest", {good(), out, "--license", "MIT"});
    CHECK(result.status == 3);
    CHECK(result.errors == good() +
                               ": its license is 'Apache-2.0' where the build has 'MIT'; set "
                               "license in its ptp_plugin_info to PTP_PLUGIN_LICENSE\n");
    CHECK(!fs::exists(out));
}

TEST_CASE(
    "ptp-manifest: what was sealed stays as it is, and what has no room for a seal is refused") {
    const ptp::test::TempFolder temp;
    const fs::path copy = temp.path() / "good.so";
    fs::copy_file(good(), copy);
    const auto before = fs::last_write_time(copy);
    CHECK(run_program("ptp-manifest", {"--seal", copy.string()}).status == 0);
    CHECK(fs::last_write_time(copy) == before);
    const std::string library = ptp::test::system_library("libm.so.6");
    const auto result = run_program("ptp-manifest", {"--seal", library});
    CHECK(result.status == 3);
    CHECK(result.errors == library +
                               ": has no room for a seal\n    fix: link it with the file that "
                               "ptp-manifest PLUGIN.so OUT.S writes\n");
}

TEST_CASE("ptp-manifest: --embed writes into the room that a file has for its manifest") {
    const ptp::test::TempFolder temp;
    const fs::path copy = temp.path() / "good.so";
    fs::copy_file(good(), copy);
    CHECK(run_program("ptp-manifest", {"--embed", copy.string()}).status == 0);
    CHECK(content_of(copy) == content_of(good()));
    const auto result = run_program("ptp-manifest", {"--embed", "/nowhere/x.so"});
    CHECK(result.status == 3);
    CHECK(result.errors == "/nowhere/x.so: cannot be opened: No such file or directory\n");
}

TEST_CASE("ptp-manifest: --help explains it, and a wrong command line shows how it is used") {
    const auto help = run_program("ptp-manifest", {"--help"});
    CHECK(help.status == 0);
    const std::string usage =
        "usage: ptp-manifest PLUGIN.so OUT.S [--license TEXT] [--author TEXT] [--homepage TEXT]\n"
        "       ptp-manifest --seal PLUGIN.so\n"
        "       ptp-manifest --embed PLUGIN.so\n";
    CHECK(help.output.starts_with(usage + "\nptp-manifest asks a plugin for its description, "));
    const auto wrong = run_program("ptp-manifest", {"--seal"});
    CHECK(wrong.status == 2);
    CHECK(wrong.errors == usage);
}

}  // namespace ptp_manifest_test
