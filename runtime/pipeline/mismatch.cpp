// Builds the messages for sizes that disagree. Each way to fix one is a function; likely_fix() has
// their order.

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;

// "    training (MNIST) writes [B, 1, 28, 28]"
std::string end_text(const Mismatch& of, const StreamEnd& end) {
    return fmt::format("\n    {} {} {} as '{}'", node_text(end.draft->node),
                       end.is_reader ? "reads" : "writes", shape_text(of.sizes.table, end.shape()),
                       end.binding->name);
}

// Returns the origin of the numbers that differ, where the shapes do not show it.
std::string origins_text(const Mismatch& of) {
    std::vector<std::string> lines;
    for (const std::size_t i : of.differing) {
        for (const Dimension* one : {&stream_of(of).shape[i], &of.second.shape()[i]}) {
            const auto size = of.sizes.table.size_of(*one);
            if (!size || !size->source.is_known()) {
                continue;
            }
            std::string line = fmt::format("\n    {}: {}", dimension_text(one->name, size->number),
                                           size->source.origin());
            if (!contains(lines, line)) {
                lines.push_back(std::move(line));
            }
        }
    }
    return join(lines, "");
}

// Fixes -------------------------------------------------------------------------------------------

// Changes what decides the sizes of `end` so that they equal `other`. A reader that takes
// its sizes from others is not fixed by changing those.
std::string fix_by_setting(const Mismatch& of, const StreamEnd& end, const StreamEnd& other) {
    std::vector<WantedSize> wanted;
    for (const std::size_t i : of.differing) {
        const auto here = of.sizes.table.size_of(end.shape()[i]);
        const auto there = of.sizes.table.number_of(other.shape()[i]);
        if (!here || !there || (end.is_reader && here->source.draft != end.draft)) {
            return "";
        }
        wanted.push_back({here->source, *there});
    }
    return setting_fix(of.assembly, wanted);
}

// A reader that takes a size from a global may take it from another one, or from the stream itself.
std::string fix_by_global(const Mismatch& of) {
    const Dimension& reader = of.second.shape()[of.differing.front()];
    const Node& node = of.second.draft->node;
    const auto read = node.globals.find(reader.name);
    const auto wanted = of.sizes.table.number_of(of.first.shape()[of.differing.front()]);
    if (of.differing.size() != 1 || read == node.globals.end() || !wanted) {
        return "";
    }
    for (const auto& [name, symbol] : of.sizes.globals) {
        if (name != read->second && of.sizes.table.number_of(symbol_dimension(symbol)) == wanted) {
            return fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(read->first),
                               name, node.path);
        }
    }
    const auto* const global = find_named(node.component->globals, reader.name);
    return global != nullptr && global->access == plugin::GlobalAccess::kReadIfNamed
               ? fmt::format("leave '{}' out of the globals of {}: it then follows from the stream",
                             reader.name, node.path)
               : "";
}

bool fits(const SizeTable& table, const std::vector<Dimension>& stream,
          const std::vector<Dimension>& reader) {
    return std::ranges::equal(stream, reader, [&](const Dimension& here, const Dimension& there) {
        const auto one = table.number_of(here);
        const auto other = table.number_of(there);
        return !one || !other || *one == *other;
    });
}

// Returns the switch of the writer with which it writes the sizes that are read.
std::string fix_by_flag(const Mismatch& of) {
    const Node& node = of.first.draft->node;
    const plugin::Port& port = of.first.draft->port(*of.first.binding);
    auto values = node.settings;
    const Settings other{*node.component, values};
    const auto number = [&](const PlainDimension& one) {
        try {
            return one.formula == nullptr ? one.number
                                          : compute_number(*one.formula, other, FormulaScope());
        } catch (const ComputationError&) {
            return Number();
        }
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_flag = values[i] && values[i]->is_bool();
        values[i] = is_flag ? Value(!values[i]->as_bool()) : values[i];
        const Shape shape = shape_of(port, other);
        if (is_flag && shape && shape->size() == rank_of(of.second) &&
            std::ranges::all_of(of.differing, [&](std::size_t place) {
                const auto wanted = of.sizes.table.number_of(of.second.shape()[place]);
                return wanted && number((*shape)[place]) == wanted;
            })) {
            return fmt::format("set {}.{} = {}", node.path, node.component->settings[i].name,
                               values[i]->as_bool());
        }
        values[i] = node.settings[i];
    }
    return "";
}

