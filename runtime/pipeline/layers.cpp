// Drafts the layers in lists: finds their types, resolves blocks and copies, and reads formulas.
// layer_streams.cpp connects them.
#include "pipeline/layers.hpp"

#include "base/suggest.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/settings.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"
#include "schema/range.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::SettingType;

constexpr int kMaxBlocks = 16;              // within each other
constexpr std::size_t kMaxLayers = 10'000;  // of one component, so that a slip ends soon

// The keys of a layer's table that are no settings.
constexpr std::array<std::string_view, 4> kOwnKeys = {"type", "name", "repeat", "streams"};

// The keys of a component's table; a layer has only `type` and `streams` among them.
constexpr std::array<std::string_view, 12> kComponentKeys = {PTP_RESERVED_NAMES};

bool is_layer(const Component& component) {
    return (component.kind == plugin::Kind::kModel || component.kind == plugin::Kind::kTransform) &&
           component.globals.empty() && component.statistics.empty();
}

// Returns an integer that a setting takes, in place of a formula.
std::int64_t any_integer(const plugin::Setting& setting) {
    const auto range = schema::Range::parse(setting.range);
    if (!range || !std::isfinite(range->low())) {
        return 1;
    }
    const double least =
        range->includes_low() ? std::ceil(range->low()) : std::floor(range->low()) + 1;
    return range->contains(1) ? 1 : static_cast<std::int64_t>(least);
}

class ListDrafting {
public:
    ListDrafting(Draft& draft, const DraftContext& context) : draft_(draft), context_(context) {}

    void run() {
        const Node& node = draft_.node;
        for (std::size_t i = 0; i < node.settings.size(); ++i) {
            const plugin::Setting& setting = node.component->settings[i];
            if (setting.type != SettingType::kLayers || !node.settings[i]) {
                continue;
            }
            const std::string path = schema::below(node.path, setting.name);
            const Value value = *node.settings[i];
            if (setting.list_depth == 0) {
                add_list(value, path, i, "");
                continue;
            }
            for (std::size_t k = 0; k < value.items().size(); ++k) {
                add_list(value.items()[k], fmt::format("{}[{}]", path, k), i,
                         fmt::format("{}.", k));
            }
        }
    }

private:
    // The layers that share a list, for their names.
    struct Block {
        std::string prefix;
        std::vector<std::string> names = {};
    };

    // The table of an item, and its place in the experiment.
    struct Item {
        Value table;
        std::string path;
    };

    void refuse(const Value& value, const std::string& path, Explanation message) {
        context_.problems.error(value, path, std::move(message));
    }

    Assembly& inner() {
        if (draft_.inner == nullptr) {
            draft_.inner = std::make_shared<Assembly>();
            draft_.inner->catalog = &context_.catalog;
        }
        return *draft_.inner;
    }

    void add_list(const Value& value, const std::string& path, std::size_t setting,
                  const std::string& prefix) {
        const std::size_t begin = inner().components.size();
        add_items(value, path, prefix, 0);
        draft_.node.lists.push_back(
            {.setting = setting, .begin = begin, .end = inner().components.size()});
    }

    void add_items(const Value& value, const std::string& path, const std::string& prefix,
                   int depth) {
        if (!value.is_list()) {
            refuse(value, path, {"must be a list of layers"});
            return;
        }
        if (depth > kMaxBlocks) {
            refuse(value, path, {fmt::format("lies in more than {} lists", kMaxBlocks)});
            return;
        }
        Block block{prefix};
        for (std::size_t i = 0; i < value.items().size(); ++i) {
            add_item(value.items()[i], fmt::format("{}[{}]", path, i), block, depth);
        }
    }

    void add_item(const Value& value, const std::string& path, Block& block, int depth) {
        Value table = value;
        if (value.is_string() || value.is_list()) {
            table = Value::table({{value.is_list() ? "layers" : "type", value}}).at(value.place());
        }
        const Value* const type = table.find("type");
        const Value* const layers = table.find("layers");
        if (!table.is_table()) {
            refuse(value, path,
                   {"must be the name of a layer, a table with `type`, or a list of layers"});
            return;
        }
        if (type == nullptr && layers == nullptr) {
            refuse(value, path,
                   {"has no `type`",
                    "write type = \"Linear\", for example, or layers = [...] for "
                    "a block of layers"});
            return;
        }
        const auto repeat = checked(
            table, path, {.name = "repeat", .form = schema::Form::kInteger, .range = "[1, 1000]"});
        const auto name =
            checked(table, path,
                    {.name = "name",
                     .form = schema::Form::kString,
                     .pattern = "[A-Za-z_][A-Za-z0-9_]*",
                     .expected = "a name of letters, digits and '_', a letter first"});
        const std::size_t errors_before = context_.problems.error_count();
        for (std::int64_t i = 0; i < (repeat ? repeat->as_integer() : 1); ++i) {
            const std::string own = name_of(name, repeat.has_value(), i, path, block);
            if (type != nullptr) {
                add_layer({table, path}, *type, block.prefix + own);
            } else {
                check_block(table, path);
                add_items(*layers, value.is_list() ? path : schema::below(path, "layers"),
                          block.prefix + own + ".", depth + 1);
            }
            if (context_.problems.error_count() != errors_before) {
                return;  // the copies have the same problems
            }
            if (inner().components.size() > kMaxLayers) {
                refuse(value, path, {fmt::format("makes more than {} layers", kMaxLayers)});
                return;
            }
        }
    }

