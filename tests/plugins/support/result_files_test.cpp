#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include <ptp/error.hpp>
#include <result_files.hpp>

namespace result_files_test {

using ptp::test::TempFolder;
namespace fs = std::filesystem;

TEST_CASE("result files: folders are made, a file is replaced, and nothing else is left") {
    const TempFolder folder;
    ptp::support::write_file(folder.path(), "a/b/table.csv", "the first, a longer one");
    folder.write("a/b/table.csv.part", "left by a process that was killed");
    ptp::support::write_file(folder.path(), "a/b/table.csv", "the second");
    CHECK(folder.read("a/b/table.csv") == "the second");
    CHECK(std::distance(fs::directory_iterator(folder.path() / "a/b"), {}) == 1);
}

TEST_CASE("result files: several may write the same file at once, and a whole one is there") {
    const TempFolder folder;
    const std::string one(100'000, '1');
    const std::string other(50'000, '2');
    std::atomic<int> failures = 0;
    const auto write_often = [&](const std::string& text) {
        for (int i = 0; i < 50; ++i) {
            try {
                ptp::support::write_file(folder.path(), "v.csv", text);
            } catch (const std::exception&) {
                ++failures;
            }
        }
    };
    std::thread beside([&] { write_often(one); });
    write_often(other);
    beside.join();
    CHECK(failures == 0);
    const std::string last = folder.read("v.csv");
    CHECK((last == one || last == other));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("result files: an error names the file and the reason") {
    const TempFolder folder;
    const std::string file = folder.write("taken", "").string();
    CHECK_THROWS_WITH_AS(ptp::support::write_file(folder.path(), "taken/table.csv", ""),
                         ("cannot write " + file + ": Not a directory").c_str(), ptp::SystemError);
}

TEST_CASE("result files: links below the folder are not followed, those above it are") {
    const TempFolder elsewhere;
    const TempFolder folder;
    const auto victim = elsewhere.write("victim", "precious");
    fs::create_directory_symlink(elsewhere.path(), folder.path() / "a");
    CHECK_THROWS_WITH_AS(ptp::support::write_file(folder.path(), "a/table.csv", ""),
                         ("cannot write " + (folder.path() / "a").string() +
                          ": it is a link, which could lead out of the folder; remove it")
                             .c_str(),
                         ptp::SystemError);
    fs::create_symlink(victim, folder.path() / "table.csv.part");
    fs::create_symlink(victim, folder.path() / "table.csv");
    ptp::support::write_file(folder.path(), "table.csv", "new");
    CHECK(folder.read("table.csv") == "new");
    CHECK_FALSE(fs::is_symlink(folder.path() / "table.csv"));
    CHECK(elsewhere.read("victim") == "precious");
    CHECK_FALSE(fs::exists(elsewhere.path() / "table.csv"));
    ptp::support::write_file(folder.path() / "a", "table.csv", "named by the user");
    CHECK(elsewhere.read("table.csv") == "named by the user");
}

TEST_CASE("result files: a name that leads out of the folder is refused") {
    const TempFolder folder;
    for (const char* const name : {"../table.csv", "/tmp/table.csv", "a/../../table.csv"}) {
        CAPTURE(name);
        CHECK_THROWS_WITH_AS(ptp::support::write_file(folder.path(), name, ""),
                             ("cannot write " + (folder.path() / name).string() +
                              ": it is not below " + folder.path().string())
                                 .c_str(),
                             ptp::SystemError);
    }
}

TEST_CASE("result files: a name has the section, and the episode with six digits or more") {
    CHECK(ptp::support::result_name("test", 42, "png") == "test_000042.png");
    CHECK(ptp::support::result_name("test", 1234567, "a.csv") == "test_1234567.a.csv");
}

TEST_CASE("result files: a cell is quoted where RFC 4180 asks for it") {
    CHECK(ptp::support::csv_cell("plain text", ',') == "plain text");
    CHECK(ptp::support::csv_cell("a,b", ',') == "\"a,b\"");
    CHECK(ptp::support::csv_cell("a,b", ';') == "a,b");
    CHECK(ptp::support::csv_cell("say \"a\"", ',') == "\"say \"\"a\"\"\"");
    CHECK(ptp::support::csv_cell("two\nlines", ',') == "\"two\nlines\"");
}

}  // namespace result_files_test
