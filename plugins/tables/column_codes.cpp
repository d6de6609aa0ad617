// Learns means, deviations and categories, and writes the numbers of rows with them.
// The mean and the deviation are those of the present values; the deviation divides by their
// count, as scikit-learn's StandardScaler does.

#include "column_codes.hpp"

#include "cells.hpp"

#include <class_warnings.hpp>
#include <mean_deviation.hpp>
#include <number_forms.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace {

// Returns how to replace a missing value of the column, or what else to do.
WrongCells::Fix missing_fix(const ColumnCode& code) {
    if (code.type == ColumnType::kNumber || code.type == ColumnType::kCategory) {
        const bool is_number = code.type == ColumnType::kNumber;
        return {"; or have it replaced: ", {{"missing", is_number ? "mean" : "most_frequent"}}};
    }
    return code.type == ColumnType::kDate ? "; a date has no mean and no zero" : "";
}

// Parses the numbers in a cell, or none if it has others than the type needs.
void parse_numbers(ColumnType type, std::string_view cell, std::vector<double>& numbers) {
    numbers.clear();
    if (type == ColumnType::kDate) {
        if (const auto parts = date_in(cell)) {
            numbers.assign(parts->begin(), parts->end());
        }
    } else if (type == ColumnType::kList) {
        numbers = list_in(cell).value_or(std::vector<double>());
    } else if (const auto number = number_in(cell)) {
        numbers.push_back(*number);
    }
}

void add_wrong(const ColumnCode& code, std::pair<size_t, size_t> place, WrongCells& wrong) {
    if (code.type == ColumnType::kDate) {
        wrong.add(place.first, place.second, "is not a date of ISO 8601",
                  "write dates as 2024-05-31 or 2024-05-31T14:30:00");
    } else if (code.type == ColumnType::kList) {
        wrong.add(place.first, place.second, "is not a list of numbers", kListFix);
    } else {
        wrong.add_not_a_number(place.first, place.second,
                               {"if they are names, set ", {{"type", "category"}}},
                               {{"missing", "mean"}});
    }
}

// Reads the numbers of a row, those of the rule for a missing value, or none if they are wrong.
void read_row(const ColumnCode& code, const TableFile& table, std::pair<size_t, size_t> place,
              std::vector<double>& numbers, WrongCells& wrong) {
    const auto [column, row] = place;
    const auto cell = table.value(column, row);
    numbers.clear();
    if (!cell) {
        if (code.missing == MissingRule::kError || code.missing == MissingRule::kDrop) {
            wrong.add_missing(column, row, missing_fix(code));
            return;
        }
        numbers.assign(code.mean.size(), code.fill);
        return;
    }
    parse_numbers(code.type, *cell, numbers);
    if (numbers.empty()) {
        add_wrong(code, place, wrong);
    } else if (!code.mean.empty() && numbers.size() != code.mean.size()) {
        wrong.add(
            column, row,
            ptp::detail::join("has ", numbers.size(),
                              " numbers, and the first row of the training ", code.mean.size()),
            "write lists of one length");
        numbers.clear();
    }
}

// Returns the value that most rows have; of several the least.
template <class Value>
Value most_frequent(const std::map<Value, size_t>& counts) {
    const auto most = std::ranges::max_element(
        counts, [](const auto& one, const auto& other) { return one.second < other.second; });
    return most == counts.end() ? Value() : most->first;
}

void learn_categories(ColumnCode& code, const TableFile& table, size_t column,
                      const TrainingRows& rows) {
    std::map<std::string_view, size_t> counts;
    for (const size_t row : rows.all) {
        if (const auto cell = table.value(column, row)) {
            counts.emplace(*cell, 0);
        }
    }
    for (const size_t row : rows.count) {
        if (const auto cell = table.value(column, row)) {
            ++counts[*cell];
        }
    }
    for (const auto& [name, count] : counts) {
        code.categories.emplace_back(name);
    }
    code.fill_category = std::string(most_frequent(counts));
}