    // Returns the value of a key of the item, if it is there and right.
    std::optional<Value> checked(const Value& table, const std::string& path,
                                 const schema::Key& key) {
        const Value* const value = table.find(key.name);
        return value == nullptr ? std::nullopt
                                : schema::check_value(key, *value, schema::below(path, key.name),
                                                      {context_.home, context_.problems});
    }

    // Returns the name of an item within its list: its own, or its number. Copies of a named item
    // have numbers within its name.
    std::string name_of(const std::optional<Value>& name, bool is_repeated, std::int64_t copy,
                        const std::string& path, Block& block) {
        std::string own = std::to_string(block.names.size());
        if (name) {
            own = is_repeated ? fmt::format("{}.{}", name->as_string(), copy) : name->as_string();
            if (contains(block.names, own)) {
                refuse(*name, schema::below(path, "name"),
                       {"is the name of another layer of this list"});
            }
        }
        block.names.push_back(own);
        return own;
    }

    void check_block(const Value& table, const std::string& path) {
        const std::vector<std::string> known = {"layers", "name", "repeat"};
        for (const Member& member : table.members()) {
            if (!contains(known, member.key)) {
                context_.problems.error(member.key_place, schema::below(path, member.key),
                                        "unknown key of a block" + hint(member.key, known));
            }
        }
    }

    // A layer ----------------------------------------------------------------------------------

    void add_layer(const Item& item, const Value& type, std::string name) {
        const Component* const component = find_layer(type, item.path);
        if (component == nullptr) {
            return;
        }
        experiment::ComponentEntry entry;
        entry.name = std::move(name);
        entry.place = item.table.place();
        entry.path = item.path;
        std::vector<std::pair<std::size_t, Value>> formulas;  // by their settings
        for (const Member& member : item.table.members()) {
            if (member.key == "type") {
                continue;
            }
            if (member.key == "streams") {
                entry.names.streams = renamings(member.value, item.path);
            } else if (contains(kComponentKeys, member.key)) {
                refuse_key(member, entry);
            } else if (!contains(kOwnKeys, member.key)) {
                add_setting(member, *component, entry, formulas);
            }
        }
        auto layer = draft_layer(entry, {draft_.node.plugin, component}, context_);
        if (!layer) {
            return;
        }
        for (auto& [setting, formula] : formulas) {
            take_formula(*layer, setting, std::move(formula));
        }
        for (const auto& global : layer->node.globals) {
            draft_.node.globals.insert(global);
        }
        inner().components.push_back(std::move(*layer));
    }

    const Component* find_layer(const Value& type, const std::string& path) {
        std::vector<std::string> names;
        const Component* described = nullptr;  // by such a word: "Dense"
        for (const Component& component : draft_.node.plugin->manifest.components) {
            if (!is_layer(component) || !type.is_string()) {
                continue;
            }
            if (type.as_string() == component.name) {
                return &component;
            }
            names.push_back(component.name);
            const std::string stem = folded(component.name).substr(0, component.name.size() - 2);
            const bool is_longer =  // "BatchNormalization"
                stem.size() > 5 && folded(type.as_string()).starts_with(stem);
            if (is_longer || is_meant_by(component, type.as_string()) ||
                folded(component.summary).find(folded(type.as_string())) != std::string::npos) {
                described = &component;
            }
        }
        const std::string key = schema::below(path, "type");
        if (!type.is_string()) {
            refuse(type, key, {"must be the name of a layer, a string"});
            return nullptr;
        }
        refuse(type, key, unknown_layer(type.as_string(), names, described));
        return nullptr;
    }

    std::vector<experiment::Renaming> renamings(const Value& streams, const std::string& path) {
        const auto table = schema::check_value(
            {.name = "streams", .form = schema::Form::kString, .is_map = true, .is_filled = true},
            streams, schema::below(path, "streams"), {context_.home, context_.problems});
        std::vector<experiment::Renaming> result;
        for (const Member& member : table ? table->members() : std::vector<Member>()) {
            result.push_back(
                {member.key, member.key_place, member.value.as_string(), member.value.place()});
        }
        return result;
    }

