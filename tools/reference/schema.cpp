// Writes the JSON schema of experiments from the record of keys and the plugins.

#include "reference/schema.hpp"

#include "experiment/load/groups.hpp"
#include "experiment/load/load.hpp"
#include "experiment/possible_keys.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/setting_key.hpp"
#include "schema/key_record.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::reference {

namespace {

using schema::Json;
using schema::Key;
using schema::or_variable;

// Represents all components, and all ranges of a search, which have the same keys.
constexpr const char* kAny = "any";

class Writer {
public:
    Writer(const plugin::Catalog& catalog, SchemaScope scope)
        : catalog_(catalog),
          scope_(scope),
          record_(experiment::possible_keys(Value::table(
              {{"pipeline", Value::table({{kAny, Value()}})},
               {"search", Value::table({{"space", Value::table({{kAny, Value()}})}})}}))) {}

    Json write();

private:
    Json own_table(const std::string& path);
    Json table_for_one_value(const std::string& path);
    Json keys_table(const std::vector<Key>& keys, const std::string& path);
    Json member(const Key& key, const std::string& path);
    Json component(const plugin::Found& found, const std::string& path);
    Json types(const std::string& path, bool is_task);
    Json shared_model(const std::string& path);
    Json pipeline();
    Json named_sections(Json properties);
    Json validation();

    const plugin::Catalog& catalog_;
    SchemaScope scope_;
    schema::KeyRecord record_;
};

// Restricts the type of a table to one, so that the rest of the schema applies only to it.
void fix_type(Json& type, const std::vector<std::string>& names, const std::string& help) {
    type = {{"enum", names}};
    if (!help.empty()) {
        type["description"] = help;
    }
}

// Returns the schema of a table whose type is a variable and so unknown.
Json of_variable_type(const std::string& key) {
    return {{"type", "object"},
            {"properties", {{key, {{"$ref", schema::kVariable}}}}},
            {"required", {key}}};
}

Json Writer::keys_table(const std::vector<Key>& keys, const std::string& path) {
    std::vector<std::string> required;
    Json properties = Json::object();
    for (const Key& key : keys) {
        properties[key.name] = member(key, path.empty() ? key.name : path + "." + key.name);
        if (key.is_required) {
            required.push_back(key.name);
        }
    }
    Json table = schema::table_of(std::move(properties), required, scope_);
    for (const Key& key : keys) {
        if (key.is_alternative) {
            table["oneOf"].push_back({{"required", {key.name}}});
        }
    }
    return table;
}

Json Writer::member(const Key& key, const std::string& path) {
    Json table;
    if (path == "pipeline") {
        table = or_variable(pipeline());
    } else if (path == "validation") {
        table = or_variable(validation());
    } else if (path == "process") {
        table = or_variable(own_table("test"));
    } else if (path == "search.space") {
        table = or_variable(own_table(path + "." + kAny));
    } else if (path.ends_with(".task")) {
        table = or_variable(types(path, true));
    } else if (record_.tables().contains(path)) {
        table = or_variable(key.or_else.empty() ? own_table(path) : table_for_one_value(path));
    }
    return schema::json_schema(key, scope_, table);
}

Json Writer::own_table(const std::string& path) {
    const schema::TableKeys& table = record_.tables().at(path);
    if (table.kinds.empty()) {
        return keys_table(table.keys, path);
    }
    Json variants = Json::array();
    for (const schema::KindKeys& kind : table.kinds) {
        Json variant = keys_table(kind.keys, path);
        fix_type(variant["properties"][table.kind_key], {kind.name}, kind.help);
        variants.push_back(std::move(variant));
    }
    variants.push_back(of_variable_type(table.kind_key));
    return {{"anyOf", std::move(variants)}};
}

// Returns the schema of a table that is accepted instead of one value, such as "skip" or 0.5. A
// table with types must state its type, in a part of an experiment too.
Json Writer::table_for_one_value(const std::string& path) {
    const schema::TableKeys& table = record_.tables().at(path);
    Json schema = own_table(path);
    if (!table.kinds.empty()) {
        for (Json& variant : schema["anyOf"]) {
            variant["required"] = {table.kind_key};
        }
    }
    return schema;
}

Json Writer::component(const plugin::Found& found, const std::string& path) {
    std::vector<Key> keys = record_.tables().at(path).keys;
    std::erase_if(keys, [](const Key& key) { return key.name == "share"; });
    for (const plugin::Setting& setting : found.component->settings) {
        keys.push_back(plugin::key_of(setting));
    }
    Json table = keys_table(keys, path);
    const std::string& name = found.component->name;
    std::vector<std::string> names = {found.plugin->manifest.name + "/" + name};
    if (catalog_.find(name).size() == 1) {
        names.insert(names.begin(), name);
    }
    fix_type(table["properties"]["type"], names, found.component->summary);
    table["title"] =
        fmt::format("{}, a {} of {} {}", name, plugin::to_string(found.component->kind),
                    found.plugin->manifest.name, found.plugin->manifest.version);
    return table;
}

Json Writer::types(const std::string& path, bool is_task) {
    Json variants = Json::array();
    for (const plugin::CatalogEntry& entry : catalog_.plugins) {
        for (const plugin::Component& one : entry.manifest.components) {
            if ((one.kind == plugin::Kind::kTask) == is_task) {
                variants.push_back(component({&entry, &one}, path));
            }
        }
    }
    variants.push_back(of_variable_type("type"));
    if (!is_task) {
        variants.push_back(shared_model(path));
        variants.push_back(keys_table(experiment::use_keys(), path));
        variants.push_back(keys_table(experiment::try_keys(), path));
    }
    return {{"anyOf", std::move(variants)}};
}

// Returns the schema of a component without a type, which shares another one's.
Json Writer::shared_model(const std::string& path) {
    std::vector<Key> keys = record_.tables().at(path).keys;
    std::erase_if(keys, [](const Key& key) { return key.is_required; });
    Json table = keys_table(keys, path);
    table["required"] = {"share"};
    return table;
}

Json Writer::pipeline() {
    Json schema = keys_table(record_.tables().at("pipeline").keys, "pipeline");
    schema["additionalProperties"] = or_variable(types(std::string("pipeline.") + kAny, false));
    schema["propertyNames"] = {{"pattern", "^[a-z][a-z0-9_]*$"}};
    return schema;
}

// Returns the schema of a table of named sections; [test] has the keys that each of them has.
Json Writer::named_sections(Json properties) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"additionalProperties", or_variable(own_table("test"))},
            {"propertyNames", {{"pattern", "^[a-z][a-z0-9_]*$"}}}};
}

// Returns the schema of one validation set, or of several.
Json Writer::validation() {
    Json one = own_table("validation");
    const char* const interval = "partial_validation_interval";
    Json several = named_sections({{interval, one["properties"][interval]}});
    return {{"anyOf", {std::move(one), std::move(several)}}};
}

Json Writer::write() {
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                   {"title", "An experiment of ptp"}};
    schema.update(own_table(""));
    for (const Key& key : experiment::loading_keys()) {
        schema["properties"][key.name] = schema::json_schema(key, scope_);
    }
    schema["definitions"]["variable"] = {{"type", "string"}, {"pattern", "\\$\\{[^}]+\\}"}};
    return schema;
}

}  // namespace

Json experiment_schema(const plugin::Catalog& catalog, SchemaScope scope) {
    return Writer(catalog, scope).write();
}

}  // namespace ptp::reference