// A stream of the tasks or of an earlier component that has the right shape.
std::string fix_by_stream(const Mismatch& of) {
    const StreamEnd& end = of.second;
    const Node& node = end.draft->node;
    if (!node.owner.empty()) {
        return "";  // a layer would leave out those before it
    }
    const auto is_behind_reader = [&](const WiredStream& stream) {
        return std::ranges::any_of(stream.writers, [&](const Writer& writer) {
            const Draft& source = of.assembly.writer(stream, writer);
            return &source == end.draft || sources_of(of.assembly, source).contains(end.draft);
        });
    };
    for (const WiredStream& stream : of.assembly.streams) {
        if (&stream == &stream_of(of) || stream.element != stream_of(of).element ||
            is_of_host(stream) || !stream.has_shape ||
            !fits(of.sizes.table, stream.shape, end.shape()) || is_behind_reader(stream)) {
            continue;
        }
        const std::string& setting = node.port(*end.binding).streams_setting;
        return fmt::format("stream '{}' has this shape: ", stream.name) +
               (setting.empty()
                    ? fmt::format("write streams = {{ {} = \"{}\" }} in {}",
                                  toml_key(end.binding->name), stream.name, node.path)
                    : fmt::format("name it \"{}\" in {}.{}", stream.name, node.path, setting));
    }
    return "";
}

// The setting with which the port of an end has as many dimensions as the other end.
std::string fix_by_port(const Mismatch& of, const StreamEnd& end, const StreamEnd& other) {
    const auto direction = end.is_reader ? plugin::Direction::kInput : plugin::Direction::kOutput;
    return change_to_have(end.draft->node, direction, end.binding->name,
                          [&](const plugin::Port& port, const Settings& settings) {
                              const Shape shape = expand(parse_shape(port.shape), settings);
                              return port.element == stream_of(of).element && shape &&
                                     shape->size() == rank_of(other);
                          });
}

// A model with another number of dimensions would be another model.
std::string fix_by_count(const Mismatch& of) {
    return of.second.draft->node.compares()
               ? count_fix(of.assembly, *of.second.draft, *of.second.binding, rank_of(of.first))
               : "";
}

// A transform makes the wanted shape, and nothing reads it.
std::string fix_by_unread_output(const Mismatch& of) {
    for (const Draft& draft : of.assembly.components) {
        const Node& node = draft.node;
        if (!draft.is_sound || &draft == of.second.draft ||
            node.component->kind != plugin::Kind::kTransform ||
            sources_of(of.assembly, draft).contains(of.second.draft)) {
            continue;
        }
        for (const Binding& output : node.outputs) {
            if (output.stream >= 0 && output.has_shape &&
                (node.reads(of.stream) || !of.assembly.is_read(output.stream)) &&
                fits(of.sizes.table, output.shape, of.second.shape())) {
                return fmt::format("read what {} writes: streams = {{ {} = \"{}\" }} in {}",
                                   node_text(node), toml_key(of.second.binding->name),
                                   of.assembly.stream(output.stream).name,
                                   of.second.draft->node.path);
            }
        }
    }
    return "";
}

// A layer of a list that takes another number of dimensions: the layer of this kind that takes
// these, or its place before the layer that has made them fewer or more.
std::string fix_by_other_layer(const Mismatch& of) {
    const Node& layer = of.second.draft->node;
    const Node& before = of.first.draft->node;
    if (layer.owner.empty()) {
        return "";
    }
    const std::string other = layer_of_rank(layer, {stream_of(of).element, rank_of(of.first)});
    const bool follows =
        before.owner == layer.owner && before.inputs.size() == 1 && before.inputs[0].stream >= 0;
    const WiredStream* const earlier =
        follows ? &of.assembly.stream(before.inputs[0].stream) : nullptr;
    if (earlier == nullptr || !earlier->has_shape || earlier->shape.size() != rank_of(of.second)) {
        return other;
    }
    return fmt::format("{}{} {} before {}", other, other.empty() ? "move" : ", or move", layer.path,
                       before.path);
}

