// Tables of statistics, also damaged ones.

#include "ptp-report/statistics_table.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace statistics_table_test {

using ptp::report::cells_of;
using ptp::report::read_statistics;
using ptp::report::StatisticsTable;
using ptp::test::TempFolder;

TEST_CASE("statistics: a last line that is cut off does not count, nan and texts are nan") {
    const TempFolder folder;
    folder.write("validation.hard.csv", "episode,loss\n0,0.5\n1,nan\n2,x\n3,0.12");
    const std::optional<StatisticsTable> table =
        read_statistics(folder.path() / "validation.hard.csv");
    REQUIRE(table);
    CHECK(table->set == "validation.hard");
    CHECK(table->names == std::vector<std::string>{"episode", "loss"});
    CHECK(table->row_count() == 3);
    CHECK(table->columns[1][0] == 0.5);
    CHECK(std::isnan(table->columns[1][1]));
    CHECK(std::isnan(table->columns[1][2]));
    CHECK(table->problem == "");
}

TEST_CASE("statistics: a table of something else is none") {
    const TempFolder folder;
    folder.write("names.csv", "name,class\na,b\n");
    folder.write("empty.csv", "");
    CHECK_FALSE(read_statistics(folder.path() / "names.csv"));
    CHECK_FALSE(read_statistics(folder.path() / "empty.csv"));
}

TEST_CASE("statistics: names in quotes may have commas and quotes") {
    CHECK(cells_of("a,\"b,c\",\"d\"\"e\"\r") == std::vector<std::string>{"a", "b,c", "d\"e"});
    CHECK(cells_of("") == std::vector<std::string>{""});
}

}  // namespace statistics_table_test
