#include "plugin/private_copies.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace private_copies_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

const std::string kHash = "0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE(
    "private copies: a copy is named by plugin, number and hash, and nobody can write to it") {
    const ptp::test::TempFolder temp;
    PrivateCopies copies(temp.path() / "plugins");
    const fs::path path = copies.add("good", "content", kHash);
    CHECK(path == temp.path() / "plugins" / "good.1.0123456789abcdef.so");
    CHECK(temp.read("plugins/good.1.0123456789abcdef.so") == "content");
    CHECK(fs::status(path).permissions() == fs::perms::owner_read);
    CHECK(copies.add("good", "content", kHash).filename() == "good.2.0123456789abcdef.so");
    CHECK(std::distance(fs::directory_iterator(temp.path() / "plugins"), {}) == 2);
}

TEST_CASE("private copies: a name is not used again, by another process or after a removal") {
    const ptp::test::TempFolder temp;
    PrivateCopies first(temp.path());
    fs::remove(first.add("good", "a", kHash));
    CHECK(first.add("good", "b", kHash).filename() == "good.2.0123456789abcdef.so");
    PrivateCopies second(temp.path());
    CHECK(second.add("good", "c", kHash).filename() == "good.1.0123456789abcdef.so");
    CHECK(second.add("good", "d", kHash).filename() == "good.3.0123456789abcdef.so");
    CHECK(temp.read("good.2.0123456789abcdef.so") == "b");
}

TEST_CASE("private copies: a name that somebody else is just writing is left to him") {
    const ptp::test::TempFolder temp;
    temp.write("good.1.0123456789abcdef.so.new", "half");
    CHECK(PrivateCopies(temp.path()).add("good", "a", kHash).filename() ==
          "good.2.0123456789abcdef.so");
    CHECK(temp.read("good.1.0123456789abcdef.so.new") == "half");
}

TEST_CASE("private copies: a file in the folder is known by any spelling of it") {
    const ptp::test::TempFolder temp;
    const PrivateCopies copies(temp.path() / "x" / ".." / "plugins/");
    CHECK(copies.holds(temp.path() / "plugins" / "a.so"));
    CHECK(copies.holds(temp.path() / "plugins" / "." / "a.so"));
    CHECK_FALSE(copies.holds(temp.path() / "plugins" / "deeper" / "a.so"));
    CHECK_FALSE(copies.holds(temp.path() / "a.so"));
}

TEST_CASE("private copies: what cannot be written is named with the reason") {
    const ptp::test::TempFolder temp;
    PrivateCopies copies(temp.path());
    CHECK_THROWS_WITH_AS(copies.add("no/where", "a", kHash),
                         ("its copy " + temp.path().string() +
                          "/no/where.1.0123456789abcdef.so cannot be written: No such file or "
                          "directory\n    fix: make room there, or make it writable")
                             .c_str(),
                         ResourceError);
}

}  // namespace private_copies_test
