// Chooses the columns that are features, infers their types, and logs a line about that.

#include "table_columns.hpp"

#include "cells.hpp"

#include <algorithm>
#include <map>

namespace {

using Names = std::vector<std::string>;

// Returns the columns that other settings than `features` name, and that setting.
std::map<std::string, std::string> named_elsewhere(const TableConfig& config) {
    std::map<std::string, std::string> used;
    const auto add = [&](const std::optional<std::string>& column, const char* setting) {
        if (column) {
            used.emplace(*column, setting);
        }
    };
    add(config.label, "label");
    for (const std::string& column : config.values.value_or(Names())) {
        used.emplace(column, "values");
    }
    add(config.text, "text");
    add(config.image, "image");
    add(config.mask, "mask");
    add(config.weight, "weight");
    add(config.id, "id");
    if (config.split) {
        add(config.split->column, "split.column");
        add(config.split->group, "split.group");
    }
    return used;
}

std::map<std::string, ColumnRule> rules_of(const TableConfig& config) {
    std::map<std::string, ColumnRule> rules;
    if (!config.columns.is_table()) {
        throw ptp::SettingError("columns", "is ", config.columns.type_name(),
                                "\nfix: write a table, as columns = { price = \"number\" }");
    }
    for (const auto& [name, value] : config.columns.as_table()) {
        rules.emplace(name, column_rule(name, value));
    }
    return rules;
}

ColumnRule rule_of(const std::map<std::string, ColumnRule>& rules, const std::string& name) {
    const auto found = rules.find(name);
    return found == rules.end() ? ColumnRule() : found->second;
}

void check_rule(const ColumnPlan& plan, bool is_stated) {
    const bool is_mean = plan.missing == MissingRule::kMean;
    const bool is_frequent = plan.missing == MissingRule::kFrequent;
    const bool is_wrong =
        (is_mean && plan.type != ColumnType::kNumber) ||
        (is_frequent && (plan.type == ColumnType::kDate || plan.type == ColumnType::kList)) ||
        (plan.missing == MissingRule::kZero && plan.type == ColumnType::kDate);
    if (is_wrong && is_stated) {
        throw ptp::SettingError(
            "columns", "'", plan.name, "': a ", type_word(plan.type), " has no ",
            is_mean       ? "mean"
            : is_frequent ? "most_frequent"
                          : "zero",
            "\nfix: set missing = \"",
            plan.type == ColumnType::kCategory ? "most_frequent" : "drop", "\" for it");
    }
}

// Returns the rule of all columns as far as it suits the type; else a missing value is an error.
MissingRule suited(MissingRule rule, ColumnType type) {
    if (type == ColumnType::kCategory && rule == MissingRule::kMean) {
        return MissingRule::kFrequent;
    }
    const bool is_single = type == ColumnType::kNumber || type == ColumnType::kCategory;
    return is_single || rule == MissingRule::kDrop ? rule : MissingRule::kError;
}

// Warns of a column of numbers that a few other cells make categories or texts.
void warn_of_other_cells(const TableFile& table, const std::string& name,
                         std::span<const size_t> rows, const ptp::Setup& setup) {
    const size_t column = table.column("features", name);
    size_t present = 0;
    size_t others = 0;
    size_t first = 0;
    for (const size_t row : rows) {
        if (const auto cell = table.value(column, row)) {
            ++present;
            if (!number_in(*cell) && others++ == 0) {
                first = row;
            }
        }
    }
    if (others > 0 && 10 * others <= present) {
        setup.log_warning(ptp::detail::join(
            table.path(), ":", table.line_of(first), ": column '", name, "' = '",
            *table.value(column, first), "': is not a number, as ", present - others, " of ",
            present, " cells of the column are, so that these are not taken as numbers; set ",
            column_setting(name, "\"number\""), " and correct such cells, or ",
            column_setting(name, "\"category\"")));
    }
}

}  // namespace

size_t TableColumns::width() const {
    size_t sum = 0;
    for (const ColumnCode& code : features) {
        sum += code.width();
    }
    return sum;
}

