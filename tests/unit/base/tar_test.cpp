#include "base/tar.hpp"

#include "base/file_error.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tar_test {

using ptp::tar_end;
using ptp::tar_header;
using ptp::tar_members;
using ptp::tar_padding;
using ptp::test::TempFolder;

namespace {

std::string packed(const std::string& path, const std::string& content) {
    return tar_header(path, content.size()) + content + tar_padding(content.size());
}

std::string refusal_of(const std::string& bytes, std::size_t most = 10) {
    const TempFolder folder;
    const auto file = folder.write("x.tar", bytes);
    return ptp::test::error_of<ptp::FileError>([&] { static_cast<void>(tar_members(file, most)); });
}

}  // namespace

TEST_CASE("tar: a header has the bytes that POSIX states for ustar") {
    const std::string header = tar_header("a/b.txt", 10);
    CHECK(header.size() == 512);
    CHECK(header.substr(0, 8) == std::string("a/b.txt\0", 8));
    CHECK(header.substr(100, 24) == std::string("0000644\0"
                                                "0000000\0"
                                                "0000000\0",
                                                24));
    CHECK(header.substr(124, 24) == std::string("00000000012\0"
                                                "00000000000\0",
                                                24));
    CHECK(header[156] == '0');
    CHECK(header.substr(257, 8) == std::string("ustar\0"
                                               "00",
                                               8));
    // By hand: "a/b.txt" 640, mode 350 + users 672, size 531 + time 528, type 48, "ustar" 559 and
    // "00" 96, eight blanks 256.
    CHECK(header.substr(148, 8) == std::string("007140\0 ", 8));
}

TEST_CASE("tar: files are found where their bytes are") {
    const TempFolder folder;
    const auto file =
        folder.write("x.tar", packed("a", std::string(513, 'x')) + packed("b", "") + tar_end());
    const auto members = tar_members(file, 2);
    REQUIRE(members.size() == 2);
    CHECK(members[0].path == "a");
    CHECK(members[0].offset == 512);
    CHECK(members[0].size == 513);
    CHECK(members[1].path == "b");
    CHECK(members[1].offset == 4 * 512);
    CHECK(members[1].size == 0);
    CHECK(ptp::begins_as_tar(file, "a"));
    CHECK_FALSE(ptp::begins_as_tar(file, "b"));
    CHECK_FALSE(ptp::begins_as_tar(folder.path(), "a"));
}

TEST_CASE("tar: every other form is refused") {
    const std::string good = packed("a", "content") + tar_end();
    CHECK(refusal_of(good) == "");
    CHECK(refusal_of("") == "is cut off");
    CHECK(refusal_of(good.substr(0, 600)) == "is cut off");
    CHECK(refusal_of(packed("a", "content")) == "is cut off");
    CHECK(refusal_of(packed("a", "content") + std::string(512, '\0')) == "is cut off");
    CHECK(refusal_of(good + "x") == "has bytes after the end of its archive");
    CHECK(refusal_of(packed("a", "") + packed("b", "") + tar_end(), 1) == "has more than 1 files");
    std::string between = good;
    between[1000] = 'x';
    CHECK(refusal_of(between) == "has bytes between its files, at byte 519");
    std::string linked = good;
    linked[156] = '2';
    CHECK(refusal_of(linked) == "has a header of another form than ptprun writes, at byte 0");
    std::string end = good;
    end.back() = 'x';
    CHECK(refusal_of(end) == "has an archive without an end");
    CHECK(refusal_of(tar_header("a", ptp::kMaxTarFile) + tar_end()) == "is cut off");
}

}  // namespace tar_test
