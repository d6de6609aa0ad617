// Compares what two sections of one table do about missing values. Where one of them drops a row
// that the other keeps, all rows behind it take other places before they are divided, so that each
// part has rows of the others.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

using experiment::Section;

// A rule for all features is a choice of a setting, and one for a column a member of this name in
// the table of columns.
constexpr const char* kDrop = "drop";
constexpr const char* kColumns = "columns";

const plugin::Setting* rule_setting(const plugin::Component& task) {
    const auto found = std::ranges::find_if(task.settings, [](const plugin::Setting& one) {
        return contains(one.choices, std::string(kDrop));
    });
    return found == task.settings.end() ? nullptr : &*found;
}

// Returns whether the setting names columns, beside what else the host does not know.
bool may_name_columns(const plugin::Setting& setting) {
    return setting.type == plugin::SettingType::kString &&
           setting.purpose != plugin::Purpose::kClassNames && setting.name != "missing_values";
}

// The rules of a task.
class Rules {
public:
    Rules(const Node& task, const plugin::Setting& setting)
        : task_(task), name_(setting.name), all_(text_in(checked_settings(task).find(name_))) {}

    // Returns the rule for all features.
    [[nodiscard]] const std::string& for_all() const { return all_; }

    [[nodiscard]] std::string for_column(const std::string& column) const {
        const Value* const own = member(column);
        const std::string rule =
            text_in(own != nullptr && own->is_table() ? own->find(name_) : nullptr);
        return rule.empty() ? all_ : rule;
    }

    // Returns the columns without whose value a row is dropped, of a table with these.
    [[nodiscard]] Strings needed(const Strings& header) const {
        Strings columns;
        for (const std::string& one : header) {
            const std::string column(trimmed(one));
            const bool is_target_or_text = names_elsewhere(column);
            if (is_target_or_text ? all_ == kDrop
                                  : is_feature(column) && for_column(column) == kDrop) {
                columns.push_back(column);
            }
        }
        return columns;
    }

    // Returns whether no column has a rule for itself.
    [[nodiscard]] bool is_general() const { return own_rules().empty(); }

    [[nodiscard]] bool may_drop() const {
        return all_ == kDrop || contains(own_rules(), std::string(kDrop));
    }

private:
    static std::string text_in(const Value* value) {
        const Strings texts = strings_in(value);
        return texts.empty() ? "" : texts.front();
    }

    [[nodiscard]] Strings own_rules() const {
        const Value* const columns = checked_settings(task_).find(kColumns);
        Strings rules;
        for (const Member& one : columns != nullptr && columns->is_table()
                                     ? columns->members()
                                     : std::vector<Member>()) {
            if (const std::string rule =
                    text_in(one.value.is_table() ? one.value.find(name_) : nullptr);
                !rule.empty()) {
                rules.push_back(rule);
            }
        }
        return rules;
    }

    [[nodiscard]] const Value* member(const std::string& column) const {
        const Value* const columns = checked_settings(task_).find(kColumns);
        return columns == nullptr || !columns->is_table() ? nullptr : columns->find(column);
    }

    [[nodiscard]] bool is_feature(const std::string& column) const {
        const Value* const own = member(column);
        const Value* const type = own != nullptr && own->is_table() ? own->find("type") : own;
        const Strings features = strings_in(checked_settings(task_).find("features"));
        return text_in(type) != "ignore" &&
               (contains(features, column) || contains(features, std::string(kAllColumns)));
    }

    // Returns whether another setting than the features names the column, such as that of the
    // label, which may be empty where a cell has several.
    [[nodiscard]] bool names_elsewhere(const std::string& column) const {
        const auto& declared = task_.component->settings;
        const Value* const several = checked_settings(task_).find("multi_label");
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const bool may_be_empty = declared[i].purpose == plugin::Purpose::kLabelColumn &&
                                      several != nullptr && *several == Value(true);
            if (may_name_columns(declared[i]) && declared[i].name != "features" && !may_be_empty &&
                task_.settings[i] && contains(strings_in(&*task_.settings[i]), column)) {
                return true;
            }
        }
        return false;
    }

    const Node& task_;
    std::string name_;
    std::string all_;
};

// Finds the rows that a task drops.
class Dropping {
public:
    Dropping(const Rules& rules, const Node& task, const Strings& header)
        : marks_(strings_in(checked_settings(task).find("missing_values"))) {
        for (const std::string& name : rules.needed(header)) {
            places_.push_back(*find_column(header, name));
        }
    }

    bool operator==(const Dropping&) const = default;

