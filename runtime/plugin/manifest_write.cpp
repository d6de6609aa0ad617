// The writing half of manifest_json.hpp.
#include "plugin/enum_names.hpp"
#include "plugin/manifest_json.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ptp::plugin {

namespace {

using Json = nlohmann::ordered_json;

void add_text(Json& out, const char* key, const std::string& value) {
    if (!value.empty()) {
        out[key] = value;
    }
}

void add_flag(Json& out, const char* key, bool value) {
    if (value) {
        out[key] = true;
    }
}

template <class Item, class Write>
void add_list(Json& out, const char* key, const std::vector<Item>& items, Write write) {
    if (items.empty()) {
        return;
    }
    Json& list = out[key] = Json::array();
    for (const Item& item : items) {
        list.push_back(write(item));
    }
}

Json write_setting(const Setting& setting) {
    Json out;
    out["name"] = setting.name;
    out["type"] = to_string(setting.type);
    if (setting.list_depth != 0) {
        out["list_depth"] = setting.list_depth;
    }
    add_flag(out, "required", setting.is_required);
    add_flag(out, "list_or_one", setting.takes_list_or_one);
    add_flag(out, "output_file", setting.is_output_file);
    add_flag(out, "unlabeled", setting.takes_unlabeled);
    if (setting.default_value) {
        out["default_value"] = *setting.default_value;
    }
    add_text(out, "range", setting.range);
    add_text(out, "length", setting.length);
    add_list(out, "choices", setting.choices, [](const std::string& s) { return Json(s); });
    add_list(out, "members", setting.members, write_setting);
    add_text(out, "help", setting.help);
    add_text(out, "obtain", setting.obtain);
    return out;
}

Json write_port(const Port& port) {
    Json out;
    out["direction"] = to_string(port.direction);
    out["name"] = port.name;
    out["element"] = to_string(port.element);
    add_text(out, "shape", port.shape);
    add_flag(out, "optional", port.is_optional);
    add_flag(out, "loss", port.is_loss);
    add_flag(out, "reshaped", port.is_reshaped);
    add_text(out, "when", port.when);
    add_text(out, "streams_setting", port.streams_setting);
    add_text(out, "help", port.help);
    return out;
}

Json write_global(const Global& global) {
    Json out;
    out["access"] = to_string(global.access);
    out["name"] = global.name;
    add_text(out, "value", global.value);
    add_text(out, "when", global.when);
    add_text(out, "help", global.help);
    return out;
}

Json write_statistic(const Statistic& statistic) {
    Json out;
    out["name"] = statistic.name;
    out["aggregation"] = to_string(statistic.aggregation);
    out["decimals"] = statistic.decimals;
    add_text(out, "weight", statistic.weight);
    add_flag(out, "hidden", statistic.is_hidden);
    add_flag(out, "integer", statistic.is_integer);
    add_flag(out, "spread", statistic.has_spread);
    add_flag(out, "set_only", statistic.is_set_only);
    add_text(out, "when", statistic.when);
    add_text(out, "help", statistic.help);
    return out;
}

Json write_requirement(const Requirement& requirement) {
    Json out;
    out["relation"] = requirement.relation;
    out["message"] = requirement.message;
    add_text(out, "when", requirement.when);
    return out;
}

Json write_build(const Build& build) {
    Json out;
    add_text(out, "libtorch", build.libtorch);
    add_text(out, "standard_library", build.standard_library);
    add_text(out, "sanitizer", build.sanitizer);
    add_text(out, "compiler", build.compiler);
    return out;
}

}  // namespace

Json to_json(const Component& component) {
    Json out;
    out["name"] = component.name;
    out["kind"] = to_string(component.kind);
    add_text(out, "summary", component.summary);
    add_text(out, "description", component.description);
    add_list(out, "settings", component.settings, write_setting);
    add_list(out, "ports", component.ports, write_port);
    add_list(out, "globals", component.globals, write_global);
    add_list(out, "statistics", component.statistics, write_statistic);
    add_list(out, "requirements", component.requirements, write_requirement);
    add_text(out, "sample_count", component.sample_count);
    if (component.abilities) {
        out["abilities"] = *component.abilities;
    }
    return out;
}

Json to_json(const Manifest& manifest) {
    Json out;
    out["abi_major"] = manifest.abi_major;
    out["abi_minor"] = manifest.abi_minor;
    out["name"] = manifest.name;
    out["version"] = manifest.version;
    add_text(out, "license", manifest.license);
    add_text(out, "author", manifest.author);
    add_text(out, "homepage", manifest.homepage);
    out["build"] = write_build(manifest.build);
    add_list(out, "components", manifest.components,
             [](const Component& component) { return to_json(component); });
    return out;
}

}  // namespace ptp::plugin
