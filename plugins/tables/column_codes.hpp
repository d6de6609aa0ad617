// The code by which a column becomes numbers: its type, and what is learned of the training's rows.
// The checkpoint has it, so that other rows become the same numbers.
#pragma once

#include "column_types.hpp"

#include <ptp/state.hpp>
#include <wrong_lines.hpp>

#include <cstdint>
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
    // `are_kept`: no rule leaves out rows, as in predictions.
    explicit WrongCells(const TableFile& table, bool are_kept = false)
        : table_(table), are_kept_(are_kept) {}

    void add(size_t column, size_t row, const std::string& problem, const std::string& fix);
    void add_missing(size_t column, size_t row, const std::string& other_fix = "");
    // `other_fix` is what to do if it is not meant as a number; in predictions, where the training
    // has decided what it is, `replacing` is the setting that replaces missing ones.
    void add_not_a_number(size_t column, size_t row, const std::string& other_fix,
                          const std::string& replacing = "");
    // Throws DataError if there are any.
    void throw_if_any() const { problems_.throw_if_any(fix_); }

private:
    const TableFile& table_;
    bool are_kept_;
    ptp::support::Problems problems_;
    std::string fix_;
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

// Learns the code of a column from the training's rows.
ColumnCode learn_code(const ColumnPlan& plan, const TableFile& table, std::span<const size_t> rows,
                      WrongCells& wrong);

// Writes the numbers of a column: row i of `rows` to `to + i * stride`.
void write_column(const ColumnCode& code, const TableFile& table, std::span<const size_t> rows,
                  float* to, size_t stride, WrongCells& wrong);
