// Cuts rows into folds as the host's samplers do.

#include "held_out.hpp"

#include "table_config.hpp"

#include <ptp/error.hpp>
#include <ptp/folds.hpp>

#include <map>
#include <string_view>

namespace {

// Returns the number of the class of each row, in the order of the classes.
std::vector<size_t> classes_of(const TableFile& table, const TableConfig& config,
                               std::span<const size_t> rows) {
    const size_t column = table.column("label", *config.label);
    const auto name_of = [&](size_t row) {
        std::string_view name;
        config.for_each_label(table.value(column, row).value_or(""),
                              [&](std::string_view one) { name = one; });
        return name;
    };
    std::map<std::string_view, size_t> numbers;
    if (config.classes.empty()) {
        for (const size_t row : rows) {
            numbers.emplace(name_of(row), 0);
        }
        size_t next = 0;
        for (auto& [name, number] : numbers) {
            number = next++;
        }
    } else {
        for (size_t i = 0; i < config.classes.size(); ++i) {
            numbers.emplace(config.classes[i], i);
        }
    }
    std::vector<size_t> classes;
    for (const size_t row : rows) {
        classes.push_back(numbers[name_of(row)]);
    }
    return classes;
}

// Returns the fold of each row.
std::vector<int64_t> fold_of_each(const TableFile& table, const TableConfig& config,
                                  std::span<const size_t> rows) {
    const HeldOutConfig& held_out = *config.held_out;
    const ptp::FoldCut cut{.folds = held_out.folds, .seed = held_out.fold_seed};
    if (held_out.sampler == "kFoldGroupSampler") {
        const size_t column = table.column("group", *config.group);
        std::vector<std::string> groups;
        for (const size_t row : rows) {
            groups.emplace_back(table.cell(column, row));
        }
        return ptp::fold_of_each_by_group(groups, cut);
    }
    return held_out.sampler == "kFoldStratifiedSampler"
               ? ptp::fold_of_each_by_class(classes_of(table, config, rows), cut)
               : ptp::fold_of_each(rows.size(), cut);
}

}  // namespace

std::optional<std::vector<size_t>> rows_outside_of_fold(const TableFile& table,
                                                        const TableConfig& config,
                                                        std::span<const size_t> rows) {
    if (!config.held_out || config.is_predicting()) {
        return std::nullopt;
    }
    std::vector<size_t> outside;
    const std::vector<int64_t> fold_of = fold_of_each(table, config, rows);
    for (size_t i = 0; i < rows.size(); ++i) {
        if (fold_of[i] != config.held_out->fold) {
            outside.push_back(rows[i]);
        }
    }
    if (outside.empty()) {
        throw ptp::SettingError("held_out", "no row of ", rows.size(),
                                " is outside of the fold\nfix: write another fold");
    }
    return outside;
}
