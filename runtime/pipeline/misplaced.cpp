// Finds the component that is meant by a key of another program, by the types that plugins have:
// `loss = "mse"` is MSELoss.

#include "pipeline/misplaced.hpp"

#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/fields.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// A component in another table, and its key here.
struct Misplaced {
    Member member;  // as it is written, but the item in place of a list of one
    std::string table;
    std::string key;                 // "pipeline.loss"
    bool is_one_of_several = false;  // statistics in a list
};

const Value* type_in(const Value& component) {
    const Value* type = component.is_table() ? component.find("type") : &component;
    return type != nullptr && type->is_string() ? type : nullptr;
}

void add_misplaced(const Value& root, const Value& table, const std::string& path,
                   std::vector<Misplaced>& found) {
    for (const Member& written : table.members()) {
        const std::vector<Value> items =
            written.value.is_list() ? written.value.items() : std::vector{written.value};
        Member member = written;
        member.value = items.empty() ? Value() : items.front();
        const bool may_be = !items.empty() && std::ranges::all_of(items, [](const Value& item) {
            return type_in(item) != nullptr;
        }) && !experiment::is_declared(schema::below(path, member.key));
        const auto meant =
            may_be ? experiment::familiar_key_in({.member = member,
                                                  .table = path,
                                                  .root = &root,
                                                  .familiar = &experiment::kFamiliarNames})
                   : std::nullopt;
        const bool is_found = meant && meant->keys.size() == 1 && meant->fix.empty() &&
                              meant->keys.front().starts_with("pipeline.");
        if (is_found && items.size() == 1) {
            found.push_back({std::move(member), path, meant->keys.front()});
        } else if (is_found && meant->keys.front() == "pipeline.statistics") {
            for (const Value& item : items) {
                member.value = item;
                found.push_back({member, path, meant->keys.front(), true});
            }
        }
    }
}

std::vector<Misplaced> misplaced_in(const Value& tree) {
    constexpr std::array<std::string_view, 4> kOfOthers = {"pipeline", "vars", "group", "search"};
    std::vector<Misplaced> found;
    add_misplaced(tree, tree, "", found);
    for (const Member& member : tree.members()) {
        if (member.value.is_table() && !contains(kOfOthers, member.key)) {
            add_misplaced(tree, member.value, member.key, found);
        }
    }
    return found;
}

std::optional<plugin::Kind> kind_of(const std::string& key) {
    return key.ends_with(".loss")         ? std::optional(plugin::Kind::kLoss)
           : key.ends_with(".statistics") ? std::optional(plugin::Kind::kStatistic)
           : key.ends_with(".model")      ? std::optional(plugin::Kind::kModel)
                                          : std::nullopt;
}

const plugin::Component* component_named(const plugin::Catalog& catalog, const std::string& type) {
    const std::vector<plugin::Found> found = catalog.find(type);
    return found.size() == 1 ? found.front().component : nullptr;
}

const plugin::Setting* setting_named(const plugin::Component* component, const std::string& name) {
    if (component == nullptr) {
        return nullptr;
    }
    return find_named(component->settings, name);
}

// Returns the components of the pipeline of this kind.
std::vector<const Member*> components_in(const Value& tree, const plugin::Catalog& catalog,
                                         plugin::Kind kind) {
    const Value* const pipeline = tree.find("pipeline");
    std::vector<const Member*> found;
    if (pipeline == nullptr || !pipeline->is_table()) {
        return found;
    }
    for (const Member& one : pipeline->members()) {
        const Value* const type = one.value.is_table() ? type_in(one.value) : nullptr;
        const auto* component =
            type == nullptr ? nullptr : component_named(catalog, type->as_string());
        if (component != nullptr && component->kind == kind) {
            found.push_back(&one);
        }
    }
    return found;
}

// Returns the component in whose place another one of this kind comes: the only one of its kind;
// nullptr for a statistic, which may be one of several.
const Member* replaced(const Value& tree, const plugin::Catalog& catalog, plugin::Kind kind) {
    const auto found = components_in(tree, catalog, kind);
    return kind == plugin::Kind::kStatistic || found.size() != 1 ? nullptr : found.front();
}

