// Warns of components that treat padding as data: sequences are padded ("filled") up to the longest
// of their batch, and the stream `lengths` has the length of each one.

#include "pipeline/stages.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/later_steps.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/padding.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr std::string_view kLengths = "lengths";
constexpr std::string_view kMasks = "masks";
constexpr std::size_t kStep = 1;               // the dimension of the steps
constexpr std::size_t kSequenceOfVectors = 3;  // [B, length, size]

const Binding* existing(const std::vector<Binding>& bindings, std::string_view name) {
    const Binding* const found = find_named(bindings, name);
    return found == nullptr || found->stream < 0 ? nullptr : found;
}

std::string switch_of_lengths(const Node& writer) {
    return switch_of(writer, plugin::Direction::kOutput, kLengths);
}

bool may_write_lengths(const Node& node) {
    return existing(node.outputs, kLengths) != nullptr || !switch_of_lengths(node).empty();
}

// Returns the dimensions of what an input reads, of a port of any shape those of its stream.
const std::vector<Dimension>& read_shape(const Plan& plan, const Binding& input) {
    return input.has_shape ? input.shape : plan.stream(input.stream).shape;
}

// Returns "memory_lengths", the port for real steps of this input alone, else "".
std::string own_port(const Node& node, const Binding& input, std::string_view name) {
    std::string own = fmt::format("{}_{}", input.name, name);
    return std::ranges::find(node.component->ports, own, &plugin::Port::name) ==
                   node.component->ports.end()
               ? ""
               : own;
}

std::string port_for(const Node& node, const Binding& input, std::string_view name) {
    const std::string own = own_port(node, input, name);
    return own.empty() ? std::string(name) : own;
}

// Returns whether the component would leave the filling of an input out, but reads no lengths.
bool ignores_lengths(const Node& node, const Binding& input) {
    const std::string port = port_for(node, input, kLengths);
    const Binding* const lengths = find_named(node.inputs, port);
    const bool may_read =
        !switch_of(node, plugin::Direction::kInput, port).empty() ||
        (lengths != nullptr && lengths->stream < 0 && node.port(*lengths).is_optional);
    return may_read && existing(node.inputs, port_for(node, input, kMasks)) == nullptr;
}

// Returns whether an output of such a component has the steps that it reads, by their name.
bool keeps_steps(const Binding& input, const Binding& output) {
    return find_named(output.shape, input.shape[kStep].name) != nullptr;
}

// Returns whether it reads sequences, and writes one with as many steps: to lose them is a choice
// of what is read of it, such as the last state of a recurrent layer.
bool may_keep_steps(const Node& node, const Binding& input) {
    return input.has_shape && input.shape.size() >= kSequenceOfVectors &&
           !input.shape[kStep].name.empty() &&
           std::ranges::any_of(node.outputs,
                               [&](const Binding& output) { return keeps_steps(input, output); });
}

// Returns whether the component adds its inputs up, to which steps of zeros add nothing.
bool adds_up(const Node& node) {
    return contains(node.settings, std::optional(Value("sum")));
}

// Returns whether no output has the steps of the input any more.
bool merges_steps(const Plan& plan, const Node& node, const Binding& input) {
    const Dimension& step = read_shape(plan, input)[kStep];
    return std::ranges::none_of(node.outputs, [&](const Binding& output) {
        return std::ranges::any_of(output.shape, [&](const Dimension& other) {
            return (step.symbol >= 0 && other.symbol == step.symbol) ||
                   (size_of(plan, step) && size_of(plan, step) == size_of(plan, other));
        });
    });
}

class Filling {
public:
    Filling(const Plan& plan, const std::vector<std::string>& others, Diagnostics& problems)
        : plan_(plan),
          others_(others),
          problems_(problems),
          counts_all_steps_(std::ranges::any_of(plan.nodes, counts_all_steps)),
          writers_(plan.streams.size()) {
        for (const Node& node : plan.nodes) {
            follow(node);
        }
    }

