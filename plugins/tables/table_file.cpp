// Takes the format of a table from the ending of its name, and checks that all rows have the
// columns of the first.

#include "table_file.hpp"

#include "cells.hpp"

#include <csv_separators.hpp>
#include <json_text.hpp>
#include <ptp/data.hpp>
#include <ptp/error.hpp>
#include <text_file.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <numeric>
#include <ranges>
#include <set>

namespace {

namespace fs = std::filesystem;
using ptp::support::separator_name;

std::string lower_ending(const fs::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return ending;
}

void refuse_json(const fs::path& file) {
    if (lower_ending(file) == ".json") {
        const std::string lines = file.stem().string() + ".jsonl";
        throw ptp::DataError(file,
                             ": is JSON; a table has one object in each line, in a file whose "
                             "name ends with .jsonl: convert it, and name ",
                             lines, "\nfix: jq -c '.[]' ", ptp::support::shell_path(file), " > ",
                             ptp::support::shell_path(lines));
    }
}

}  // namespace

std::string list_of(std::span<const std::string> names) {
    return ptp::Data(ptp::Data::List(names.begin(), names.end())).toml();
}

std::string nearest_name(const std::string& name, std::span<const std::string> names) {
    std::string nearest;
    size_t least = name.size() / 3 + 1;  // as many changes make another word
    for (const std::string& other : names) {
        std::vector<size_t> row(other.size() + 1);
        std::iota(row.begin(), row.end(), size_t{0});
        for (size_t i = 0; i < name.size(); ++i) {
            size_t diagonal = row[0]++;
            for (size_t k = 0; k < other.size(); ++k) {
                const bool is_same = std::tolower(static_cast<unsigned char>(name[i])) ==
                                     std::tolower(static_cast<unsigned char>(other[k]));
                const size_t changed = diagonal + (is_same ? 0 : 1);
                diagonal = row[k + 1];
                row[k + 1] = std::min({changed, row[k] + 1, row[k + 1] + 1});
            }
        }
        if (row.back() < least) {
            least = row.back();
            nearest = other;
        }
    }
    return nearest;
}

TableFile::TableFile(fs::path file, const TableOptions& options, const ptp::Setup& setup)
    : file_(std::move(file)), options_(options) {
    refuse_json(file_);
    std::string text = ptp::support::read_text(file_, "", ptp::support::Expected::kTable);
    starts_.reserve(static_cast<size_t>(std::ranges::count(text, '\n')) + 1);
    lines_.reserve(starts_.capacity());
    if (ptp::support::is_json_lines(file_)) {
        read_lines(text);
    } else {
        separator_ = options.separator.value_or(lower_ending(file_) == ".tsv" ? '\t' : ',');
        text_ = std::move(text);
        read_rows(*separator_, setup);
    }
    if (lines_.empty()) {
        throw ptp::DataError(file_, ": has no rows\nfix: write a line for each sample",
                             separator_ ? " below the names of the columns" : "",
                             options.is_predicting && options.has_text
                                 ? "; a text alone: ptprun predict RUN --text TEXT"
                                 : "");
    }
}

void TableFile::set_columns(std::vector<std::string> names, int64_t line) {
    columns_ = std::move(names);
    std::set<std::string> known;
    for (const std::string& name : columns_) {
        const bool is_empty = name.empty();
        if (!is_empty && known.insert(name).second) {
            continue;
        }
        const std::string problem =
            is_empty ? "a column has no name" : "two columns are named '" + name + "'";
        const std::string header = fix_of_header();
        const bool is_index = is_empty && separator_ && &name == &columns_.front();
        throw ptp::DataError(file_, ":", line, ": ", problem, "\nfix: ",
                             !header.empty() ? header
                             : is_index      ? fix_of_index()
                             : is_empty      ? "write a name for each column in the first line"
                                             : "give one of them another name");
    }
    ends_.reserve(columns_.size() * starts_.capacity());
}

void TableFile::add_row(std::span<const std::string> cells, int64_t line) {
    const size_t start = starts_.empty() ? 0 : starts_.back() + ends_.back();
    size_t end = 0;
    for (const std::string& cell : cells) {
        if (start + end + cell.size() > text_.size()) {
            text_.resize(std::max(start + end + cell.size(), text_.size() + text_.size() / 2));
        }
        std::ranges::copy(cell, text_.begin() + static_cast<std::ptrdiff_t>(start + end));
        end += cell.size();
        ends_.push_back(static_cast<uint32_t>(end));
    }
    if (end > std::numeric_limits<uint32_t>::max()) {
        throw ptp::DataError(file_, ":", line,
                             ": has more than 4 GiB\nfix: close the quote that begins there");
    }
    starts_.push_back(start);
    lines_.push_back(line);
}

// The cells take the place of rows that have been read: they are never longer than these.
void TableFile::read_rows(char separator, const ptp::Setup& setup) {
    ptp::support::CsvText csv(text_, separator);
    auto first = csv.next();
    if (!first || first->is_blank) {
        throw ptp::DataError(file_,
                             ":1: has no names of columns\nfix: write the names of the "
                             "columns in the first line");
    }
    for (std::string& name : first->cells) {
        name = trimmed(name);
    }
    set_columns(std::move(first->cells), 1);
    ptp::support::WrongLines wrong(file_);
    ptp::support::WrongCounts counts;
    ptp::support::BlankLines blank;
    while (auto row = csv.next()) {
        if (row->is_blank) {
            blank.add(row->line);
            continue;
        }
        blank.add_row();
        if (!row->problem.empty()) {
            wrong.add(row->line, row->problem);
        } else if (row->cells.size() != columns_.size()) {
            counts.add(*row);
        } else {
            add_row(row->cells, row->line);
        }
    }
    const std::string fix = counts.add_to(wrong, columns_, separator);
    wrong.throw_if_any(!fix.empty() ? fix
                                    : "write a cell for each column, and those with separators, "
                                      "quotes or line ends in quotes");
    blank.warn(columns_.size(), setup);
}

