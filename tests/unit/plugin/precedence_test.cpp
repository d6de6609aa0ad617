#include "plugin/catalog.hpp"

#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace precedence_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;
using ptp::test::TempFolder;

std::string good() {
    std::ifstream file(ptp::test::build_dir() / "tests/plugins/good/good.so", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Its manifest does not match its code any more.
std::string altered() {
    std::string content = good();
    const std::string summary = "exists to be described";
    const std::size_t at = content.find(summary);
    REQUIRE(at != std::string::npos);
    content.replace(at, 6, "EXISTS");
    return content;
}

// The file that comes before the plugin 'good', relative to the folder; "" if there is none.
std::string first(const Catalog& catalog, const TempFolder& temp, std::size_t files_at = 9) {
    REQUIRE(catalog.plugins.size() == 1);
    const RejectedFile* file = preceding(catalog, catalog.plugins[0], files_at);
    return file == nullptr ? "" : fs::relative(file->path, temp.path()).string();
}

}  // namespace

TEST_CASE("precedence: an altered file that comes first, under any name") {
    const TempFolder temp;
    temp.write("b/good.so", good());
    SUBCASE("its own") {
        temp.write("a/good.so", altered());
        CHECK(first(scan({temp.path() / "a", temp.path() / "b"}), temp) == "a/good.so");
    }
    SUBCASE("another, where its manifest says what it is") {
        temp.write("a/other.so", altered());
        CHECK(first(scan({temp.path() / "a", temp.path() / "b"}), temp) == "a/other.so");
    }
    SUBCASE("its own, with nothing of a plugin left") {
        temp.write("a/libgood.so", "hello world");
        CHECK(first(scan({temp.path() / "a", temp.path() / "b"}), temp) == "a/libgood.so");
    }
    SUBCASE("in the same folder, by its name") {
        temp.write("b/a.so", altered());
        CHECK(first(scan({temp.path() / "b"}), temp) == "b/a.so");
    }
}

TEST_CASE("precedence: what comes later, or is something else, is no matter") {
    const TempFolder temp;
    temp.write("b/good.so", good());
    temp.write("c/good.so", altered());
    temp.write("b/z.so", altered());
    temp.write("a/bad.so", "hello world");
    temp.write("a/good.so.old", altered());
    fs::create_directory(temp.path() / "good");
    CHECK(first(scan({temp.path() / "good" / "nowhere", temp.path() / "a", temp.path() / "b",
                      temp.path() / "c"}),
                temp) == "");
}

TEST_CASE("precedence: files that are named come after N folders") {
    const TempFolder temp;
    const fs::path copy = temp.write("run/plugins/good.1.so", good());
    temp.write("named/good.so", altered());
    temp.write("path/good.so", altered());
    Catalog on_path = scan({temp.path() / "path"});
    const Catalog without_names = joined(scan({}, {copy}), on_path);
    CHECK(first(without_names, temp, 0) == "");
    const Catalog with_names = joined(scan({temp.path() / "named"}, {copy}), std::move(on_path));
    CHECK(first(with_names, temp, 1) == "named/good.so");
}

}  // namespace precedence_test
