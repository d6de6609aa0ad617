// Warns of components that treat padding as data: sequences are padded ("filled") up to the longest
// of their batch, and the stream `lengths` has the length of each one.

#include "pipeline/stages.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
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

// The setting that alone keeps the component from having its port `lengths`: "" where it has the
// port, or cannot have it.
std::string switch_of_lengths(const Node& node, plugin::Direction direction) {
    const Settings settings = checked_settings(node);
    for (const plugin::Port& port : node.component->ports) {
        if (port.name != kLengths || port.direction != direction) {
            continue;
        }
        std::vector<Term> failing = parse_condition(port.when).terms;
        std::erase_if(failing, [&](const Term& term) { return holds({{term}}, settings); });
        const bool is_switch =
            failing.size() == 1 && !failing.front().is_negated && failing.front().values.empty();
        return is_switch ? failing.front().setting : "";
    }
    return "";
}

bool may_write_lengths(const Node& node) {
    return existing(node.outputs, kLengths) != nullptr ||
           !switch_of_lengths(node, plugin::Direction::kOutput).empty();
}

// Returns the dimensions of what an input reads, of a port of any shape those of its stream.
const std::vector<Dimension>& read_shape(const Plan& plan, const Binding& input) {
    return input.has_shape ? input.shape : plan.stream(input.stream).shape;
}

// Returns whether the component adds its inputs up, to which steps of zeros add nothing.
bool adds_up(const Node& node) {
    return contains(node.settings, std::optional(Value("sum")));
}

// Returns whether no output has the steps of the input any more.
bool merges_steps(const Plan& plan, const Node& node, const Binding& input) {
    const Dimension& step = read_shape(plan, input)[kStep];
    return std::ranges::none_of(node.outputs, [&](const Binding& output) {
        return output.shape.size() >= kSequenceOfVectors ||
               std::ranges::any_of(output.shape, [&](const Dimension& other) {
                   return (step.symbol >= 0 && other.symbol == step.symbol) ||
                          (size_of(plan, step) && size_of(plan, step) == size_of(plan, other));
               });
    });
}

class Filling {
public:
    Filling(const Plan& plan, Diagnostics& problems)
        : plan_(plan), problems_(problems), writers_(plan.streams.size()) {
        for (const Node& node : plan.nodes) {
            follow(node);
        }
    }

    void warn() {
        for (const Node& node : plan_.nodes) {
            const Binding* const input = filled_input(node);
            if (is_careless(node) && (merges_steps(plan_, node, *input) || is_merged_later(node))) {
                warn_of(node, *input);
            }
        }
    }

    void warn_of_unread(const std::vector<std::string>& others) {
        for (const Node& node : plan_.nodes) {
            for (const std::string_view name : {kLengths, kMasks}) {
                const Binding* const output = existing(node.outputs, name);
                const auto reads = [&](const Node& reader) { return reader.reads(output->stream); };
                if (output != nullptr && std::ranges::none_of(plan_.nodes, reads) &&
                    !contains(others, stream_name(*output)) && !warned_.contains(&node)) {
                    warn_of_output(node, *output);
                }
            }
        }
    }

private:
    [[nodiscard]] const std::string& stream_name(const Binding& binding) const {
        return plan_.stream(binding.stream).name;
    }

    // Notes which outputs are filled up. Nodes come in the order of execution.
    void follow(const Node& node) {
        const Binding* input = filled_input(node);
        const Node* writer = may_write_lengths(node) ? &node
                             : input == nullptr      ? nullptr
                                                     : writer_of(*input);
        for (const Binding& output : node.outputs) {
            const bool is_sequence =
                output.stream >= 0 && output.name != kLengths && output.name != kMasks &&
                output.shape.size() >= (writer == &node ? kStep + 1 : kSequenceOfVectors);
            if (is_sequence) {
                writers_[static_cast<std::size_t>(output.stream)] = writer;
            }
        }
    }

    [[nodiscard]] const Node* writer_of(const Binding& input) const {
        return input.stream < 0 ? nullptr : writers_[static_cast<std::size_t>(input.stream)];
    }

    [[nodiscard]] const Binding* filled_input(const Node& node) const {
        const auto found = std::ranges::find_if(
            node.inputs, [&](const Binding& input) { return writer_of(input) != nullptr; });
        return found == node.inputs.end() ? nullptr : &*found;
    }

    // Returns whether it could leave the filling out, and does not.
    [[nodiscard]] bool is_careless(const Node& node) const {
        const Binding* input = filled_input(node);
        return input != nullptr && read_shape(plan_, *input).size() > kStep &&
               existing(node.inputs, kMasks) == nullptr && !adds_up(node) &&
               !switch_of_lengths(node, plugin::Direction::kInput).empty();
    }

    // Returns whether a component that could leave filling out makes one of the steps of this one.
    [[nodiscard]] bool is_merged_later(const Node& node) const {
        return std::ranges::any_of(plan_.nodes, [&](const Node& reader) {
            const bool could_leave_out =
                existing(reader.inputs, kLengths) != nullptr ||
                !switch_of_lengths(reader, plugin::Direction::kInput).empty();
            return could_leave_out && std::ranges::any_of(reader.inputs, [&](const Binding& input) {
                       return input.stream >= 0 && read_shape(plan_, input).size() > kStep &&
                              node.writes(input.stream) && merges_steps(plan_, reader, input);
                   });
        });
    }

    void warn_of(const Node& node, const Binding& input) {
        const Node& writer = *writer_of(input);
        warned_.insert(&writer);
        const std::string own = switch_of_lengths(node, plugin::Direction::kInput);
        const std::string others = switch_of_lengths(writer, plugin::Direction::kOutput);
        const Binding* lengths = existing(writer.outputs, kLengths);
        std::string fix = fmt::format("set {}.{} = true", node.path, toml_key(own));
        if (!others.empty()) {
            fix += fmt::format(" and {}.{} = true", writer.path, toml_key(others));
        } else if (stream_name(*lengths) != kLengths) {
            fix += fmt::format(" and write streams = {{ lengths = \"{}\" }} there",
                               stream_name(*lengths));
        }
        pipeline::warn(
            node,
            Explanation{fmt::format("reads the filling of shorter sequences as if it were data: {} "
                                    "fills all up to the longest of their batch",
                                    node_text(writer)),
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
            if (value == nullptr || !value->is_bool() || !value->as_bool() || enables_others) {
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
            for (const plugin::Port& port : reader.component->ports) {
                if (reads_sequences && has_layer && !port.streams_setting.empty() &&
                    port.direction == plugin::Direction::kInput) {
                    const Value* const others = checked_settings(reader).find(port.streams_setting);
                    const bool has_others = others != nullptr && !others->items().empty();
                    return fmt::format(fmt::runtime(has_others ? "add \"{0}\" to {1}.{2}"
                                                               : "set {1}.{2} = [\"{0}\"]"),
                                       stream_name(output), reader.path, port.streams_setting);
                }
            }
        }
        return fmt::format("set use_{} = true in what reads the sequences",
                           output.name == kLengths ? "lengths" : "masking");
    }

    const Plan& plan_;
    Diagnostics& problems_;
    std::vector<const Node*> writers_;  // of each stream: what fills it up; nullptr: nothing
    std::set<const Node*> warned_;      // writers whose lengths a warning names
};

}  // namespace

void warn_of_filling(const Plan& plan, const std::vector<std::string>& others,
                     Diagnostics& problems) {
    Filling filling(plan, problems);
    filling.warn();
    filling.warn_of_unread(others);
}

}  // namespace ptp::pipeline
