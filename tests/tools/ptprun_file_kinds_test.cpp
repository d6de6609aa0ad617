// What ptprun does with a named pipe or a device where a file is expected.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_file_kinds_test {

TEST_CASE("ptprun: what is not a file is refused, and not waited for") {
    const ptp::test::TempFolder temp;
    const std::string pipe = (temp.path() / "pipe.toml").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto refused = [](const std::vector<std::string>& words) {
        const auto result = ptp::test::run_program("ptprun", words);
        CHECK(result.status == 2);
        CHECK(result.output == "");
        return result.errors;
    };
    const std::string not_a_file = pipe + ": error: is not a regular file\n";
    for (const char* command : {"check", "summary", "draw", "explain", "process"}) {
        CAPTURE(command);
        CHECK(refused({command, pipe}) == not_a_file);
    }
    CHECK(refused({pipe}) == not_a_file);
    CHECK(refused({"check", "/dev/zero"}) == "/dev/zero: error: is not a regular file\n");
    CHECK(refused({"resume", pipe}) == "ptprun: error: " + pipe +
                                           " is a file, not a run folder\n"
                                           "    help: ptprun help resume\n");
    const std::string includes = temp.write("x.toml", "include = 'pipe.toml'\n").string();
    CHECK(ptp::test::without_excerpts(refused({"check", includes})) ==
          includes + ":1:11: error: include = \"pipe.toml\": " + pipe +
              ": is not a regular file\n");
}

TEST_CASE("ptprun draw: a pipe or a device is not replaced by the picture") {
    const ptp::test::TempFolder temp;
    const std::filesystem::path pipe = temp.path() / "pipe.svg";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto lenet = ptp::test::source_dir() / "configs/fashion_mnist/lenet5.toml";
    const auto result =
        ptp::test::run_program("ptprun", {"draw", lenet.string(), "-o", pipe.string()});
    CHECK(result.status == 5);
    CHECK(result.errors ==
          "ptprun: error: cannot write " + pipe.string() + ": it is not a regular file\n");
    CHECK(std::filesystem::is_fifo(pipe));
}

}  // namespace ptprun_file_kinds_test
