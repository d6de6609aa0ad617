// `ptprun predict` and the tables that it writes.
#pragma once

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ptp::test {

using Cells = std::vector<std::string>;
using Row = std::map<std::string, std::string>;

// Without the line that names the weights, whose text has a test of its own.
inline ProcessResult predict(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    ProcessResult result = ptprun(arguments);
    if (result.errors.starts_with("weights of ")) {
        result.errors.erase(0, result.errors.find('\n') + 1);
    }
    return result;
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

// Trains in the folder `run`.
inline void train_run(const TempFolder& folder, const std::string& experiment) {
    const auto file = folder.write("experiment.toml", experiment);
    require_success(ptprun({file.string(), "--run-dir", (folder.path() / "run").string()}));
}

// The standard output of `ptprun predict RUN --data - ...`, which reads this text.
inline std::string predicted_from(const std::string& input, const std::string& options) {
    const std::string command = "printf '" + input + "' | OMP_NUM_THREADS=1 " +
                                (build_dir() / "bin/ptprun").string() + " predict " + options;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> part{};
    for (std::size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
        output.append(part.data(), count);
    }
    CHECK(pclose(pipe) == 0);
    return output;
}

// The beginning of an experiment, up to the table of the task.
inline std::string training(int epochs) {
    return "seed = 3\n[training]\noptimizer = { type = \"Adam\", lr = 0.02 }\n"
           "terminal_conditions = { epoch_limit = " +
           std::to_string(epochs) + ", loss_stop_threshold = 0.0 }\n[training.task]\n";
}

}  // namespace ptp::test
