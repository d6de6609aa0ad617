#include <csv_text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace csv_text_test {

namespace {

using Cells = std::vector<std::string>;

std::vector<ptp::support::CsvRow> rows_of(std::string_view text, char separator = ',') {
    ptp::support::CsvText csv(text, separator);
    std::vector<ptp::support::CsvRow> rows;
    while (auto row = csv.next()) {
        rows.push_back(*row);
    }
    return rows;
}

std::vector<Cells> cells_of(std::string_view text, char separator = ',') {
    std::vector<Cells> cells;
    for (const ptp::support::CsvRow& row : rows_of(text, separator)) {
        CHECK(row.problem.empty());
        cells.push_back(row.cells);
    }
    return cells;
}

}  // namespace

TEST_CASE("CSV: cells have what is between separators and line ends, blanks included") {
    CHECK(cells_of("a , b\n  c,d") == std::vector<Cells>{{"a ", " b"}, {"  c", "d"}});
    CHECK(cells_of("a,b\tc\n", '\t') == std::vector<Cells>{{"a,b", "c"}});
    CHECK(cells_of(",\n") == std::vector<Cells>{{"", ""}});
    CHECK(cells_of("").empty());
}

TEST_CASE("CSV: rows end with LF or CR LF, a CR alone is a character") {
    CHECK(cells_of("a\r\nb\rc\nd\r\n") == std::vector<Cells>{{"a"}, {"b\rc"}, {"d"}});
}

TEST_CASE("CSV: quotes hold separators, line ends and doubled quotes") {
    CHECK(cells_of("\"a,b\",\"c\r\n\"\"d\"\"\"\n") == std::vector<Cells>{{"a,b", "c\r\n\"d\""}});
    CHECK(cells_of("\"\",x\n") == std::vector<Cells>{{"", "x"}});
    CHECK(cells_of("a\"b\",c\"\n") == std::vector<Cells>{{"a\"b\"", "c\""}});
}

TEST_CASE(
    "CSV: a row has the line that it begins in, blank lines and line ends in quotes counted") {
    const auto rows = rows_of("a\n\n\"b\n\nc\"\nd\n");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].line == 1);
    CHECK(rows[1].is_blank);
    CHECK(!rows_of("a\n\"\"\n")[1].is_blank);
    CHECK(rows[2].line == 3);
    CHECK(rows[3].line == 6);
}

TEST_CASE("CSV: rows after a wrong one are read, and each problem has its name") {
    const auto rows = rows_of("a,\"b\"c,d\ne\n\"f\" \ng,\"h\ni\n");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].problem == "has text after a closing quote");
    CHECK(rows[1].problem.empty());
    CHECK(rows[1].cells == Cells{"e"});
    CHECK(rows[2].problem == "has text after a closing quote");
    CHECK(rows[3].problem == "has a quote that is not closed");
    CHECK(rows[3].line == 4);
}

}  // namespace csv_text_test
