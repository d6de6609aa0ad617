// The meaning of the names in a component's shapes, and the globals that are sizes.

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

bool is_size(const Value& value) {
    return value.is_integer() && value.as_integer() >= 1;
}

class Scope {
public:
    explicit Scope(const Solving& of)
        : of_(of), node_(of.draft.node), table_(of.sizes.table), globals_(of.sizes.globals) {}

    // Sets the shape of a port, unless dimensions of inputs in it are not known yet.
    void name(Binding& binding) {
        const Shape plain =
            shape_of_stream(node_.port(binding), checked_settings(node_), place_of(binding));
        if (!plain) {
            return;
        }
        std::vector<std::vector<Dimension>> slices;
        for (const PlainDimension& one : *plain) {
            if (one.formula != nullptr && binding.stream < 0) {
                return;
            }
            if (one.slice != nullptr) {
                auto taken = sliced_dimensions(of_, *one.slice, binding);
                if (!taken) {
                    return;
                }
                slices.push_back(std::move(*taken));
            }
        }
        binding.has_shape = true;
        auto slice = slices.begin();
        for (const PlainDimension& one : *plain) {
            if (one.slice != nullptr) {
                binding.shape.insert(binding.shape.end(), slice->begin(), slice->end());
                ++slice;
            } else {
                binding.shape.push_back(dimension_of(one));
            }
        }
    }

    // Adds the globals in the formulas of a layer's settings.
    void add_globals() {
        for (const auto& [declared, name] : node_.globals) {
            if (!node_.owner.empty()) {
                global_symbol(name);
            }
        }
    }

    // Adds a global that the component writes, as far as it is a size.
    void publish(const plugin::Global& global, std::vector<PublishedSize>& published) {
        const auto name = node_.globals.find(global.name);
        const bool is_published = name != node_.globals.end();
        const auto own = node_.symbols.find(global.name);
        // A global that an instance does not publish, because it shares another, still is a size
        // of its streams.
        const bool is_own = of_.draft.is_shared && own != node_.symbols.end();
        if (global.value.empty() || (!is_published && !is_own)) {
            return;
        }
        const auto plain = expand(parse_value(global.value), checked_settings(node_));
        if (plain.size() != 1) {
            return;  // a list, which is not a size
        }
        if (plain.front().formula != nullptr) {
            const int symbol = is_published ? global_symbol(name->second) : own->second;
            node_.derived.push_back({.symbol = symbol,
                                     .name = global.name,
                                     .formula = plain.front().formula->text,
                                     .is_published = is_published});
        } else if (is_published) {
            global_symbol(name->second);
            published.push_back(
                {name->second, dimension_of(plain.front(), "published by " + node_text(node_))});
        } else {
            table_.unify(symbol_dimension(own->second), dimension_of(plain.front()));
        }
    }

    // Adds the values of globals whose names are in a setting: "$keys" with "$values".
    void publish_listed(const plugin::Global& global, std::vector<PublishedSize>& published) {
        for (const ListedGlobal& listed : listed_globals(of_.draft, global)) {
            if (!is_size(*listed.value)) {
                continue;
            }
            global_symbol(listed.name);
            published.push_back(
                {listed.name, dimension_of({.number = listed.value->as_integer(),
                                            .is_from_setting = true,
                                            .setting = std::string_view(global.value).substr(1),
                                            .index = listed.index})});
        }
    }

private:
    // Returns the place of a stream among those of its port.
    std::size_t place_of(const Binding& binding) const {
        std::size_t place = 0;
        for (const auto* bindings : {&node_.inputs, &node_.outputs}) {
            for (const Binding& other : *bindings) {
                if (&other == &binding) {
                    return place;
                }
                place += other.port == binding.port ? 1 : 0;
            }
        }
        return place;
    }

    // `source` is what a number comes from, if it is not the setting.
    Dimension dimension_of(const PlainDimension& plain, std::string source = "") {
        if (plain.formula != nullptr) {
            const std::string& text = plain.formula->text;
            const int symbol = table_.add(node_.name + ".(" + text + ")");
            node_.derived.push_back({.symbol = symbol, .name = text, .formula = text});
            return symbol_dimension(symbol);
        }
        if (!plain.name.empty()) {
            return symbol_dimension(symbol_of(plain.name), plain.name);
        }
        if (!plain.number || (plain.setting.empty() && source.empty())) {
            return {.size = plain.number};
        }
        return table_.number(*plain.number, {.text = std::move(source),
                                             .draft = &of_.draft,
                                             .setting = std::string(plain.setting),
                                             .index = plain.index,
                                             .is_setting = plain.is_from_setting});
    }

    int global_symbol(const std::string& global) {
        const auto known = globals_.find(global);
        return known != globals_.end() ? known->second : globals_[global] = table_.add(global);
    }

