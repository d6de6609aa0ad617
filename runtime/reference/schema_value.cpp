#include "reference/schema_value.hpp"

#include "base/toml_reader.hpp"
#include "experiment/range.hpp"
#include "reference/key_help.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace ptp::reference {

std::optional<Json> json_of(const Value& value) {
    switch (value.type()) {
        case ValueType::kBool:
            return value.as_bool();
        case ValueType::kInteger:
            return value.as_integer();
        case ValueType::kReal:
            return std::isfinite(value.as_real()) ? std::optional<Json>(value.as_real())
                                                  : std::nullopt;
        case ValueType::kString:
            return value.as_string();
        case ValueType::kList:
        case ValueType::kTable:
            break;
    }
    Json result = value.is_list() ? Json::array() : Json::object();
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            auto json = json_of(item);
            if (!json) {
                return std::nullopt;
            }
            result.push_back(std::move(*json));
        }
        return result;
    }
    for (const Member& member : value.members()) {
        auto json = json_of(member.value);
        if (!json) {
            return std::nullopt;
        }
        result[member.key] = std::move(*json);
    }
    return result;
}

namespace {

using plugin::Setting;
using plugin::SettingType;

Json number_schema(bool is_integer, const std::string& range_text) {
    Json schema = {{"type", is_integer ? "integer" : "number"}};
    const auto number = [&](double limit) {
        return is_integer ? Json(static_cast<std::int64_t>(limit)) : Json(limit);
    };
    const auto range = experiment::Range::parse(range_text);
    if (range && std::isfinite(range->low())) {
        schema[range->includes_low() ? "minimum" : "exclusiveMinimum"] = number(range->low());
    }
    if (range && std::isfinite(range->high())) {
        schema[range->includes_high() ? "maximum" : "exclusiveMaximum"] = number(range->high());
    }
    return schema;
}

std::optional<Value> default_of(const Setting& setting) {
    return setting.default_value ? read_toml_value(*setting.default_value) : std::nullopt;
}

Json members_schema(const Setting& setting, SchemaScope scope) {
    const auto whole = default_of(setting);
    Json properties = Json::object();
    std::vector<std::string> required;
    for (const Setting& member : setting.members) {
        properties[member.name] = setting_schema(member, scope);
        const bool has_default = whole && whole->find(member.name) != nullptr;
        if (member.is_required && !has_default) {
            required.push_back(member.name);
        }
    }
    return table_of(std::move(properties), required, scope);
}

Json single_schema(const Setting& setting, SchemaScope scope) {
    switch (setting.type) {
        case SettingType::boolean:
            return or_variable({{"type", "boolean"}});
        case SettingType::integer:
        case SettingType::real:
            return or_variable(number_schema(setting.type == SettingType::integer, setting.range));
        case SettingType::string:
        case SettingType::path:
            return {{"type", "string"}};
        case SettingType::enumeration:
            return or_variable({{"enum", setting.choices}});
        case SettingType::table:
            return or_variable(members_schema(setting, scope));
        case SettingType::any:
            break;
    }
    return Json::object();
}

Json list_schema(Json items, const std::string& length_text) {
    Json schema = {{"type", "array"}, {"items", std::move(items)}};
    const auto length = experiment::Range::parse(length_text);
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

struct Form {
    std::string_view end;  // of the key's path
    const char* schema;
};

constexpr const char* kDuration =
    R"({"type": "string", "pattern": "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$"})";

constexpr Form kForms[] = {
    {"device", R"({"type": "string", "pattern": "^(cpu|cuda(:[0-9]+)?)$"})"},
    {"plugins.path", R"({"type": "array", "items": {"type": "string"}})"},
    {"pipeline.disable", R"({"type": "array", "items": {"type": "string"}})"},
    {"tensorboard.images", R"({"type": "array", "items": {"type": "string"}})"},
    {".sampler.indices",
     R"({"type": ["array", "string"], "items": {"type": "integer", "minimum": 0}})"},
    {".sampler.labels",
     R"({"type": ["array", "string"], "items": {"type": "integer", "minimum": 0}})"},
    {".sampler.weights",
     R"({"type": ["array", "string"], "items": {"type": "number", "minimum": 0}})"},
    {".scheduler.milestones",
     R"({"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}})"},
    {".optimizer.groups", R"({"type": "object", "additionalProperties": {"type": "object"}})"},
    {".loss_weights",
     R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0}})"},
    {".gradient_clipping",
     R"({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "object",
        "minProperties": 1, "maxProperties": 1, "additionalProperties": false, "properties": {
        "value": {"type": "number", "exclusiveMinimum": 0},
        "norm": {"type": "number", "exclusiveMinimum": 0}}}]})"},
    {".on_bad_loss",
     R"({"anyOf": [{"enum": ["stop", "skip", "rollback"]}, {"type": "object",
        "required": ["action"], "additionalProperties": false, "properties": {
        "action": {"enum": ["stop", "skip", "rollback"]}, "limit": {"type": "integer"},
        "lr_factor": {"type": "number"}}}]})"},
    {"checkpoint.every", kDuration},
    {"swap.components", R"({"type": "array", "items": {"type": "string"}, "uniqueItems": true})"},
    {"swap.time_limit", kDuration},
    {".wall_time", kDuration},
    {".load", R"({"type": ["string", "object"], "additionalProperties": false, "properties": {
        "from": {"type": "string"}, "component": {"type": "string"}, "strict": {"type": "boolean"},
        "except": {"type": "array", "items": {"type": "string"}},
        "only": {"type": "array", "items": {"type": "string"}},
        "rename": {"type": "object", "additionalProperties": {"type": "string"}}}})"},
    {".freeze", R"({"type": ["boolean", "array"], "minItems": 1, "items": {"type": "string"}})"},
    {".phases", R"({"type": "array", "minItems": 1, "items": {
        "enum": ["training", "validation", "test", "process"]}})"},
};

