#include "base/toml_writer.hpp"
#include "reference/explain.hpp"
#include "schema/json_schema.hpp"

#include <utility>

namespace ptp::reference {

namespace {

using schema::Json;

Json value_json(const Value& value) {
    std::optional<Json> json = schema::json_if_finite(value);
    return json ? std::move(*json) : Json(inline_toml(value));
}

Json value_json(const std::optional<Value>& value) {
    return value ? value_json(*value) : Json(nullptr);
}

Json origins_json(const std::vector<Origin>& origins) {
    Json list = Json::array();
    for (const Origin& origin : origins) {
        Json included_at = Json::array();
        for (const SourceLocation& place : origin.included_at) {
            included_at.push_back(place.text());
        }
        list.push_back({{"place", origin.value.place().text()},
                        {"value", value_json(origin.value)},
                        {"table", origin.table.empty() ? Json(nullptr) : Json(origin.table)},
                        {"included_at", std::move(included_at)}});
    }
    return list;
}

Json declared_json(const std::optional<Declared>& declared) {
    if (!declared) {
        return nullptr;
    }
    const schema::Key& key = declared->key;
    return {{"by", declared->by},
            {"expected", expected_text(key)},
            {"help", key.help},
            {"default", value_json(key.default_value)},
            {"is_required", key.is_required}};
}

}  // namespace

Json provenance_json(const ValueProvenance& provenance) {
    Json variables = Json::array();
    for (const VariableUse& use : provenance.variables) {
        variables.push_back({{"name", use.name}, {"origins", origins_json(use.origins)}});
    }
    return {{"key", provenance.key},
            {"value", value_json(provenance.value)},
            {"origins", origins_json(provenance.origins)},
            {"variables", std::move(variables)},
            {"declared", declared_json(provenance.declared)}};
}

Json provenance_json(const TableProvenance& provenance) {
    Json values = Json::array();
    for (const ValueProvenance& value : provenance.values) {
        values.push_back(provenance_json(value));
    }
    return {{"key", provenance.key}, {"values", std::move(values)}};
}

}  // namespace ptp::reference