// Returns those members of `streams` or `globals` that the component declares.
Value declared_part(const Value& names, const std::string& table,
                    const plugin::Component* component) {
    Value part;
    for (const Member& member : names.is_table() ? names.members() : std::vector<Member>()) {
        const bool is_there =
            component == nullptr ||
            (table == "streams" ? find_named(component->ports, member.key) != nullptr
                                : find_named(component->globals, member.key) != nullptr);
        if (is_there) {
            part.set(member.key, member.value);
        }
    }
    return part;
}

// Returns the choice of a setting that the word names, "resnet18" for "resnet"; "" if none.
std::string choice_of(const plugin::Setting& setting, const std::string& word) {
    const auto named = [&](const std::string& one) { return folded(one) == folded(word); };
    const auto begins = [&](const std::string& one) {
        return folded(one).starts_with(folded(word));
    };
    auto found = std::ranges::find_if(setting.choices, named);
    found = found == setting.choices.end() ? std::ranges::find_if(setting.choices, begins) : found;
    return found == setting.choices.end() ? "" : *found;
}

// Returns the streams by which the only loss reads what a statistic compares, too.
Value streams_of_loss(const Value& tree, const plugin::Component* statistic,
                      const plugin::Catalog& catalog) {
    const auto losses = components_in(tree, catalog, plugin::Kind::kLoss);
    const Value* const streams =
        losses.size() == 1 ? losses.front()->value.find("streams") : nullptr;
    return streams == nullptr ? Value() : declared_part(*streams, "streams", statistic);
}

// Returns the table of a component of the type: with what is written of it, and with what stays of
// the component that it replaces.
Value table_of(const Misplaced& one, const std::string& type, const Member* old,
               const plugin::Catalog& catalog) {
    const plugin::Component* const component = component_named(catalog, type);
    const std::string word = type_in(one.member.value)->as_string();
    Value table;
    table.set("type", Value(type));
    for (const plugin::Setting& setting :
         component == nullptr ? std::vector<plugin::Setting>() : component->settings) {
        const std::string choice = word == type ? "" : choice_of(setting, word);
        if (!choice.empty()) {
            table.set(setting.name, Value(choice));
        }
    }
    if (old != nullptr) {
        const auto* before = component_named(catalog, type_in(old->value)->as_string());
        for (const Member& member : old->value.members()) {
            const bool stays = setting_named(before, member.key) == nullptr ||
                               setting_named(component, member.key) != nullptr;
            const bool are_names = member.key == "streams" || member.key == "globals";
            Value value =
                are_names ? declared_part(member.value, member.key, component) : member.value;
            if (stays && table.find(member.key) == nullptr &&
                !(are_names && value.members().empty())) {
                table.set(member.key, std::move(value));
            }
        }
    }
    for (const Member& member :
         one.member.value.is_table() ? one.member.value.members() : std::vector<Member>()) {
        if (member.key != "type") {
            table.set(member.key, member.value);
        }
    }
    return table;
}

// Returns whether a model needs images, or a task may have some, with these settings.
bool has_images(const Settings& settings, plugin::Direction direction) {
    constexpr std::ptrdiff_t kCommas = 3;  // [B, C, H, W]
    return std::ranges::any_of(settings.component.ports, [&](const plugin::Port& port) {
        const Value* const streams =
            port.streams_setting.empty() ? nullptr : settings.find(port.streams_setting);
        const bool has_streams =
            streams != nullptr && streams->is_list() && !streams->items().empty();
        const bool is_there = port.direction == direction &&
                              holds(parse_condition(port.when), settings) &&
                              (port.streams_setting.empty() || has_streams);
        const bool may_be = has_streams || port.shape.find("...") != std::string::npos ||
                            port.shape.find('^') != std::string::npos;
        const bool is_image = std::ranges::count(port.shape, ',') >= kCommas;
        return is_there &&
               (direction == plugin::Direction::kInput ? is_image && !may_be && !port.is_optional
                                                       : is_image || may_be);
    });
}