// Returns the present numbers of the rows, one row after the other; `width` is their count in each.
std::vector<double> present_numbers(const ColumnCode& code, const TableFile& table, size_t column,
                                    std::span<const size_t> rows, size_t& width) {
    std::vector<double> all;
    std::vector<double> numbers;
    for (const size_t row : rows) {
        parse_numbers(code.type, table.value(column, row).value_or(""), numbers);
        all.reserve(numbers.size() * rows.size());
        width = width == 0 ? numbers.size() : width;
        if (numbers.size() == width) {  // others are reported when they are written
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
    }
    return all;
}

// Adds a column in which no row of the training has a value of the type.
void add_useless(const ColumnCode& code, const TableFile& table, size_t column,
                 std::span<const size_t> rows, WrongCells& wrong) {
    const auto present = std::ranges::find_if(
        rows, [&](size_t row) { return table.value(column, row).has_value(); });
    if (present != rows.end() && code.type == ColumnType::kNumber &&
        !ptp::support::other_number(*table.value(column, *present)).text.empty()) {
        wrong.add_not_a_number(column, *present, "");
        return;
    }
    const std::string other_uses =
        present == rows.end()
            ? "write such values"
            : ptp::detail::join("if the cells are names, set ",
                                wrong.columns_with(code.name, "category"),
                                "; if they are texts, set text = ", ptp::Data(code.name).toml(),
                                ", and remove it from features");
    wrong.add(column, present == rows.end() ? rows.front() : *present,
              std::string("no row of the training has a ") + type_word(code.type),
              {other_uses + ", or leave the column out: ", {{"type", "ignore"}}});
}

void learn_numbers(ColumnCode& code, const TableFile& table, size_t column,
                   std::span<const size_t> rows, WrongCells& wrong) {
    size_t width = 0;
    const std::vector<double> all = present_numbers(code, table, column, rows, width);
    if (all.empty()) {
        add_useless(code, table, column, rows, wrong);
        return;
    }
    for (size_t i = 0; i < width; ++i) {
        const auto learned = ptp::support::mean_deviation(all, i, width);
        code.mean.push_back(learned.mean);
        code.deviation.push_back(learned.deviation);
        code.is_constant = width == 1 && learned.is_constant;
    }
    if (code.type == ColumnType::kNumber) {
        const auto [least, most] = std::ranges::minmax(all);
        code.range = {least, most};
    }
    if (code.missing != MissingRule::kZero) {
        code.fill = code.mean[0];
    }
    if (code.missing == MissingRule::kFrequent) {
        std::map<double, size_t> counts;
        for (const double number : all) {
            ++counts[number];
        }
        code.fill = most_frequent(counts);
    }
}

// Returns what to do about a category that the training does not have.
WrongCells::Fix unknown_fix(const ColumnCode& code, std::string_view cell,
                            const WrongCells& wrong) {
    for (const std::string& one : code.categories) {
        if (ptp::support::folded(one) == ptp::support::folded(cell)) {
            return "write '" + one + "', as the rows of the training do";
        }
    }
    constexpr size_t kFew = 20;
    const size_t count = code.categories.size();
    // The columns of predictions are those of the training.
    const std::string leaving_out =
        count <= kFew || wrong.are_kept()
            ? ""
            : ptp::detail::join("leave out the column, which has ", count,
                                " categories: ", wrong.columns_with(code.name, "ignore"), "; or ");
    return {leaving_out + "add rows with it to the training, or let it be zeros: ",
            {{"type", "category"}, {"unknown", "zeros"}}};
}

void write_categories(const ColumnCode& code, const TableFile& table, std::span<const size_t> rows,
                      float* to, size_t stride, size_t column, WrongCells& wrong) {
    std::unordered_map<std::string_view, size_t> places;
    for (size_t i = 0; i < code.categories.size(); ++i) {
        places.emplace(code.categories[i], i);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        auto cell = table.value(column, rows[i]);
        if (!cell && code.missing == MissingRule::kZero) {
            continue;  // all zeros
        }
        if (!cell && code.missing == MissingRule::kFrequent) {
            cell = code.fill_category;
        }
        if (!cell) {
            wrong.add_missing(column, rows[i], missing_fix(code));
            continue;
        }
        auto place = places.find(*cell);
        if (place == places.end() && table.has_json_cells()) {  // which a CSV of pandas has as True
            place = places.find(*cell == "true" ? "True" : *cell == "false" ? "False" : *cell);
        }
        if (place != places.end()) {
            to[i * stride + place->second] = 1;
        } else if (code.unknown == UnknownRule::kError) {
            wrong.add(column, rows[i], "is not a category of the training's rows",
                      unknown_fix(code, *cell, wrong));
        }
    }
}

}  // namespace

