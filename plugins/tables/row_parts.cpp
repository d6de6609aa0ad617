// Draws shares of rows, of each stratum of rows or of groups, or reads the parts from a column.

#include "row_parts.hpp"

#include <class_warnings.hpp>
#include <ptp/error.hpp>
#include <ptp/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace {

using Members = std::vector<size_t>;  // places in the list of rows

// Returns the places of the rows by the value of a column, which each row must have.
std::map<std::string_view, Members> members_by(const TableFile& table, const std::string& setting,
                                               const std::string& name,
                                               std::span<const size_t> rows) {
    const size_t column = table.column(setting, name);
    std::map<std::string_view, Members> members;
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto value = table.value(column, rows[i]);
        if (!value) {
            throw ptp::DataError(table.path(), ":", table.line_of(rows[i]), ": column '", name,
                                 "' = '", table.cell(column, rows[i]),
                                 "': has no value, by which the row belongs to a part\nfix: fill "
                                 "the cell, or remove the row");
        }
        members[*value].push_back(i);
    }
    return members;
}

// Returns the part of the place `share` in [0, 1).
int part_at(double share, std::span<const double> shares) {
    double end = 0;
    for (size_t part = 0; part < shares.size(); ++part) {
        end += shares[part];
        if (share < end - 1e-12) {
            return static_cast<int>(part);
        }
    }
    return -1;
}

void draw(Members members, std::span<const double> shares, ptp::Random& random,
          std::vector<int>& parts) {
    random.shuffle(members);
    for (size_t i = 0; i < members.size(); ++i) {
        const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(members.size());
        parts[members[i]] = part_at(middle, shares);
    }
}

void draw_groups(const std::map<std::string_view, Members>& groups, std::span<const double> shares,
                 ptp::Random& random, std::vector<int>& parts) {
    std::vector<const Members*> order;
    for (const auto& [name, members] : groups) {
        order.push_back(&members);
    }
    random.shuffle(order);
    size_t before = 0;
    for (const Members* members : order) {
        const double middle =
            (static_cast<double>(before) + static_cast<double>(members->size()) / 2) /
            static_cast<double>(parts.size());
        for (const size_t place : *members) {
            parts[place] = part_at(middle, shares);
        }
        before += members->size();
    }
}

std::vector<int> named_parts(const TableFile& table, const SplitConfig& split,
                             std::span<const size_t> rows) {
    std::vector<int> parts(rows.size(), -1);
    const std::string names[] = {split.training, split.validation, split.test};
    for (const auto& [value, members] : members_by(table, "split.column", *split.column, rows)) {
        const auto name = std::ranges::find(names, value);
        for (const size_t place : members) {
            parts[place] = name == std::end(names) ? -1 : static_cast<int>(name - names);
        }
    }
    return parts;
}

void check_groups(const TableFile& table, const SplitConfig& split, std::span<const size_t> rows,
                  std::span<const int> parts) {
    for (const auto& [name, members] : members_by(table, "split.group", *split.group, rows)) {
        for (const size_t place : members) {
            if (parts[place] != parts[members[0]]) {
                throw ptp::DataError(table.path(), ":", table.line_of(rows[place]), ": column '",
                                     *split.group, "' = '", name,
                                     "': the group is in another part in line ",
                                     table.line_of(rows[members[0]]),
                                     "\nfix: write one part for all rows of a group, or draw the "
                                     "parts: split = { shares = [0.8, 0.2], group = \"",
                                     *split.group, "\" }");
            }
        }
    }
}

// The words that other programs have for training, validation and test.
constexpr std::array<std::array<std::string_view, 4>, 3> kOtherWords{
    {{"train", "training", "fit", "learn"},
     {"val", "valid", "validation", "dev"},
     {"test", "testing", "holdout", "eval"}}};

// Returns the split with the words in its column, { column = "split", training = "train" }; ""
// where none of them is one for the part that no row is in.
std::string fix_of_words(const SplitConfig& split,
                         const std::map<std::string_view, Members>& members, size_t empty_part) {
    const std::string now[] = {split.training, split.validation, split.test};
    std::string fix = "split = { column = " + ptp::Data(*split.column).toml();
    bool is_named = false;
    for (size_t part = 0; part < kOtherWords.size(); ++part) {
        const auto& words = kOtherWords.at(part);
        const auto found = std::ranges::find_if(members, [&](const auto& one) {
            return std::ranges::find(words, ptp::support::folded(one.first)) != words.end();
        });
        const bool is_other = !members.contains(now[part]) && found != members.end();
        const std::string value = is_other ? std::string(found->first) : now[part];
        const std::string name(ptp::detail::choice_name(kParts, static_cast<int>(part)));
        fix += value == name ? "" : ", " + name + " = " + ptp::Data(value).toml();
        is_named = is_named || (is_other && part == empty_part);
    }
    return is_named ? fix + " } in the task of each section" : "";
}

// A picture or a group, which belongs to one part.
struct WholeCell {
    std::string_view name;
    size_t place;  // of its row
};

// Returns the cells of these columns, row after row.
std::vector<WholeCell> cells_of(const TableFile& table, const Whole& whole,
                                std::span<const size_t> rows) {
    std::vector<WholeCell> cells;
    for (size_t place = 0; place < rows.size(); ++place) {
        for (const std::string& name : whole.columns) {
            if (const auto cell = table.value(table.column(whole.word, name), rows[place])) {
                cells.push_back({*cell, place});
            }
        }
    }
    return cells;
}

struct Cells {
    std::span<const size_t> rows;
    const std::vector<WholeCell>& cells;
};