Names feature_names(const TableFile& table, const TableConfig& config) {
    const auto elsewhere = named_elsewhere(config);
    const auto rules = rules_of(config);
    const Names chosen = config.features.value_or(Names());
    const bool are_all = chosen == Names{"*"};
    Names names;
    for (const std::string& name : are_all ? table.columns() : chosen) {
        const auto other = elsewhere.find(name);
        if (!are_all && other != elsewhere.end() && !other->second.ends_with("group")) {
            throw ptp::SettingError("features", "'", name, "' is also named by `", other->second,
                                    "`\nfix: remove it from one of them");
        }
        [[maybe_unused]] const size_t exists = table.column("features", name);
        if (std::ranges::find(names, name) != names.end()) {
            throw ptp::SettingError("features", "'", name, "' is listed twice\nfix: remove one");
        }
        if ((!are_all || other == elsewhere.end()) &&
            rule_of(rules, name).type != ColumnType::kIgnore) {
            names.push_back(name);
        }
    }
    for (const auto& [name, rule] : rules) {
        [[maybe_unused]] const size_t exists = table.column("columns", name);
        const auto other = elsewhere.find(name);
        if (rule.type != ColumnType::kIgnore && std::ranges::find(names, name) == names.end()) {
            throw ptp::SettingError(
                "columns", "'", name, "' is not one of the features",
                other == elsewhere.end() ? "" : ", but named by `" + other->second + "`",
                "\nfix: ", other == elsewhere.end() ? "add it to features, or " : "",
                "remove it from columns");
        }
    }
    if (config.features && names.empty()) {
        throw ptp::SettingError("features", "no column is left\nfix: name columns of ",
                                table.path(), ", which has ", quoted_names(table.columns()));
    }
    return names;
}

std::vector<size_t> kept_rows(const TableFile& table, const TableConfig& config,
                              std::span<const std::string> features) {
    const auto rules = rules_of(config);
    std::vector<size_t> required;
    for (const std::string& name : features) {
        if (rule_of(rules, name).missing.value_or(config.missing) == MissingRule::kDrop) {
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
    std::vector<size_t> rows;
    rows.reserve(table.row_count());
    for (size_t row = 0; row < table.row_count(); ++row) {
        if (std::ranges::all_of(
                required, [&](size_t column) { return table.value(column, row).has_value(); })) {
            rows.push_back(row);
        }
    }
    return rows;
}

TableColumns learn_columns(const TableFile& table, const TableConfig& config,
                           std::span<const size_t> rows, const ptp::Setup& setup) {
    const auto rules = rules_of(config);
    const bool are_all = config.features == Names{"*"};
    // Other sections learn the same.
    const bool is_logging = setup.section().empty() || setup.section() == "training";
    TableColumns learned;
    std::string inferred;
    std::string left_out;
    WrongCells wrong(table);
    for (const std::string& name : feature_names(table, config)) {
        const ColumnRule rule = rule_of(rules, name);
        const auto type =
            rule.type ? rule.type : guess_type(table, table.column("features", name), rows);
        if (!rule.type && is_logging && (type ? type != ColumnType::kNumber : are_all)) {
            warn_of_other_cells(table, name, rows, setup);
        }
        if (!type && are_all) {
            left_out += (left_out.empty() ? "" : ", ") + name;
            continue;
        }
        ColumnPlan plan{name, type.value_or(ColumnType::kCategory)};
        plan.missing = rule.missing.value_or(suited(config.missing, plan.type));
        plan.unknown = rule.unknown.value_or(UnknownRule::kError);
        plan.standardize = rule.standardize.value_or(true);
        if (!type) {
            plan.type = ColumnType::kNumber;  // a named one that counts the rows, or has texts
        }
        check_rule(plan, rule.missing.has_value());
        learned.features.push_back(learn_code(plan, table, rows, wrong));
        const ColumnCode& code = learned.features.back();
        if (is_logging && (code.is_constant || code.categories.size() == 1)) {
            setup.log_warning("the column '" + name +
                              "' has one value in all rows of the training: nothing can be "
                              "learned of it; remove it: " +
                              column_setting(name, "\"ignore\""));
        }
        if (!rule.type) {
            inferred += (inferred.empty() ? "" : ", ") + name + " " + type_word(code.type);
        }
    }
    wrong.throw_if_any();
    if (is_logging && (!inferred.empty() || !left_out.empty())) {
        setup.log_info(ptp::detail::join(
            "inferred of ", table.path(), ": ", inferred,
            left_out.empty() ? ""
                             : "; left out, as texts or numbers of rows: " + left_out +
                                   " (columns = { NAME = \"category\" } takes one)"));
    }
    if (are_all && learned.features.empty()) {
        throw ptp::SettingError("features",
                                "no column has numbers or categories\nfix: name the "
                                "columns, and state their types in columns");
    }
    return learned;
}
