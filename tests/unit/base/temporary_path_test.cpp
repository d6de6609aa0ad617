#include "base/temporary_path.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace temporary_path_test {

namespace fs = std::filesystem;
using ptp::TemporaryPath;
using ptp::test::TempFolder;

TEST_CASE("temporary path: a file or folder is removed with all in it, unless it is kept") {
    const TempFolder folder;
    fs::create_directories(folder.path() / "a/b");
    { const TemporaryPath gone(folder.path() / "a"); }
    CHECK(!fs::exists(folder.path() / "a"));
    folder.write("c", "x");
    {
        TemporaryPath kept(folder.path() / "c");
        CHECK(kept.keep() == folder.path() / "c");
    }
    CHECK(fs::exists(folder.path() / "c"));
}

TEST_CASE("temporary path: what is moved from removes nothing") {
    const TempFolder folder;
    folder.write("a", "x");
    auto first = std::make_unique<TemporaryPath>(folder.path() / "a");
    const TemporaryPath second(std::move(*first));
    first.reset();
    CHECK(fs::exists(second.path()));
}

TEST_CASE("temporary path: a new folder is this user's alone") {
    const TemporaryPath made = TemporaryPath::new_folder();
    CHECK(fs::is_empty(made.path()));
    CHECK((fs::status(made.path()).permissions() & fs::perms::all) == fs::perms::owner_all);
}

TEST_CASE("temporary path: an empty folder replaces what the path was before") {
    const TempFolder folder;
    const fs::path path = folder.path() / "a/b";
    fs::create_directories(path / "c");
    const TemporaryPath made = TemporaryPath::empty_folder(path);
    CHECK(fs::is_empty(path));
}

}  // namespace temporary_path_test
