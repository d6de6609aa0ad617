#include "pipeline/scope.hpp"

#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

namespace ptp::pipeline {

namespace {

class Scope {
public:
    Scope(const Draft& draft, std::map<std::string, int>& names, SizeTable& sizes,
          std::map<std::string, int>& globals)
        : draft_(draft), names_(names), sizes_(sizes), globals_(globals) {}

    SourcedShape shape_of(const plugin::Port& port) {
        SourcedShape shape;
        if (port.element == plugin::Element::any)
            return shape;
        const Settings settings{*draft_.node.component, draft_.node.settings};
        const auto plain = expand(parse_shape(port.shape), settings);
        if (!plain)
            return shape;
        shape.is_known = true;
        for (const PlainDimension& one : *plain)
            shape.dimensions.push_back(dimension_of(one));
        return shape;
    }

    SourcedDimension dimension_of(const PlainDimension& plain) {
        SourcedDimension result;
        result.dimension.size = plain.number;
        result.source.draft = &draft_;
        result.source.setting = plain.setting;
        result.source.index = plain.index;
        if (plain.is_from_setting) {
            result.source.text = fmt::format("{}.{}", draft_.node.path, plain.setting);
            if (plain.index)
                result.source.text += fmt::format("[{}]", *plain.index);
        }
        if (!plain.name.empty()) {
            result.dimension.name = plain.name;
            result.dimension.symbol = symbol_of(plain.name);
        }
        return result;
    }

    int global_symbol(const std::string& global) {
        const auto known = globals_.find(global);
        if (known != globals_.end())
            return known->second;
        return globals_[global] = sizes_.add(global);
    }

private:
    int symbol_of(const std::string& name) {
        const auto known = names_.find(name);
        if (known != names_.end())
            return known->second;
        int symbol = kBatchSymbol;
        if (name != "B") {
            const auto global = draft_.node.globals.find(name);
            symbol = global != draft_.node.globals.end()
                         ? global_symbol(global->second)
                         : sizes_.add(fmt::format("{}.{}", draft_.node.name, name));
        }
        return names_[name] = symbol;
    }

    const Draft& draft_;
    std::map<std::string, int>& names_;
    SizeTable& sizes_;
    std::map<std::string, int>& globals_;
};

// The values of globals of which a setting gives the names: "$keys" with "$values".
void add_listed(const Draft& draft, const plugin::Global& global, Scope& scope,
                std::vector<PublishedSize>& out) {
    for (const ListedGlobal& listed : listed_globals(draft, global)) {
        if (!listed.value->is_integer())
            continue;
        scope.global_symbol(listed.name);
        PlainDimension plain{.number = listed.value->as_integer(), .is_from_setting = true};
        plain.setting = global.value.substr(1);
        plain.index = listed.index;
        out.push_back({listed.name, scope.dimension_of(plain)});
    }
}

}  // namespace

NodeShapes shapes_of_node(const Draft& draft, SizeTable& sizes,
                          std::map<std::string, int>& globals) {
    NodeShapes shapes;
    Scope scope(draft, shapes.symbols, sizes, globals);
    for (const Binding& binding : draft.node.inputs) {
        shapes.inputs.push_back(scope.shape_of(draft.port(binding)));
    }
    for (const Binding& binding : draft.node.outputs) {
        shapes.outputs.push_back(scope.shape_of(draft.port(binding)));
    }
    return shapes;
}

std::vector<PublishedSize> published_sizes(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
                                           std::map<std::string, int>& globals) {
    std::vector<PublishedSize> result;
    Scope scope(draft, shapes.symbols, sizes, globals);
    const Settings settings{*draft.node.component, draft.node.settings};
    for (const plugin::Global& global : draft.node.component->globals) {
        if (global.access != plugin::GlobalAccess::write)
            continue;
        if (global.name.starts_with('$')) {
            add_listed(draft, global, scope, result);
            continue;
        }
        const auto name = draft.node.globals.find(global.name);
        if (name == draft.node.globals.end() || global.value.empty())
            continue;
        const auto plain = expand(parse_dimension(global.value), settings);
        if (plain.size() != 1)
            continue;  // a list is no size
        SourcedDimension dimension = scope.dimension_of(plain.front());
        dimension.source.text = "published by " + node_text(draft.node);
        scope.global_symbol(name->second);
        result.push_back({name->second, std::move(dimension)});
    }
    return result;
}

}  // namespace ptp::pipeline
