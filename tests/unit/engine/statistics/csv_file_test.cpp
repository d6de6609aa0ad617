#include "engine/statistics/records.hpp"

#include "base/error.hpp"
#include "support/small_files.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <system_error>

namespace csv_file_test {

using ptp::OutputFile;
using ptp::RunError;
using ptp::engine::CsvFile;

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

TEST_CASE("csv file: rows wait while a disk is full, but not beyond sync() and finish()") {
    CsvFile file(OutputFile(open("/dev/full", O_WRONLY), "training.csv"), {"episode"});
    CHECK(file.problem().message() == "No space left on device");
    file.add(std::uint64_t{1});
    file.end_row();
    file.flush();
    CHECK(file.size() == 0);
    const char* const message = "cannot write training.csv: No space left on device";
    CHECK_THROWS_WITH_AS(file.sync(), message, RunError);
    CHECK_THROWS_WITH_AS(file.finish(), message, RunError);
}

TEST_CASE("csv file: rows that waited are written once, as soon as there is room") {
    // A pipe that nobody reads has room for 64 KiB, and takes what fits of more.
    int ends[2] = {};
    REQUIRE(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    CsvFile file(OutputFile(ends[1], "training.csv"), {"text"});
    file.add(std::string(200'000, 'x'));
    file.end_row();
    file.flush();
    CHECK(file.problem() == std::errc::resource_unavailable_try_again);
    std::string seen;
    std::array<char, 4096> piece{};
    const auto read_all = [&] {
        ssize_t count = 0;
        while ((count = read(ends[0], piece.data(), piece.size())) > 0) {
            seen.append(piece.data(), static_cast<std::size_t>(count));
        }
    };
    while (file.problem()) {
        read_all();
        file.flush();
    }
    read_all();
    CHECK(seen == "text\n" + std::string(200'000, 'x') + "\n");
    CHECK(file.size() == seen.size());
    close(ends[0]);
}

TEST_CASE("csv file: where not all rows fit, none is cut") {
    const ptp::test::TempFolder folder;
    CsvFile file(OutputFile::create(folder.path() / "a.csv"), {"episode"});
    {
        const ptp::test::SmallFiles small(10);
        file.add(std::uint64_t{1234});
        file.end_row();
        file.add(std::uint64_t{5678});
        file.end_row();
        file.flush();
        CHECK(file.problem() == std::errc::file_too_large);
        CHECK(folder.read("a.csv") == "episode\n");
    }
    file.flush();
    CHECK_FALSE(file.problem());
    CHECK(folder.read("a.csv") == "episode\n1234\n5678\n");
}

TEST_CASE("csv file: an existing file is not overwritten") {
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

}  // namespace csv_file_test
