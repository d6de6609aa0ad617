#include "engine/stats/csv_file.hpp"

#include "engine/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cmath>
#include <limits>

using ptp::engine::CsvFile;
using ptp::engine::OutputFile;
using ptp::engine::RunError;

TEST_CASE("csv file: numbers in full precision, and quotes where they are needed") {
    const ptp::test::TempFolder folder;
    {
        CsvFile file(OutputFile::create(folder.path() / "a.csv"), {"episode", "a,b", "say \"x\""});
        file.add(std::uint64_t{7});
        file.add(0.1);
        file.add(1.0 / 3.0);
        file.end_row();
        file.add(std::uint64_t{8});
        file.add(3.0);
        file.add(-std::nan(""));
        file.end_row();
    }
    CHECK(folder.read("a.csv") ==
          "episode,\"a,b\",\"say \"\"x\"\"\"\n7,0.1,0.3333333333333333\n8,3,nan\n");
}

TEST_CASE("csv file: a full disk is an error") {
    const auto open_full = [] { return OutputFile(open("/dev/full", O_WRONLY), "training.csv"); };
    CHECK_THROWS_WITH_AS(CsvFile(open_full(), {"episode"}),
                         "cannot write training.csv: No space left on device", RunError);
}

TEST_CASE("csv file: a file that is there is not written over") {
    const ptp::test::TempFolder folder;
    folder.write("a.csv", "mine");
    const std::string path = (folder.path() / "a.csv").string();
    CHECK_THROWS_WITH_AS(OutputFile::create(path),
                         ("cannot write " + path + ": File exists").c_str(), RunError);
    CHECK(folder.read("a.csv") == "mine");
}

TEST_CASE("csv file: a row is in the file when sync() and finish() return") {
    const ptp::test::TempFolder folder;
    CsvFile file(OutputFile::create(folder.path() / "a.csv"), {"episode"});
    file.add(std::uint64_t{1});
    file.end_row();
    file.sync();
    CHECK(folder.read("a.csv") == "episode\n1\n");
    file.add(std::uint64_t{2});
    file.end_row();
    file.finish();
    CHECK(folder.read("a.csv") == "episode\n1\n2\n");
}