    void refuse_key(const Member& member, const experiment::ComponentEntry& entry) {
        Explanation message{"is a key of a component; a layer does not have it"};
        if (member.key == "freeze") {
            message.fix =
                fmt::format("write freeze = [\"{}\"] in {}", entry.name, draft_.node.path);
        }
        context_.problems.error(member.key_place, schema::below(entry.path, member.key),
                                std::move(message));
    }

    // Adds a setting by its whole name. A formula is checked and replaced by a number.
    void add_setting(const Member& member, const Component& component,
                     experiment::ComponentEntry& entry,
                     std::vector<std::pair<std::size_t, Value>>& formulas) {
        const std::string key = whole_name(member, component);
        if (const Value* known = entry.settings.find(key); known != nullptr) {
            // A value of the command line counts, in whichever form it is written.
            const bool is_typed = member.value.place().file() == kCommandLine;
            if (is_typed == (known->place().file() == kCommandLine)) {
                context_.problems.error(
                    member.key_place, schema::below(entry.path, member.key),
                    Explanation{fmt::format("'{}' is given twice, once by its first words", key),
                                "leave one of them out"});
            } else if (!is_typed) {
                return;
            }
        }
        const auto* const setting = find_named(component.settings, key);
        std::erase_if(formulas, [&](const auto& one) {
            return setting != nullptr &&
                   one.first == static_cast<std::size_t>(setting - component.settings.data());
        });
        Value value = member.value;
        const bool is_word =
            setting_of_word(component.settings, {key, member.key_place, value}) != nullptr;
        const bool is_familiar = !experiment::familiar_value(key, value).empty();  // check explains
        if (setting != nullptr && !is_word && !is_familiar && takes_formula(*setting) &&
            value.is_string() && is_formula(component, value, schema::below(entry.path, key))) {
            formulas.emplace_back(setting - component.settings.data(), value);
            value = Value(any_integer(*setting)).at(value.place());
        }
        entry.settings.set(key, std::move(value), member.key_place);
    }

    // Returns the setting whose name begins with these words, or the key itself.
    static std::string whole_name(const Member& member, const Component& component) {
        std::vector<std::string> meant;
        for (const plugin::Setting& setting : component.settings) {
            if (setting.name == member.key) {
                meant = {member.key};
                break;
            }
            if (setting.name.starts_with(member.key + "_")) {
                meant.push_back(setting.name);
            }
        }
        return meant.size() == 1 ? meant.front() : member.key;
    }

    // Reports a text that is not a formula over names and sizes of inputs: "inputs[-1]".
    bool is_formula(const plugin::Component& component, const Value& value,
                    const std::string& key) {
        try {
            for_each_part(parse_formula(value.as_string()), [&](const Formula& part) {
                constexpr std::array kOthers = {FormulaKind::kUnknown,  FormulaKind::kSetting,
                                                FormulaKind::kFileSize, FormulaKind::kFirst,
                                                FormulaKind::kIf,       FormulaKind::kSlice};
                const auto* const port = find_named(component.ports, part.name);
                const bool is_input =
                    port != nullptr && port->direction == plugin::Direction::kInput;
                if (contains(kOthers, part.kind) ||
                    (part.kind == FormulaKind::kPort && !is_input)) {
                    throw ExpressionError("it has names, numbers, + - * / % and min() max() only");
                }
            });
            return true;
        } catch (const ExpressionError& error) {
            refuse(value, key,
                   {fmt::format("is neither an integer nor a formula: {}", error.what())});
            return false;
        }
    }

    static void take_formula(Draft& layer, std::size_t setting, Value formula) {
        Node& node = layer.node;
        for_each_part(parse_formula(formula.as_string()), [&](const Formula& part) {
            if (part.kind == FormulaKind::kName && !is_dimension(layer, part.name)) {
                node.globals.emplace(part.name, part.name);
            }
        });
        const bool is_list = node.component->settings[setting].list_depth > 0;
        const SourceLocation place = formula.place();
        node.settings[setting] =
            is_list ? Value::list({std::move(formula)}).at(place) : std::move(formula);
    }

    Draft& draft_;
    const DraftContext& context_;
};

}  // namespace

bool takes_formula(const plugin::Setting& setting) {
    return setting.type == SettingType::kInteger &&
           (setting.list_depth == 0 || setting.takes_list_or_one);
}

void draft_layers(Draft& draft, const DraftContext& context) {
    ListDrafting(draft, context).run();
}

}  // namespace ptp::pipeline
