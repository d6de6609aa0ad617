// Reads the lines of a table, and reports the first wrong one.

#include "label_table.hpp"

#include <ptp/error.hpp>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

namespace {

// Returns "" if the line is valid.
std::string read_line(std::string_view line, int64_t classes, LabelledName& row) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
        return "expected a label and the name of an image, with one tab between";
    }
    const std::string_view label = line.substr(0, tab);
    const auto [end, error] = std::from_chars(label.data(), label.data() + tab, row.label);
    if (error != std::errc() || end != label.data() + tab || row.label < 0 ||
        row.label >= classes) {
        return ptp::detail::join("the label is '", label, "', expected 0 to ", classes - 1);
    }
    row.name = line.substr(tab + 1);
    if (row.name.empty() || row.name.find('/') != std::string::npos || row.name[0] == '.') {
        return "'" + row.name + "' is not the name of an image";
    }
    return "";
}

}  // namespace

std::vector<LabelledName> read_label_table(const std::filesystem::path& path, int64_t classes) {
    constexpr int64_t kMaxProblems = 10;
    std::ifstream file(path);
    if (!file) {
        throw ptp::DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
    std::vector<LabelledName> rows;
    std::string problems;
    int64_t problem_count = 0;
    std::string line;
    for (int64_t number = 1; std::getline(file, line); ++number) {
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        if (number == 1 && line.starts_with("\xEF\xBB\xBF")) {
            line.erase(0, 3);  // the byte order mark of some editors
        }
        if (line.empty()) {
            continue;
        }
        LabelledName row;
        const std::string problem = read_line(line, classes, row);
        if (!problem.empty() && ++problem_count <= kMaxProblems) {
            problems +=
                ptp::detail::join(problem_count == 1 ? "" : "\n", path, ":", number, ": ", problem);
        }
        rows.push_back(std::move(row));
    }
    if (problem_count > kMaxProblems) {
        problems += ptp::detail::join("\nand ", problem_count - kMaxProblems, " lines more");
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    if (rows.empty()) {
        throw ptp::DataError(path, ": is empty, expected a line for each image");
    }
    return rows;
}
