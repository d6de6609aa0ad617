// Connects the layers in lists, and writes them down for create().
#include "pipeline/layers.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "pipeline/settings.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns "" for the first list, else "shortcut.", so that the names of all layers differ.
std::string prefix_of(const Node& node, const LayerList& list) {
    const bool is_first = list.setting == node.lists.front().setting;
    return is_first ? "" : node.component->settings[list.setting].name + ".";
}

class ListWiring {
public:
    ListWiring(Draft& owner, const Assembly& outer, Diagnostics& problems)
        : node_(owner.node), inner_(*owner.inner), outer_(outer), problems_(problems) {}

    void run() {
        const std::string owner = node_.owner.empty()
                                      ? fmt::format("'{}'", node_.name)
                                      : fmt::format("layer {} of {}", node_.name, node_.owner);
        std::map<std::string, int> inputs;
        for (const Binding& binding : node_.inputs) {
            const plugin::Port& port = node_.port(binding);
            const bool is_listed = !port.streams_setting.empty();
            inputs.emplace(is_listed ? binding.wire.stream : port.name,
                           add_stream(is_listed ? binding.wire.stream : port.name,
                                      binding.stream < 0 ? port.element
                                                         : outer_.stream(binding.stream).element));
        }
        for (LayerList& list : node_.lists) {
            streams_ = inputs;
            list.result = 0;
            for (std::size_t i = list.begin; i < list.end; ++i) {
                Draft& layer = inner_.components[i];
                layer.node.owner = owner;
                read(layer, list.result);
                list.result = write(layer, static_cast<int>(i), list);
            }
        }
        for (const Binding& output : node_.outputs) {
            check_named(output);
        }
        wire_layers(inner_, problems_);
    }

private:
    int add_stream(std::string name, plugin::Element element) {
        inner_.streams.push_back({.name = std::move(name), .element = element});
        return static_cast<int>(inner_.streams.size()) - 1;
    }

    // An output whose stream a setting names is a stream of a layer.
    void check_named(const Binding& output) {
        if (node_.port(output).streams_setting.empty() ||
            find_named(inner_.streams, output.wire.stream) != nullptr) {
            return;
        }
        const std::vector<std::string> names = transformed(inner_.streams, &WiredStream::name);
        problems_.error(output.wire.place, node_.path + "." + output.name,
                        fmt::format("no layer writes a stream '{}'{}", output.wire.stream,
                                    hint(output.wire.stream, names)));
    }

    // `before` is what flows out of the layer before.
    void read(Draft& layer, int before) {
        bool is_first = true;
        for (Binding& input : layer.node.inputs) {
            const plugin::Port& port = layer.port(input);
            if (input.wire.stream.empty()) {
                continue;
            }
            if (std::exchange(is_first, false) && !input.wire.is_named) {
                input.stream = before;
            } else if (const auto known = streams_.find(input.wire.stream);
                       known != streams_.end()) {
                input.stream = known->second;
            } else if (!port.is_optional || input.wire.is_named) {
                refuse_missing(layer, input);
            }
            check_element(layer, input);
        }
    }

    void refuse_missing(const Draft& layer, const Binding& input) {
        std::vector<std::string> names;
        for (const auto& [name, stream] : streams_) {
            names.push_back(name);
        }
        report(layer.node, input.wire.place,
               fmt::format("input '{}' reads stream '{}', which neither an input of {} nor an "
                           "earlier layer of the list has{}",
                           input.name, input.wire.stream, layer.node.owner,
                           hint(input.wire.stream, names)),
               problems_);
    }

    void check_element(const Draft& layer, Binding& input) {
        using plugin::Element;
        const Element wanted = layer.port(input).element;
        if (input.stream < 0 || wanted == Element::kAny) {
            return;
        }
        const Element carried = inner_.stream(input.stream).element;
        if (carried != wanted && carried != Element::kAny) {
            report(layer.node, input.wire.place,
                   fmt::format("input '{}' takes {}, but stream '{}' carries {}", input.name,
                               element_text(wanted), inner_.stream(input.stream).name,
                               element_text(carried)),
                   problems_);
            input.stream = -1;
        }
    }

