// Divides the rows of a table into the parts of the sections, so that no two sections have the same
// row.
#pragma once

#include "table_file.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

inline constexpr const char* kParts = "training|validation|test";

struct SplitConfig {
    std::optional<std::string> column;
    std::string training = "training";
    std::string validation = "validation";
    std::string test = "test";
    std::optional<std::vector<double>> shares;
    int64_t seed = 0;
    std::optional<std::string> stratify;
    std::optional<std::string> group;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("column", &SplitConfig::column,
                         {.help = "Column that names the part of each row"}),
            ptp::setting("training", &SplitConfig::training,
                         {.help = "Value of `column` in the rows of the part training"}),
            ptp::setting("validation", &SplitConfig::validation,
                         {.help = "The same for the part validation"}),
            ptp::setting("test", &SplitConfig::test, {.help = "The same for the part test"}),
            ptp::setting("shares", &SplitConfig::shares,
                         {.help = "In place of `column`: the shares of training, validation and "
                                  "test, drawn at random by `seed`",
                          .range = "(0, 1)",
                          .length = "[2, 3]"}),
            ptp::setting("seed", &SplitConfig::seed,
                         {.help = "Another seed draws other rows", .range = "[0, inf)"}),
            ptp::setting("stratify", &SplitConfig::stratify,
                         {.help = "Column whose values have the same shares in each part"}),
            ptp::setting("group", &SplitConfig::group,
                         {.help = "Column whose equal values stay in one part, such as patients"})};
    }
};

inline constexpr auto kSharesFit =
    ptp::requirement("sum($split.shares) <= 1",
                     "has shares with a sum above 1: write shares of at most 1 together, as "
                     "shares = [0.8, 0.1, 0.1]");
inline constexpr auto kDrawsOneWay =
    ptp::requirement("!$split.stratify or !$split.group or $split.column",
                     "has both stratify and group: remove one of them");

// Returns the number of the part, 0 to 2, of each of these rows; -1 for a row of no part. Throws
// SettingError and DataError.
std::vector<int> parts_of_rows(const TableFile& table, const SplitConfig& split,
                               std::span<const size_t> rows);

// Throws DataError: none of these rows is in the part.
[[noreturn]] void throw_empty_part(const TableFile& table, const SplitConfig& split,
                                   std::span<const size_t> rows, int part);

// Rows, and the part of each.
struct PartedRows {
    std::span<const size_t> rows;
    std::span<const int> parts;
};

// Columns whose equal values belong to one part, and the word for one of these, which is the
// setting, too: "image" or "group".
struct Whole {
    std::string word;
    std::vector<std::string> columns;
};

// Warns of rows that are in no part, and of an image or a group in rows of several.
void warn_of_parts(const TableFile& table, const SplitConfig& split, const PartedRows& parted,
                   std::span<const Whole> wholes, const ptp::Setup& setup);