void WrongCells::add(size_t column, size_t row, const std::string& problem, const Fix& fix) {
    const std::string cell(trimmed(table_.cell(column, row)));
    const std::string& name = table_.columns()[column];
    problems_.add(ptp::detail::join(table_.path(), ":", table_.line_of(row), ": column '", name,
                                    "' = '", cell, "': ", problem));
    const bool is_first = fix_.text.empty();
    fix_ = is_first ? fix : fix_;
    for (const auto& [key, value] : is_first || are_kept_ ? fix.rule : ptp::Data::Table()) {
        ptp::Data::Table& rule = rules_[name];
        if (std::ranges::find(rule, key, &ptp::Data::Member::key) == rule.end()) {
            rule.push_back({key, value});
        }
    }
}

void WrongCells::add_missing(size_t column, size_t row, const Fix& other) {
    const std::string usual = are_kept_ ? "fill the cell, or remove the row" : kMissingFix;
    is_missing_first_ = is_missing_first_ || fix_.text.empty();
    ++missing_[table_.columns()[column]];
    rows_with_missing_.insert(row);
    if (!other.text.empty()) {  // a feature
        replacing_[table_.columns()[column]] =
            other.rule.empty() ? ptp::Data::Table{{"missing", "drop"}} : other.rule;
    }
    add(column, row, "has no value", {usual + other.text, other.rule});
}

void WrongCells::add_not_a_number(size_t column, size_t row, const Fix& other,
                                  const ptp::Data::Table& replacing) {
    const std::string_view cell = trimmed(table_.cell(column, row));
    // The texts of further fixes are not shown.
    const std::string as_missing = fix_.text.empty() ? marking_setting(column, cell) : "";
    if (const auto form = ptp::support::other_number(cell); !form.text.empty()) {
        add(column, row, "is not a number: " + form.advice(),
            form.has_comma ? "write the numbers with a point in place of the comma"
                           : "write the numbers of the column with digits and a point alone");
    } else if (is_too_large(cell)) {
        add(column, row, "is too large for a 32-bit float",
            "write the column in a larger unit; or, if such cells have no value, set " +
                as_missing);
    } else if (are_kept_ && !replacing.empty()) {
        add(column, row, "is not a number",
            {"write a number; or, if such cells have no value, have them replaced: " + as_missing +
                 ", ",
             replacing});
    } else if (!other.text.empty() && !has_number(column)) {
        add(column, row, "is not a number",
            {"no cell of the column is one: " + other.text, other.rule});
    } else {
        if (!are_kept_ && !other.text.empty()) {  // a feature
            is_missing_first_ = is_missing_first_ || fix_.text.empty();
            marks_.emplace(cell);
            rows_with_missing_.insert(row);
            replacing_[table_.columns()[column]] = {{"missing", "mean"}};
        }
        add(column, row, "is not a number",
            {"write a number; if such cells have no value, set " + as_missing + "; " + other.text,
             other.rule});
    }
}

// Returns the setting by which this text has no value, nor have the column's marks of missing ones.
std::string WrongCells::marking_setting(size_t column, std::string_view cell) const {
    std::vector<std::string> marks = {std::string(cell)};
    for (size_t row = 0; row < table_.row_count(); ++row) {
        const auto other = table_.value(column, row);
        if (other && (ptp::support::is_missing_value(*other) || is_infinite(*other)) &&
            std::ranges::find(marks, *other) == marks.end()) {
            marks.emplace_back(*other);
        }
    }
    return table_.missing_values_with(marks);
}

