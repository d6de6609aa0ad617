#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <result_files.hpp>

namespace result_files_test {

using ptp::test::TempFolder;
namespace fs = std::filesystem;

TEST_CASE("result files: folders are made, a file is replaced, and nothing else is left") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a/b/table.csv";
    ptp::support::write_file(file, "the first, a longer one");
    ptp::support::write_file(file, "the second");
    CHECK(folder.read("a/b/table.csv") == "the second");
    CHECK(std::distance(fs::directory_iterator(file.parent_path()), {}) == 1);
}

TEST_CASE("result files: several may write the same file at once, and a whole one is there") {
    const TempFolder folder;
    const fs::path file = folder.path() / "v.csv";
    const std::string one(100'000, '1');
    const std::string other(50'000, '2');
    std::atomic<int> failures = 0;
    const auto write_often = [&](const std::string& text) {
        for (int i = 0; i < 50; ++i) {
            try {
                ptp::support::write_file(file, text);
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
    folder.write("taken", "");
    const std::string file = (folder.path() / "taken/table.csv").string();
    CHECK_THROWS_WITH_AS(ptp::support::write_file(file, ""),
                         ("cannot write " + file + ": Not a directory").c_str(),
                         std::runtime_error);
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
