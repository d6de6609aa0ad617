#include "base/system_file.hpp"

#include "base/descriptor.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>

namespace system_file_test {

namespace system = ptp::system;

namespace {

ptp::Descriptor opened(const std::filesystem::path& path) {
    return ptp::Descriptor(system::open_to_read(path));
}

}  // namespace

TEST_CASE(
    "system file: bytes are read from any place, fewer at the end, all as they were written") {
    const ptp::test::TempFolder temp;
    const std::string content("a\r\nb\0c\x1a\n", 8);
    const ptp::Descriptor file = opened(temp.write("file", content));
    REQUIRE(file.is_open());
    std::array<char, 16> bytes{};
    CHECK(system::read_at(file.get(), bytes.data(), bytes.size(), 0) == 8);
    CHECK(std::string(bytes.data(), 8) == content);
    CHECK(system::read_at(file.get(), bytes.data(), bytes.size(), 5) == 3);
    CHECK(std::string(bytes.data(), 3) == std::string("c\x1a\n"));
    CHECK(system::read_at(file.get(), bytes.data(), bytes.size(), 8) == 0);
}

TEST_CASE("system file: a new file is made once, and what exists is left as it is") {
    const ptp::test::TempFolder temp;
    const auto path = temp.path() / "new";
    CHECK(ptp::Descriptor(system::create_new(path, 0600)).is_open());
    errno = 0;
    CHECK_FALSE(ptp::Descriptor(system::create_new(path, 0600)).is_open());
    CHECK(errno == EEXIST);
}

TEST_CASE("system file: what is missing is reported as missing") {
    const ptp::test::TempFolder temp;
    errno = 0;
    CHECK_FALSE(opened(temp.path() / "missing").is_open());
    CHECK(errno == ENOENT);
    errno = 0;
    CHECK(system::rename_over(temp.path() / "missing", temp.path() / "other") != 0);
    CHECK(errno == ENOENT);
}

TEST_CASE("system file: a file takes the place of another, a folder a name that is free") {
    const ptp::test::TempFolder temp;
    temp.write("old", "old");
    CHECK(system::rename_over(temp.write("new", "new"), temp.path() / "old") == 0);
    CHECK(temp.read("old") == "new");
    CHECK_FALSE(std::filesystem::exists(temp.path() / "new"));
    temp.write("folder/file", "content");
    CHECK(system::rename_over(temp.path() / "folder", temp.path() / "renamed") == 0);
    CHECK(temp.read("renamed/file") == "content");
}

TEST_CASE("system file: a private folder has a name of its own each time") {
    const ptp::test::TempFolder temp;
    std::string one = (temp.path() / "a-XXXXXX").string();
    std::string other = one;
    CHECK(system::make_private_folder(one));
    CHECK(system::make_private_folder(other));
    CHECK(one != other);
    CHECK(std::filesystem::is_directory(one));
    CHECK(std::filesystem::is_directory(other));
}

TEST_CASE("system file: a lock is free again when its holder closes it") {
    const ptp::test::TempFolder temp;
    const auto path = temp.path() / "lock";
    CHECK(ptp::Descriptor(system::open_locked(path)).is_open());
    CHECK(ptp::Descriptor(system::open_locked(path)).is_open());
}

TEST_CASE("system file: a file is no terminal") {
    const ptp::test::TempFolder temp;
    CHECK(system::columns_of_terminal(opened(temp.write("file", "")).get()) == 0);
}

}  // namespace system_file_test