    void warn() {
        for (const Node& node : plan_.nodes) {
            const auto is_read = [&](const Binding& output) {
                const auto reads = [&](const Node& one) { return one.reads(output.stream); };
                return std::ranges::any_of(plan_.nodes, reads) ||
                       contains(others_, stream_name(output));
            };
            if (!warn_of_merging(node)) {
                warn_of_mixing(node, writers_, is_read);
            }
            warn_of_layers(node);
        }
    }

    void warn_of_unread() {
        for (const Node& node : plan_.nodes) {
            for (const std::string_view name : {kLengths, kMasks}) {
                const Binding* const output = existing(node.outputs, name);
                const auto reads = [&](const Node& reader) { return reader.reads(output->stream); };
                if (output != nullptr && std::ranges::none_of(plan_.nodes, reads) &&
                    !contains(others_, stream_name(*output)) && !warned_.contains(&node)) {
                    warn_of_output(node, *output);
                }
            }
        }
    }

private:
    [[nodiscard]] const std::string& stream_name(const Binding& binding) const {
        return plan_.stream(binding.stream).name;
    }

    using Writers = std::vector<const Node*>;  // of each stream: what fills it up; nullptr: nothing

    // Warns of a component with a setting for it, whose outputs have no steps any more.
    bool warn_of_merging(const Node& node) {
        for (const Binding& input : node.inputs) {
            const Node* const writer = writer_of(input);
            if (writer != nullptr && is_careless(node, input) &&
                (merges_steps(plan_, node, input) || is_merged_later(node))) {
                warn_of(node, *writer, fix_to_read({node, input, *writer}));
                return true;
            }
        }
        return false;
    }

    // Warns of a component, or a layer of `owner`, that ignores lengths and mixes the filling with
    // real steps: outputs without steps are read, or each step depends on all.
    bool warn_of_mixing(const Node& node, const Writers& writers, const auto& is_read,
                        const Node* owner = nullptr) {
        for (const Binding& input : node.inputs) {
            const Node* const writer =
                input.stream < 0 ? nullptr : writers[static_cast<std::size_t>(input.stream)];
            if (writer == nullptr || !ignores_lengths(node, input)) {
                continue;
            }
            const bool keeps = may_keep_steps(node, input);
            const bool loses_steps =
                keeps && std::ranges::any_of(node.outputs, [&](const Binding& output) {
                    return output.stream >= 0 && !keeps_steps(input, output) && is_read(output);
                });
            if (loses_steps || (keeps && mixes_steps(node) && !counts_all_steps_) ||
                (owner == nullptr && !own_port(node, input, kLengths).empty())) {
                warn_of(node, *writer, fix_to_read({node, input, *writer}, owner));
                return true;
            }
        }
        return false;
    }

    // Follows the filling through the layers of a list.
    void warn_of_layers(const Node& owner) {
        Writers writers(owner.inner_streams.size());
        for (const Binding& input : owner.inputs) {
            const bool is_listed = !owner.port(input).streams_setting.empty();
            const std::string& name = is_listed ? input.wire.stream : input.name;
            for (std::size_t i = 0; i < writers.size() && input.stream >= 0; ++i) {
                writers[i] = owner.inner_streams[i].name == name ? writer_of(input) : writers[i];
            }
        }
        for (const Node& layer : owner.layers) {
            const auto filled = std::ranges::find_if(layer.inputs, [&](const Binding& input) {
                return input.stream >= 0 && writers[static_cast<std::size_t>(input.stream)];
            });
            if (filled == layer.inputs.end()) {
                continue;
            }
            for (const Binding& output : layer.outputs) {
                const auto stream = static_cast<std::size_t>(output.stream);
                if (output.stream >= 0 && has_steps(layer, *filled, output)) {
                    writers[stream] = writers[static_cast<std::size_t>(filled->stream)];
                }
            }
            const auto is_read = [&](const Binding& output) { return is_read_of(owner, output); };
            if (warn_of_mixing(layer, writers, is_read, &owner)) {
                return;  // lengths that its owner lets in are there for the others
            }
        }
    }

