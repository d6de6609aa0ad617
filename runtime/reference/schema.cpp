#include "reference/schema.hpp"

#include "experiment/key_record.hpp"
#include "pipeline/find_type.hpp"
#include "reference/key_help.hpp"
#include "reference/schema_value.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ptp::reference {

namespace {

using experiment::KeyRecord;

// Stands for all components: its keys are those of each.
constexpr const char* kAnyComponent = "any";

// A tree with `type` in the table at `path`, "training.optimizer".
Value with_type(const Value& tree, const std::string& path, const std::string& type) {
    Value result = tree;
    Value* table = &result;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        const std::string part = path.substr(at, dot - at);
        Value* next = table->find(part);
        table = next == nullptr ? &table->set(part, Value()) : next;
        at = dot + 1;
    }
    table->set("type", type);
    return result;
}

class Writer {
public:
    Writer(const plugin::Catalog& catalog, SchemaScope scope) : catalog_(catalog), scope_(scope) {
        base_.set("pipeline", Value::table({{kAnyComponent, Value()}}));
    }

    Json write();

private:
    Json own_table(const std::string& path, const Value& tree);
    Json keys_of_table(const std::string& path, const Value& tree,
                       std::vector<std::string>& required);
    Json member(const experiment::Key& key, const std::string& path, const Value& tree);
    Json component(const plugin::Found& found, const std::string& path);
    Json types(const std::string& path, bool is_task);
    Json pipeline();

    const plugin::Catalog& catalog_;
    SchemaScope scope_;
    Value base_;
};

// The type of a table in a schema of its own: what follows is then for this type alone.
void fix_type(Json& table, const std::vector<std::string>& names, const std::string& help) {
    table["properties"]["type"] = {{"enum", names}};
    if (!help.empty()) {
        table["properties"]["type"]["description"] = help;
    }
}

// A table whose type is not known before the variables are.
Json of_variable_type() {
    return {{"type", "object"},
            {"properties", {{"type", {{"$ref", kVariable}}}}},
            {"required", {"type"}}};
}

Json Writer::keys_of_table(const std::string& path, const Value& tree,
                           std::vector<std::string>& required) {
    const KeyRecord record = experiment::possible_keys(tree);
    Json properties = Json::object();
    const auto keys = record.tables().find(path);
    if (keys == record.tables().end()) {
        return properties;
    }
    for (const experiment::Key& key : keys->second) {
        const std::string key_path = path.empty() ? key.name : path + "." + key.name;
        properties[key.name] = member(key, key_path, tree);
        if (key.is_required) {
            required.push_back(key.name);
        }
    }
    return properties;
}

Json Writer::member(const experiment::Key& key, const std::string& path, const Value& tree) {
    if (auto plain = key_schema(key, path)) {
        return std::move(*plain);
    }
    const KeyRecord record = experiment::possible_keys(tree);
    Json schema = Json::object();
    if (path == "pipeline") {
        schema = or_variable(pipeline());
    } else if (path.ends_with(".task")) {
        schema = or_variable(types(path, true));
    } else if (record.tables().contains(path)) {
        schema = or_variable(own_table(path, tree));
    } else if (path.ends_with(".globals")) {
        schema = or_variable({{"type", "object"}});  // names and constants
    } else if (key.form == experiment::KeyForm::kTable) {
        schema = or_variable({{"type", "object"}, {"additionalProperties", {{"type", "string"}}}});
    }
    if (key.can_be_none) {
        schema["anyOf"].push_back({{"const", "none"}});
    }
    describe(schema, std::string(key_help(path)), {});
    return schema;
}

Json Writer::own_table(const std::string& path, const Value& tree) {
    const KeyRecord record = experiment::possible_keys(tree);
    const experiment::Key* type = record.find(path, "type");
    if (type == nullptr || type->choices.empty()) {
        std::vector<std::string> required;
        Json properties = keys_of_table(path, tree, required);
        return table_of(std::move(properties), required, scope_);
    }
    Json variants = Json::array();
    for (const std::string& name : type->choices) {
        std::vector<std::string> required;
        Json properties = keys_of_table(path, with_type(tree, path, name), required);
        Json variant = table_of(std::move(properties), required, scope_);
        fix_type(variant, {name}, "");
        variants.push_back(std::move(variant));
    }
    variants.push_back(of_variable_type());
    return {{"anyOf", std::move(variants)}};
}

Json Writer::component(const plugin::Found& found, const std::string& path) {
    std::vector<std::string> required;
    Json properties = keys_of_table(path, base_, required);
    for (const plugin::Setting& setting : found.component->settings) {
        properties[setting.name] = setting_schema(setting, scope_);
        if (setting.is_required) {
            required.push_back(setting.name);
        }
    }
    Json table = table_of(std::move(properties), required, scope_);
    const std::string& name = found.component->name;
    std::vector<std::string> names = {found.plugin->manifest.name + "/" + name};
    if (catalog_.find(name).size() == 1) {
        names.insert(names.begin(), name);
    }
    fix_type(table, names, found.component->summary);
    table["title"] =
        fmt::format("{}, a {} of {} {}", name, pipeline::kind_text(found.component->kind),
                    found.plugin->manifest.name, found.plugin->manifest.version);
    return table;
}

Json Writer::types(const std::string& path, bool is_task) {
    Json variants = Json::array();
    for (const plugin::CatalogEntry& entry : catalog_.plugins) {
        for (const plugin::Component& one : entry.manifest.components) {
            if ((one.kind == plugin::Kind::task) == is_task) {
                variants.push_back(component({&entry, &one}, path));
            }
        }
    }
    variants.push_back(of_variable_type());
    return {{"anyOf", std::move(variants)}};
}

Json Writer::pipeline() {
    std::vector<std::string> required;
    Json schema = table_of(keys_of_table("pipeline", base_, required), required, scope_);
    schema["additionalProperties"] =
        or_variable(types(std::string("pipeline.") + kAnyComponent, false));
    schema["propertyNames"] = {{"pattern", "^[a-z][a-z0-9_]*$"}};
    return schema;
}

Json Writer::write() {
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                   {"title", "An experiment of ptp"}};
    schema.update(own_table("", base_));
    Json& properties = schema["properties"];
    properties["include"] = {{"type", {"string", "array"}}, {"items", {{"type", "string"}}}};
    describe(properties["include"], std::string(key_help("include")), {});
    properties["vars"] = {{"type", "object"}};
    describe(properties["vars"], std::string(key_help("vars")), {});
    schema["definitions"]["variable"] = {{"type", "string"}, {"pattern", "\\$\\{[^}]+\\}"}};
    return schema;
}

}  // namespace

nlohmann::ordered_json experiment_schema(const plugin::Catalog& catalog, SchemaScope scope) {
    return Writer(catalog, scope).write();
}

}  // namespace ptp::reference
