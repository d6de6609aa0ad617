#include "plugin/search_path.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>
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

TEST_CASE("search path: command line, environment, experiment, user, installation, in that order") {
    const ptp::test::TempFolder temp;
    const fs::path root = real(temp);
    temp.write("install/lib/ptp/plugins/x", "");
    temp.write("home/ptp/plugins/x", "");
    fs::create_directories(root / "install/bin");
    const SearchPath path{.command_line = {root / "a", root / "b"},
                          .environment = (root / "c").string() + ":" + (root / "d").string(),
                          .experiment = {root / "e"},
                          .user = root / "home/ptp/plugins",
                          .executable = root / "install/bin/ptprun"};
    CHECK(search_folders(path) ==
          std::vector<fs::path>{root / "a", root / "b", root / "c", root / "d", root / "e",
                                root / "home/ptp/plugins", root / "install/lib/ptp/plugins"});
}

TEST_CASE("search path: each folder is named with where it comes from") {
    const ptp::test::TempFolder temp;
    const fs::path root = real(temp);
    const SearchPath path{.command_line = {root / "a"},
                          .environment = (root / "b").string(),
                          .experiment = {root / "c"},
                          .user = root / "user",
                          .executable = "/usr/bin/ptprun"};
    std::vector<SearchFolder> folders = named_folders(path);
    REQUIRE(folders.size() == 6);
    const std::vector<fs::path> paths = {root / "a",
                                         root / "b",
                                         root / "c",
                                         root / "user",
                                         "/usr/local/lib/ptp/plugins",
                                         "/usr/lib/ptp/plugins"};
    const std::vector<std::string> origins = {"--plugins",
                                              "PTP_PLUGIN_PATH",
                                              "[plugins] path",
                                              "plugins of this user",
                                              "plugins of this machine",
                                              "plugins that come with ptp"};
    for (std::size_t i = 0; i < folders.size(); ++i) {
        CHECK(folders[i].path == paths[i]);
        CHECK(to_string(folders[i].origin) == origins[i]);
    }
    CHECK(folders[0].is_searched);  // that it is not there is reported
    CHECK_FALSE(folders[3].is_searched);
}

TEST_CASE("search path: a user's plugins are below XDG_DATA_HOME, or else below HOME") {
    CHECK(user_folder("/data", "/home/ada") == "/data/ptp/plugins");
    CHECK(user_folder("", "/home/ada") == "/home/ada/.local/share/ptp/plugins");
    CHECK(user_folder("data", "/home/ada") == "/home/ada/.local/share/ptp/plugins");
    CHECK(user_folder("", "").empty());
    CHECK(user_folder("", "ada").empty());
}

TEST_CASE("search path: what the machine's administrator adds to a ptp of /usr is in /usr/local") {
    CHECK(system_folder("/usr/bin/ptprun") == "/usr/local/lib/ptp/plugins");
    CHECK(installation_folder("/usr/bin/ptprun") == "/usr/lib/ptp/plugins");
    CHECK(system_folder("/opt/ptp/bin/ptprun") == "/opt/ptp/lib/ptp/plugins");
    CHECK(installation_folder("/opt/ptp/bin/ptprun") == "/opt/ptp/lib/ptp/plugins");
    CHECK(system_folder("").empty());
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

TEST_CASE("search path: packages come behind the folder that they belong to, without half ones") {
    const ptp::test::TempFolder temp;
    const fs::path root = real(temp);
    for (const char* name : {"sounds", "images", "images.new", "images.old", ".staging"}) {
        temp.write(fs::path("home/ptp/packages") / name / "plugins/x.so", "");
    }
    temp.write("install/lib/ptp/packages/texts/plugins/x.so", "");
    temp.write("install/lib/ptp/plugins/x.so", "");
    const SearchPath path{.command_line = {},
                          .environment = "",
                          .experiment = {},
                          .user = root / "home/ptp/plugins",
                          .executable = root / "install/bin/ptprun"};
    CHECK(search_folders(path) ==
          std::vector<fs::path>{
              root / "home/ptp/packages/images/plugins", root / "home/ptp/packages/sounds/plugins",
              root / "install/lib/ptp/plugins", root / "install/lib/ptp/packages/texts/plugins"});
    CHECK(packages_folder("").empty());
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
