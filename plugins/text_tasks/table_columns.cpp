#include "table_columns.hpp"

#include <csv_text.hpp>
#include <ptp/error.hpp>
#include <text_file.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace {

// Of the first row, or nothing in a file without rows.
std::vector<std::string> column_names(ptp::support::CsvText& csv,
                                      const std::filesystem::path& file) {
    auto header = csv.next();
    if (!header) {
        throw ptp::DataError(file,
                             ": is empty, expected the names of the columns in its first row");
    }
    ptp::support::WrongLines wrong(file);
    if (!header->problem.empty()) {
        wrong.add(header->line, header->problem);
    }
    std::set<std::string> seen;
    for (const std::string& column : header->cells) {
        if (!seen.insert(column).second) {
            wrong.add(header->line, "the column '" + column + "' is there twice");
        }
    }
    wrong.throw_if_any();
    return std::move(header->cells);
}

std::string quoted_list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return text;
}

std::string_view without_blanks(std::string_view cell) {
    const size_t begin = cell.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    cell = cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
    const bool has_plus = cell.size() > 1 && cell[0] == '+' && cell[1] != '-';
    return cell.substr(has_plus ? 1 : 0);
}

template <class Number>
std::optional<Number> whole_number(std::string_view cell) {
    const std::string_view text = without_blanks(cell);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

Table::Table(std::filesystem::path file, char separator) : file_(std::move(file)) {
    const std::string text = ptp::support::read_text(file_);
    ptp::support::CsvText csv(text, separator);
    columns_ = column_names(csv, file_);
    ptp::support::WrongLines wrong(file_);
    while (auto row = csv.next()) {
        if (row->is_blank()) {
            continue;
        }
        if (!row->problem.empty()) {
            wrong.add(row->line, row->problem);
        } else if (row->cells.size() != columns_.size()) {
            wrong.add(row->line, ptp::detail::join("has ", row->cells.size(), " of ",
                                                   columns_.size(), " cells"));
        }
        lines_.push_back(row->line);
        std::ranges::move(row->cells, std::back_inserter(cells_));
    }
    wrong.throw_if_any();
    if (lines_.empty()) {
        throw ptp::DataError(file_, ": has no rows but the names of the columns");
    }
}

void Table::read_column(const std::string& column, const char* setting,
                        const std::function<std::string(size_t, const std::string&)>& use) const {
    const auto found = std::ranges::find(columns_, column);
    if (found == columns_.end()) {
        throw ptp::SettingError(setting, "'", column, "' is not a column of ", file_,
                                ", which has ", quoted_list(columns_));
    }
    ptp::support::WrongLines wrong(file_);
    const auto offset = static_cast<size_t>(found - columns_.begin());
    for (size_t row = 0; row < row_count(); ++row) {
        const std::string& cell = cells_[row * columns_.size() + offset];
        const std::string problem = use(row, cell);
        if (!problem.empty()) {
            wrong.add(lines_[row],
                      ptp::detail::join("the column '", column, "' has '", cell, "', ", problem));
        }
    }
    wrong.throw_if_any();
}

std::optional<float> float_in(std::string_view cell) {
    const auto number = whole_number<double>(cell);
    const auto narrow = static_cast<float>(number.value_or(0));
    return number && std::isfinite(narrow) ? std::optional(narrow) : std::nullopt;
}

std::optional<int64_t> integer_in(std::string_view cell) {
    return whole_number<int64_t>(cell);
}
