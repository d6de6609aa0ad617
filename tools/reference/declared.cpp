// Finds the declaration of a key, and guesses the key that a wrong one means.

#include "reference/declared.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"
#include "pipeline/settings.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <utility>

namespace ptp::reference {

namespace {

using schema::Key;
using Parts = std::span<const std::string>;

std::optional<std::size_t> index_of(const std::string& part) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_number = error == std::errc() && end == part.data() + part.size();
    return is_number ? std::optional(index) : std::nullopt;
}

std::string dotted(Parts parts) {
    std::string text;
    for (const std::string& part : parts) {
        text = schema::below(text, part);
    }
    return text;
}

// Returns the number of parts that lead to the table of a component or a task; 0 for other paths.
std::size_t owner_length(Parts key) {
    const bool is_component = key.size() >= 2 && key[0] == "pipeline";
    const bool is_task = key.size() >= 2 && key[1] == "task";
    const bool is_named =
        key.size() >= 3 && key[2] == "task" && (key[0] == "validation" || key[0] == "process");
    return is_component || is_task ? 2 : is_named ? 3 : 0;
}

// A component or task, and the path below its table.
struct Owner {
    plugin::Found found;
    Parts rest;
};

std::optional<Owner> owner_of(const KeyPath& key, const Declarations& declarations) {
    const std::size_t length = owner_length(key);
    if (length == 0) {
        return std::nullopt;
    }
    const KeyPath table(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(length));
    const Value* component = find_value(declarations.tree, table);
    const Value* type = component == nullptr ? nullptr : component->find("type");
    if (type == nullptr || !type->is_string()) {
        return std::nullopt;
    }
    const auto found = declarations.catalog.find(type->as_string());
    return found.size() == 1 ? std::optional(Owner{found.front(), Parts(key).subspan(length)})
                             : std::nullopt;
}

// Returns a key below a component's table, or a member of one, with its default there.
std::optional<Key> find_key(const std::vector<Key>& keys, Parts path) {
    const auto found = std::ranges::find(keys, path.front(), &Key::name);
    if (found == keys.end()) {
        return std::nullopt;
    }
    Key key = *found;
    path = path.subspan(1);
    for (; key.list_depth > 0 && !path.empty() && index_of(path.front()); path = path.subspan(1)) {
        key.default_value.reset();  // that of an item
    }
    if (path.empty()) {
        return key;
    }
    for (Key& member : key.members) {
        const Value* inherited = key.default_value ? key.default_value->find(member.name) : nullptr;
        if (inherited != nullptr) {
            member.default_value = *inherited;
        }
    }
    return find_key(key.members, path);
}

std::optional<Declared> find_plugin_setting(const KeyPath& key, const Declarations& declarations) {
    const auto owner = owner_of(key, declarations);
    if (!owner || owner->rest.empty()) {
        return std::nullopt;
    }
    const plugin::Component& component = *owner->found.component;
    const plugin::Manifest& manifest = owner->found.plugin->manifest;
    auto found = find_key(pipeline::keys_of(component.settings), owner->rest);
    return found ? std::optional(Declared{
                       fmt::format("{} ({} {})", component.name, manifest.name, manifest.version),
                       std::move(*found)})
                 : std::nullopt;
}

std::vector<Key> settings_below(const KeyPath& table, const Declarations& declarations) {
    const auto owner = owner_of(table, declarations);
    if (!owner) {
        return {};
    }
    std::vector<Key> keys = pipeline::keys_of(owner->found.component->settings);
    if (owner->rest.empty()) {
        return keys;
    }
    const auto found = find_key(keys, owner->rest);
    return found ? found->members : std::vector<Key>();
}

}  // namespace

const Value* find_value(const Value& tree, const KeyPath& key) {
    const Value* value = &tree;
    for (const std::string& part : key) {
        if (value->is_list()) {
            const auto index = index_of(part);
            const bool is_item = index && *index < value->items().size();
            value = is_item ? &value->items()[*index] : nullptr;
        } else {
            value = value->find(part);
        }
        if (value == nullptr) {
            return nullptr;
        }
    }
    return value;
}

std::optional<Declared> find_declared(const KeyPath& key, const Declarations& declarations) {
    if (key.empty()) {
        return std::nullopt;
    }
    const std::string table = dotted(Parts(key).first(key.size() - 1));
    if (const Key* own = declarations.keys.find(table, key.back())) {
        return Declared{"ptp", *own};
    }
    return find_plugin_setting(key, declarations);
}

std::vector<std::string> known_keys(const KeyPath& table, const Declarations& declarations) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    const auto add = [&](const std::string& name) {
        if (seen.insert(name).second) {
            names.push_back(name);
        }
    };
    const auto& tables = declarations.keys.tables();
    if (const auto keys = tables.find(dotted(table)); keys != tables.end()) {
        for (const Key& key : keys->second.keys) {
            add(key.name);
        }
    }
    for (const Key& key : settings_below(table, declarations)) {
        add(key.name);
    }
    const Value* written = find_value(declarations.tree, table);
    if (written != nullptr && written->is_table()) {
        for (const Member& member : written->members()) {
            add(member.key);
        }
    }
    return names;
}

