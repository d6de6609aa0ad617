// Writes a key's valid values as a JSON schema.

#include "schema/json_schema.hpp"

#include "base/json.hpp"
#include "schema/range.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ptp::schema {

namespace {

// Returns whether JSON can express the value: it has no nan and infinity.
bool has_json(const Value& value) {
    if (value.is_list()) {
        return std::ranges::all_of(value.items(), has_json);
    }
    if (value.is_table()) {
        return std::ranges::all_of(value.members(), has_json, &Member::value);
    }
    return value.type() != ValueType::kReal || std::isfinite(value.as_real());
}

}  // namespace

std::optional<Json> json_if_finite(const Value& value) {
    return has_json(value) ? std::optional(ptp::json_of(value)) : std::nullopt;
}

namespace {

Json number_schema(bool is_integer, const std::string& range_text) {
    Json schema = {{"type", is_integer ? "integer" : "number"}};
    const auto number = [&](double limit) {
        return is_integer ? Json(static_cast<std::int64_t>(limit)) : Json(limit);
    };
    const auto range = Range::parse(range_text);
    if (range && std::isfinite(range->low())) {
        schema[range->includes_low() ? "minimum" : "exclusiveMinimum"] = number(range->low());
    }
    if (range && std::isfinite(range->high())) {
        schema[range->includes_high() ? "maximum" : "exclusiveMaximum"] = number(range->high());
    }
    if (range && range->special()) {
        return {{"anyOf", {{{"const", number(*range->special())}}, std::move(schema)}}};
    }
    return schema;
}

// Returns the schema of numbers that may also be in a text or a file.
Json numbers_schema(bool is_integer) {
    return {{"type", {"array", "string"}}, {"items", number_schema(is_integer, "[0, inf)")}};
}

Json members_schema(const Key& key, JsonScope scope) {
    Json properties = Json::object();
    std::vector<std::string> required;
    for (const Key& member : key.members) {
        properties[member.name] = json_schema(member, scope);
        const bool has_default =
            key.default_value && key.default_value->find(member.name) != nullptr;
        if (member.is_required && !has_default) {
            required.push_back(member.name);
        }
    }
    return table_of(std::move(properties), required, scope);
}

Json text_schema(const Key& key) {
    if (!key.choices.empty()) {
        return or_variable({{"enum", key.choices}});
    }
    Json schema = {{"type", "string"}};
    if (!key.pattern.empty()) {
        schema["pattern"] = "^(" + key.pattern + ")$";
        return or_variable(std::move(schema));
    }
    return schema;
}

Json single_schema(const Key& key, JsonScope scope) {
    switch (key.form) {
        case Form::kBool:
            return or_variable({{"type", "boolean"}});
        case Form::kInteger:
        case Form::kReal:
            return or_variable(number_schema(key.form == Form::kInteger, key.range));
        case Form::kIntegers:
        case Form::kReals:
            return or_variable(numbers_schema(key.form == Form::kIntegers));
        case Form::kString:
        case Form::kPath:
            return text_schema(key);
        case Form::kDuration:
            return or_variable(
                {{"type", "string"}, {"pattern", "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$"}});
        case Form::kTable:
            return or_variable(key.members.empty() ? Json{{"type", "object"}}
                                                   : members_schema(key, scope));
        case Form::kAny:
            break;
    }
    return Json::object();
}

Json list_schema(Json items, const std::string& length_text, bool is_unique) {
    Json schema = {{"type", "array"}, {"items", std::move(items)}};
    if (is_unique) {
        schema["uniqueItems"] = true;
    }
    const auto length = Range::parse(length_text);
    if (length && std::isfinite(length->low())) {
        schema["minItems"] =
            static_cast<std::int64_t>(length->low()) + (length->includes_low() ? 0 : 1);
    }
    if (length && std::isfinite(length->high())) {
        schema["maxItems"] =
            static_cast<std::int64_t>(length->high()) - (length->includes_high() ? 0 : 1);
    }
    return or_variable(std::move(schema));
}

Json map_schema(Json value) {
    Json schema = {{"type", "object"}};
    if (!value.empty()) {
        schema["additionalProperties"] = std::move(value);
    }
    return or_variable(std::move(schema));
}

// Returns the schema without help and default. `table` is the schema of a table, or of each table
// of a map.
Json form_schema(const Key& key, JsonScope scope, const Json& table) {
    const bool is_table = key.form == Form::kTable && key.list_depth == 0;
    Json schema = is_table && !table.is_null() ? table : single_schema(key, scope);
    Json list = schema;
    for (std::uint32_t depth = key.list_depth; depth > 0; --depth) {
        list = list_schema(std::move(list), depth == 1 ? key.length : "", key.is_unique);
    }
    if (key.takes_one) {
        return {{"anyOf", Json::array({std::move(schema), std::move(list)})}};
    }
    return key.is_map ? map_schema(std::move(list)) : list;
}

}  // namespace

Json or_variable(Json schema) {
    return {{"anyOf", Json::array({std::move(schema), {{"$ref", kVariable}}})}};
}

Json table_of(Json properties, const std::vector<std::string>& required, JsonScope scope) {
    Json schema = {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty() && scope == JsonScope::kWhole) {
        schema["required"] = required;
    }
    return schema;
}

Json json_schema(const Key& key, JsonScope scope, const Json& table) {
    Json schema = form_schema(key, scope, table);
    for (const Key& other : key.or_else) {
        schema = {{"anyOf", Json::array({std::move(schema), form_schema(other, scope, table)})}};
    }
    if (key.can_be_none) {
        schema["anyOf"].push_back({{"const", "none"}});
    }
    if (!key.help.empty()) {
        schema["description"] = key.help;
    }
    if (auto value = key.default_value ? json_if_finite(*key.default_value) : std::nullopt) {
        schema["default"] = std::move(*value);
    }
    return schema;
}

Json json_schema(const Key& key, JsonScope scope) {
    return json_schema(key, scope, Json());
}

}  // namespace ptp::schema
