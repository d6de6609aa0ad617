// Reads the header, finds the chosen columns, and names the column that was probably meant.

#include "table_columns.hpp"

#include <class_warnings.hpp>
#include <csv_separators.hpp>
#include <json_text.hpp>
#include <number_forms.hpp>
#include <ptp/data.hpp>
#include <ptp/error.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <type_traits>
#include <utility>

namespace {

using ptp::support::folded;
using ptp::support::is_missing_value;
using ptp::support::other_separator;
using ptp::support::quoted_names;
using ptp::support::separator_name;
using ptp::support::without_blanks;

// The fix of a row with a problem; "" where its text has it.
template <class Text>
constexpr const char* kFixOfRow =
    std::is_same_v<Text, ptp::support::JsonText> ? ptp::support::kFixOfJsonRow : "";

// Returns the cells of the first row; empty for a file without rows.
template <class Text>
std::vector<std::string> column_names(Text& text, const std::filesystem::path& file) {
    auto header = text.next();
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
    wrong.throw_if_any(kFixOfRow<Text>);
    return std::move(header->cells);
}

// Returns the smallest number of letters to replace, insert, remove and swap that makes two names
// equal.
size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::vector<size_t>> rows(left.size() + 1, std::vector<size_t>(right.size() + 1));
    std::iota(rows[0].begin(), rows[0].end(), size_t{0});
    for (size_t i = 1; i <= left.size(); ++i) {
        rows[i][0] = i;
        for (size_t j = 1; j <= right.size(); ++j) {
            const size_t replaced = rows[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
            const bool is_swap =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            rows[i][j] = is_swap ? std::min(rows[i][j], rows[i - 2][j - 2] + 1) : rows[i][j];
        }
    }
    return rows.back().back();
}

// Returns the column that a misspelled name probably means, but none of those that are used;
// nullptr if there is none. One mistake in three letters is allowed, and at least one.
const std::string* near_column(const std::string& name, const std::vector<std::string>& columns,
                               const std::set<std::string>& used) {
    size_t least = std::string::npos;
    const std::string* found = nullptr;
    for (const std::string& column : columns) {
        if (used.contains(column)) {
            continue;
        }
        const size_t longest = std::max(name.size(), column.size());
        const size_t distance = edit_distance(folded(name), folded(column));
        if (distance < std::min({least, longest, std::max(longest / 3, size_t{1}) + 1})) {
            least = distance;
            found = &column;
        }
    }
    return found;
}

// Returns "write label = 'kind'" for misspelled names of columns; "" if nothing is near.
std::string near_columns(const std::vector<WantedColumns>& wanted,
                         const std::vector<std::string>& columns) {
    std::set<std::string> used;
    for (const WantedColumns& one : wanted) {
        used.insert(one.columns.begin(), one.columns.end());
    }
    std::string fix;
    for (const WantedColumns& one : wanted) {
        std::vector<std::string> names;
        for (const std::string& name : one.is_needed ? one.columns : std::vector<std::string>()) {
            const bool is_there = std::ranges::find(columns, name) != columns.end();
            const std::string* const near = is_there ? &name : near_column(name, columns, used);
            names.push_back(near == nullptr ? "" : *near);
            used.insert(names.back());
        }
        if (one.is_needed && names != one.columns && std::ranges::count(names, "") == 0) {
            fix += ptp::detail::join(fix.empty() ? "\nfix: write " : ", ", one.setting, " = ",
                                     one.is_list ? "[" : "", quoted_names(names),
                                     one.is_list ? "]" : "");
        }
    }
    return fix;
}

void refuse_twice(const WantedColumns& wanted) {
    std::set<std::string> seen;
    for (const std::string& column : wanted.columns) {
        if (!seen.insert(column).second) {
            throw ptp::SettingError(wanted.setting, "'", column,
                                    "' is listed twice\nfix: remove one");
        }
    }
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

// Returns what to do about a cell without a value, which may have a mark.
std::string fix_of_missing(const std::string& cell) {
    const std::string mark(without_blanks(cell));
    return "fill empty cells and those of missing values, or remove their rows, as type = "
           "\"Table\" does with missing = \"drop\" and missing_values = [" +
           ptp::Data(mark.empty() ? "NA" : mark).toml() + "]";
}

// Returns whether the cell has an infinity, which is no value that was measured.
bool is_infinity(std::string_view cell) {
    double number = 0;
    const std::string_view text = without_blanks(cell);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return end == text.data() + text.size() && error == std::errc() && std::isinf(number);
}

}  // namespace

void WrongColumns::add(const std::string& column, size_t row, const std::string& cell,
                       const CellProblem& problem) {
    auto wrong = std::ranges::find(columns_, column, &Wrong::column);
    if (wrong == columns_.end()) {
        wrong = columns_.insert(wrong, {column, table_.line_of(row), cell, problem});
    }
    ++wrong->count;
    wrong->empty_count += without_blanks(cell).empty() ? 1 : 0;
}

void WrongColumns::throw_if_any() const {
    ptp::support::WrongLines lines(table_.file());
    std::vector<std::string> fixes;
    for (const Wrong& wrong : columns_) {
        const std::string fix = is_missing_value(wrong.cell) || is_infinity(wrong.cell)
                                    ? fix_of_missing(wrong.cell)
                                    : wrong.problem.fix;
        if (std::ranges::find(fixes, fix) == fixes.end()) {
            fixes.push_back(fix);
        }
        std::string text = ptp::detail::join("the column '", wrong.column, "' has ");
        text += without_blanks(wrong.cell).empty()
                    ? "an empty cell"
                    : ptp::detail::join("'", wrong.cell, "', ", wrong.problem.text);
        if (wrong.count > 1) {
            text += ptp::detail::join(" (", wrong.count, " of ", table_.row_count(),
                                      " cells are wrong");
            text += wrong.empty_count == 0 ? ")"
                    : wrong.empty_count == wrong.count
                        ? ", all empty)"
                        : ptp::detail::join(", ", wrong.empty_count, " of them empty)");
        }
        lines.add(wrong.line, text);
    }
    std::string all;
    for (const std::string& fix : fixes) {
        all += (all.empty() ? "" : "; ") + fix;
    }
    lines.throw_if_any(all);
}

Table::Table(std::filesystem::path file, char separator, const ptp::Setup& setup)
    : file_(std::move(file)), separator_(separator) {
    const std::string text = ptp::support::read_text(file_, "", ptp::support::Expected::kTable);
    if (ptp::support::is_json_lines(file_)) {
        ptp::support::JsonText json(text);
        read_rows(json, setup);
    } else {
        ptp::support::CsvText csv(text, separator);
        read_rows(csv, setup);
    }
    if (lines_.empty()) {
        throw ptp::DataError(
            file_,
            ": has no rows but the names of the columns\nfix: write a row for each "
            "sample below them; ptprun predict RUN --text TEXT takes a text alone");
    }
}

template <class Text>
void Table::read_rows(Text& text, const ptp::Setup& setup) {
    columns_ = column_names(text, file_);
    ptp::support::WrongLines wrong(file_);
    ptp::support::WrongCounts counts;
    ptp::support::BlankLines blank;
    while (auto row = text.next()) {
        if (row->is_blank) {
            blank.add(row->line);
            continue;
        }
        blank.add_row();
        if (!row->problem.empty()) {
            wrong.add(row->line, row->problem);
        } else if (row->cells.size() != columns_.size()) {
            counts.add(*row);
        }
        lines_.push_back(row->line);
        std::ranges::move(row->cells, std::back_inserter(cells_));
    }
    const std::string fix = counts.add_to(wrong, columns_, separator_);
    wrong.throw_if_any(fix + kFixOfRow<Text>);
    blank.warn(columns_.size(), setup);
}

void Table::require(const std::vector<WantedColumns>& wanted, bool is_predicting) const {
    std::ranges::for_each(wanted, refuse_twice);
    std::vector<WantedColumns> wrong;
    std::vector<std::string> missing;
    for (const auto& [setting, columns, is_list, is_needed] : wanted) {
        WantedColumns one = {setting, {}, is_list};
        std::ranges::copy_if(is_needed ? columns : std::vector<std::string>(),
                             std::back_inserter(one.columns), [&](const auto& column) {
                                 return std::ranges::find(columns_, column) == columns_.end();
                             });
        std::ranges::copy(one.columns, std::back_inserter(missing));
        if (!one.columns.empty()) {
            wrong.push_back(std::move(one));
        }
    }
    if (wrong.empty()) {
        return;
    }
    const char* const setting = wrong.front().setting;
    const auto& names = wrong.front().columns;
    const auto* const are_not = names.size() == 1 ? " is not a column of " : " are not columns of ";
    const auto separator = other_separator(columns_, &missing.front());
    if (separator) {
        throw ptp::SettingError(setting, quoted_names(names), are_not, file_,
                                ", whose first row, '", columns_.front(), "', has no ",
                                separator_name(separator_), "\nfix: set separator = \"",
                                separator_name(*separator), "\"");
    }
    std::string others;
    for (const WantedColumns& other : std::span(wrong).subspan(1)) {
        others += ptp::detail::join("; nor ", other.columns.size() == 1 ? "is " : "are ",
                                    quoted_names(other.columns), " of `", other.setting, "`");
    }
    throw ptp::SettingError(
        setting, quoted_names(names), are_not, file_, ", which has ", quoted_names(columns_),
        others,
        ptp::support::looks_like_row(columns_)
            ? "\nfix: " + ptp::support::fix_of_header(file_, columns_.size(), separator_)
            : fix_of_names(wanted, missing, is_predicting));
}

std::string Table::fix_of_names(const std::vector<WantedColumns>& wanted,
                                const std::vector<std::string>& missing, bool is_predicting) const {
    if (std::string near = near_columns(wanted, columns_); !near.empty()) {
        return near;
    }
    if (is_predicting && missing.size() == 1) {
        return "\nfix: " + ptp::support::fix_of_column(missing.front(), columns_);
    }
    if (missing.front() == "*") {
        return "\nfix: list the columns by their names, or write type = \"Table\", whose features = "
               "\"*\" are all columns that are nothing else";
    }
    const bool is_one = missing.size() == 1;
    return ptp::detail::join("\nfix: add the column", is_one ? "" : "s",
                             is_predicting ? ", which the training has, or rename those"
                             : is_one      ? ", or write the name of the one"
                                           : ", or write the names of those",
                             is_one ? " that is it" : " that are meant");
}

void Table::read_column(const std::string& column, WrongColumns& wrong,
                        const std::function<CellProblem(size_t, const std::string&)>& use) const {
    const auto offset = static_cast<size_t>(std::ranges::find(columns_, column) - columns_.begin());
    for (size_t row = 0; row < row_count(); ++row) {
        const std::string& cell = cells_[row * columns_.size() + offset];
        const CellProblem problem = use(row, cell);
        if (!problem.text.empty()) {
            wrong.add(column, row, cell, problem);
        }
    }
}

CellProblem float_problem(std::string_view cell) {
    double number = 0;
    const std::string_view text = without_blanks(cell);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = end == text.data() + text.size() && !text.empty() &&
                           error != std::errc::invalid_argument && !std::isnan(number);
    if (const auto other = ptp::support::other_number(text); !other.text.empty()) {
        return {"which is not a number: " + other.advice(),
                other.has_comma ? "write the numbers with a point in place of the comma"
                                : "write the numbers of the column with digits and a point alone"};
    }
    return is_number ? CellProblem{"which is out of the range of 32-bit numbers",
                                   "write the column in other units"}
                     : CellProblem{"which is not a number",
                                   "write numbers there, or do not read the column as numbers: "
                                   "`text` takes words, `label` names of classes"};
}

CellProblem integer_problem(std::string_view cell) {
    return float_in(cell) ? CellProblem{"which is not a whole number in the range of 64 bits",
                                        "read the column with `features`"}
                          : CellProblem{"which is not a whole number in the range of 64 bits",
                                        float_problem(cell).fix};
}

std::optional<float> float_in(std::string_view cell) {
    const auto number = whole_number<double>(cell);
    const auto narrow = static_cast<float>(number.value_or(0));
    return number && std::isfinite(narrow) ? std::optional(narrow) : std::nullopt;
}

std::optional<int64_t> integer_in(std::string_view cell) {
    return whole_number<int64_t>(cell);
}