void TableFile::read_lines(const std::string& text) {
    ptp::support::WrongLines wrong(file_);
    ptp::support::JsonText json(text);
    while (auto row = json.next()) {
        if (!row->problem.empty()) {
            wrong.add(row->line, row->problem);
        } else if (columns_.empty()) {
            set_columns(std::move(row->cells), row->line);
        } else {
            add_row(row->cells, row->line);
        }
    }
    wrong.throw_if_any(ptp::support::kFixOfJsonRow);
}

size_t TableFile::column(const std::string& setting, const std::string& name,
                         const std::string& otherwise) const {
    const auto found = std::ranges::find(columns_, name);
    if (found != columns_.end()) {
        return static_cast<size_t>(found - columns_.begin());
    }
    if (const auto other = separator_ ? ptp::support::other_separator(columns_) : std::nullopt) {
        throw ptp::SettingError(setting, "'", name, "' is not a column of ", file_,
                                ", whose first line, '", columns_[0], "', has no ",
                                separator_name(*separator_), "\nfix: set separator = \"",
                                separator_name(*other), "\"");
    }
    throw ptp::SettingError(setting, "'", name, "' is not a column of ", file_, ", which has ",
                            quoted_names(columns_),
                            "\nfix: ", fix_of_absent(setting, name, otherwise));
}

// In predictions the names are those of the training, and the table is what may be wrong.
std::string TableFile::fix_of_absent(const std::string& setting, const std::string& name,
                                     const std::string& otherwise) const {
    std::vector<std::string> others = columns_;
    if (setting == "features") {
        std::erase_if(others, [&](const std::string& column) {
            return std::ranges::find(options_.used, column) != options_.used.end();
        });
    }
    const std::string nearest = nearest_name(name, others);
    if (const std::string header = fix_of_header(); !header.empty()) {
        return header;
    }
    if (setting == "features" && name == "all") {
        return "write features = \"*\"";
    }
    if (const auto parts = listed_columns(name); !parts.empty()) {
        return "write " + list_of(parts) + " in place of it";
    }
    if (nearest.empty() && !otherwise.empty()) {
        return otherwise;
    }
    if (!options_.is_predicting) {
        return nearest.empty() ? "name one of these" : "write '" + nearest + "'";
    }
    if (nearest.empty()) {
        return ptp::support::fix_of_column(name, columns_);
    }
    const bool is_one = setting == "text" || setting == "image" || setting == "id";
    return is_one ? "set " + setting + " = " + ptp::Data(nearest).toml()
                  : "rename the column '" + nearest + "' to '" + name + "'";
}

// Returns the columns that a name with commas lists; empty if one of them is none.
std::vector<std::string> TableFile::listed_columns(const std::string& name) const {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin < name.size() && name.find(',') != name.npos;) {
        const size_t end = std::min(name.find(',', begin), name.size());
        parts.emplace_back(trimmed(std::string_view(name).substr(begin, end - begin)));
        if (!has_column(parts.back())) {
            return {};
        }
        begin = end + 1;
    }
    return parts;
}

// A header that is repeated among the rows is none of them.
bool TableFile::has_names_in_rows() const {
    constexpr size_t kRows = 1000;
    const size_t rows = std::min(kRows, row_count());
    const auto is_named = [&](size_t column, size_t row) {
        return trimmed(cell(column, row)) == columns_[column];
    };
    const auto columns = std::views::iota(size_t{0}, columns_.size());
    const auto is_in_rows = [&](size_t column) {
        const bool is_text = std::ranges::any_of(
            columns_[column], [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
        return is_text && std::ranges::any_of(std::views::iota(size_t{0}, rows), [&](size_t row) {
                   return is_named(column, row) &&
                          !std::ranges::all_of(columns, [&](size_t k) { return is_named(k, row); });
               });
    };
    return std::ranges::count_if(columns, is_in_rows) > 1;
}

std::string TableFile::fix_of_header() const {
    return separator_ && (ptp::support::looks_like_row(columns_) || has_names_in_rows())
               ? ptp::support::fix_of_header(file_, columns_.size(), *separator_)
               : "";
}

// The first cell of a table of R is "", that of pandas is nothing.
std::string TableFile::fix_of_index() const {
    std::string name = "row";
    for (int i = 2; has_column(name); ++i) {
        name = "row" + std::to_string(i);
    }
    return "to_csv(index=False) of pandas and write.csv(row.names = FALSE) of R leave out the "
           "names of the rows; or name their column: sed -i -E '1s/^(\"\")?/" +
           name + "/' " + ptp::support::shell_path(file_);
}

void TableFile::check_separator(const std::string& setting) const {
    if (const auto other = separator_ ? ptp::support::other_separator(columns_) : std::nullopt) {
        throw ptp::SettingError(setting, file_, " has one column: its first line, '", columns_[0],
                                "', has no ", separator_name(*separator_),
                                "\nfix: set separator = \"", separator_name(*other), "\"");
    }
}

std::optional<std::string_view> TableFile::value(size_t column, size_t row) const {
    const std::string_view text = trimmed(cell(column, row));
    const bool is_missing = text.empty() || std::ranges::find(options_.missing_values, text) !=
                                                options_.missing_values.end();
    return is_missing ? std::nullopt : std::optional(text);
}

std::string TableFile::missing_values_with(std::span<const std::string> marks) const {
    std::vector<std::string> all = options_.missing_values;
    all.insert(all.end(), marks.begin(), marks.end());
    return "missing_values = " + list_of(all);
}
