// Reads tables of statistics in pieces, because that of a long training has hundreds of megabytes.

#include "ptp-report/statistics_table.hpp"

#include "base/file_error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPiece = 4U << 20U;
constexpr std::size_t kMaxColumns = 10000;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double number_in(std::string_view cell) {
    double value = kNothing;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size() ? value : kNothing;
}

// Adds a row. Returns false, and adds nothing, where the number of cells is another.
bool add_row(StatisticsTable& table, std::string_view line) {
    const auto commas = static_cast<std::size_t>(std::ranges::count(line, ','));
    if (commas + 1 != table.columns.size()) {
        return false;
    }
    for (std::vector<double>& column : table.columns) {
        const std::size_t end = std::min(line.find(','), line.size());
        column.push_back(number_in(line.substr(0, end)));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return true;
}

bool begin(StatisticsTable& table, std::string_view header) {
    table.names = cells_of(header);
    table.columns.resize(table.names.size());
    return table.names.front() == "episode" && table.names.size() <= kMaxColumns;
}

int order_of(const std::string& set) {
    constexpr std::string_view kOrder[] = {"training", "validation", "test"};
    for (int i = 0; i < 3; ++i) {
        if (set.starts_with(kOrder[i])) {
            return i;
        }
    }
    return 3;
}

}  // namespace

const std::vector<double>* StatisticsTable::find(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? nullptr
                                : &columns[static_cast<std::size_t>(found - names.begin())];
}

std::optional<std::string_view> Lines::next() {
    while (true) {
        const std::size_t end = rest_.find('\n', begin_);
        is_too_long_ = end == std::string::npos && rest_.size() - begin_ > kPiece;
        if (end != std::string::npos || is_too_long_) {
            const std::string_view line = std::string_view(rest_).substr(begin_, end - begin_);
            begin_ = std::min(end, rest_.size() - 1) + 1;
            ++number_;
            return line;
        }
        rest_.erase(0, std::exchange(begin_, 0));
        const std::string piece = file_.read(offset_, kPiece);
        if (piece.empty()) {
            return std::nullopt;
        }
        offset_ += piece.size();
        rest_ += piece;
    }
}

std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[++i];
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            cells.emplace_back();
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    return cells;
}

bool is_place(std::string_view column) {
    return column == "episode" || column == "epoch" || column == "episodes_aggregated";
}

std::optional<StatisticsTable> read_statistics(const fs::path& file) {
    StatisticsTable table{.set = file.stem().string(), .names = {}, .columns = {}};
    bool is_empty = true;
    try {
        Lines lines(file);
        for (auto line = lines.next(); line; line = lines.next()) {
            is_empty = false;
            if (lines.is_too_long()) {  // no line of numbers is as long
                table.problem = fmt::format("{}:{}: is longer than 4 MiB\n    fix: remove the file",
                                            file.string(), lines.number());
                return table;
            }
            if (lines.number() == 1) {
                if (!begin(table, *line)) {
                    return std::nullopt;
                }
            } else if (!add_row(table, *line)) {
                table.problem = fmt::format(
                    "{}:{}: has not the {} cells of the first line; the report ends before it; a "
                    "resume writes what came after the last checkpoint again\n"
                    "    fix: ptprun resume {}",
                    file.string(), lines.number(), table.names.size(),
                    shell_word(file.parent_path().string()));
                return table;
            }
        }
    } catch (const FileError& error) {
        table.problem =
            fmt::format("{}: {}\n    fix: make it readable", file.string(), error.what());
    }
    return is_empty && table.problem.empty() ? std::nullopt : std::optional(table);
}

std::vector<StatisticsTable> statistics_of(const fs::path& run) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : entries_of(run)) {
        if (entry.path().extension() == run::kTableEnding) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<StatisticsTable> tables;
    for (const fs::path& file : files) {
        if (std::optional<StatisticsTable> table = read_statistics(file)) {
            tables.push_back(*std::move(table));
        }
    }
    std::ranges::stable_sort(tables, {}, [](const auto& table) { return order_of(table.set); });
    return tables;
}

}  // namespace ptp::report