    int symbol_of(const std::string& name) {
        if (const auto known = node_.symbols.find(name); known != node_.symbols.end()) {
            return known->second;
        }
        int symbol = kBatchSymbol;
        if (name != "B") {
            const auto global = node_.globals.find(name);
            symbol = global != node_.globals.end() ? global_symbol(global->second)
                                                   : table_.add(node_.name + "." + name);
            set_constant(name, symbol);
        }
        return node_.symbols[name] = symbol;
    }

    // `globals = { prediction_size = 10 }`
    void set_constant(const std::string& name, int symbol) {
        const auto constant = node_.constants.find(name);
        if (constant == node_.constants.end() || !is_size(constant->second)) {
            return;
        }
        const std::string setting = fmt::format("globals.{}", toml_key(name));
        table_.unify(symbol_dimension(symbol),
                     table_.number(constant->second.as_integer(),
                                   {.text = fmt::format("{}.{}", node_.path, setting),
                                    .draft = &of_.draft,
                                    .setting = setting}));
    }

    const Solving& of_;
    Node& node_;
    SizeTable& table_;
    std::map<std::string, int>& globals_;
};

}  // namespace

void name_shapes(const Solving& of) {
    Scope scope(of);
    scope.add_globals();
    for (auto* bindings : {&of.draft.node.inputs, &of.draft.node.outputs}) {
        for (Binding& binding : *bindings) {
            if (!binding.has_shape) {
                scope.name(binding);
            }
        }
    }
}

std::vector<PublishedSize> published_sizes(const Solving& of) {
    Scope scope(of);
    std::vector<PublishedSize> published;
    for (const plugin::Global& global : of.draft.node.component->globals) {
        if (global.is_written() && global.name.starts_with('$')) {
            scope.publish_listed(global, published);
        } else if (global.is_written()) {
            scope.publish(global, published);
        }
    }
    return published;
}

namespace {

void check_listed_sizes(const Assembly& assembly, const Draft& draft, const plugin::Global& global,
                        Diagnostics& problems) {
    for (const ListedGlobal& listed : listed_globals(draft, global)) {
        if (is_size(*listed.value)) {
            continue;
        }
        std::string key = fmt::format("{}.{}", draft.node.path, global.value.substr(1));
        if (listed.index) {
            key += fmt::format("[{}]", *listed.index);
        }
        for (const Draft& reader : assembly.components) {
            const auto used = std::ranges::find_if(reader.node.globals, [&](const auto& names) {
                return names.second == listed.name && is_dimension(reader, names.first);
            });
            if (!reader.is_sound || used == reader.node.globals.end()) {
                continue;
            }
            problems.error(
                *listed.value, key,
                Explanation{fmt::format("must be an integer in [1, inf), because {} has the global "
                                        "'{}' as the size '{}'",
                                        node_text(reader.node), listed.name, used->first),
                            schema::advice_on_quotes(*listed.value, &Value::is_integer)});
            break;
        }
    }
}

// Constants of the experiment that are sizes.
void check_constants(const Draft& draft, Diagnostics& problems) {
    for (const auto& [declared, value] : draft.node.constants) {
        if (!is_size(value) && is_dimension(draft, declared)) {
            problems.error(value, fmt::format("{}.globals.{}", draft.node.path, toml_key(declared)),
                           "must be an integer in [1, inf), because it is a size of a stream");
        }
    }
}

}  // namespace

bool is_dimension(const Draft& draft, const std::string& name) {
    const Settings settings = checked_settings(draft.node);
    const auto has_it = [&](const Binding& binding) {
        const Shape shape = shape_of(draft.port(binding), settings);
        return shape && find_named(*shape, name) != nullptr;
    };
    return std::ranges::any_of(draft.node.inputs, has_it) ||
           std::ranges::any_of(draft.node.outputs, has_it);
}

std::vector<ListedGlobal> listed_globals(const Draft& draft, const plugin::Global& global) {
    std::vector<ListedGlobal> result;
    const Settings settings = checked_settings(draft.node);
    const bool has_both = global.name.starts_with('$') && global.value.starts_with('$');
    const Value* keys = has_both ? settings.find(global.name.substr(1)) : nullptr;
    const Value* values = has_both ? settings.find(global.value.substr(1)) : nullptr;
    if (keys == nullptr || values == nullptr) {
        return result;
    }
    const bool is_list = values->is_list();
    const std::size_t count = is_list ? values->items().size() : 1;
    if (count != keys->items().size()) {
        return result;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = draft.node.globals.find(keys->items()[i].as_string());
        if (name == draft.node.globals.end() ||
            std::ranges::find(result, name->second, &ListedGlobal::name) != result.end()) {
            continue;
        }
        result.push_back({name->second, is_list ? &values->items()[i] : values,
                          is_list ? std::optional(i) : std::nullopt});
    }
    return result;
}

void check_global_sizes(const Assembly& assembly, Diagnostics& problems) {
    for (const Draft& draft : assembly.components) {
        if (!draft.is_sound) {
            continue;
        }
        check_constants(draft, problems);
        for (const plugin::Global& global : draft.node.component->globals) {
            check_listed_sizes(assembly, draft, global, problems);
        }
    }
}

}  // namespace ptp::pipeline