bool is_table(const KeyPath& key, const Declarations& declarations) {
    if (const Value* value = find_value(declarations.tree, key)) {
        return value->is_table();
    }
    const auto declared = find_declared(key, declarations);
    const bool may_be_value = declared && !declared->key.or_else.empty();
    return !may_be_value && !known_keys(key, declarations).empty();
}

bool is_left_out(const KeyPath& table, const Declarations& declarations) {
    if (find_value(declarations.tree, table) != nullptr) {
        return false;
    }
    return std::ranges::any_of(known_keys(table, declarations), [&](const std::string& name) {
        KeyPath key = table;
        key.push_back(name);
        const auto declared = find_declared(key, declarations);
        return declared && declared->key.is_required;
    });
}

std::string path_text(const KeyPath& key, const Value& tree) {
    std::string text;
    KeyPath parent;
    for (const std::string& part : key) {
        const Value* value = find_value(tree, parent);
        const bool is_item = value != nullptr && value->is_list();
        text = is_item ? fmt::format("{}[{}]", text, part) : schema::below(text, part);
        parent.push_back(part);
    }
    return text;
}

namespace {

constexpr std::size_t kMaxNamed = 5;

// Adds all keys that exist, written or not.
void add_keys(const KeyPath& table, const Declarations& declarations, std::vector<KeyPath>& keys) {
    for (const std::string& name : known_keys(table, declarations)) {
        KeyPath key = table;
        key.push_back(name);
        keys.push_back(key);
        if (is_table(key, declarations) && !is_left_out(key, declarations)) {
            add_keys(key, declarations, keys);
        }
    }
}

bool ends_with(const KeyPath& key, const KeyPath& end) {
    return key.size() >= end.size() && std::equal(end.rbegin(), end.rend(), key.rbegin());
}

std::vector<std::string> texts_of(const std::vector<KeyPath>& keys,
                                  const Declarations& declarations) {
    return transformed(keys, [&](const KeyPath& key) { return path_text(key, declarations.tree); });
}

std::string ending_text(std::vector<KeyPath> keys, const Declarations& declarations) {
    const std::size_t count = keys.size();
    keys.resize(std::min(count, kMaxNamed));
    const std::string more =
        count > keys.size() ? fmt::format(" and {} more", count - keys.size()) : "";
    return fmt::format("; keys that end with it: {}{}", join(texts_of(keys, declarations), ", "),
                       more);
}

// Compares the last parts of keys; names the whole keys.
std::string near_text(const std::string& name, const std::vector<KeyPath>& keys,
                      const Declarations& declarations) {
    const std::vector<std::string> last_parts =
        transformed(keys, [](const KeyPath& key) { return key.back(); });
    std::vector<std::string> wanted;
    if (const auto nearest = ptp::nearest(name, last_parts)) {
        wanted.push_back(*nearest);
    }
    const bool is_near = !wanted.empty();
    if (!is_near) {
        wanted = most_alike(name, last_parts, kMaxNamed);
    }
    std::vector<KeyPath> meant;
    for (const KeyPath& key : keys) {
        if (contains(wanted, key.back())) {
            meant.push_back(key);
        }
    }
    meant.resize(std::min(meant.size(), kMaxNamed));
    std::vector<std::string> texts = texts_of(meant, declarations);
    if (texts.empty()) {
        return "";
    }
    for (std::string& text : texts) {
        text = fmt::format("'{}'", text);
    }
    return fmt::format("; did you mean {}?", joined(texts, "or"));
}

}  // namespace

Guess guess_key(const KeyPath& key, const Declarations& declarations) {
    std::vector<KeyPath> keys;
    add_keys({}, declarations, keys);
    std::vector<KeyPath> meant;
    std::ranges::copy_if(keys, std::back_inserter(meant),
                         [&](const KeyPath& one) { return ends_with(one, key); });
    if (meant.size() == 1) {
        return {meant.front(), ""};
    }
    if (key.size() == 1) {
        const auto familiar = experiment::familiar_key(key.front());
        const auto path = familiar ? experiment::read_key_path(*familiar) : std::nullopt;
        if (path && contains(keys, *path)) {
            return {*path, ""};
        }
    }
    if (!meant.empty()) {
        return {std::nullopt, ending_text(meant, declarations)};
    }
    // Gives no hint for a longer path: one of its parts is wrong, and the keys beside that one are
    // a better hint.
    if (key.size() > 1) {
        return {};
    }
    std::vector<std::string> first_parts;
    for (const KeyPath& one : keys) {
        if (one.size() == 1) {
            first_parts.push_back(one.front());
        }
    }
    if (nearest(key.front(), first_parts)) {
        return {};
    }
    return {std::nullopt, near_text(key.front(), keys, declarations)};
}

}  // namespace ptp::reference
