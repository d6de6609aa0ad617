#include "schema/advice.hpp"

#include "base/toml_reader.hpp"

#include <fmt/core.h>

namespace ptp::schema {

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
