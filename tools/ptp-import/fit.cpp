#include "fit.hpp"

#include "base/suggest.hpp"
#include "renames.hpp"
#include "table.hpp"
#include "yaml_scalar.hpp"

#include <fmt/core.h>
#include <ptp/reserved_names.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace ptp::importer {

namespace {

using plugin::Setting;
using plugin::SettingType;

constexpr const char* kReserved[] = {PTP_RESERVED_NAMES};

bool is_reserved(std::string_view key) {
    return std::ranges::find(kReserved, key) != std::end(kReserved);
}

// Returns the names in one of the tables, or of the settings.
std::vector<std::string> names_in(const plugin::Component& component, std::string_view table) {
    std::vector<std::string> names;
    const auto add = [&](const auto& declared) {
        for (const auto& one : declared) {
            names.push_back(one.name);
        }
    };
    if (table == "streams") {
        add(component.ports);
    } else if (table == "globals") {
        add(component.globals);
    } else if (table == "statistics") {
        add(component.statistics);
    } else {
        add(component.settings);
    }
    return names;
}

std::string_view kind_of_name(std::string_view table) {
    return table == "streams"      ? "stream"
           : table == "globals"    ? "global"
           : table == "statistics" ? "statistic"
                                   : "setting";
}

void report_unknown(const Member& member, const std::string& path, std::string_view table,
                    const plugin::Component& component, Report& report) {
    const auto gone = table.empty() ? gone_key(component.name, member.key) : std::nullopt;
    const std::string key =
        fmt::format("{}{}{}.{}", path, table.empty() ? "" : ".", table, member.key);
    Explanation explanation;
    if (gone) {
        explanation = {fmt::format("left out: {}", gone->why), std::string(gone->instead)};
    } else {
        const auto meant = nearest(member.key, names_in(component, table));
        explanation = {
            fmt::format("left out: {} has no such {}{}", component.name, kind_of_name(table),
                        meant ? fmt::format("; did you mean '{}'?", *meant) : ""),
            ""};
    }
    report.problems.warning(member.key_place, key, explanation);
}

// Removes names that are not declared, in the component's table or one of its tables.
void remove_unknown(Value& members, const std::string& path, std::string_view table,
                    const plugin::Component& component, Report& report) {
    std::erase_if(members.members(), [&](const Member& member) {
        if ((table.empty() && is_reserved(member.key)) ||
            is_declared(component, table, member.key)) {
            return false;
        }
        report_unknown(member, path, table, component, report);
        return true;
    });
}

Value list_from(const Value& text, const Setting& setting) {
    const bool is_number =
        setting.type == SettingType::kInteger || setting.type == SettingType::kReal;
    std::vector<Value> items;
    for (const std::string& item : names_in_text(text.as_string())) {
        items.push_back((is_number ? plain_scalar(item) : Value(item)).at(text.place()));
    }
    return Value::list(std::move(items)).at(text.place());
}

void split_texts(Value& table, const plugin::Component& component) {
    for (const Setting& setting : component.settings) {
        Value* const value = table.find(setting.name);
        if (value == nullptr || !value->is_string() || setting.list_depth != 1) {
            continue;
        }
        const std::string& text = value->as_string();
        if (!setting.takes_list_or_one || text.empty() || text.find(',') != std::string::npos) {
            *value = list_from(*value, setting);
        }
    }
}

}  // namespace

bool is_declared(const plugin::Component& component, std::string_view table,
                 std::string_view name) {
    return std::ranges::any_of(names_in(component, table), [&](const std::string& known) {
        return known == name || (known.starts_with('$') && table == "globals");
    });
}

void fit(Value& table, const std::string& path, const plugin::Component& component,
         Report& report) {
    remove_unknown(table, path, "", component, report);
    for (const std::string_view name : {"streams", "globals", "statistics"}) {
        Value* const names = table.find(name);
        if (names != nullptr && names->is_table()) {
            remove_unknown(*names, path, name, component, report);
        }
        erase_if_empty(table, name);
    }
    split_texts(table, component);
}

}  // namespace ptp::importer
