// Finds where a value of an experiment comes from, layer by layer.

#include "reference/explain.hpp"

#include "base/suggest.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <string_view>

namespace ptp::reference {

namespace {

using experiment::Layers;

// Returns the value that a layer has at a path, or the text with a variable above it that was
// replaced by a table.
std::optional<Origin> origin_in(const experiment::Layer& layer, const KeyPath& key) {
    KeyPath path;
    for (std::size_t length = 0; length <= key.size(); ++length) {
        const Value* value = find_value(layer.tree, path);
        if (value == nullptr) {
            return std::nullopt;
        }
        const bool is_all = length == key.size();
        const bool stands_for_table =
            value->is_string() && value->as_string().find("${") != std::string::npos;
        if (is_all || stands_for_table) {
            return Origin{is_all ? "" : path_text(path, layer.tree), *value, layer.included_at};
        }
        path.push_back(key[length]);
    }
    return std::nullopt;
}

// Returns where the key is set, the last first; nowhere if a table above it was emptied since.
std::vector<Origin> origins_of(const KeyPath& key, const Layers& layers) {
    std::vector<Origin> origins;
    const KeyPath table(key.begin(), key.end() - (key.empty() ? 0 : 1));
    for (const experiment::Layer& layer : layers | std::views::reverse) {
        if (origins.empty() && experiment::empties(layer, table)) {
            break;
        }
        if (auto origin = origin_in(layer, key)) {
            origins.push_back(std::move(*origin));
        }
    }
    return origins;
}

void names_in_text(std::string_view text, std::vector<std::string>& names) {
    for (std::size_t at = text.find("${"); at != text.npos; at = text.find("${", at + 2)) {
        const std::size_t end = text.find('}', at);
        const bool is_plain = at > 0 && text[at - 1] == '$';
        if (!is_plain && end != text.npos) {
            names.emplace_back(text.substr(at + 2, end - at - 2));
        }
    }
}

// Collects the variables that a value or its members use.
void names_in(const Value& value, std::vector<std::string>& names) {
    if (value.is_string()) {
        names_in_text(value.as_string(), names);
    }
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            names_in(item, names);
        }
    }
    if (value.is_table()) {
        for (const Member& member : value.members()) {
            names_in(member.value, names);
        }
    }
}

std::vector<VariableUse> variables_of(const std::vector<Origin>& origins, const Layers& layers) {
    std::vector<VariableUse> uses;
    std::vector<std::string> names;
    std::set<std::string> seen;
    if (!origins.empty()) {
        names_in(origins.front().value, names);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = names[i];
        if (!seen.insert(name).second) {
            continue;
        }
        uses.push_back({name, origins_of({"vars", name}, layers)});
        if (!uses.back().origins.empty()) {
            names_in(uses.back().origins.front().value, names);
        }
    }
    return uses;
}

ValueProvenance value_provenance(const KeyPath& key, const Layers& layers,
                                 const Declarations& declarations) {
    ValueProvenance provenance;
    provenance.key = path_text(key, declarations.tree);
    provenance.declared = find_declared(key, declarations);
    if (const Value* value = find_value(declarations.tree, key)) {
        provenance.value = *value;
        provenance.origins = origins_of(key, layers);
        provenance.variables = variables_of(provenance.origins, layers);
    } else if (provenance.declared) {
        provenance.value = provenance.declared->key.default_value;
    }
    return provenance;
}

void add_values(const KeyPath& table, const Layers& layers, const Declarations& declarations,
                std::vector<ValueProvenance>& values) {
    for (const std::string& name : known_keys(table, declarations)) {
        KeyPath key = table;
        key.push_back(name);
        if (is_table(key, declarations) && !is_left_out(key, declarations)) {
            add_values(key, layers, declarations, values);
        } else {
            values.push_back(value_provenance(key, layers, declarations));
        }
    }
}

// Returns the first part of a path that is neither written nor declared.
std::optional<std::string> unknown_part(const KeyPath& key, const Declarations& declarations) {
    KeyPath table;
    for (const std::string& part : key) {
        KeyPath next = table;
        next.push_back(part);
        const Value* parent = find_value(declarations.tree, table);
        if (find_value(declarations.tree, next) == nullptr && parent != nullptr &&
            parent->is_list()) {
            return fmt::format("{}: the list at {} has {} items, which count from 0",
                               path_text(next, declarations.tree), parent->place().text(),
                               parent->items().size());
        }
        if (find_value(declarations.tree, next) == nullptr && !find_declared(next, declarations)) {
            return fmt::format("{}: unknown key{}", path_text(next, declarations.tree),
                               hint(part, known_keys(table, declarations)));
        }
        table = std::move(next);
    }
    return std::nullopt;
}

ValueProvenance variable_provenance(const std::string& name, const Layers& layers) {
    const auto origins = origins_of({"vars", name}, layers);
    return {schema::below("vars", name), origins.front().value, origins,
            variables_of(origins, layers), std::nullopt};
}