// Returns whether a model is for images, and the task of the training has none.
bool lacks_images(const Value& model, const Value& tree, const plugin::Catalog& catalog) {
    const Value* const task = tree.find_path("training.task");
    const Value* const type = task == nullptr ? nullptr : type_in(*task);
    const auto* const reader = type == nullptr || !task->is_table()
                                   ? nullptr
                                   : component_named(catalog, type->as_string());
    const auto* const component = component_named(catalog, type_in(model)->as_string());
    if (reader == nullptr || component == nullptr || component->kind != plugin::Kind::kModel) {
        return false;
    }
    const auto values = [](const plugin::Component& of, const Value& table) {
        return transformed<std::optional<Value>>(of.settings, [&](const plugin::Setting& setting) {
            const Value* const written = table.find(setting.name);
            return written != nullptr ? std::optional(*written)
                                      : plugin::key_of(setting).default_value;
        });
    };
    const auto of_task = values(*reader, *task);
    const auto of_model = values(*component, model);
    return has_images({*component, of_model}, plugin::Direction::kInput) &&
           !has_images({*reader, of_task}, plugin::Direction::kOutput);
}

// Returns what to do so that the component has the type.
std::string fix_of(const Misplaced& one, const std::string& type, const Value& tree,
                   const plugin::Catalog& catalog) {
    const auto kind = kind_of(one.key);
    const Member* const old = kind ? replaced(tree, catalog, *kind) : nullptr;
    const bool is_set = one.member.key_place.file() == kCommandLine;
    const std::string key = old != nullptr ? "pipeline." + old->key
                            : one.is_one_of_several
                                ? "pipeline." + folded(type_in(one.member.value)->as_string())
                                : one.key;
    Value whole = table_of(one, type, old, catalog);
    if (kind == plugin::Kind::kStatistic) {
        for (const Member* there : components_in(tree, catalog, *kind)) {
            if (type_in(there->value)->as_string() == type) {
                return fmt::format("leave it out: pipeline.{} is of the type {}", there->key, type);
            }
        }
        Value streams = streams_of_loss(tree, component_named(catalog, type), catalog);
        if (whole.find("streams") == nullptr && !streams.members().empty()) {
            whole.set("streams", std::move(streams));
        }
    }
    if (lacks_images(whole, tree, catalog)) {
        return fmt::format("leave it out: {} is for images, and training.task has none", type);
    }
    const std::string table = inline_toml(whole);
    if (is_set) {
        return schema::typed_value(one.member.key_place, key, table);
    }
    if (old != nullptr) {
        Value renamed = old->value;
        renamed.set("type", Value(type));
        return renamed == whole
                   ? fmt::format("remove it, and write type = \"{}\" at {}", type,
                                 type_in(old->value)->place().text())
                   : fmt::format(
                         "remove it, and write {} = {} in [pipeline] in place of that at {}",
                         old->key, table, old->value.place().text());
    }
    const schema::UnknownKey unknown{.member = one.member,
                                     .table = one.table,
                                     .root = &tree,
                                     .familiar = &experiment::kFamiliarNames};
    return schema::fix_of_key(unknown, key, table);
}

}  // namespace

bool has_misplaced(const Value& tree) {
    return !misplaced_in(tree).empty();
}

void report_misplaced(const Value& tree, const plugin::Catalog& catalog, Diagnostics& problems) {
    constexpr std::size_t kMaxProposed = 3;
    const std::vector<Misplaced> all = misplaced_in(tree);
    std::string fix;                 // of all in a list
    std::vector<std::string> added;  // types; one may measure several
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Misplaced& one = all[i];
        const std::string word = type_in(one.member.value)->as_string();
        std::vector<std::string> types = types_meant(catalog, word, kind_of(one.key));
        const bool is_set = one.member.key_place.file() == kCommandLine;
        if (!is_set && !one.is_one_of_several && types == std::vector{word}) {
            continue;  // the reader of the table knows where it goes
        }
        types.resize(std::min(types.size(), one.is_one_of_several ? 1 : kMaxProposed));
        for (const std::string& type : types) {
            if (one.is_one_of_several && contains(added, type)) {
                continue;
            }
            added.push_back(type);
            std::string line = fix_of(one, type, tree, catalog);
            if (one.is_one_of_several && line.starts_with("write ")) {
                line.insert(0, "remove it, and ");
            }
            fix.append(fix.empty() ? "" : kNextFix).append(line);
        }
        const bool has_more = one.is_one_of_several && i + 1 < all.size() &&
                              all[i + 1].member.key_place == one.member.key_place;
        if (!fix.empty() && !has_more) {
            problems.error(one.member.key_place, schema::below(one.table, one.member.key),
                           Explanation{"unknown key", std::exchange(fix, "")});
            added.clear();
        }
    }
}

}  // namespace ptp::pipeline
