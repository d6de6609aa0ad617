#include "bench/baseline.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace baseline_test {

using namespace ptp::bench;

TEST_CASE("baseline: a result that has lost a tenth is reported, against the loop by hand") {
    const std::vector<Result> before = {{"net", 1, 4.0, 4.0}, {"net", 2, 3.0, 2.0}};
    CHECK(loss_of({"net", 1, 4.0, 4.4}, before) == "");
    CHECK(loss_of({"net", 1, 8.0, 8.0}, before) == "");  // both loops are slower
    CHECK(loss_of({"net", 1, 4.0, 5.0}, before) ==
          "net, 1 thread: 0.80 of the speed by hand, 1.00 in the baseline: 20 % worse");
    CHECK(loss_of({"net", 2, 3.0, 2.5}, before) ==
          "net, 2 threads: 1.20 of the speed by hand, 1.50 in the baseline: 20 % worse");
    CHECK(loss_of({"other", 1, 1.0, 9.0}, before) == "");
}

TEST_CASE("baseline: what was written is read") {
    const ptp::test::TempFolder folder;
    const std::string file = (folder.path() / "results.json").string();
    write_results(file, "a machine", {{"net", 2, 3.25, 2.5}});
    const std::vector<Result> read = read_results(file);
    REQUIRE(read.size() == 1);
    CHECK(read[0].net == "net");
    CHECK(read[0].threads == 2);
    CHECK(read[0].by_hand_ms == 3.25);
    CHECK(read[0].engine_ms == 2.5);
    CHECK(read[0].ratio() == 1.3);
}

TEST_CASE("baseline: a file that is not there, or is none of these, is named") {
    const ptp::test::TempFolder folder;
    CHECK_THROWS_WITH_AS(read_results("/nowhere/b.json"), "/nowhere/b.json: cannot be read",
                         std::runtime_error);
    for (const char* text : {"", "[1]", "{}", R"({"results": [{"net": 3}]})"}) {
        const std::string file = folder.write("b.json", text).string();
        CHECK_THROWS_WITH_AS(
            read_results(file),
            (file + ": has no measurements; --json FILE writes such a file").c_str(),
            std::runtime_error);
    }
    CHECK_THROWS_WITH_AS(write_results("/nowhere/b.json", "", {}),
                         "/nowhere/b.json: cannot be written", std::runtime_error);
}

}  // namespace baseline_test
