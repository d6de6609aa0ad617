#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>

namespace temp_folder_test {

using ptp::test::TempFolder;

TEST_CASE("temp_folder: what was written is read back") {
    const TempFolder folder;
    folder.write("a/b.txt", "one\ntwo");
    CHECK(folder.read("a/b.txt") == "one\ntwo");
}

TEST_CASE("temp_folder: two at a time are two folders") {
    const TempFolder one;
    const TempFolder two;
    CHECK(one.path() != two.path());
}

TEST_CASE("temp_folder: nothing is left behind") {
    std::filesystem::path path;
    {
        const TempFolder folder;
        path = folder.path();
        folder.write("deep/er/file", "x");
        CHECK(std::filesystem::exists(path));
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("temp_folder: reading a missing file is an error") {
    const TempFolder folder;
    CHECK_THROWS_AS(static_cast<void>(folder.read("absent")), std::runtime_error);
}

}  // namespace temp_folder_test