bool WrongCells::has_number(size_t column) const {
    const auto found = has_number_.find(column);
    if (found != has_number_.end()) {
        return found->second;
    }
    bool has_any = false;
    for (size_t row = 0; row < table_.row_count() && !has_any; ++row) {
        has_any = number_in(trimmed(table_.cell(column, row))).has_value();
    }
    has_number_.emplace(column, has_any);
    return has_any;
}

// Returns what to do about all columns in which values are missing, where the first has a rule that
// replaces them.
std::string WrongCells::missing_fix() const {
    constexpr size_t kMaxRules = 5;
    const auto drops = [](const auto& one) { return one.second.front().value.as_text() == "drop"; };
    const bool are_all_replaced = std::ranges::none_of(replacing_, drops);
    const size_t cells =
        std::accumulate(missing_.begin(), missing_.end(), size_t{0},
                        [](size_t sum, const auto& column) { return sum + column.second; });
    std::string columns;
    for (const auto& [name, count] : missing_) {
        columns += ptp::detail::join(columns.empty() ? " of " : ", ", name, " (", count, ")");
    }
    const size_t rows = rows_with_missing_.size();
    const std::vector<std::string> marks(marks_.begin(), marks_.end());
    const std::string also_marks = marks.empty()
                                       ? ""
                                       : ptp::detail::join(
                                             "; if such texts in place of numbers have no value "
                                             "either, set ",
                                             table_.missing_values_with(marks), " besides");
    return ptp::detail::join(
        cells == 1 ? "fill the cell" : "fill the cells", missing_.size() == 1 ? "" : columns,
        !are_all_replaced ? ", or set "
        : cells == 1      ? ", or have it replaced: "
                          : ", or have them replaced: ",
        are_all_replaced && replacing_.size() > kMaxRules
            ? "missing = \"mean\", the mean of a number and the most frequent category"
            : columns_setting(columns_, replacing_),
        rows == 1 ? "; or leave out the row: "
                  : ptp::detail::join("; or leave out the ", rows, " rows: "),
        "missing = \"drop\"", also_marks);
}

void WrongCells::throw_if_any() const {
    const bool has_rule = !fix_.rule.empty() || replacing_.size() > 1;
    if (is_missing_first_ && !missing_.empty() && !are_kept_ && has_rule) {
        problems_.throw_if_any(missing_fix());
    }
    problems_.throw_if_any(fix_.text +
                           (fix_.rule.empty() ? "" : columns_setting(columns_, rules_)));
}

ColumnCode learn_code(const ColumnPlan& plan, const TableFile& table, const TrainingRows& rows,
                      WrongCells& wrong) {
    ColumnCode code{.name = plan.name,
                    .type = plan.type,
                    .missing = plan.missing,
                    .unknown = plan.unknown,
                    .mean = {},
                    .deviation = {},
                    .range = {},
                    .categories = {},
                    .fill_category = {}};
    const size_t column = table.column("features", plan.name);
    if (code.type == ColumnType::kCategory) {
        learn_categories(code, table, column, rows);
        return code;
    }
    learn_numbers(code, table, column, rows.count, wrong);
    if (!plan.standardize || code.type == ColumnType::kList) {
        std::ranges::fill(code.mean, 0);
        std::ranges::fill(code.deviation, 1);
    }
    return code;
}

void write_column(const ColumnCode& code, const TableFile& table, std::span<const size_t> rows,
                  float* to, size_t stride, WrongCells& wrong) {
    const size_t column = table.column("features", code.name);
    if (code.type == ColumnType::kCategory) {
        write_categories(code, table, rows, to, stride, column, wrong);
        return;
    }
    std::vector<double> numbers;
    for (size_t i = 0; i < rows.size(); ++i) {
        read_row(code, table, {column, rows[i]}, numbers, wrong);
        for (size_t k = 0; k < numbers.size(); ++k) {
            to[i * stride + k] =
                static_cast<float>((numbers[k] - code.mean[k]) / code.deviation[k]);
        }
    }
}
