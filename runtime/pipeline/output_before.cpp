// Fixes for sequences, or pictures, where vectors are read: another output of what makes them, or a
// layer that flattens them. Refuses to flatten sequences for a model, which differ in length.

#include "base/ranges.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <string>

namespace ptp::pipeline {

namespace {

// Returns the output that has as many dimensions as are read; nullptr if there is none.
const Binding* output_of_rank(const Mismatch& of, const Draft& writer) {
    const auto found = std::ranges::find_if(writer.node.outputs, [&](const Binding& output) {
        return output.stream >= 0 && output.has_shape &&
               output.shape.size() == rank_of(of.second) &&
               writer.port(output).element == stream_of(of).element;
    });
    return found == writer.node.outputs.end() ? nullptr : &*found;
}

// Returns whether it takes any number of dimensions, and passes them on.
bool is_of_any_rank(const Node& node) {
    return node.inputs.size() == 1 && node.outputs.size() == 1 && !node.inputs[0].has_shape;
}

// A reader of an output with too many dimensions.
struct VectorReader {
    const Node& node;
    const Binding& input;
    const std::string& stream;  // that it reads now
    const Node* owner =
        nullptr;  // of the layer that writes it, if the reader is outside of the list
};

// Returns how an input reads another stream: `streams = { inputs = "last" } in pipeline.net`.
std::string fix_to_read(const VectorReader& reader, const std::string& stream) {
    const auto& [node, input, now, owner] = reader;
    const std::string& setting = node.port(input).streams_setting;
    return setting.empty() ? fmt::format("write streams = {{ {} = \"{}\" }} in {}",
                                         toml_key(input.name), stream, node.path)
                           : fmt::format("name '{}' in place of '{}' in {}.{}", stream, now,
                                         node.path, setting);
}

// Returns how another output of a layer is read; "" if none fits.
std::string fix_by_output_of_layer(const Mismatch& of, const Draft& layer,
                                   const VectorReader& reader) {
    const Binding* const output = output_of_rank(of, layer);
    if (output == nullptr) {
        return "";
    }
    std::string stream = output->wire.is_named ? output->wire.stream : output->name;
    std::string fix;
    if (!output->wire.is_named) {
        const bool is_taken = find_named(of.assembly.streams, stream) != nullptr;
        if (reader.owner != nullptr && is_taken) {
            stream = reader.owner->name + "_" + stream;
        }
        fix = fmt::format("write streams = {{ {} = \"{}\" }} in {}", toml_key(output->name), stream,
                          layer.node.path);
    }
    if (reader.owner != nullptr) {
        const std::string listed = fix_to_list(*reader.owner, plugin::Direction::kOutput, stream);
        if (listed.empty()) {
            return "";
        }
        fix += (fix.empty() ? "" : ", ") + listed;
    }
    const std::string read = fix_to_read(reader, stream);
    if (fix.empty()) {
        return read;
    }
    return reader.owner == nullptr ? fix + " and " + read.substr(std::string("write ").size())
                                   : fmt::format("{}, and {}", fix, read);
}

// Returns the same for the last layer of a list that does not take any number of dimensions.
std::string fix_by_last_layer(const Mismatch& of, const Draft& writer, const VectorReader& behind) {
    const Node* next = nullptr;
    for (const Draft& layer : writer.inner->components | std::views::reverse) {
        if (is_of_any_rank(layer.node)) {
            next = &layer.node;
            continue;
        }
        if (layer.node.outputs.empty()) {
            return "";
        }
        if (next == nullptr) {
            return fix_by_output_of_layer(of, layer, behind);
        }
        return next->inputs[0].stream == layer.node.outputs.front().stream
                   ? fix_by_output_of_layer(of, layer, {*next, next->inputs[0], behind.stream})
                   : "";
    }
    return "";
}

}  // namespace

bool has_known_sizes(const Mismatch& of) {
    const auto& from = of.first.shape();
    return !from.empty() && std::all_of(from.begin() + 1, from.end(), [&](const Dimension& one) {
        return of.sizes.table.number_of(one).has_value();
    });
}

std::string fix_by_output_before(const Mismatch& of) {
    const Node* reader = &of.second.draft->node;
    const Binding* input = of.second.binding;
    int read = of.stream;
    while (can_flatten(of) && reader->owner.empty() && read >= 0) {
        const WiredStream& stream = of.assembly.stream(read);
        if (stream.is_of_tasks || stream.writers.empty() || is_of_host(stream)) {
            break;
        }
        const Draft& writer = of.assembly.writer(stream, stream.writers.front());
        if (writer.inner != nullptr) {
            return fix_by_last_layer(of, writer, {*reader, *input, stream.name, &writer.node});
        }
        if (const Binding* const output = output_of_rank(of, writer)) {
            return fix_to_read({*reader, *input, stream.name},
                               of.assembly.stream(output->stream).name);
        }
        if (!is_of_any_rank(writer.node)) {
            break;
        }
        reader = &writer.node;
        input = &reader->inputs[0];
        read = input->stream;
    }
    return "";
}

// Returns the fix by a new layer, before the first of the last layers of the list that take any
// number of dimensions and change a size; "" if none helps.
std::string fix_by_layer(const Mismatch& of) {
    const Draft& writer = *of.first.draft;
    if (!can_flatten(of) || writer.inner == nullptr) {
        return "";
    }
    const Node* first = nullptr;
    for (const Draft& layer : writer.inner->components | std::views::reverse) {
        const Node& node = layer.node;
        if (!is_of_any_rank(node)) {
            break;
        }
        const bool keeps_sizes =
            node.port(node.outputs[0]).shape == node.port(node.inputs[0]).name + "[0:]";
        first = keeps_sizes ? first : &node;
    }
    const plugin::Element element = stream_of(of).element;
    const std::string made = transform_between(*of.assembly.catalog, {element, rank_of(of.first)},
                                               {element, rank_of(of.second)}, true);
    return first == nullptr || find_named(first->plugin->manifest.components, made) == nullptr
               ? ""
               : fmt::format("insert \"{}\" before {}", made, first->path);
}

namespace {

// Returns whether each batch may have another number there: neither a number, a global nor a
// formula states it.
bool differs_by_batch(const Solving& of, const Dimension& one) {
    const SizeTable& table = of.sizes.table;
    const auto is_one = [&](int other) { return table.are_one(one.symbol, other); };
    const auto is_derived = [&](const Draft& draft) {
        return std::ranges::any_of(draft.node.derived, is_one, &DerivedSize::symbol);
    };
    return one.symbol >= 0 && !one.name.empty() && !table.number_of(one) && !table.is_batch(one) &&
           std::ranges::none_of(of.sizes.globals | std::views::values, is_one) &&
           std::ranges::none_of(of.assembly.components, is_derived) &&
           std::ranges::none_of(of.assembly.tasks, is_derived);
}

// Returns whether an input of the model has as many weights as its last dimension has numbers.
bool needs_size(const Draft& reader, const Binding& input) {
    const auto& globals = reader.node.component->globals;
    return reader.node.component->kind == plugin::Kind::kModel &&
           (!input.has_shape || reader.inner != nullptr ||
            find_named(globals, input.shape.back().name) != nullptr);
}

// Returns the model that needs the last size of a stream, behind transforms that pass it on, such
// as one that joins vectors; nullptr if there is none.
const Draft* model_behind(const Solving& of, int stream) {
    const std::size_t rank = of.assembly.stream(stream).shape.size();
    for (const Draft& reader : of.assembly.components) {
        const auto input = std::ranges::find(reader.node.inputs, stream, &Binding::stream);
        if (input == reader.node.inputs.end() || !reader.is_sound) {
            continue;
        }
        if (needs_size(reader, *input)) {
            return &reader;
        }
        for (const Binding& output : reader.node.outputs) {
            const bool passes_on = reader.node.component->kind == plugin::Kind::kTransform &&
                                   output.stream >= 0 && output.shape.size() == rank;
            if (const Draft* const model = passes_on ? model_behind(of, output.stream) : nullptr) {
                return model;
            }
        }
    }
    return nullptr;
}

// Returns ", by a Reduce with use_lengths = true,": the transform of sequences that may leave out
// their filling; "" if there is none.
std::string by_lengths(const plugin::Catalog& catalog) {
    for (const plugin::Component* one : components_of(catalog)) {
        const plugin::Port* const lengths = find_named(one->ports, "lengths");
        if (one->kind == plugin::Kind::kTransform && lengths != nullptr &&
            lengths->direction == plugin::Direction::kInput &&
            find_named(one->settings, lengths->when) != nullptr) {
            return fmt::format(", by a {} with {} = true,", one->name, lengths->when);
        }
    }
    return "";
}

// Returns "their sum or mean, by a ReduceTensor with use_lengths = true, over the steps".
std::string sum_of_steps(const plugin::Catalog& catalog) {
    return "their sum or mean" + by_lengths(catalog) + " over the steps";
}

// Returns how a vector of each sequence is read in place of all of its steps.
std::string fix_of_joined(const Solving& of, const Binding& input, const WiredStream& read,
                          const WiredStream& joined) {
    const Node& node = of.draft.node;
    std::string fix;
    if (!read.writers.empty()) {
        const Draft& writer = of.assembly.writer(read, read.writers.front());
        Binding written = input;
        written.has_shape = true;
        written.shape = read.shape;
        Binding vector = written;
        vector.shape = joined.shape;
        const Mismatch steps{
            of.assembly, of.sizes, input.stream, {&writer, &written}, {&of.draft, &vector, true},
            {}};
        fix = node.owner.empty() ? fix_by_output_before(steps)
                                 : fix_by_output_of_layer(steps, writer, {node, input, read.name});
    }
    if (!fix.empty()) {
        return fix;
    }
    const std::string sum = sum_of_steps(*of.assembly.catalog);
    return node.owner.empty() ? "in place of it take " + sum
                              : fmt::format(
                                    "end the list before it, take {} behind the list, and put what "
                                    "follows into a second list",
                                    sum);
}

}  // namespace

std::string model_behind_steps(const Assembly& assembly, const Draft& reader,
                               const Binding& predictions, const std::string& stream) {
    const Shape read = shape_of(reader.port(predictions), checked_settings(reader.node));
    for (const Draft& writer : assembly.components) {
        const Node& node = writer.node;
        const auto output = std::ranges::find(node.outputs, stream,
                                              [](const Binding& one) { return one.wire.stream; });
        if (output == node.outputs.end() || !reader.node.compares() ||
            plugin::find_purpose(node.component->globals, plugin::Purpose::kScoreCount) !=
                nullptr) {
            continue;
        }
        const Shape written = shape_of(writer.port(*output), checked_settings(node));
        if (read && written && written->size() == read->size() + 1) {
            const std::string& now = predictions.wire.stream;
            const std::string is_read =
                now == stream ? reader.node.path + " reads" : fmt::format("is '{}'", now);
            return fmt::format("add a model whose output {}, and that reads not '{}', but {}",
                               is_read, stream, sum_of_steps(*assembly.catalog));
        }
    }
    return "";
}

std::string fix_by_sum_of_steps(const Mismatch& of) {
    const Node& reader = of.second.draft->node;
    const bool has_steps = rank_of(of.first) == rank_of(of.second) + 1 && !has_known_sizes(of) &&
                           stream_of(of).element == plugin::Element::kFloating &&
                           of.first.draft->node.component->kind == plugin::Kind::kModel;
    if (!has_steps || !reader.owner.empty()) {
        return "";
    }
    return reader.compares() ? model_behind_steps(of.assembly, *of.second.draft, *of.second.binding,
                                                  stream_of(of).name)
                             : fmt::format("let {} read not '{}', but {}", reader.path,
                                           stream_of(of).name, sum_of_steps(*of.assembly.catalog));
}

void check_joined_steps(const Solving& of, Diagnostics& problems) {
    const Node& node = of.draft.node;
    const auto is_wired = [](const Binding& one) { return one.stream >= 0; };
    const auto input = std::ranges::find_if(node.inputs, is_wired);
    const auto output = std::ranges::find_if(node.outputs, is_wired);
    if (input == node.inputs.end() || input->has_shape || output == node.outputs.end()) {
        return;
    }
    // The sizes behind what is wrong are not known.
    const auto sources = sources_of(of.assembly, of.draft);
    if (!std::ranges::all_of(sources, [](const Draft* one) { return one->is_sound; })) {
        return;
    }
    const WiredStream& read = of.assembly.stream(input->stream);
    const WiredStream& written = of.assembly.stream(output->stream);
    if (!read.has_shape || !written.has_shape || written.shape.size() >= read.shape.size()) {
        return;
    }
    const auto is_in = [&](const WiredStream& stream, const Dimension& one) {
        return std::ranges::any_of(stream.shape, [&](const Dimension& other) {
            return other.symbol >= 0 && of.sizes.table.are_one(one.symbol, other.symbol);
        });
    };
    const auto is_made = [&](const Dimension& one) {
        return one.symbol >= 0 && !of.sizes.table.number_of(one) && !is_in(read, one);
    };
    const auto steps = std::ranges::find_if(read.shape, [&](const Dimension& one) {
        return differs_by_batch(of, one) && !is_in(written, one) &&
               std::ranges::any_of(written.shape, is_made);
    });
    const Draft* const model =
        steps == read.shape.end() ? nullptr : model_behind(of, output->stream);
    if (model == nullptr) {
        return;
    }
    report(node, node.place,
           Explanation{fmt::format("makes one vector of all steps ('{}'), whose number differs "
                                   "from batch to batch, and {} needs vectors of one size",
                                   steps->name, node_text(model->node)),
                       fix_of_joined(of, *input, read, written)},
           problems);
}

}  // namespace ptp::pipeline
