// `ptprun predict` and the tables that it writes.
#pragma once

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ptp::test {

using Cells = std::vector<std::string>;
using Row = std::map<std::string, std::string>;

inline ProcessResult ptprun(const std::vector<std::string>& arguments) {
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

inline ProcessResult predict(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    return ptprun(arguments);
}

// No cell of these tests has a comma.
inline Cells cells_of(const std::string& line) {
    Cells cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) {
        cells.push_back(cell);
    }
    if (line.ends_with(',')) {
        cells.emplace_back();
    }
    return cells;
}

inline std::vector<Row> rows_of(const std::string& csv) {
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    const Cells names = cells_of(line);
    std::vector<Row> rows;
    while (std::getline(in, line)) {
        const Cells cells = cells_of(line);
        REQUIRE(cells.size() == names.size());
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) {
            row[names[i]] = cells[i];
        }
    }
    return rows;
}

inline std::string header_of(const std::string& csv) {
    return csv.substr(0, csv.find('\n'));
}

inline Cells column(const std::vector<Row>& rows, const std::string& name) {
    Cells cells;
    for (const Row& row : rows) {
        cells.push_back(row.at(name));
    }
    return cells;
}

}  // namespace ptp::test
