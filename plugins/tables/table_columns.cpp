// Chooses the columns that are features, infers their types, and logs a line about that.

#include "table_columns.hpp"

#include "cells.hpp"
#include "kept_rows.hpp"
#include "label_classes.hpp"

#include <class_warnings.hpp>
#include <number_forms.hpp>

#include <algorithm>

namespace {

using Names = std::vector<std::string>;
using ptp::support::other_number;

// The cells of a column that are no numbers, or no dates.
struct OtherCells {
    size_t present = 0;
    size_t count = 0;
    size_t first_row = 0;
    Names missing_marks;   // "NA" or "inf", each once
    unsigned forms = ~0U;  // bits of the forms, as $1,200.50 or 31.05.2024, that all of them have
    bool are_all_marks = true;
};

template <class Parse, class FormsOf>
OtherCells other_cells(const TableFile& table, size_t column, std::span<const size_t> rows,
                       Parse parse, FormsOf forms_of) {
    OtherCells others;
    for (const size_t row : rows) {
        const auto cell = table.value(column, row);
        others.present += cell ? 1 : 0;
        if (!cell || parse(*cell)) {
            continue;
        }
        others.first_row = others.count++ == 0 ? row : others.first_row;
        others.forms &= forms_of(*cell);
        if (!ptp::support::is_missing_value(*cell) && !is_infinite(*cell)) {
            others.are_all_marks = false;
        } else if (std::ranges::find(others.missing_marks, *cell) == others.missing_marks.end()) {
            others.missing_marks.emplace_back(*cell);
        }
    }
    return others;
}

// Returns the warning of cells that are no numbers, or no dates, as at least nine of ten are; ""
// where there are more.
std::string warning_of_few(const std::string& name, const OtherCells& others, ColumnType type) {
    if (10 * others.count > others.present) {
        return "";
    }
    const char* const word = type_word(type);
    return ptp::detail::join("': is not a ", word, ", as ", others.present - others.count, " of ",
                             others.present,
                             " cells of the column are, so that these are not taken as ", word,
                             "s; set ", column_setting(name, ptp::detail::join('"', word, '"')),
                             " and correct such cells, or ", column_setting(name, "\"category\""));
}

// Refuses a column whose cells are numbers, or dates, but for marks of missing values in up to half
// of them: as names, the others would lose their order.
void refuse_marks(const TableFile& table, const std::string& name, const OtherCells& others,
                  ColumnType type, MissingRule missing) {
    if (!others.are_all_marks || others.missing_marks.empty() ||
        2 * others.count > others.present) {
        return;
    }
    const char* const rule = missing != MissingRule::kError ? ""
                             : type == ColumnType::kNumber  ? " and missing = \"mean\""
                                                            : " and missing = \"drop\"";
    throw ptp::SettingError(
        "features", "'", name, "' has in ", table.path(), ":", table.line_of(others.first_row),
        " '", *table.value(table.column("features", name), others.first_row), "', which is not a ",
        type_word(type), ", as ", others.present - others.count, " of ", others.present,
        " cells of the column are\nfix: if such cells have no value, set ",
        table.missing_values_with(others.missing_marks), rule,
        "; or take all cells as names: ", column_setting(name, "\"category\""));
}

// A column whose other cells have numbers, or dates, of another form.
struct OtherForm {
    ColumnType wanted;               // number or date
    std::optional<ColumnType> type;  // that its cells have as they are
    std::string advice;
};

void refuse_form(const TableFile& table, const std::string& name, const OtherCells& others,
                 const OtherForm& form) {
    const std::string kept =
        form.type ? ptp::detail::join(
                        ", or take its cells as ",
                        form.type == ColumnType::kCategory ? "names: " : "lists of numbers: ",
                        column_setting(name, ptp::detail::join('"', type_word(*form.type), '"')))
                  : "";
    const size_t column = table.column("features", name);
    throw ptp::SettingError(
        "features", "'", name, "' has in ", table.path(), ":", table.line_of(others.first_row),
        " '", *table.value(column, others.first_row), "', which is not taken as a ",
        type_word(form.wanted), "\nfix: ", form.advice,
        "; or leave the column out: ", column_setting(name, "\"ignore\""), kept);
}

// Refuses a column of numbers or dates that are all read but for those of one other form, or for
// marks of missing values, and warns, in the training, of one that a few other cells make
// categories or texts.
void check_other_cells(const TableFile& table, const std::string& name,
                       std::optional<ColumnType> type, std::span<const size_t> rows,
                       MissingRule missing, const ptp::Setup& setup) {
    const size_t column = table.column("features", name);
    const OtherCells others = other_cells(
        table, column, rows, number_in,
        [](std::string_view cell) { return other_number(cell).text.empty() ? 0U : 1U; });
    const OtherCells no_dates = other_cells(table, column, rows, date_in, other_date_forms);
    const auto warn = [&](const OtherCells& cells, const std::string& problem) {
        if (!problem.empty()) {
            setup.log_warning(ptp::detail::join(table.path(), ":", table.line_of(cells.first_row),
                                                ": column '", name, "' = '",
                                                *table.value(column, cells.first_row), problem));
        }
    };
    if (others.count == 0 || no_dates.count == 0) {
        return;
    }
    refuse_marks(table, name, others, ColumnType::kNumber, missing);
    refuse_marks(table, name, no_dates, ColumnType::kDate, missing);
    if (others.forms != 0) {
        const auto other = other_number(*table.value(column, others.first_row));
        refuse_form(table, name, others,
                    {ColumnType::kNumber, type, other.advice() + ", in place of it"});
    } else if (no_dates.forms != 0) {
        refuse_form(table, name, no_dates,
                    {ColumnType::kDate, type,
                     "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"});
    } else if (is_training(setup)) {  // other sections would warn of the same
        const std::string of_numbers = warning_of_few(name, others, ColumnType::kNumber);
        warn(others, of_numbers);
        warn(no_dates, of_numbers.empty() ? warning_of_few(name, no_dates, ColumnType::kDate) : "");
    }
}

// Lists the features by their types as inferred, "a, b: number; kind: category".
class InferredTypes {
public:
    void add(const std::string& name, const char* type) { names_[type].push_back(name); }
    void leave_out(const std::string& name) { left_out_.push_back(name); }