    // Returns whether the output of a layer is read within its owner, or leaves it.
    static bool is_read_of(const Node& owner, const Binding& output) {
        const std::string& name = owner.inner_streams[static_cast<std::size_t>(output.stream)].name;
        return std::ranges::any_of(owner.layers,
                                   [&](const Node& one) { return one.reads(output.stream); }) ||
               contains(transformed(owner.lists, &LayerList::result), output.stream) ||
               std::ranges::any_of(owner.outputs, [&](const Binding& one) {
                   return !owner.port(one).streams_setting.empty() && one.wire.stream == name;
               });
    }

    // Returns whether an output of what reads a filled input is filled up, too.
    static bool has_steps(const Node& node, const Binding& input, const Binding& output) {
        return find_named(node.inputs, kLengths) != nullptr && may_keep_steps(node, input)
                   ? keeps_steps(input, output)
                   : output.shape.size() >= kSequenceOfVectors;
    }

    struct Filled {
        const Node& reader;
        const Binding& input;
        const Node& writer;
    };

    // Returns what makes a component, or a layer of `owner`, read the lengths of what is filled up.
    [[nodiscard]] std::string fix_to_read(const Filled& filled, const Node* owner = nullptr) const {
        const std::string port = port_for(filled.reader, filled.input, kLengths);
        const std::string own = switch_of(filled.reader, plugin::Direction::kInput, port);
        const std::string others = switch_of_lengths(filled.writer);
        const Binding* const lengths = existing(filled.writer.outputs, kLengths);
        const std::string stream(lengths == nullptr ? kLengths : stream_name(*lengths));
        std::vector<std::string> fixes;
        if (!own.empty()) {
            fixes.push_back(fmt::format("set {}.{} = true", filled.reader.path, toml_key(own)));
        }
        if (owner != nullptr) {
            fixes.push_back(fix_to_list(*owner, plugin::Direction::kInput, stream));
        }
        if (!others.empty()) {
            fixes.push_back(fmt::format("set {}.{} = true", filled.writer.path, toml_key(others)));
        }
        if (stream != port) {
            fixes.push_back(fmt::format("write streams = {{ {} = \"{}\" }} in {}", port, stream,
                                        filled.reader.path));
        }
        return join(fixes, " and ");
    }

    // Notes which outputs are filled up. Nodes come in the order of execution.
    void follow(const Node& node) {
        const Binding* input = filled_input(node);
        const bool may_fill =
            may_write_lengths(node) && (!reads_windows(plan_, node) || stated_length(node));
        const Node* writer = may_fill ? &node : input == nullptr ? nullptr : writer_of(*input);
        for (const Binding& output : node.outputs) {
            const bool is_sequence = output.stream >= 0 && output.name != kLengths &&
                                     output.name != kMasks &&
                                     (writer == &node    ? output.shape.size() > kStep
                                      : input == nullptr ? output.shape.size() >= kSequenceOfVectors
                                                         : has_steps(node, *input, output));
            if (is_sequence) {
                writers_[static_cast<std::size_t>(output.stream)] = writer;
            }
        }
    }