    [[nodiscard]] bool drops(const Strings& cells) const {
        return std::ranges::any_of(places_, [&](std::size_t place) {
            const std::string cell(place < cells.size() ? trimmed(cells[place]) : "");
            return cell.empty() || contains(marks_, cell);
        });
    }

private:
    Strings marks_;
    std::vector<std::size_t> places_;
};

// Returns the settings of the training with which the other task drops the same rows: the rules,
// or where these are equal the columns that are read.
std::string fix_of_rules(const Node& training, const Node& other, const std::string& rule) {
    std::vector<std::string> settings;
    const auto& declared = training.component->settings;
    for (const bool are_rules : {true, false}) {
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const bool is_rule = declared[i].name == rule || declared[i].name == kColumns;
            if ((are_rules ? is_rule : may_name_columns(declared[i])) &&
                training.settings[i] != other.settings[i]) {
                const std::string name = toml_key(declared[i].name);
                settings.push_back(
                    training.settings[i]
                        ? fmt::format("{} = {}", name, inline_toml(*training.settings[i]))
                        : "no " + name);
            }
        }
        if (!settings.empty()) {
            break;
        }
    }
    return fmt::format("write {} in {}, as in {}", joined(settings, "and"), other.path,
                       training.path);
}

// Returns whether a setting differs that may decide which rows are dropped: the rule, and any that
// is not a choice, as the part of the rows is. Only then the table is read.
bool has_other_settings(const Node& training, const Node& other, const plugin::Setting& rule) {
    const auto& declared = training.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const bool is_choice = !declared[i].choices.empty() && &declared[i] != &rule;
        if (!is_choice && training.settings[i] != other.settings[i]) {
            return true;
        }
    }
    return false;
}

// The training may have learned nothing of what other rules put in a cell.
std::string fix_of_unused(const std::string& rule, const plugin::Setting& setting,
                          const std::string& training) {
    const std::string name = toml_key(setting.name);
    return rule == "zero" || rule == "error"
               ? fmt::format(
                     "remove it here; for one column, write columns = {{ NAME = {{ {} = "
                     "\"{}\" }} }}",
                     name, rule)
               : fmt::format("remove it here, or write {} = \"{}\" in {}", name, rule, training);
}

}  // namespace

void warn_of_unused_rule(const Node& training, const Section& section, const Node& other,
                         Diagnostics& problems) {
    const plugin::Setting* const setting = rule_setting(*training.component);
    const Value* const stated =
        setting == nullptr ? nullptr : section.task.settings.find(setting->name);
    if (stated == nullptr) {
        return;
    }
    const Rules trained(training, *setting);
    const std::string rule = Rules(other, *setting).for_all();
    const bool replaces = trained.for_all() != kDrop && trained.for_all() != "error";
    if (replaces && trained.is_general() && rule != kDrop && rule != trained.for_all()) {
        problems.warning(
            stated->place(), schema::below(other.path, toml_key(setting->name)),
            Explanation{fmt::format("\"{}\" changes nothing: missing values are replaced as in "
                                    "[{}], by the rule \"{}\"",
                                    rule, training.section, trained.for_all()),
                        fix_of_unused(rule, *setting, training.path)});
    }
}

std::optional<Explanation> other_rows(const Node& training, const Section& section,
                                      const Node& other, const plugin::Catalog& catalog) {
    const plugin::Setting* const setting = rule_setting(*training.component);
    if (setting == nullptr) {
        return std::nullopt;
    }
    const Rules trained(training, *setting);
    const Rules its(other, *setting);
    const bool may_differ =
        (trained.may_drop() || its.may_drop()) && has_other_settings(training, other, *setting);
    const auto text = may_differ ? table_text(section, catalog) : std::nullopt;
    if (!text) {
        return std::nullopt;
    }
    Rows rows(text->cells, text->separator);
    Strings header;
    rows.next(header);
    const Dropping dropping(trained, training, header);
    const Dropping its_dropping(its, other, header);
    if (dropping == its_dropping) {
        return std::nullopt;
    }
    std::size_t count = 0;
    std::size_t all = 0;
    for (Strings cells; rows.next(cells); ++all) {
        count += dropping.drops(cells) != its_dropping.drops(cells) ? 1 : 0;
    }
    if (count == 0) {
        return std::nullopt;
    }
    return Explanation{
        fmt::format("rows with missing values are dropped before the rows are divided, {} of {} "
                    "here or in [{}] alone, so that it has rows that are trained on",
                    count, all, training.section),
        fix_of_rules(training, other, setting->name)};
}

}  // namespace ptp::pipeline
