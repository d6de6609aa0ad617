#include "plugin/catalog.hpp"

#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace catalog_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

fs::path good_folder() {
    return ptp::test::build_dir() / "tests/plugins/good";
}

// Scans a folder with one file of that content.
std::string reason_for(const std::string& content) {
    const ptp::test::TempFolder temp;
    temp.write("x.so", content);
    const Catalog catalog = scan({temp.path()});
    REQUIRE(catalog.plugins.empty());
    REQUIRE(catalog.rejected.size() == 1);
    CHECK(catalog.rejected[0].path == temp.path() / "x.so");
    return catalog.rejected[0].reason;
}

}  // namespace

TEST_CASE("catalog: a plugin is found with all that it says of itself") {
    const Catalog catalog = scan({good_folder()});
    REQUIRE(catalog.plugins.size() == 1);
    CHECK(catalog.rejected.empty());
    CHECK(catalog.searched == std::vector{good_folder()});
    CHECK(catalog.plugins[0].path == good_folder() / "good.so");

    const Manifest& manifest = catalog.plugins[0].manifest;
    CHECK(manifest.name == "good");
    CHECK(manifest.version == "1.2.3");
    REQUIRE(manifest.components.size() == 3);
    const Component& model = manifest.components[1];
    CHECK(model.kind == Kind::kModel);
    CHECK(model.description == "A model that exists to be described.\nIts second line.");
    REQUIRE(model.settings.size() == 4);
    CHECK(model.settings[0].choices == std::vector<std::string>{"LSTM", "GRU"});
    CHECK(model.settings[1].default_value == "0.5");
    REQUIRE(model.settings[3].members.size() == 1);
    CHECK(model.settings[3].members[0].is_required);
    CHECK(model.ports[2].when == "cell = LSTM");
    CHECK(model.globals[0].access == GlobalAccess::kReadIfNamed);
    const Component& statistic = manifest.components[2];
    CHECK(statistic.statistics[0].is_hidden);
    CHECK(statistic.statistics[1].weight == "samples");
}

TEST_CASE("catalog: a component is found by its type, and by its plugin and type") {
    const Catalog catalog = scan({good_folder()});
    REQUIRE(catalog.find("GoodModel").size() == 1);
    CHECK(catalog.find("GoodModel")[0].plugin == catalog.plugins.data());
    CHECK(catalog.find("GoodModel")[0].component->name == "GoodModel");
    CHECK(catalog.find("good/GoodModel").size() == 1);
    CHECK(catalog.find("other/GoodModel").empty());
    CHECK(catalog.find("goodmodel").empty());
}

TEST_CASE("catalog: what is not a shared library is rejected in plain words") {
    CHECK(reason_for("") == "is empty");
    CHECK(reason_for("hello world\n") == "is not an ELF file: it begins with 'hello w'");
    CHECK(reason_for("\x7f\x45") == "is not an ELF file: it begins with '.E'");
    CHECK(reason_for("\x7f"
                     "ELF") == "is cut off: its header alone has 64 bytes, the file has 4");
}

TEST_CASE("catalog: a missing folder is rejected, the others are scanned") {
    const Catalog catalog = scan({"/nowhere/plugins", good_folder()});
    CHECK(catalog.plugins.size() == 1);
    REQUIRE(catalog.rejected.size() == 1);
    CHECK(catalog.rejected[0].path == "/nowhere/plugins");
    CHECK(catalog.rejected[0].reason == "cannot be searched: No such file or directory");
    const fs::path file = good_folder() / "good.so";
    CHECK(scan({file}).rejected.at(0).reason ==
          "is a file, and folders are searched: name " + good_folder().string());
}

TEST_CASE("catalog: a plugin in an earlier folder hides one of its name in a later one") {
    const ptp::test::TempFolder temp;
    fs::copy_file(good_folder() / "good.so", temp.path() / "again.so");
    const Catalog catalog = scan({good_folder(), temp.path()});
    REQUIRE(catalog.plugins.size() == 1);
    CHECK(catalog.plugins[0].path == good_folder() / "good.so");
    REQUIRE(catalog.rejected.size() == 1);
    CHECK(catalog.rejected[0].path == temp.path() / "again.so");
    CHECK(catalog.rejected[0].reason == "offers the plugin 'good', which " +
                                            (good_folder() / "good.so").string() +
                                            " offers already");
}

TEST_CASE(
    "catalog: the plugins of a run decide what a plain type means, others are asked by name") {
    Catalog catalog = scan({good_folder()});
    CatalogEntry other = catalog.plugins[0];
    other.manifest.name = "later";
    catalog.plugins.push_back(other);
    const std::string type = other.manifest.components[1].name;
    CHECK(catalog.find(type).size() == 2);
    catalog.deciding = {"good"};
    REQUIRE(catalog.find(type).size() == 1);
    CHECK(catalog.find(type)[0].plugin->manifest.name == "good");
    REQUIRE(catalog.find("later/" + type).size() == 1);
    CHECK(catalog.find("later/" + type)[0].plugin->manifest.name == "later");
    catalog.deciding = {"absent"};
    CHECK(catalog.find(type).size() == 2);
}

TEST_CASE("catalog: of another one the plugins are added whose names are new") {
    const ptp::test::TempFolder temp;
    fs::copy_file(good_folder() / "good.so", temp.path() / "again.so");
    temp.write("broken.so", "hello world\n");
    const Catalog catalog = joined(scan({good_folder()}), scan({temp.path()}));
    REQUIRE(catalog.plugins.size() == 1);
    CHECK(catalog.plugins[0].path == good_folder() / "good.so");
    REQUIRE(catalog.rejected.size() == 1);
    CHECK(catalog.rejected[0].path == temp.path() / "broken.so");
    CHECK(catalog.searched == std::vector{good_folder(), temp.path()});
    CHECK(joined(scan({}), scan({temp.path()})).plugins[0].path == temp.path() / "again.so");
}

}  // namespace catalog_test