    void show(const TableFile& table, const ptp::Setup& setup) const {
        std::string text;
        for (const auto& [type, names] : names_) {
            text += (text.empty() ? "" : "; ") + shortened(names) + ": " + type;
        }
        if (!left_out_.empty()) {
            text += ptp::detail::join(
                text.empty() ? "" : "; ", shortened(left_out_),
                ": left out, as texts or numbers of rows (columns = { NAME = \"category\" } takes "
                "one)");
        }
        if (!text.empty()) {
            setup.log_result(ptp::detail::join("column types inferred from ",
                                               table.path().filename(), ": ", text));
        }
    }

private:
    static std::string shortened(const Names& names) {
        constexpr size_t kMaxShown = 10;
        std::string text;
        for (size_t i = 0; i < std::min(names.size(), kMaxShown); ++i) {
            text += (i == 0 ? "" : ", ") + names[i];
        }
        return names.size() <= kMaxShown
                   ? text
                   : ptp::detail::join(text, " and ", names.size() - kMaxShown, " more");
    }

    std::map<std::string, Names> names_;
    Names left_out_;
};

}  // namespace

std::map<std::string, std::string> named_elsewhere(const TableConfig& config) {
    std::map<std::string, std::string> used;
    const auto add = [&](const std::optional<std::string>& column, const char* setting) {
        if (column) {
            used.emplace(*column, setting);
        }
    };
    const auto add_all = [&](const Names& columns, const char* setting) {
        for (const std::string& column : columns) {
            used.emplace(column, setting);
        }
    };
    add(config.label, "label");
    add_all(config.values.value_or(Names()), "values");
    add_all(config.more_texts, "more_texts");
    add_all(config.more_images, "more_images");
    add_all(config.lists, "lists");
    add(config.text, "text");
    add(config.image, "image");
    add(config.mask, "mask");
    add(config.weight, "weight");
    add(config.id, "id");
    add(config.group, "group");
    if (config.split) {
        add(config.split->column, "split.column");
        add(config.split->group, "split.group");
    }
    return used;
}

ColumnRule rule_of(const std::map<std::string, ColumnRule>& rules, const std::string& name) {
    const auto found = rules.find(name);
    return found == rules.end() ? ColumnRule() : found->second;
}

