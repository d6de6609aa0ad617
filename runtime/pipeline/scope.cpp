// The meaning of the names in a component's shapes, and the globals that are sizes.
#include "pipeline/derive.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
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

class Scope {
public:
    Scope(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
          std::map<std::string, int>& globals)
        : draft_(draft),
          names_(shapes.symbols),
          derived_(shapes.derived),
          sizes_(sizes),
          globals_(globals) {}

    // Returns a shape that is not known while it has dimensions of inputs, or once there is
    // `derivation`, as long as those are not known.
    SourcedShape shape_of(const Binding& binding, const Derivation* derivation = nullptr) {
        const plugin::Port& port = draft_.port(binding);
        if (port.element == plugin::Element::kAny) {
            return {};
        }
        const auto plain = expand(parse_shape(port.shape), checked_settings(draft_.node));
        const auto is_late = [&](const PlainDimension& one) {
            return (one.slice != nullptr && derivation == nullptr) ||
                   (one.formula != nullptr && binding.stream < 0);
        };
        if (!plain || std::ranges::any_of(*plain, is_late)) {
            return {};
        }
        SourcedShape shape{.is_known = true, .dimensions = {}};
        shape.dimensions.reserve(plain->size());
        for (const PlainDimension& one : *plain) {
            if (one.slice == nullptr) {
                shape.dimensions.push_back(dimension_of(one));
                continue;
            }
            const auto taken = sliced_dimensions(*derivation, *one.slice);
            if (!taken) {
                return {};
            }
            shape.dimensions.insert(shape.dimensions.end(), taken->begin(), taken->end());
        }
        return shape;
    }

    // Adds a global that the component writes, as far as it is a size.
    void publish(const plugin::Global& global, std::vector<PublishedSize>& published) {
        const auto name = draft_.node.globals.find(global.name);
        const bool is_published = name != draft_.node.globals.end();
        const auto own = names_.find(global.name);
        // A global that an instance does not publish, because it shares a model, still is a size
        // of its streams.
        const bool is_own = !draft_.node.share.empty() && own != names_.end();
        if (global.value.empty() || (!is_published && !is_own)) {
            return;
        }
        const ValueExpression& value = parse_value(global.value);
        if (value.formula) {
            const int symbol = is_published ? global_symbol(name->second) : own->second;
            derived_.push_back({.symbol = symbol,
                                .name = global.name,
                                .is_published = draft_.node.share.empty(),
                                .formula = &*value.formula});
            return;
        }
        const auto plain = expand(*value.dimension, checked_settings(draft_.node));
        if (plain.size() != 1) {
            return;  // a list, which is not a size
        }
        SourcedDimension dimension = dimension_of(plain.front());
        if (is_published) {
            dimension.source.text = "published by " + node_text(draft_.node);
            global_symbol(name->second);
            published.push_back({name->second, std::move(dimension)});
        } else {
            sizes_.unify(symbol_dimension(own->second, global.name), dimension);
        }
    }

    // Adds the values of globals whose names are in a setting: "$keys" with "$values".
    void publish_listed(const plugin::Global& global, std::vector<PublishedSize>& published) {
        for (const ListedGlobal& listed : listed_globals(draft_, global)) {
            if (!listed.value->is_integer() || listed.value->as_integer() < 1) {
                continue;
            }
            global_symbol(listed.name);
            PlainDimension plain{.number = listed.value->as_integer(), .is_from_setting = true};
            plain.setting = std::string_view(global.value).substr(1);
            plain.index = listed.index;
            published.push_back({listed.name, dimension_of(plain)});
        }
    }

private:
    SourcedDimension dimension_of(const PlainDimension& plain) {
        SourcedDimension result;
        result.dimension.size = plain.number;
        result.source.draft = &draft_;
        result.source.setting = plain.setting;
        result.source.index = plain.index;
        result.source.is_setting = plain.is_from_setting;
        if (!plain.name.empty()) {
            result.dimension.name = plain.name;
            result.dimension.symbol = symbol_of(plain.name);
        }
        if (plain.formula != nullptr) {
            result.dimension.symbol = derived_symbol(*plain.formula);
        }
        return result;
    }

    int derived_symbol(const Formula& formula) {
        const int symbol = sizes_.add(draft_.node.name + ".(" + formula.text + ")");
        derived_.push_back({.symbol = symbol, .name = formula.text, .formula = &formula});
        return symbol;
    }

    int global_symbol(const std::string& global) {
        const auto known = globals_.find(global);
        if (known != globals_.end()) {
            return known->second;
        }
        return globals_[global] = sizes_.add(global);
    }

    int symbol_of(const std::string& name) {
        const auto known = names_.find(name);
        if (known != names_.end()) {
            return known->second;
        }
        int symbol = kBatchSymbol;
        if (name != "B") {
            const auto global = draft_.node.globals.find(name);
            symbol = global != draft_.node.globals.end()
                         ? global_symbol(global->second)
                         : sizes_.add(draft_.node.name + "." + name);
            set_constant(name, symbol);
        }
        return names_[name] = symbol;
    }