    // Returns how long each sequence of the writer becomes, where a setting states it.
    [[nodiscard]] std::optional<std::int64_t> stated_length(const Node& writer) const {
        for (const Binding& output : writer.outputs) {
            if (output.stream >= 0 && output.shape.size() > kStep) {
                return is_free(writer, output, kStep) ? std::nullopt
                                                      : size_of(plan_, output.shape[kStep]);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] const Node* writer_of(const Binding& input) const {
        return input.stream < 0 ? nullptr : writers_[static_cast<std::size_t>(input.stream)];
    }

    [[nodiscard]] const Binding* filled_input(const Node& node) const {
        const auto found = std::ranges::find_if(
            node.inputs, [&](const Binding& input) { return writer_of(input) != nullptr; });
        return found == node.inputs.end() ? nullptr : &*found;
    }

    // Returns whether a setting would let it leave the filling of an input out, and does not.
    [[nodiscard]] bool is_careless(const Node& node, const Binding& input) const {
        const std::string port = port_for(node, input, kLengths);
        return read_shape(plan_, input).size() > kStep && ignores_lengths(node, input) &&
               !switch_of(node, plugin::Direction::kInput, port).empty() && !adds_up(node);
    }

    // Returns whether a component that could leave filling out makes one of the steps of this one.
    [[nodiscard]] bool is_merged_later(const Node& node) const {
        return std::ranges::any_of(plan_.nodes, [&](const Node& reader) {
            const bool could_leave_out =
                existing(reader.inputs, kLengths) != nullptr ||
                !switch_of(reader, plugin::Direction::kInput, kLengths).empty();
            return could_leave_out && std::ranges::any_of(reader.inputs, [&](const Binding& input) {
                       return input.stream >= 0 && read_shape(plan_, input).size() > kStep &&
                              node.writes(input.stream) && merges_steps(plan_, reader, input);
                   });
        });
    }

    void warn_of(const Node& node, const Node& writer, const std::string& fix) {
        warned_.insert(&writer);
        const auto length = stated_length(writer);
        pipeline::warn(
            node,
            Explanation{fmt::format("reads the filling of shorter sequences as if it were data: {} "
                                    "fills all up to {}",
                                    node_text(writer),
                                    length ? fmt::format("{} steps", *length)
                                           : "the longest of their batch"),
                        fix},
            problems_);
    }

    void warn_of_output(const Node& node, const Binding& output) {
        const auto depends_on = [&](const Binding& one, const std::string& setting) {
            const auto& terms = parse_condition(node.port(one).when).terms;
            return std::ranges::find(terms, setting, &Term::setting) != terms.end();
        };
        for (const Term& term : parse_condition(node.port(output).when).terms) {
            const Value* value = checked_settings(node).find(term.setting);
            const bool enables_others =
                std::ranges::any_of(node.outputs, [&](const Binding& other) {
                    return &other != &output && depends_on(other, term.setting);
                });
            if (value == nullptr || *value != Value(true) || enables_others) {
                continue;
            }
            problems_.warning(
                value->place(), fmt::format("{}.{}", node.path, toml_key(term.setting)),
                Explanation{fmt::format("nothing reads '{}'", stream_name(output)),
                            fmt::format("{}, or remove {} from {}", fix_of_unread(node, output),
                                        term.setting, node.path)});
            return;
        }
    }

    // Layers in a list read what a setting of their owner lets in: more_inputs = ["lengths"].
    [[nodiscard]] std::string fix_of_unread(const Node& writer, const Binding& output) const {
        for (const Node& reader : plan_.nodes) {
            const bool reads_sequences = std::ranges::any_of(
                reader.inputs, [&](const Binding& input) { return writer_of(input) == &writer; });
            const bool has_layer = std::ranges::any_of(reader.layers, [&](const Node& layer) {
                return find_named(layer.inputs, output.name) != nullptr;
            });
            const std::string fix =
                fix_to_list(reader, plugin::Direction::kInput, stream_name(output));
            if (reads_sequences && has_layer && !fix.empty()) {
                return fix;
            }
        }
        return fmt::format("set use_{} = true in what reads the sequences",
                           output.name == kLengths ? "lengths" : "masking");
    }

    const Plan& plan_;
    const std::vector<std::string>& others_;  // streams that are read outside of the pipeline
    Diagnostics& problems_;
    bool counts_all_steps_;  // of a loss: nothing is filled up
    Writers writers_;
    std::set<const Node*> warned_;  // writers whose lengths a warning names
};

}  // namespace

void warn_of_filling(const Plan& plan, const std::vector<std::string>& others,
                     Diagnostics& problems) {
    Filling filling(plan, others, problems);
    filling.warn();
    filling.warn_of_unread();
}

}  // namespace ptp::pipeline
