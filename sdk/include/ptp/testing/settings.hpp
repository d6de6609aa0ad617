// Reads settings from TOML text, and adds the declared defaults.
#pragma once

#include <ptp/abi.h>
#include <ptp/data.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::testing {

// Parses TOML text. Defined in ptp/testing/toml.hpp, which one file of a test program includes.
Data parse_toml(std::string_view text);

using SettingInfos = std::span<const ptp_setting_info* const>;

Data::List fill_settings(SettingInfos infos, const Data& given);

inline Data coerce(const ptp_setting_info& info, const Data& value, std::uint32_t depth) {
    if (depth > 0) {
        const bool is_one = !value.is_list() && (info.flags & PTP_SETTING_LIST_OR_ONE) != 0;
        const Data::List given = is_one ? Data::List{value} : value.as_list();
        Data::List items;
        for (const Data& item : given) {
            items.push_back(coerce(info, item, depth - 1));
        }
        return items;
    }
    if (info.type == PTP_SETTING_REAL) {
        return value.as_real();
    }
    if (info.type == PTP_SETTING_PATH) {
        const std::string& text = value.as_text();
        const char* home = std::getenv("HOME");
        const bool is_home = text.starts_with("~/") && home != nullptr;
        return std::filesystem::absolute(is_home ? home + text.substr(1) : text).string();
    }
    if (info.type == PTP_SETTING_TABLE) {
        const SettingInfos members(info.members, info.member_count);
        const Data::List values = fill_settings(members, value);
        Data::Table table;
        for (std::size_t i = 0; i < members.size(); ++i) {
            table.push_back({members[i]->name, values[i]});
        }
        return table;
    }
    return value;
}

inline void require_known(SettingInfos infos, const Data& given) {
    for (const Data::Member& member : given.as_table()) {
        const bool is_known = std::ranges::any_of(
            infos, [&](const ptp_setting_info* info) { return member.key == info->name; });
        if (!is_known) {
            throw ConfigError("unknown setting '", member.key, "'");
        }
    }
}

inline Data default_of(const ptp_setting_info& info) {
    return info.default_value == nullptr
               ? Data()
               : *parse_toml("x = " + std::string(info.default_value)).find("x");
}

// Returns one value for each declared setting, in order.
inline Data::List fill_settings(SettingInfos infos, const Data& given) {
    require_known(infos, given);
    const bool is_unlabeled = std::ranges::any_of(infos, [&](const ptp_setting_info* info) {
        return (info->flags & PTP_SETTING_UNLABELED) != 0 && given.find(info->name) != nullptr;
    });
    Data::List values;
    for (const auto* info : infos) {
        const bool is_needed = !is_unlabeled || info->obtain == nullptr;
        const Data fallback = default_of(*info);
        const Data* found = given.find(info->name);
        const Data& value = found == nullptr ? fallback : *found;
        if (value.is_absent() && is_needed && (info->flags & PTP_SETTING_REQUIRED) != 0) {
            throw ConfigError("the setting '", info->name, "' is required, but missing");
        }
        values.push_back(value.is_absent() ? Data() : coerce(*info, value, info->list_depth));
    }
    return values;
}

// Evaluates one term of a condition: "x", "!x", "x = a|b", "x != a".
inline bool term_holds(std::string_view term, SettingInfos infos, const Data::List& values) {
    const auto trim = [](std::string_view text) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        return text.substr(0, text.find_last_not_of(' ') + 1);
    };
    term = trim(term);
    const bool is_negated = term.starts_with('!');
    term.remove_prefix(is_negated ? 1 : 0);
    const auto equals = term.find('=');
    const bool differs = equals != std::string_view::npos && equals > 0 && term[equals - 1] == '!';
    const auto name = trim(term.substr(0, differs ? equals - 1 : equals));
    for (std::size_t i = 0; i < infos.size(); ++i) {
        if (name != infos[i]->name) {
            continue;
        }
        if (equals == std::string_view::npos) {
            const bool is_set = values[i].is_bool() ? values[i].as_bool() : !values[i].is_absent();
            return is_set != is_negated;
        }
        const std::string choices = "|" + std::string(trim(term.substr(equals + 1))) + "|";
        const std::string given = values[i].is_text() ? values[i].as_text() : values[i].toml();
        const bool is_among = choices.find("|" + given + "|") != std::string::npos;
        return is_among != differs;
    }
    throw ConfigError("the condition '", term, "' names no setting");
}

// Returns whether a declared condition holds; null always does.
inline bool condition_holds(const char* when, SettingInfos infos, const Data::List& values) {
    std::string_view rest = when == nullptr ? std::string_view() : when;
    while (!rest.empty()) {
        const auto end = rest.find('&');
        if (!term_holds(rest.substr(0, end), infos, values)) {
            return false;
        }
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return true;
}

}  // namespace ptp::testing
