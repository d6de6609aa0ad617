#include "plugin/loader.hpp"

#include "plugin/hash.hpp"
#include "plugin/private_folder.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace ptp::plugin;

CatalogEntry good() {
    return scan({ptp::test::build_dir() / "tests/plugins/good"}).plugins.at(0);
}

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("loader: a generation gives access to the plugin's descriptions") {
    const ptp::test::TempFolder temp;
    const Generation generation = Loader(temp.path() / "plugins").load(good());
    CHECK(generation.manifest() == good().manifest);
    CHECK(std::string(generation.info().name) == "good");
    REQUIRE(generation.component("GoodTask") != nullptr);
    CHECK(generation.component("GoodTask")->kind == PTP_TASK);
    CHECK(generation.component("goodtask") == nullptr);
    CHECK(generation.component("GoodModel")->extension("ptp.mode/1") == nullptr);
}

TEST_CASE("loader: what is loaded is a copy, named by plugin, number and hash") {
    const ptp::test::TempFolder temp;
    const Generation generation = Loader(temp.path()).load(good());
    CHECK(generation.hash() == sha256(content(good().path)));
    CHECK(generation.file() == temp.path() / ("good.1." + generation.hash().substr(0, 16) + ".so"));
    CHECK(content(generation.file()) == content(good().path));
}

TEST_CASE("loader: the same file loaded twice is two images with variables of their own") {
    const ptp::test::TempFolder temp;
    Loader loader(temp.path());
    const Generation first = loader.load(good());
    const Generation second = loader.load(good());
    CHECK(first.hash() == second.hash());
    CHECK(first.file() != second.file());
    CHECK(&first.info() != &second.info());
}

TEST_CASE("loader: a name in the private folder is never used again") {
    const ptp::test::TempFolder temp;
    const Generation first = Loader(temp.path()).load(good());
    const Generation second = Loader(temp.path()).load(good());
    CHECK(first.file() != second.file());
    CHECK(&first.info() != &second.info());
}

TEST_CASE("loader: a plugin goes on working when its copy has been removed") {
    const PrivateFolder* folder = new PrivateFolder();
    const fs::path path = folder->path();
    const Generation generation = Loader(path).load(good());
    delete folder;
    CHECK(!fs::exists(path));
    CHECK(std::string(generation.info().components[0]->name) == "GoodTask");
    CHECK(generation.component("GoodTask")->extension(PTP_EXTENSION_TASK) != nullptr);
}

TEST_CASE("loader: a file that has gone since the scan is named with the phase and the reason") {
    const ptp::test::TempFolder temp;
    const CatalogEntry entry{"/nowhere/good.so", good().manifest};
    CHECK_THROWS_WITH_AS(
        Loader(temp.path()).load(entry),
        "/nowhere/good.so: cannot be loaded (copy): cannot be opened: No such file or directory",
        LoadError);
}

TEST_CASE("loader: a private folder that cannot be made is an error of the copy") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("file", "");
    try {
        Loader(file / "plugins").load(good());
        FAIL("was loaded");
    } catch (const LoadError& error) {
        CHECK(error.phase() == LoadPhase::copy);
        CHECK(std::string(error.what()).find((file / "plugins").string()) != std::string::npos);
    }
}
