#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

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

TEST_CASE("result files: an error names the file and the reason") {
    const TempFolder folder;
    folder.write("taken", "");
    const std::string file = (folder.path() / "taken/table.csv").string();
    CHECK_THROWS_WITH_AS(ptp::support::write_file(file, ""),
                         ("cannot write " + file + ".part: Not a directory").c_str(),
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
