// Renames features by their order, and replaces rules by those that the section states.

#include "saved_columns.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace {

using Names = std::vector<std::string>;

Names names_of(const TableColumns& columns) {
    Names names;
    std::ranges::transform(columns.features, std::back_inserter(names), &ColumnCode::name);
    return names;
}

// Returns the only column of the table that is no feature and that no setting names; "" if there
// are others.
std::string only_other(const TableFile& table, const Names& features, const TableConfig& config) {
    const auto elsewhere = named_elsewhere(config);
    const auto rules = column_rules(config);
    Names others;
    for (const std::string& name : table.columns()) {
        if (std::ranges::count(features, name) == 0 && !elsewhere.contains(name) &&
            !rules.contains(name)) {
            others.push_back(name);
        }
    }
    return others.size() == 1 ? others.front() : "";
}

// Returns how a table has its features under another name, where it lacks some.
std::string fix_of_absent(const TableFile& table, const Names& features, const Names& absent,
                          const TableConfig& config) {
    const std::string other = absent.size() == 1 ? only_other(table, features, config) : "";
    Names renamed = features;
    if (!other.empty()) {
        std::ranges::replace(renamed, absent.front(), other);
    }
    return ptp::detail::join("add what is missing; or, if it ",
                             other.empty()
                                 ? "has another name there, write that in its place: features = "
                                 : "is '" + other + "' there, write that in its place: features = ",
                             list_of(renamed));
}

// Refuses a table without some of the columns that are features.
void require(const TableFile& table, const Names& features, const TableConfig& config) {
    Names absent;
    Names meant = features;
    bool are_near = true;
    for (std::string& name : meant) {
        if (table.has_column(name)) {
            continue;
        }
        absent.push_back(name);
        name = nearest_name(name, table.columns());
        are_near = are_near && !name.empty() && std::ranges::count(meant, name) == 1 &&
                   std::ranges::find(features, name) == features.end();
    }
    if (absent.empty()) {
        return;
    }
    table.check_separator("features");
    const std::string header = table.fix_of_header();
    throw ptp::DataError(table.path(), ": has no ", absent.size() == 1 ? "column " : "columns ",
                         quoted_names(absent), ", which the training has as ",
                         absent.size() == 1 ? "a feature" : "features", "; it has ",
                         quoted_names(table.columns()), "\nfix: ",
                         !header.empty() ? header
                         : are_near      ? "set features = " + list_of(meant)
                                         : fix_of_absent(table, features, absent, config));
}

// Returns how a section has as many features as the training has, which may ignore a column that
// is one here.
std::string fix_of_number(const Names& names, const Names& known, const TableConfig& config) {
    const auto is_known = [&](const std::string& name) {
        return std::ranges::count(known, name) > 0;
    };
    if (static_cast<size_t>(std::ranges::count_if(names, is_known)) < known.size()) {
        return "name as many, in the same order";
    }
    ptp::Data::Table rules =
        config.columns.is_table() ? config.columns.as_table() : ptp::Data::Table();
    WrittenRules ignored;
    for (const std::string& name : names) {
        if (!is_known(name)) {
            std::erase_if(rules, [&](const auto& one) { return one.key == name; });
            ignored[name] = {{"type", "ignore"}};
        }
    }
    return "set " + columns_setting(ptp::Data(std::move(rules)), ignored) +
           " where the training ignores them, and otherwise features = " + list_of(known);
}

// Reads the features under the names that the settings have now.
void rename(TableColumns& saved, const TableFile& table, const TableConfig& config,
            const ptp::Setup& setup) {
    const Names known = names_of(saved);
    const bool are_all = *config.features == Names{"*"};
    if (are_all || config.features->size() == known.size()) {
        require(table, are_all ? known : *config.features, config);
    }
    if (are_all) {
        return;
    }
    const Names names = feature_names(table, config, known);
    if (names.size() != known.size()) {
        throw ptp::SettingError("features", "are ", names.size(), " columns, and ", known.size(),
                                " in the training, ", quoted_names(known),
                                "\nfix: ", fix_of_number(names, known, config));
    }
    if (names != known && std::ranges::is_permutation(names, known)) {
        setup.log_warning(ptp::detail::join(
            "features = ", list_of(names), ", but ", list_of(known),
            " in the training: the model sees other inputs than it is trained with; write "
            "them in the order of the training"));
    }
    for (size_t i = 0; i < names.size(); ++i) {
        saved.features[i].name = names[i];
    }
}