std::optional<Json> plain_schema(const experiment::Key& key, const std::string& path) {
    switch (key.form) {
        case experiment::KeyForm::kBool:
            if (path.ends_with(".freeze") && path != "pipeline.freeze") {
                break;  // of a component it may be a list of names too
            }
            return or_variable({{"type", "boolean"}});
        case experiment::KeyForm::kInteger:
            return or_variable(number_schema(true, key.range));
        case experiment::KeyForm::kReal:
            return or_variable(number_schema(false, key.range));
        case experiment::KeyForm::kString:
            if (!key.choices.empty()) {
                return or_variable({{"enum", key.choices}});
            }
            break;
        case experiment::KeyForm::kRealPair:
            return list_schema(or_variable(number_schema(false, key.range)), "[2, 2]");
        case experiment::KeyForm::kTable:
        case experiment::KeyForm::kOther:
            break;
    }
    for (const Form& form : kForms) {
        if (path.ends_with(form.end)) {
            return or_variable(Json::parse(form.schema));
        }
    }
    if (key.form == experiment::KeyForm::kString) {
        return Json{{"type", "string"}};
    }
    return std::nullopt;
}

}  // namespace

Json or_variable(Json schema) {
    return {{"anyOf", Json::array({std::move(schema), {{"$ref", kVariable}}})}};
}

void describe(Json& schema, const std::string& help, const std::optional<Value>& default_value) {
    if (!help.empty()) {
        schema["description"] = help;
    }
    if (!default_value) {
        return;
    }
    if (auto json = json_of(*default_value)) {
        schema["default"] = std::move(*json);
    }
}

Json table_of(Json properties, const std::vector<std::string>& required, SchemaScope scope) {
    Json schema = {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty() && scope == SchemaScope::kWhole) {
        schema["required"] = required;
    }
    return schema;
}

Json setting_schema(const Setting& setting, SchemaScope scope) {
    Json schema = single_schema(setting, scope);
    Json list = schema;
    for (std::uint32_t depth = setting.list_depth; depth > 0; --depth) {
        list = list_schema(std::move(list), depth == 1 ? setting.length : "");
    }
    if (setting.takes_list_or_one) {
        schema = {{"anyOf", Json::array({std::move(schema), std::move(list)})}};
    } else {
        schema = std::move(list);
    }
    describe(schema, setting.help, default_of(setting));
    return schema;
}

std::optional<Json> key_schema(const experiment::Key& key, const std::string& path) {
    auto schema = plain_schema(key, path);
    if (schema) {
        describe(*schema, std::string(key_help(path)), key.default_value);
    }
    return schema;
}

}  // namespace ptp::reference