// Returns the names in the order in which they are first set.
std::vector<std::string> names_of_variables(const Layers& layers) {
    std::vector<std::string> names;
    for (const experiment::Layer& layer : layers) {
        const Value* vars = layer.tree.find("vars");
        if (experiment::empties(layer, {"vars"})) {
            names.clear();
        }
        if (vars == nullptr || !vars->is_table()) {
            continue;
        }
        for (const Member& member : vars->members()) {
            if (std::ranges::find(names, member.key) == names.end()) {
                names.push_back(member.key);
            }
        }
    }
    return names;
}

// Explains variables, which are not in the merged tree.
Explanation explain_variables(const KeyPath& key, const Layers& layers) {
    const std::vector<std::string> names = names_of_variables(layers);
    if (key.size() == 1 && names.empty()) {
        return UnknownKey{"vars: the experiment sets no variables"};
    }
    if (key.size() == 1) {
        TableProvenance provenance{"vars", {}};
        for (const std::string& name : names) {
            provenance.values.push_back(variable_provenance(name, layers));
        }
        return provenance;
    }
    if (std::ranges::find(names, key[1]) == names.end()) {
        return UnknownKey{schema::below("vars", key[1]) + ": unknown variable" +
                          hint(key[1], names)};
    }
    if (key.size() > 2) {
        return UnknownKey{schema::below("vars", key[1]) +
                          ": a variable is explained as a whole, not by its parts"};
    }
    return variable_provenance(key[1], layers);
}

// Returns the last table of layers at a path; nullptr if there is none.
const Value* written_table(const KeyPath& key, const Layers& layers) {
    for (const experiment::Layer& layer : layers | std::views::reverse) {
        const Value* const value = find_value(layer.tree, key);
        if (value != nullptr && value->is_table()) {
            return value;
        }
        if (experiment::empties(layer, key)) {
            return nullptr;
        }
    }
    return nullptr;
}

// Returns whether it is a group, a use of one, or a part of these: the merged tree has only the
// components that they expand to.
bool is_of_group(const KeyPath& key, const Layers& layers) {
    if (key.size() < 2 || key.front() != "pipeline") {
        return !key.empty() && key.front() == "group";
    }
    const Value* const table = written_table({key[0], key[1]}, layers);
    return table != nullptr && table->find("use") != nullptr;
}

void add_written(const KeyPath& key, const Layers& layers, std::vector<ValueProvenance>& values) {
    std::vector<std::string> names;
    for (const experiment::Layer& layer : layers) {
        const Value* const table = find_value(layer.tree, key);
        if (experiment::empties(layer, key)) {
            names.clear();
        }
        for (std::size_t i = 0;
             table != nullptr && table->is_table() && i < table->members().size(); ++i) {
            if (std::ranges::find(names, table->members()[i].key) == names.end()) {
                names.push_back(table->members()[i].key);
            }
        }
    }
    for (const std::string& name : names) {
        KeyPath member = key;
        member.push_back(name);
        if (written_table(member, layers) != nullptr) {
            add_written(member, layers, values);
            continue;
        }
        const auto origins = origins_of(member, layers);
        values.push_back({path_text(member, layers.front().tree), origins.front().value, origins,
                          variables_of(origins, layers), std::nullopt});
    }
}

// Explains a group, or a use of one, as it is written.
Explanation explain_group(const KeyPath& key, const Layers& layers) {
    const auto origins = origins_of(key, layers);
    const std::string text = path_text(key, layers.front().tree);
    if (origins.empty()) {
        return UnknownKey{text + ": is not written"};
    }
    if (written_table(key, layers) == nullptr) {
        return ValueProvenance{text, origins.front().value, origins, variables_of(origins, layers),
                               std::nullopt};
    }
    TableProvenance provenance{text, {}};
    add_written(key, layers, provenance.values);
    return provenance;
}

}  // namespace

Explanation explain(const KeyPath& key, const Layers& layers, const Declarations& declarations) {
    if (is_of_group(key, layers)) {
        return explain_group(key, layers);
    }
    if (!key.empty() && key.front() == "vars") {
        return explain_variables(key, layers);
    }
    if (const auto why = unknown_part(key, declarations)) {
        const Guess guess = guess_key(key, declarations);
        if (guess.key) {
            return explain(*guess.key, layers, declarations);
        }
        return UnknownKey{
            guess.hint.empty()
                ? *why
                : fmt::format("{}: unknown key{}", path_text(key, declarations.tree), guess.hint)};
    }
    if (!is_table(key, declarations)) {
        return value_provenance(key, layers, declarations);
    }
    TableProvenance provenance{path_text(key, declarations.tree), {}};
    add_values(key, layers, declarations, provenance.values);
    return provenance;
}

}  // namespace ptp::reference
