// Advises what to write in place of a value that is refused, or of a key that is unknown.

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

namespace ptp::schema {

std::optional<Value> meant_value(const Key& key, const Value& value) {
    constexpr double kMaxWhole = 1e15;  // up to which each whole real is one integer
    std::optional<Value> meant;
    if (value.is_string()) {
        const std::string word = folded(trimmed(value.as_string()));
        const std::string number = number_meant(value.as_string());
        meant = word == "true" || word == "yes"   ? std::optional(Value(true))
                : word == "false" || word == "no" ? std::optional(Value(false))
                : number.empty()                  ? std::nullopt
                                                  : read_toml_value(number);
    } else if (value.is_list() && value.items().size() == 1) {
        meant = value.items().front();
    } else if (value.is_integer() && (value.as_integer() == 0 || value.as_integer() == 1)) {
        meant = Value(value.as_integer() == 1);
    } else if (value.is_real() && std::trunc(value.as_real()) == value.as_real() &&
               std::abs(value.as_real()) < kMaxWhole) {
        meant = Value(static_cast<std::int64_t>(value.as_real()));
    }
    return meant && accepts(key, *meant) ? meant : std::nullopt;
}

std::string hint_for(const Member& unknown, const std::vector<Key>& keys,
                     const std::vector<std::string>& more_known) {
    std::vector<std::string> known;
    std::vector<std::string> candidates = more_known;
    for (const Key& key : keys) {
        known.push_back(key.name);
        if (accepts(key, unknown.value)) {
            candidates.push_back(key.name);
        }
    }
    known.insert(known.end(), more_known.begin(), more_known.end());
    return hint_among(unknown.key, candidates, known);
}

std::string advice_on_quotes(const Value& value, bool (Value::*is_wanted)() const) {
    if (!value.is_string()) {
        return "";
    }
    const auto within = read_toml_value(value.as_string());
    if (!within || !((*within).*is_wanted)()) {
        return "";
    }
    return fmt::format("remove the quotes: {}", value.as_string());
}

std::string advice_on_duration(const Value& value) {
    if (!value.is_integer() || value.as_integer() < 1) {
        return "";
    }
    return fmt::format("write \"{0}s\", \"{0}m\" or \"{0}h\" for seconds, minutes or hours",
                       value.as_integer());
}

}  // namespace ptp::schema
