#include "plugin/settling.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace settling_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;
using std::chrono::milliseconds;

Settling::TimePoint at(int ms) {
    return Settling::TimePoint() + milliseconds(ms);
}

FileState sized(std::uint64_t size) {
    return {.exists = true, .size = size};
}

}  // namespace

TEST_CASE("settling: a file has settled when it has not changed for a while") {
    Settling settling(milliseconds(200));
    settling.seen(sized(1), at(0));
    CHECK_FALSE(settling.is_settled());
    settling.seen(sized(1), at(199));
    CHECK_FALSE(settling.is_settled());
    CHECK(settling.settles_at() == at(200));
    settling.seen(sized(2), at(200));
    CHECK_FALSE(settling.is_settled());
    CHECK(settling.settles_at() == at(400));
    settling.seen(sized(2), at(400));
    CHECK(settling.is_settled());
    CHECK(settling.state() == sized(2));
}

TEST_CASE("settling: an existing file settles at once if the quiet time is 0") {
    Settling settling(milliseconds(0));
    settling.seen({}, at(0));
    CHECK_FALSE(settling.is_settled());
    CHECK(settling.settles_at() == std::nullopt);
    settling.seen(sized(0), at(0));
    CHECK(settling.is_settled());
}

TEST_CASE("settling: a file that was removed and comes back settles anew") {
    Settling settling(milliseconds(10));
    settling.seen(sized(1), at(0));
    settling.seen({}, at(5));
    settling.seen(sized(1), at(10));
    CHECK_FALSE(settling.is_settled());
    settling.seen(sized(1), at(20));
    CHECK(settling.is_settled());
}

TEST_CASE("settling: a file's state differs when it is written to, replaced or removed") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a", "one");
    const FileState first = state_of(file);
    CHECK(first.exists);
    CHECK(first.size == 3);
    CHECK(state_of(file) == first);
    temp.write("a", "longer");
    CHECK(state_of(file) != first);
    const FileState second = state_of(file);
    fs::rename(temp.write("b", "longer"), file);
    CHECK(state_of(file) != second);
    CHECK(state_of(file).inode != second.inode);
    fs::remove(file);
    CHECK_FALSE(state_of(file).exists);
}

TEST_CASE("settling: a link has the state of the file it leads to") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a", "one");
    fs::create_symlink("a", temp.path() / "link");
    CHECK(state_of(temp.path() / "link") == state_of(file));
}

}  // namespace settling_test