std::map<std::string, ColumnRule> column_rules(const TableConfig& config) {
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

void check_missing(const std::string& column, ColumnType type, std::optional<MissingRule> stated) {
    const bool is_mean = stated == MissingRule::kMean;
    const bool is_frequent = stated == MissingRule::kFrequent;
    const bool is_wrong =
        (is_mean && type != ColumnType::kNumber) ||
        (is_frequent && (type == ColumnType::kDate || type == ColumnType::kList)) ||
        (stated == MissingRule::kZero && type == ColumnType::kDate);
    if (is_wrong) {
        throw ptp::SettingError("columns", "'", column, "': a ", type_word(type), " has no ",
                                is_mean       ? "mean"
                                : is_frequent ? "most_frequent"
                                              : "zero",
                                "\nfix: set missing = \"",
                                type == ColumnType::kCategory ? "most_frequent" : "drop",
                                "\" for it");
    }
}

MissingRule suited(MissingRule rule, ColumnType type) {
    if (type == ColumnType::kCategory && rule == MissingRule::kMean) {
        return MissingRule::kFrequent;
    }
    const bool is_single = type == ColumnType::kNumber || type == ColumnType::kCategory;
    return is_single || rule == MissingRule::kDrop ? rule : MissingRule::kError;
}

size_t TableColumns::width() const {
    size_t sum = 0;
    for (const ColumnCode& code : features) {
        sum += code.width();
    }
    return sum;
}

Names feature_names(const TableFile& table, const TableConfig& config,
                    std::span<const std::string> learned) {
    const auto elsewhere = named_elsewhere(config);
    const auto rules = column_rules(config);
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
        const bool is_learned = std::ranges::find(learned, name) != learned.end();
        if (is_learned && !table.has_column(name)) {
            continue;  // the table has another name for it
        }
        [[maybe_unused]] const size_t exists = table.column(
            "columns", name,
            rules.size() == 1
                ? "name one of these, or write columns = {}"
                : "name one of these in place of '" + name + "', or remove it from columns");
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

TableColumns learn_columns(const TableFile& table, const TableConfig& config,
                           const TrainingRows& rows, const ptp::Setup& setup) {
    const auto rules = column_rules(config);
    const bool are_all = config.features == Names{"*"};
    if (are_all) {
        table.check_separator("features");
    }
    // Other sections would log the same.
    const bool is_logging = is_training(setup);
    if (const std::string fix = table.fix_of_header(); is_logging && !fix.empty()) {
        setup.log_warning(ptp::detail::join(table.path(), ": the names of the columns are ",
                                            quoted_names(table.columns()), ": ", fix));
    }
    TableColumns learned;
    InferredTypes inferred;
    WrongCells wrong(table, config.columns);
    for (const std::string& name : feature_names(table, config)) {
        const ColumnRule rule = rule_of(rules, name);
        const bool is_out = drops(config, rule) && is_left_out(table, config, name);
        const auto type = rule.type || is_out
                              ? rule.type
                              : guess_type(table, table.column("features", name), rows.all);
        const bool is_read = type == ColumnType::kNumber || type == ColumnType::kDate;
        if (!rule.type && (type ? !is_read : are_all)) {
            check_other_cells(table, name, type, rows.all, rule.missing.value_or(config.missing),
                              setup);
        }
        if (!type && are_all) {
            inferred.leave_out(name);
            continue;
        }
        ColumnPlan plan{name, type.value_or(ColumnType::kCategory)};
        plan.missing = rule.missing.value_or(suited(config.missing, plan.type));
        plan.unknown = rule.unknown.value_or(UnknownRule::kError);
        plan.standardize = rule.standardize.value_or(true);
        if (!type) {
            plan.type = ColumnType::kNumber;  // a named one that counts the rows, or has texts
        }
        check_missing(name, plan.type, rule.missing);
        learned.features.push_back(learn_code(plan, table, rows, wrong));
        const ColumnCode& code = learned.features.back();
        if (is_logging && (code.is_constant || code.categories.size() == 1)) {
            setup.log_warning("the column '" + name +
                              "' has one value in all rows of the training: nothing can be "
                              "learned of it; remove it: " +
                              column_setting(name, "\"ignore\""));
        }
        if (!rule.type) {
            inferred.add(name, type_word(code.type));
        }
    }
    wrong.throw_if_any();
    if (is_logging) {
        inferred.show(table, setup);
    }
    if (are_all && learned.features.empty()) {
        throw ptp::SettingError("features",
                                "no column has numbers or categories\nfix: name the "
                                "columns, and state their types in columns");
    }
    return learned;
}
