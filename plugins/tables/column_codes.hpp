// The code by which a column becomes numbers: its type, and what is learned of the training's rows.
// The checkpoint has it, so that other rows become the same numbers.
#pragma once

#include "column_types.hpp"

#include <ptp/state.hpp>
#include <wrong_lines.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

inline constexpr const char* kMissingFix =
    "fill the cell, remove the row, or set missing = \"drop\"";
inline constexpr const char* kListFix =
    "write numbers with blanks or semicolons between them, as 1.5 2 3";

// Collects the wrong cells of a table, and what to do about the first of them.
class WrongCells {
public:
    // Advice about a cell: a text, and behind it `columns` with these members for its column.
    struct Fix {
        Fix() = default;
        Fix(std::string advice) : text(std::move(advice)) {}
        Fix(const char* advice) : text(advice) {}
        Fix(std::string advice, ptp::Data::Table members)
            : text(std::move(advice)), rule(std::move(members)) {}

        std::string text;
        ptp::Data::Table rule;
    };

    // `columns` is the setting, which must outlive this. `are_kept`: no rule leaves out rows, as in
    // predictions.
    WrongCells(const TableFile& table, const ptp::Data& columns, bool are_kept = false)
        : table_(table), columns_(columns), are_kept_(are_kept) {}

    void add(size_t column, size_t row, const std::string& problem, const Fix& fix);
    void add_missing(size_t column, size_t row, const Fix& other = {});
    // `other` is what to do if it is not meant as a number; in predictions, where the training has
    // decided what it is, `replacing` is the rule that replaces missing ones.
    void add_not_a_number(size_t column, size_t row, const Fix& other,
                          const ptp::Data::Table& replacing = {});
    // Returns `columns` with this type for a column.
    [[nodiscard]] std::string columns_with(const std::string& name, const char* type) const {
        return columns_setting(columns_, {{name, {{"type", type}}}});
    }
    [[nodiscard]] bool are_kept() const { return are_kept_; }
    // Throws DataError if there are any. Its fix has the rules for all columns in predictions, and
    // where the first of them is a missing value.
    void throw_if_any() const;

private:
    [[nodiscard]] bool has_number(size_t column) const;
    [[nodiscard]] std::string marking_setting(size_t column, std::string_view cell) const;

    const TableFile& table_;
    const ptp::Data& columns_;
    bool are_kept_;
    mutable std::map<size_t, bool> has_number_;  // of columns with wrong cells
    ptp::support::Problems problems_;
    Fix fix_;  // of the first one that has any
    WrittenRules rules_;
    // These are of cells without a value, where rows may be left out, and of texts among numbers,
    // which may mark that there is none.
    std::map<std::string, size_t> missing_;  // their counts, by the column
    std::set<std::string> marks_;            // "NA"
    std::set<size_t> rows_with_missing_;
    WrittenRules replacing_;
    bool is_missing_first_ = false;

    [[nodiscard]] std::string missing_fix() const;
};

struct ColumnCode {
    std::string name;
    ColumnType type = ColumnType::kNumber;
    MissingRule missing = MissingRule::kError;
    UnknownRule unknown = UnknownRule::kError;
    std::vector<double> mean;             // one for each number of the column
    std::vector<double> deviation;        // 1 where all rows of the training have one value
    std::vector<double> range;            // least and most of a number; empty if none is saved
    std::vector<std::string> categories;  // in the order of their bytes
    double fill = 0;  // the number in place of a missing one; the mean if no rule sets it
    std::string fill_category;
    bool is_constant = false;  // a number that is the same in all rows; not saved

    static constexpr auto state() {
        return std::tuple{ptp::kept("name", &ColumnCode::name),
                          ptp::kept("type", &ColumnCode::type),
                          ptp::kept("missing", &ColumnCode::missing),
                          ptp::kept("unknown", &ColumnCode::unknown),
                          ptp::kept("mean", &ColumnCode::mean),
                          ptp::kept("deviation", &ColumnCode::deviation),
                          ptp::kept("range", &ColumnCode::range),
                          ptp::kept("categories", &ColumnCode::categories),
                          ptp::kept("fill", &ColumnCode::fill),
                          ptp::kept("fill_category", &ColumnCode::fill_category)};
    }

    // Returns the count of numbers that the column becomes.
    [[nodiscard]] size_t width() const {
        return type == ColumnType::kCategory ? categories.size() : mean.size();
    }
};

// The settings and the type of a column, before its rows are looked at.
struct ColumnPlan {
    std::string name;
    ColumnType type = ColumnType::kNumber;
    MissingRule missing = MissingRule::kError;
    UnknownRule unknown = UnknownRule::kError;
    bool standardize = true;
};

// The rows of the training: `all` decide types, categories and classes, and those that `count`
// means and deviations, which are less where a fold is held out.
struct TrainingRows {
    std::span<const size_t> all;
    std::span<const size_t> count;
};

// Learns the code of a column from the training's rows.
ColumnCode learn_code(const ColumnPlan& plan, const TableFile& table, const TrainingRows& rows,
                      WrongCells& wrong);

// Writes the numbers of a column: row i of `rows` to `to + i * stride`.
void write_column(const ColumnCode& code, const TableFile& table, std::span<const size_t> rows,
                  float* to, size_t stride, WrongCells& wrong);