    // `globals = { prediction_size = 10 }`
    void set_constant(const std::string& name, int symbol) {
        const auto constant = draft_.node.constants.find(name);
        const bool is_size = constant != draft_.node.constants.end() &&
                             constant->second.is_integer() && constant->second.as_integer() >= 1;
        if (!is_size) {
            return;
        }
        SourcedDimension number;
        number.dimension.size = constant->second.as_integer();
        number.source.draft = &draft_;
        number.source.setting = fmt::format("globals.{}", toml_key(name));
        number.source.text = fmt::format("{}.{}", draft_.node.path, number.source.setting);
        sizes_.unify(symbol_dimension(symbol, name), number);
    }

    const Draft& draft_;
    std::map<std::string, int>& names_;
    std::vector<DerivedSize>& derived_;
    SizeTable& sizes_;
    std::map<std::string, int>& globals_;
};

}  // namespace

NodeShapes shapes_of_node(const Draft& draft, SizeTable& sizes,
                          std::map<std::string, int>& globals) {
    NodeShapes shapes;
    Scope scope(draft, shapes, sizes, globals);
    shapes.inputs.reserve(draft.node.inputs.size());
    shapes.outputs.reserve(draft.node.outputs.size());
    for (const Binding& binding : draft.node.inputs) {
        shapes.inputs.push_back(scope.shape_of(binding));
    }
    for (const Binding& binding : draft.node.outputs) {
        shapes.outputs.push_back(scope.shape_of(binding));
    }
    return shapes;
}

void complete_outputs(const Derivation& of) {
    const Node& node = of.draft.node;
    Scope scope(of.draft, of.own, of.all.sizes, of.all.globals);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i].stream >= 0 && !of.own.outputs[i].is_known) {
            of.own.outputs[i] = scope.shape_of(node.outputs[i], &of);
        }
    }
}

std::vector<PublishedSize> published_sizes(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
                                           std::map<std::string, int>& globals) {
    Scope scope(draft, shapes, sizes, globals);
    std::vector<PublishedSize> published;
    for (const plugin::Global& global : draft.node.component->globals) {
        if (global.is_written() && global.name.starts_with('$')) {
            scope.publish_listed(global, published);
        } else if (global.is_written()) {
            scope.publish(global, published);
        }
    }
    return published;
}

namespace {

using plugin::Global;

// Returns whether a dimension of one of its ports has this name.
bool is_dimension(const Draft& draft, const std::string& name) {
    const Settings settings = checked_settings(draft.node);
    const auto has_it = [&](const Binding& binding) {
        const plugin::Port& port = draft.port(binding);
        if (port.element == plugin::Element::kAny) {
            return false;
        }
        const auto dimensions = expand(parse_shape(port.shape), settings);
        return dimensions &&
               std::ranges::find(*dimensions, name, &PlainDimension::name) != dimensions->end();
    };
    return std::ranges::any_of(draft.node.inputs, has_it) ||
           std::ranges::any_of(draft.node.outputs, has_it);
}

struct Reader {
    const Draft* draft = nullptr;
    std::string size;  // its own name for it
};

std::optional<Reader> reader_of_size(const Assembly& assembly, const std::string& global) {
    for (const Draft& draft : assembly.components) {
        if (!draft.is_sound) {
            continue;
        }
        for (const auto& [declared, name] : draft.node.globals) {
            if (name == global && is_dimension(draft, declared)) {
                return Reader{&draft, declared};
            }
        }
    }
    return std::nullopt;
}

void check(const Assembly& assembly, const Draft& draft, const Global& global,
           Diagnostics& problems) {
    for (const ListedGlobal& listed : listed_globals(draft, global)) {
        if (listed.value->is_integer() && listed.value->as_integer() >= 1) {
            continue;
        }
        const auto reader = reader_of_size(assembly, listed.name);
        if (!reader) {
            continue;
        }
        std::string key = fmt::format("{}.{}", draft.node.path, global.value.substr(1));
        if (listed.index) {
            key += fmt::format("[{}]", *listed.index);
        }
        problems.error(
            *listed.value, key,
            Explanation{fmt::format("must be an integer in [1, inf), because {} has the global "
                                    "'{}' as the size '{}'",
                                    node_text(reader->draft->node), listed.name, reader->size),
                        schema::advice_on_quotes(*listed.value, &Value::is_integer)});
    }
}

// Constants of the experiment that are sizes.
void check_constants(const Draft& draft, Diagnostics& problems) {
    for (const auto& [declared, value] : draft.node.constants) {
        const bool is_size = value.is_integer() && value.as_integer() >= 1;
        if (is_size || !is_dimension(draft, declared)) {
            continue;
        }
        problems.error(value, fmt::format("{}.globals.{}", draft.node.path, toml_key(declared)),
                       "must be an integer in [1, inf), because it is a size of a stream");
    }
}

}  // namespace

std::vector<ListedGlobal> listed_globals(const Draft& draft, const Global& global) {
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
        for (const Global& global : draft.node.component->globals) {
            check(assembly, draft, global, problems);
        }
    }
}

}  // namespace ptp::pipeline