// The samples' other dimensions made one, where it is known how many values that are. Scores have
// the dimensions that a loss takes, or another component has to make them.
std::string fix_by_reshaping(const Mismatch& of) {
    const Node& reader = of.second.draft->node;
    if (!reader.owner.empty()) {
        return "";  // lists have layers of their plugin alone
    }
    if (can_flatten(of) &&
        (reader.component->kind != plugin::Kind::kModel || !has_known_sizes(of))) {
        return "";
    }
    const Element element = stream_of(of).element;
    const std::string transform = transform_between(
        *of.assembly.catalog, {element, rank_of(of.first)}, {element, rank_of(of.second)}, true);
    return transform.empty() ? "" : fmt::format("insert a {} before {}", transform, reader.path);
}

// Returns the stream that a component makes of this one with as many dimensions as are read, and
// that nothing reads, as one of the inputs: 'name it "vectors" in pipeline.join.input_streams'.
std::string fix_by_unread_input(const Mismatch& of) {
    const Node& reader = of.second.draft->node;
    for (const Draft& draft : of.assembly.components) {
        for (const Binding& output : draft.node.outputs) {
            if (draft.node.reads(of.stream) && output.stream >= 0 && output.has_shape &&
                output.shape.size() == rank_of(of.second) && !of.assembly.is_read(output.stream) &&
                draft.port(output).element == stream_of(of).element) {
                return fmt::format("name '{}' in place of '{}' in {}.{}",
                                   of.assembly.stream(output.stream).name, stream_of(of).name,
                                   reader.path, reader.port(*of.second.binding).streams_setting);
            }
        }
    }
    return "";
}

// Returns the first fix that applies, in the order in which they are likely to be meant.
std::string likely_fix(const Mismatch& of) {
    const StreamEnd& writer = of.first;
    const StreamEnd& reader = of.second;
    if (!reader.is_reader) {
        return fix_by_setting(of, reader, writer);
    }
    const bool has_other_rank = of.differing.empty();
    std::string fix = has_other_rank ? fix_by_count(of) : "";
    const auto otherwise = [&](const auto& find) {
        if (fix.empty()) {
            fix = find();
        }
    };
    const Element wanted = reader.draft->port(*reader.binding).element;
    if (wanted != Element::kAny && wanted != stream_of(of).element) {
        return fix;  // another shape does not help
    }
    if (has_other_rank) {
        const std::string of_reader = fix_by_port(of, reader, writer);
        const bool is_one = !of_reader.ends_with(')');  // and not one of several choices
        otherwise([&] { return is_one ? of_reader : ""; });
        otherwise([&] { return fix_by_unread_output(of); });
        otherwise([&] { return fix_by_port(of, writer, reader); });
        otherwise([&] { return of_reader; });
        otherwise([&] { return fix_by_output_before(of); });
        otherwise([&] { return fix_by_layer(of); });
        otherwise([&] { return fix_by_other_layer(of); });
        otherwise([&] { return can_flatten(of) ? "" : fix_by_stream(of); });
        otherwise([&] { return fix_by_reshaping(of); });
        otherwise([&] { return fix_by_sum_of_steps(of); });
        return fix;
    }
    otherwise([&] { return fix_by_setting(of, reader, writer); });
    otherwise([&] { return fix_by_global(of); });
    otherwise([&] { return fix_by_setting(of, writer, reader); });
    otherwise([&] { return fix_by_flag(of); });
    otherwise([&] { return fix_by_stream(of); });
    return fix;
}

std::string headline(const Mismatch& of) {
    const std::string& name = stream_of(of).name;
    const std::string& port = of.second.binding->name;
    if (!of.second.is_reader) {
        const std::string& tried_in = of.second.draft->node.tried_in;
        return tried_in.empty()
                   ? fmt::format("the sections disagree on stream '{}'", name)
                   : fmt::format("the components that '{}' tries disagree on stream '{}'", tried_in,
                                 name);
    }
    if (!of.differing.empty()) {
        return fmt::format("stream '{}' has another shape than '{}' takes", name, port);
    }
    const std::size_t takes = rank_of(of.second);
    return fmt::format("takes {} dimension{} as '{}', but stream '{}' has {}", takes,
                       takes == 1 ? "" : "s", port, name, rank_of(of.first));
}

}  // namespace