// Returns whether all rows with one picture have one value in this column.
bool keeps_whole(const TableFile& table, const Cells& all, size_t column) {
    std::map<std::string_view, std::string_view> values;
    return std::ranges::all_of(all.cells, [&](const WholeCell& cell) {
        const auto value = table.cell(column, all.rows[cell.place]);
        return values.emplace(cell.name, value).first->second == value;
    });
}

std::string fix_of_divided(const TableFile& table, const SplitConfig& split, const Whole& whole,
                           const Cells& cells) {
    const std::string one = ptp::detail::join(whole.word == "image" ? "an " : "a ", whole.word);
    const std::string others =
        whole.columns.size() > 1 ? "; a row with images of two parts gets another name, as \"none\""
                                 : "";
    if (split.column) {
        return "write one part for all rows of " + one + others;
    }
    for (const std::string& name : whole.columns) {
        if (!split.group && keeps_whole(table, cells, table.column(whole.word, name))) {
            return "add group = " + ptp::Data(name).toml() +
                   (split.stratify ? " to split, in place of stratify," : " to split") +
                   " in the task of each section";
        }
    }
    return "name the part of each row in a column, one for all rows of " + one +
           ", and set split = { column = \"NAME\" } in the task of each section" + others;
}

void warn_of_divided(const TableFile& table, const SplitConfig& split, const PartedRows& parted,
                     const Whole& whole, const ptp::Setup& setup) {
    const auto& [rows, parts] = parted;
    const auto cells = cells_of(table, whole, rows);
    std::map<std::string_view, size_t> first;    // the place of each one's first row in a part
    std::map<std::string_view, size_t> divided;  // that of its first row in another part
    for (const auto& [name, place] : cells) {
        if (parts[place] >= 0 && parts[first.emplace(name, place).first->second] != parts[place]) {
            divided.emplace(name, place);
        }
    }
    if (divided.empty()) {
        return;
    }
    const auto place_text = [&](size_t place) {
        return ptp::detail::join("line ", table.line_of(rows[place]), ", ",
                                 ptp::detail::choice_name(kParts, parts[place]));
    };
    const auto& [name, place] =
        *std::ranges::min_element(divided, {}, [](const auto& one) { return one.second; });
    setup.log_warning(
        ptp::detail::join(table.path().filename(), ": ", divided.size(), " ", whole.word,
                          divided.size() == 1 ? " is" : "s are", " in rows of several parts, as '",
                          name, "' in ", place_text(first.at(name)), ", and in ", place_text(place),
                          ": what is measured there says little about new ", whole.word,
                          "s\nfix: ", fix_of_divided(table, split, whole, {rows, cells})));
}

}  // namespace

std::vector<int> parts_of_rows(const TableFile& table, const SplitConfig& split,
                               std::span<const size_t> rows) {
    if (split.column.has_value() == split.shares.has_value()) {
        throw ptp::SettingError(
            "split", split.column ? "has both column and shares" : "has neither column nor shares",
            "\nfix: write split = { column = \"NAME\" } or split = { shares = [0.8, 0.2] }");
    }
    if (split.column) {
        std::vector<int> parts = named_parts(table, split, rows);
        if (split.group) {
            check_groups(table, split, rows, parts);
        }
        return parts;
    }
    std::vector<int> parts(rows.size(), -1);
    ptp::Random random(static_cast<uint64_t>(split.seed));
    if (split.group) {
        draw_groups(members_by(table, "split.group", *split.group, rows), *split.shares, random,
                    parts);
    } else if (split.stratify) {
        for (const auto& [value, members] :
             members_by(table, "split.stratify", *split.stratify, rows)) {
            draw(members, *split.shares, random, parts);
        }
    } else {
        Members all(rows.size());
        std::iota(all.begin(), all.end(), size_t{0});
        draw(std::move(all), *split.shares, random, parts);
    }
    return parts;
}

void warn_of_parts(const TableFile& table, const SplitConfig& split, const PartedRows& parted,
                   std::span<const Whole> wholes, const ptp::Setup& setup) {
    const auto& [rows, parts] = parted;
    if (const auto left_out = std::ranges::count(parts, -1); split.shares && left_out > 0) {
        setup.log_warning(ptp::detail::join("split.shares have a sum below 1: ", left_out, " of ",
                                            rows.size(), " rows are in no part of the split"));
    }
    for (const Whole& whole : wholes) {
        warn_of_divided(table, split, parted, whole, setup);
    }
}

void throw_empty_part(const TableFile& table, const SplitConfig& split,
                      std::span<const size_t> rows, int part) {
    const std::string name(ptp::detail::choice_name(kParts, part));
    if (!split.column) {
        throw ptp::DataError(table.path(), ": none of ", rows.size(), " rows is in the part '",
                             name,
                             "'\nfix: write a larger share for it, as shares = [0.6, 0.2, 0.2]");
    }
    constexpr size_t kMaxShown = 5;
    const auto members = members_by(table, "split.column", *split.column, rows);
    std::vector<std::string> values;
    for (const auto& [value, places] : members) {
        values.emplace_back(value);
    }
    const bool has_more = values.size() > kMaxShown;
    values.resize(std::min(values.size(), kMaxShown));
    const std::string fix = fix_of_words(split, members, static_cast<size_t>(part));
    throw ptp::DataError(table.path(), ": no row is in the part '", name, "': column '",
                         *split.column, "' has ", quoted_names(values), has_more ? ", ..." : "",
                         fix.empty()
                             ? "\nfix: name the value of the part: split = { column = " +
                                   ptp::Data(*split.column).toml() + ", " + name + " = \"VALUE\" }"
                             : "\nfix: " + fix);
}
