// The TOML reader for tests. Exactly one file of a test program includes it: it takes seconds to
// compile.
#pragma once

#include <ptp/data.hpp>

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace ptp::testing {

static Data from_toml(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        Data::Table members;
        for (const auto& [key, value] : *table) {
            members.push_back({std::string(key.str()), from_toml(value)});
        }
        return members;
    }
    if (const auto* array = node.as_array()) {
        Data::List items;
        for (const auto& item : *array) {
            items.push_back(from_toml(item));
        }
        return items;
    }
    if (const auto* flag = node.as_boolean()) {
        return flag->get();
    }
    if (const auto* integer = node.as_integer()) {
        return integer->get();
    }
    if (const auto* real = node.as_floating_point()) {
        return real->get();
    }
    return node.value<std::string>().value();
}

Data parse_toml(std::string_view text) {
    try {
        return from_toml(toml::parse(text));
    } catch (const toml::parse_error& error) {
        throw ConfigError("'", text, "': ", error.description());
    }
}

}  // namespace ptp::testing