std::string rank_fix(const Mismatch& mismatch) {
    std::string fix = fix_by_unread_input(mismatch);
    fix = fix.empty() ? fix_by_port(mismatch, mismatch.first, mismatch.second) : fix;
    fix = fix.empty() ? fix_by_output_before(mismatch) : fix;
    fix = fix.empty() ? fix_by_layer(mismatch) : fix;
    const Element element = stream_of(mismatch).element;
    const std::string made =
        transform_between(*mismatch.assembly.catalog, {element, rank_of(mismatch.first)},
                          {element, rank_of(mismatch.second)}, true);
    return fix.empty() && !made.empty() && (!can_flatten(mismatch) || has_known_sizes(mismatch))
               ? fmt::format("insert a {} between '{}' and {}", made, stream_of(mismatch).name,
                             mismatch.second.draft->node.path)
               : fix;
}

std::string report_mismatch(const Mismatch& mismatch, Diagnostics& problems) {
    const std::string message = headline(mismatch) + end_text(mismatch, mismatch.first) +
                                end_text(mismatch, mismatch.second) + origins_text(mismatch);
    const Node& node = mismatch.second.draft->node;
    std::string fix = likely_fix(mismatch);
    report(node, node.place, Explanation{message, fix}, problems);
    return fix;
}

void report_globals(const Draft& draft, const std::vector<GlobalConflict>& conflicts,
                    const std::vector<std::string>& fixes, Diagnostics& problems) {
    std::string message = "publishes other sizes than another section:";
    std::vector<WantedSize> wanted;
    for (const GlobalConflict& conflict : conflicts) {
        message +=
            fmt::format("\n    {} = {}, but it is {} ({})", conflict.global, conflict.second.number,
                        conflict.first.number, conflict.first.source.origin());
        wanted.push_back({conflict.second.source, conflict.first.number});
    }
    // The fix of a stream may change this section, too: two values would contradict each other.
    const auto changes_it = std::ranges::find_if(fixes, [&](const std::string& fix) {
        const std::size_t siblings = fix.find(kSameIn);
        return siblings != std::string::npos &&
               fix.find(draft.node.path, siblings) != std::string::npos;
    });
    const std::string fix = changes_it == fixes.end() ? setting_fix({}, wanted) : *changes_it;
    report(draft.node, draft.node.place, Explanation{message, fix}, problems);
}

const plugin::Port* form_of(const plugin::Component& component, const plugin::Port& input,
                            plugin::Element element) {
    const auto found = std::ranges::find_if(component.ports, [&](const plugin::Port& other) {
        return &other != &input && other.name == input.name && other.direction == input.direction &&
               other.element == element;
    });
    return found == component.ports.end() ? nullptr : &*found;
}

std::string change_to_take(const Draft& draft, const Binding& binding, Element element) {
    const Node& node = draft.node;
    const std::string change = change_to_have(
        node, plugin::Direction::kInput, draft.port(binding).name,
        [&](const plugin::Port& port, const Settings&) { return port.element == element; });
    for (std::size_t i = 0; change.ends_with(')') && i < node.settings.size(); ++i) {
        const plugin::Setting& setting = node.component->settings[i];
        for (const std::string& choice : setting.choices) {
            auto values = node.settings;
            values[i] = Value(choice);
            const Settings other{*node.component, values};
            const auto keeps = [&](const Binding& input) {
                const plugin::Port& now = draft.port(input);
                return input.wire.stream.empty() ||
                       std::ranges::any_of(node.component->ports, [&](const plugin::Port& port) {
                           return port.direction == now.direction && port.name == now.name &&
                                  holds(parse_condition(port.when), other) &&
                                  (&input == &binding
                                       ? port.element == element
                                       : port.element == now.element && port.shape == now.shape);
                       });
            };
            if (std::ranges::all_of(node.inputs, keeps)) {
                return fmt::format("set {}.{} = \"{}\"", node.path, setting.name, choice);
            }
        }
    }
    return change;
}

}  // namespace ptp::pipeline
