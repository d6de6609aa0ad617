#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/sizes.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

using plugin::Global;

// Returns whether a dimension of one of its ports has this name.
bool is_dimension(const Draft& draft, const std::string& name) {
    const Settings settings{*draft.node.component, draft.node.settings};
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
    const Settings settings{*draft.node.component, draft.node.settings};
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