    // Returns the stream of the first output.
    int write(Draft& layer, int index, const LayerList& list) {
        int first = -1;
        const std::string prefix = node_.name + "." + prefix_of(node_, list);
        for (std::size_t i = 0; i < layer.node.outputs.size(); ++i) {
            Binding& output = layer.node.outputs[i];
            if (output.wire.stream.empty()) {
                continue;
            }
            std::string name = prefix + layer.node.name;
            if (output.wire.is_named) {
                name = output.wire.stream;
                if (find_named(inner_.streams, name) != nullptr) {
                    report(layer.node, output.wire.place,
                           fmt::format("output '{}' writes stream '{}', which is there already",
                                       output.name, name),
                           problems_);
                    continue;
                }
            } else if (first >= 0) {
                name += "." + output.name;
            }
            output.stream = add_stream(name, layer.port(output).element);
            inner_.streams.back().writers = {{index, static_cast<int>(i)}};
            streams_[name] = output.stream;
            first = first < 0 ? output.stream : first;
        }
        return first;
    }

    Node& node_;
    Assembly& inner_;
    const Assembly& outer_;
    Diagnostics& problems_;
    std::map<std::string, int> streams_;  // that the next layer may read
};

}  // namespace

void wire_layers(Assembly& assembly, Diagnostics& problems) {
    for (Draft& draft : assembly.components) {
        if (draft.inner != nullptr) {
            ListWiring(draft, assembly, problems).run();
        }
    }
}

std::string fix_to_list(const Node& owner, plugin::Direction direction, const std::string& stream) {
    for (const plugin::Port& port : owner.component->ports) {
        if (!port.streams_setting.empty() && port.direction == direction) {
            const Value* const others = checked_settings(owner).find(port.streams_setting);
            const bool has_others = others != nullptr && !others->items().empty();
            return fmt::format(
                fmt::runtime(has_others ? "add \"{0}\" to {1}.{2}" : "set {1}.{2} = [\"{0}\"]"),
                stream, owner.path, port.streams_setting);
        }
    }
    return "";
}

std::optional<Explanation> stream_of_layer(const Assembly& assembly, const Binding& input) {
    const std::string& stream = input.wire.stream;
    for (const Draft& owner : assembly.components) {
        for (const Draft& layer : owner.inner ? owner.inner->components : std::vector<Draft>()) {
            for (const Binding& output : layer.node.outputs) {
                if (output.wire.is_named && output.wire.stream == stream) {
                    return Explanation{
                        fmt::format("input '{}' reads stream '{}', which {} writes within the list "
                                    "of '{}' alone",
                                    input.name, stream, layer.node.path, owner.node.name),
                        fix_to_list(owner.node, plugin::Direction::kOutput, stream)};
                }
            }
        }
    }
    return std::nullopt;
}

namespace {

// Returns the formula that a value is written as; nullptr for another value.
const Value* formula_in(const plugin::Setting& setting, const std::optional<Value>& value) {
    const bool is_list = value && value->is_list() && value->items().size() == 1;
    const Value* const one = is_list ? &value->items().front() : value ? &*value : nullptr;
    return takes_formula(setting) && one != nullptr && one->is_string() ? one : nullptr;
}

// Returns a value as the component gets it; a formula becomes its number, if it has one.
std::optional<Value> resolved(const plugin::Setting& setting, const Value& value,
                              const std::optional<std::int64_t>& number) {
    if (formula_in(setting, value) == nullptr) {
        return value;
    }
    if (!number) {
        return std::nullopt;
    }
    const Value one = Value(*number).at(value.place());
    return setting.list_depth > 0 ? Value::list({one}) : one;
}

}  // namespace

void check_formulas(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    for (std::size_t i = 0; i < node.settings.size() && !node.owner.empty(); ++i) {
        const plugin::Setting& setting = node.component->settings[i];
        const Value* const formula = formula_in(setting, node.settings[i]);
        if (formula == nullptr) {
            continue;
        }
        const std::string key = schema::below(node.path, setting.name);
        try {
            if (const auto value = resolved(setting, *node.settings[i],
                                            number_of_formula(of, formula->as_string()))) {
                check_setting_value(setting, value->at(formula->place()), key, {}, problems);
            }
        } catch (const ComputationError& error) {
            problems.error(*formula, key, fmt::format("cannot be computed: {}", error.what()));
        }
    }
}

