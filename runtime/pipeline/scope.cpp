// The meaning of the names in a component's shapes.
#include "pipeline/derive.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/sizes.hpp"

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

    SourcedShape shape_of(const Binding& binding) {
        const plugin::Port& port = draft_.port(binding);
        SourcedShape shape;
        if (port.element == plugin::Element::kAny) {
            return shape;
        }
        const Settings settings{*draft_.node.component, draft_.node.settings};
        const auto plain = expand(parse_shape(port.shape), settings);
        const auto is_late = [&](const PlainDimension& one) {
            return one.slice != nullptr || (one.formula != nullptr && binding.stream < 0);
        };
        if (!plain || std::ranges::any_of(*plain, is_late)) {
            return shape;
        }
        shape.is_known = true;
        shape.dimensions.reserve(plain->size());
        for (const PlainDimension& one : *plain) {
            shape.dimensions.push_back(dimension_of(one));
        }
        return shape;
    }

    // With the dimensions of inputs; not known where they are not.
    SourcedShape whole_shape_of(const Derivation& of, const plugin::Port& port) {
        const Settings settings{*draft_.node.component, draft_.node.settings};
        SourcedShape shape;
        const auto plain = expand(parse_shape(port.shape), settings);
        if (!plain) {
            return shape;
        }
        for (const PlainDimension& one : *plain) {
            if (one.slice == nullptr) {
                shape.dimensions.push_back(dimension_of(one));
                continue;
            }
            const auto taken = sliced_dimensions(of, *one.slice);
            if (!taken) {
                return {};
            }
            shape.dimensions.insert(shape.dimensions.end(), taken->begin(), taken->end());
        }
        shape.is_known = true;
        return shape;
    }

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

private:
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
        sizes_.unify({{.size = std::nullopt, .symbol = symbol, .name = name}, {}}, number);
    }

    const Draft& draft_;
    std::map<std::string, int>& names_;
    std::vector<DerivedSize>& derived_;
    SizeTable& sizes_;
    std::map<std::string, int>& globals_;
};

// The values of globals whose names are in a setting: "$keys" with "$values".
void add_listed(const Draft& draft, const plugin::Global& global, Scope& scope,
                std::vector<PublishedSize>& out) {
    for (const ListedGlobal& listed : listed_globals(draft, global)) {
        if (!listed.value->is_integer() || listed.value->as_integer() < 1) {
            continue;
        }
        scope.global_symbol(listed.name);
        PlainDimension plain{.number = listed.value->as_integer(), .is_from_setting = true};
        plain.setting = std::string_view(global.value).substr(1);
        plain.index = listed.index;
        out.push_back({listed.name, scope.dimension_of(plain)});
    }
}

// The globals that a component writes, as far as they are sizes.
class Publisher {
public:
    Publisher(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
              std::map<std::string, int>& globals)
        : draft_(draft), shapes_(shapes), sizes_(sizes), scope_(draft, shapes, sizes, globals) {}

    void add(const plugin::Global& global) {
        if (global.name.starts_with('$')) {
            add_listed(draft_, global, scope_, published_);
            return;
        }
        const auto name = draft_.node.globals.find(global.name);
        const auto own = shapes_.symbols.find(global.name);
        if (global.value.empty()) {
            return;
        }
        if (name != draft_.node.globals.end()) {
            publish(global, name->second);
        } else if (!draft_.node.share.empty() && own != shapes_.symbols.end()) {
            keep(global, own->second);
        }
    }

    std::vector<PublishedSize> take() { return std::move(published_); }

private:
    void publish(const plugin::Global& global, const std::string& name) {
        const ValueExpression& value = parse_value(global.value);
        if (value.formula) {
            derive(global, scope_.global_symbol(name), *value.formula);
        } else if (auto dimension = dimension_of(value)) {
            dimension->source.text = "published by " + node_text(draft_.node);
            scope_.global_symbol(name);
            published_.push_back({name, std::move(*dimension)});
        }
    }

    // A global that an instance does not publish, because it shares a model, still is a size of its
    // streams.
    void keep(const plugin::Global& global, int symbol) {
        const ValueExpression& value = parse_value(global.value);
        if (value.formula) {
            derive(global, symbol, *value.formula);
        } else if (const auto dimension = dimension_of(value)) {
            sizes_.unify({{.size = std::nullopt, .symbol = symbol, .name = global.name}, {}},
                         *dimension);
        }
    }

    void derive(const plugin::Global& global, int symbol, const Formula& formula) {
        shapes_.derived.push_back({.symbol = symbol,
                                   .name = global.name,
                                   .is_published = draft_.node.share.empty(),
                                   .formula = &formula});
    }

    // nullopt: a list, which is not a size.
    std::optional<SourcedDimension> dimension_of(const ValueExpression& value) {
        const auto plain =
            expand(*value.dimension, Settings{*draft_.node.component, draft_.node.settings});
        return plain.size() == 1 ? std::optional(scope_.dimension_of(plain.front())) : std::nullopt;
    }

    const Draft& draft_;
    NodeShapes& shapes_;
    SizeTable& sizes_;
    Scope scope_;
    std::vector<PublishedSize> published_;
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
        const plugin::Port& port = of.draft.port(node.outputs[i]);
        const bool exists = node.outputs[i].stream >= 0 && port.element != plugin::Element::kAny;
        if (exists && !of.own.outputs[i].is_known) {
            of.own.outputs[i] = scope.whole_shape_of(of, port);
        }
    }
}

std::vector<PublishedSize> published_sizes(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
                                           std::map<std::string, int>& globals) {
    Publisher publisher(draft, shapes, sizes, globals);
    for (const plugin::Global& global : draft.node.component->globals) {
        if (global.is_written()) {
            publisher.add(global);
        }
    }
    return publisher.take();
}

}  // namespace ptp::pipeline
