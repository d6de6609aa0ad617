// Finds the settings that a short key of --set may mean, by those that the components declare.

#include "pipeline/misplaced.hpp"

#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

using KeyNames = std::vector<std::string>;

// A key of --set, from its first part to the one with a value.
struct ShortKey {
    const Member& first;
    KeyNames parts;
    const Value& value;
};

// Returns the members of the tree that --set alone has, and that no experiment may have.
std::vector<ShortKey> short_keys(const Value& tree) {
    std::vector<ShortKey> found;
    for (const Member& member : tree.members()) {
        const bool may_be = member.key_place.file() == kCommandLine &&
                            !experiment::is_declared(member.key) &&
                            (member.value.is_table() || !experiment::familiar_key(member.key));
        KeyNames parts = {member.key};
        const Value* value = &member.value;
        while (may_be && value->is_table() && value->members().size() == 1) {
            parts.push_back(value->members().front().key);
            value = &value->members().front().value;
        }
        if (may_be && !value->is_table()) {
            found.push_back({member, std::move(parts), *value});
        }
    }
    return found;
}

// Returns whether a setting has all words of a short name, as dropout_rate has "dropout".
bool has_words_of(std::string_view setting, const std::string& name) {
    return ("_" + std::string(setting) + "_").find("_" + folded(name) + "_") != std::string::npos;
}

// Collects the settings that a table of a component or a task may have, by their whole keys.
class DeclaredSettings {
public:
    DeclaredSettings(const Value& tree, const plugin::Catalog& catalog) : catalog_(catalog) {
        for (const Member& member : tree.members()) {
            const Value* const task = member.value.is_table() ? member.value.find("task") : nullptr;
            if (task != nullptr) {
                add(schema::below(member.key, "task"), *task);
            }
        }
        const Value* const pipeline = tree.find("pipeline");
        for (const Member& member : pipeline != nullptr && pipeline->is_table()
                                        ? pipeline->members()
                                        : std::vector<Member>()) {
            add(schema::below("pipeline", member.key), member.value);
        }
    }

    // Returns those whose names fit: equal ones, else those that mean the same or have its words;
    // of components that the key names, those alone.
    [[nodiscard]] KeyNames meant_by(const KeyNames& parts) const {
        const std::string& name = parts.back();
        const KeyNames others = experiment::familiar_settings(name);
        KeyNames found = where([&](const std::string& one) { return one == name; });
        if (found.empty()) {
            found = where([&](const std::string& one) {
                return contains(others, one) || has_words_of(one, name);
            });
        }
        KeyNames named;
        std::ranges::copy_if(found, std::back_inserter(named), [&](const std::string& key) {
            return parts.size() > 1 &&
                   key.find("." + parts[parts.size() - 2] + ".") != std::string::npos;
        });
        return named.empty() ? found : named;
    }

private:
    struct Declared {
        std::string table;
        const plugin::Component* component;
    };

    void add(const std::string& table, const Value& written) {
        const Value* const type = written.is_table() ? written.find("type") : nullptr;
        const auto found = type != nullptr && type->is_string() ? catalog_.find(type->as_string())
                                                                : std::vector<plugin::Found>();
        if (found.size() == 1) {
            declared_.push_back({table, found.front().component});
        }
    }

    template <class Fits>
    [[nodiscard]] KeyNames where(const Fits& fits) const {
        KeyNames keys;
        for (const Declared& one : declared_) {
            for (const plugin::Setting& setting : one.component->settings) {
                if (fits(setting.name)) {
                    keys.push_back(schema::below(one.table, setting.name));
                }
            }
        }
        return keys;
    }

    const plugin::Catalog& catalog_;
    std::vector<Declared> declared_;
};

}  // namespace

bool has_short_keys(const Value& tree) {
    return !short_keys(tree).empty();
}

void report_short_keys(const Value& tree, const plugin::Catalog& catalog, Diagnostics& problems) {
    constexpr std::size_t kMaxNamed = 8;
    const DeclaredSettings settings(tree, catalog);
    for (const ShortKey& one : short_keys(tree)) {
        const KeyNames keys = settings.meant_by(one.parts);
        if (keys.empty() || keys.size() > kMaxNamed) {
            continue;
        }
        const SourceLocation& place = one.first.key_place;
        const std::string value = inline_toml(one.value);
        problems.error(place, one.first.key,
                       Explanation{"unknown key; did you mean " +
                                       joined(transformed(keys,
                                                          [](const std::string& key) {
                                                              return fmt::format("'{}'", key);
                                                          }),
                                              "or") +
                                       "?",
                                   join(transformed(keys,
                                                    [&](const std::string& key) {
                                                        return schema::typed_value(place, key,
                                                                                   value);
                                                    }),
                                        kNextFix)});
    }
}

}  // namespace ptp::pipeline
