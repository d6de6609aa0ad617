#include "plugin/search_path.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

namespace search_path_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

// The temporary folder itself may be reached through a link.
fs::path real(const ptp::test::TempFolder& temp) {
    return fs::canonical(temp.path());
}

}  // namespace

TEST_CASE("search path: command line, environment, experiment, installation, in that order") {
    const ptp::test::TempFolder temp;
    const fs::path root = real(temp);
    temp.write("install/lib/ptp/plugins/x", "");
    fs::create_directories(root / "install/bin");
    const SearchPath path{.command_line = {root / "a", root / "b"},
                          .environment = (root / "c").string() + ":" + (root / "d").string(),
                          .experiment = {root / "e"},
                          .executable = root / "install/bin/ptprun"};
    CHECK(search_folders(path) == std::vector<fs::path>{root / "a", root / "b", root / "c",
                                                        root / "d", root / "e",
                                                        root / "install/lib/ptp/plugins"});
}

TEST_CASE("search path: each folder once, at its first place, however it is named") {
    const ptp::test::TempFolder temp;
    const fs::path root = real(temp);
    temp.write("a/x", "");
    fs::create_directory_symlink(root / "a", root / "link");
    const SearchPath path{.command_line = {root / "b/../a", root / "link"},
                          .environment = (root / "a/").string(),
                          .experiment = {root / "b"},
                          .executable = {}};
    CHECK(search_folders(path) == std::vector<fs::path>{root / "a", root / "b"});
}

TEST_CASE("search path: empty entries of the environment are none") {
    const SearchPath path{.command_line = {},
                          .environment = ":/nowhere/a::/nowhere/b:",
                          .experiment = {},
                          .executable = {}};
    CHECK(search_folders(path) == std::vector<fs::path>{"/nowhere/a", "/nowhere/b"});
}

TEST_CASE("search path: a host without plugins of its own has no folder for them") {
    const SearchPath path{.command_line = {},
                          .environment = "",
                          .experiment = {},
                          .executable = "/nowhere/bin/ptprun"};
    CHECK(search_folders(path).empty());
}

TEST_CASE("search path: the running program is found") {
    CHECK(executable_path().filename() == "plugin_test");
}

}  // namespace search_path_test
