// Drops rows in which something that is read has no value, and counts why.

#include "kept_rows.hpp"

#include <algorithm>
#include <numeric>

std::vector<size_t> all_rows(const TableFile& table) {
    std::vector<size_t> rows(table.row_count());
    std::iota(rows.begin(), rows.end(), size_t{0});
    return rows;
}

bool drops(const TableConfig& config, const ColumnRule& rule) {
    return rule.missing.value_or(config.missing) == MissingRule::kDrop;
}

bool is_left_out(const TableFile& table, const TableConfig& config, const std::string& name) {
    if (config.features != std::vector<std::string>{"*"} ||
        rule_of(column_rules(config), name).type) {
        return false;
    }
    return !guess_type(table, table.column("features", name), all_rows(table));
}

std::vector<std::string> features_to_read(const TableFile& table, const TableConfig& config,
                                          const std::vector<ColumnCode>& saved) {
    if (saved.empty() || config.split || config.features != std::vector<std::string>{"*"}) {
        return feature_names(table, config);
    }
    std::vector<std::string> names;
    std::ranges::transform(saved, std::back_inserter(names), &ColumnCode::name);
    std::erase_if(names, [&](const std::string& name) { return !table.has_column(name); });
    return names;
}

KeptRows kept_rows(const TableFile& table, const TableConfig& config,
                   std::span<const std::string> features) {
    const auto rules = column_rules(config);
    std::vector<size_t> required;
    for (const std::string& name : features) {
        if (drops(config, rule_of(rules, name)) && !is_left_out(table, config, name)) {
            required.push_back(table.column("features", name));
        }
    }
    if (config.missing == MissingRule::kDrop) {
        for (const auto& [name, setting] : named_elsewhere(config)) {
            const bool may_be_empty = config.multi_label && setting == "label";
            if (!may_be_empty && table.has_column(name)) {
                required.push_back(table.column(setting, name));
            }
        }
    }
    KeptRows kept;
    kept.rows.reserve(table.row_count());
    std::map<size_t, size_t> missing;  // counts, by the column
    for (size_t row = 0; row < table.row_count(); ++row) {
        bool is_kept = true;
        for (const size_t column : required) {
            if (!table.value(column, row)) {
                ++missing[column];
                is_kept = false;
            }
        }
        if (is_kept) {
            kept.rows.push_back(row);
        }
    }
    for (const auto& [column, count] : missing) {
        kept.missing += ptp::detail::join(kept.missing.empty() ? "" : ", ", table.columns()[column],
                                          " ", count);
    }
    return kept;
}
