#include "plugin/search_path.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace first_party_test {

namespace fs = std::filesystem;
using ptp::plugin::is_first_party;
using ptp::plugin::is_first_party_name;
using ptp::test::TempFolder;

TEST_CASE("first party: plugins that come with ptp are known by name") {
    CHECK(is_first_party_name("vision_models"));
    CHECK(is_first_party_name("augmentations"));
    for (const char* name : {"", " ", "vision", "models", "vision_models losses", "my_plugin"}) {
        CAPTURE(name);
        CHECK_FALSE(is_first_party_name(name));
    }
}

TEST_CASE(
    "first party: a file is one if it lies in the installation, or is a copy of such a file") {
    const TempFolder temp;
    const fs::path installation = temp.path() / "lib";
    const fs::path installed = temp.write("lib/losses.so", "code of losses");
    const fs::path copy = temp.write("run/losses.0.1234.so", "code of losses");
    const fs::path changed = temp.write("run/losses.1.5678.so", "code of lossez");
    const fs::path other = temp.write("lib/my_plugin.so", "code of mine");
    CHECK(is_first_party("losses", installed, installation));
    CHECK(is_first_party("losses", copy, installation));
    CHECK_FALSE(is_first_party("losses", changed, installation));
    CHECK_FALSE(is_first_party("my_plugin", other, installation));
    CHECK_FALSE(is_first_party("statistics", copy, installation));
    CHECK_FALSE(is_first_party("losses", installed, ""));
    CHECK_FALSE(is_first_party("losses", temp.path() / "nowhere.so", installation));
}

}  // namespace first_party_test
