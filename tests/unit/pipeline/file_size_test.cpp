#include "pipeline/file_size.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

using ptp::pipeline::size_of_file;

namespace {

// What gzip -n writes of nothing, with another size at its end.
std::string packed(const std::string& size) {
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0", 16) + size;
}

}  // namespace

TEST_CASE("file size: a plain file has its own, before a packed one of that name") {
    const ptp::test::TempFolder folder;
    folder.write("labels", "12345");
    folder.write("labels.gz", packed(std::string("\x01\0\0\0", 4)));
    CHECK(size_of_file(folder.path(), "labels") == 5);
    folder.write("empty", "");
    CHECK(size_of_file(folder.path(), "empty") == 0);
}

TEST_CASE("file size: a packed file has the one that it ends with, lowest byte first") {
    const ptp::test::TempFolder folder;
    folder.write("labels.gz", packed("\x68\xea\x01\xff"));
    CHECK(size_of_file(folder.path(), "labels") == std::int64_t{0xff01ea68});
    folder.write("nothing.gz", packed(std::string(4, '\0')));
    CHECK(size_of_file(folder.path(), "nothing") == 0);
}

TEST_CASE("file size: what is not there, or is no file, has none") {
    const ptp::test::TempFolder folder;
    folder.write("short.gz", "12345");
    folder.write("folder/file", "1");
    CHECK(size_of_file(folder.path(), "short") == std::nullopt);
    CHECK(size_of_file(folder.path(), "folder") == std::nullopt);
    CHECK(size_of_file(folder.path(), "missing") == std::nullopt);
    CHECK(size_of_file(folder.path() / "missing", "file") == std::nullopt);
    CHECK(size_of_file(folder.path(), "folder/file") == 1);
}
