// Converts between Value and JSON; json_parse.cpp has the parser.

#include "base/json.hpp"

#include "base/ranges.hpp"
#include "base/toml_reader.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ptp {

namespace {

Value value_at(const Json& json, int level);

Value number_of(const Json& json) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    const bool is_too_large = json.is_number_unsigned() && json.get<std::uint64_t>() > kMax;
    if (json.is_number_integer() && !is_too_large) {
        return json.get<std::int64_t>();
    }
    return json.get<double>();
}

Value list_of(const Json& json, int level) {
    return Value::list(
        transformed(json, [&](const Json& item) { return value_at(item, level + 1); }));
}

Value table_of(const Json& json, int level) {
    Value table;
    for (const auto& [key, value] : json.items()) {
        table.set(key, value_at(value, level + 1));
    }
    return table;
}

Value value_at(const Json& json, int level) {
    if (level > kMaxLevels) {
        throw std::invalid_argument(fmt::format("values lie deeper than {} levels", kMaxLevels));
    }
    switch (json.type()) {
        case Json::value_t::object:
            return table_of(json, level);
        case Json::value_t::array:
            return list_of(json, level);
        case Json::value_t::string:
            return json.get<std::string>();
        case Json::value_t::boolean:
            return json.get<bool>();
        case Json::value_t::null:
            return std::numeric_limits<double>::quiet_NaN();
        default:
            return number_of(json);
    }
}

}  // namespace

Json json_of(const Value& value) {
    switch (value.type()) {
        case ValueType::kBool:
            return value.as_bool();
        case ValueType::kInteger:
            return value.as_integer();
        case ValueType::kReal:
            return std::isfinite(value.as_real()) ? Json(value.as_real()) : Json(nullptr);
        case ValueType::kString:
            return value.as_string();
        case ValueType::kList: {
            Json list = Json::array();
            for (const Value& item : value.items()) {
                list.push_back(json_of(item));
            }
            return list;
        }
        case ValueType::kTable: {
            Json object = Json::object();
            for (const Member& member : value.members()) {
                object[member.key] = json_of(member.value);
            }
            return object;
        }
    }
    return nullptr;
}

Value value_of(const Json& json) {
    return value_at(json, 0);
}

std::string text_of(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ptp
