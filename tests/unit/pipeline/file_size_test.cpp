#include "pipeline/evaluate.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace file_size_test {

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
    folder.write("labels.gz", packed(std::string("\xea\x42\0\0", 4)));
    CHECK(size_of_file(folder.path(), "labels") == std::int64_t{0x42ea});
    folder.write("nothing.gz", packed(std::string(4, '\0')));
    CHECK(size_of_file(folder.path(), "nothing") == 0);
}

TEST_CASE("file size: what gzip cannot pack so small has no known size") {
    const ptp::test::TempFolder folder;
    folder.write("labels.gz", packed("\x68\xea\x01\xff"));
    CHECK(size_of_file(folder.path(), "labels") == std::nullopt);
}

TEST_CASE("file size: a gzip file of several members has no known size") {
    const ptp::test::TempFolder folder;
    const std::string one = packed(std::string("\x01\0\0\0", 4));
    folder.write("two.gz", one + one);
    CHECK(size_of_file(folder.path(), "two") == std::nullopt);

    // Also where the second begins at the border of what is read at once.
    const std::string long_one =
        packed(std::string((std::size_t{1} << 20) - 20, 'x')) + std::string("\x01\0\0\0", 4);
    for (std::size_t more = 0; more < 12; ++more) {
        CAPTURE(more);
        const std::string first = long_one + std::string(more, 'x');
        folder.write("long.gz", first + one);
        CHECK(size_of_file(folder.path(), "long") == std::nullopt);
        folder.write("long.gz", first + std::string("\x02\0\0\0", 4));
        CHECK(size_of_file(folder.path(), "long") == 2);
    }
}

TEST_CASE("file size: bytes that only look like the beginning of a member are none") {
    const ptp::test::TempFolder folder;
    // Flags that do not exist, then a byte that says no way of packing.
    folder.write("flags.gz", packed(std::string("\x1f\x8b\x08\xff\0\0\0\0\0\x03", 10)) +
                                 std::string("\x01\0\0\0", 4));
    CHECK(size_of_file(folder.path(), "flags") == 1);
    folder.write("way.gz", packed(std::string("\x1f\x8b\x08\0\0\0\0\0\x07\x03", 10)) +
                               std::string("\x01\0\0\0", 4));
    CHECK(size_of_file(folder.path(), "way") == 1);
}

TEST_CASE("file size: what is not there, or is not a file, has none") {
    const ptp::test::TempFolder folder;
    folder.write("short.gz", "12345");
    folder.write("folder/file", "1");
    CHECK(size_of_file(folder.path(), "short") == std::nullopt);
    CHECK(size_of_file(folder.path(), "folder") == std::nullopt);
    CHECK(size_of_file(folder.path(), "missing") == std::nullopt);
    CHECK(size_of_file(folder.path() / "missing", "file") == std::nullopt);
    CHECK(size_of_file(folder.path(), "folder/file") == 1);
}

}  // namespace file_size_test