bool is_standardized(const ColumnCode& code) {
    return code.mean.size() == 1 && (code.mean[0] != 0 || code.deviation[0] != 1);
}

bool is_constant(const ColumnCode& code) {
    return code.range.size() == 2 && code.range[0] == code.range[1];
}

// Warns of a stated `standardize` that the training's column has not: its own holds.
void warn_of_scale(const ColumnCode& code, const ColumnRule& rule, const ptp::Setup& setup) {
    const bool is_number = code.type == ColumnType::kNumber && code.mean.size() == 1;
    if (!is_number || !rule.standardize || is_constant(code) ||
        *rule.standardize == is_standardized(code)) {
        return;
    }
    setup.log_warning(ptp::detail::join(
        "columns: '", code.name, "' is ", is_standardized(code) ? "" : "not ",
        "standardized here, as in the training: standardize = ",
        *rule.standardize ? "true" : "false", " changes nothing; remove it here"));
}

// Returns whether the rule has a value in place of a missing one.
bool replaces(MissingRule rule) {
    return rule != MissingRule::kError && rule != MissingRule::kDrop;
}

// Returns whether the training has learned what the rule needs, where it has followed another one.
bool has_value_of(const ColumnCode& code, MissingRule rule) {
    return rule != MissingRule::kFrequent || code.type != ColumnType::kNumber;
}

// Sets the rule for missing values, with the number that it needs.
void set_missing(ColumnCode& code, MissingRule rule) {
    const bool has_mean = !replaces(code.missing);  // `fill` is the mean then
    if (rule == code.missing) {
        return;
    }
    if (!has_value_of(code, rule)) {
        throw ptp::SettingError("columns", "'", code.name,
                                "': the training has not learned its most frequent number\nfix: "
                                "set missing = \"mean\" or \"zero\" for it");
    }
    if (rule == MissingRule::kZero) {
        code.fill = 0;
    } else if (rule == MissingRule::kMean && is_standardized(code)) {
        code.fill = code.mean[0];
    } else if (rule == MissingRule::kMean && !has_mean) {
        throw ptp::SettingError("columns", "'", code.name,
                                "': the training has not learned its mean\nfix: set missing = "
                                "\"zero\" for it");
    }
    code.missing = rule;
}

// Adds the member that columns of an earlier version lack.
ptp::Data with_ranges(const ptp::Data& features) {
    ptp::Data::List all = features.as_list();
    for (ptp::Data& one : all) {
        if (one.find("range") == nullptr) {
            ptp::Data::Table members = one.as_table();
            members.push_back({"range", ptp::Data(ptp::Data::List())});
            one = ptp::Data(std::move(members));
        }
    }
    return ptp::Data(std::move(all));
}

}  // namespace

TableColumns restored_columns(const ptp::Data& saved) {
    ptp::Data::Table members = saved.as_table();
    for (auto& [name, value] : members) {
        value = name == "features" ? with_ranges(value) : value;
    }
    TableColumns columns;
    ptp::restore(ptp::Data(std::move(members)), columns);
    return columns;
}

void adapt_saved(TableColumns& saved, const TableFile& table, const TableConfig& config,
                 const ptp::Setup& setup) {
    if (!config.classes.empty() && !saved.classes.empty() && config.classes != saved.classes) {
        throw ptp::SettingError("classes",
                                "differ from those of the training\nfix: remove them here");
    }
    if (!config.features) {
        return;
    }
    rename(saved, table, config, setup);
    const auto rules = column_rules(config);
    const ColumnRule unstated;
    for (ColumnCode& code : saved.features) {
        const auto stated = rules.find(code.name);
        const ColumnRule& rule = stated == rules.end() ? unstated : stated->second;
        if (rule.type && *rule.type != code.type) {
            throw ptp::SettingError("columns", "'", code.name, "' is a ", type_word(code.type),
                                    " in the training, and here ", type_word(*rule.type),
                                    "\nfix: remove the type here");
        }
        warn_of_scale(code, rule, setup);
        code.unknown = rule.unknown.value_or(code.unknown);
        check_missing(code.name, code.type, rule.missing);
        const MissingRule general = suited(config.missing, code.type);
        if (rule.missing) {
            set_missing(code, *rule.missing);
        } else if (!replaces(code.missing) && replaces(general) && has_value_of(code, general)) {
            set_missing(code, general);
        }
    }
}