namespace {

Value ports_to_create(const Plan& plan, const Node& owner, const Node& layer,
                      const std::vector<Binding>& bindings) {
    std::vector<Value> ports;
    for (const Binding& binding : bindings) {
        Value& port = ports.emplace_back(Value::table());
        port.set("port", binding.port);
        port.set("element", static_cast<std::int64_t>(layer.port(binding).element));
        if (binding.stream < 0) {
            continue;
        }
        const Stream& stream = owner.inner_streams[static_cast<std::size_t>(binding.stream)];
        port.set("stream", stream.name);
        port.set("element", static_cast<std::int64_t>(stream.element));
        if (!stream.has_shape && !binding.has_shape) {
            continue;
        }
        std::vector<Value> sizes;
        for (const Dimension& one : stream.has_shape ? stream.shape : binding.shape) {
            sizes.emplace_back(size_of(plan, one).value_or(-1));
        }
        port.set("dimensions", Value::list(std::move(sizes)));
    }
    return Value::list(std::move(ports));
}

Value settings_to_create(const Plan& plan, const Node& owner, const Node& layer) {
    Value settings = Value::table();
    for (std::size_t i = 0; i < layer.settings.size(); ++i) {
        const plugin::Setting& setting = layer.component->settings[i];
        if (!layer.settings[i]) {
            continue;
        }
        if (setting.type == plugin::SettingType::kLayers) {
            settings.set(setting.name, layers_to_create(plan, layer, i));
            continue;
        }
        const Value* const formula = formula_in(setting, layer.settings[i]);
        const auto value = resolved(
            setting, *layer.settings[i],
            formula == nullptr ? std::nullopt
                               : number_of_formula(plan, {owner, layer}, formula->as_string()));
        const std::string key = schema::below(layer.path, setting.name);
        Diagnostics problems;
        if (!value) {
            problems.error(*formula, key, "has no value: no component published an integer for it");
        } else if (formula != nullptr) {
            check_setting_value(setting, value->at(formula->place()), key, {}, problems);
        }
        if (!problems.ok()) {
            throw RunError(kConfigurationError, problems.text());
        }
        settings.set(setting.name, *value);
    }
    return settings;
}

Value layer_to_create(const Plan& plan, const Node& owner, const Node& layer) {
    Value sizes = Value::table();
    for (const auto& [name, symbol] : layer.symbols) {
        if (const auto size = plan.symbol(symbol).size) {
            sizes.set(name, *size);
        }
    }
    return Value::table({{"type", layer.component->name},
                         {"name", layer.name},
                         {"settings", settings_to_create(plan, owner, layer)},
                         {"sizes", std::move(sizes)},
                         {"inputs", ports_to_create(plan, owner, layer, layer.inputs)},
                         {"outputs", ports_to_create(plan, owner, layer, layer.outputs)}});
}

}  // namespace

Value layers_to_create(const Plan& plan, const Node& node, std::size_t setting) {
    std::vector<Value> lists;
    for (const LayerList& list : node.lists) {
        std::vector<Value> layers;
        for (std::size_t i = list.begin; i < list.end && list.setting == setting; ++i) {
            layers.push_back(layer_to_create(plan, node, node.layers[i]));
        }
        if (list.setting == setting) {
            lists.push_back(Value::list(std::move(layers)));
        }
    }
    const bool is_one = node.component->settings[setting].list_depth == 0;
    return is_one ? std::move(lists.front()) : Value::list(std::move(lists));
}

std::vector<LayerLine> layer_lines(const Plan& plan, const Node& node) {
    std::vector<LayerLine> lines;
    for (const LayerList& list : node.lists) {
        for (std::size_t i = list.begin; i < list.end; ++i) {
            const Node& layer = node.layers[i];
            const std::string name = prefix_of(node, list) + layer.name;
            const int stream = layer.outputs.empty() ? -1 : layer.outputs.front().stream;
            LayerLine& line = lines.emplace_back(LayerLine{name, layer.component->name, ""});
            if (stream >= 0) {
                const Stream& written = node.inner_streams[static_cast<std::size_t>(stream)];
                line.shape = shape_text(plan, written.shape, written.has_shape);
            }
            for (LayerLine& inner : layer_lines(plan, layer)) {
                inner.name.insert(0, name + ".");
                lines.push_back(std::move(inner));
            }
        }
    }
    return lines;
}

}  // namespace ptp::pipeline
