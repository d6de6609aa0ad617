// Finds losses and statistics that count padding, and lengths of padded sequences that other parts
// of the pipeline decide.

#include "pipeline/padding.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;
using plugin::Kind;

constexpr std::size_t kSteps = 1;  // the dimension of the steps

// Returns the global of the node, which it has with these settings, for the target that does not
// count; nullptr if there is none.
const plugin::Global* ignored_target(const Node& node, bool is_written) {
    const auto& globals = node.component->globals;
    for (std::size_t i = 0; i < globals.size(); ++i) {
        if (globals[i].purpose == plugin::Purpose::kIgnoredTarget &&
            globals[i].is_written() == is_written && node.has_global[i]) {
            return &globals[i];
        }
    }
    return nullptr;
}

// The component that pads a stream, behind transforms of one stream of integers.
struct Padder {
    const Node* node = nullptr;  // nullptr: none does
    const Binding* output = nullptr;
};

Padder padder_of(const Plan& plan, int stream) {
    for (int producer = plan.stream(stream).producer; producer >= 0;
         producer = plan.stream(stream).producer) {
        const Node& node = plan.node(producer);
        if (ignored_target(node, true) != nullptr) {
            const auto output = std::ranges::find(node.outputs, stream, &Binding::stream);
            return {&node, &*output};
        }
        const bool is_passed = node.component->kind == Kind::kTransform &&
                               node.inputs.size() == 1 && node.inputs[0].stream >= 0 &&
                               node.port(node.inputs[0]).element == Element::kInteger;
        if (!is_passed) {
            return {};
        }
        stream = node.inputs[0].stream;
    }
    return {};
}

bool masks_steps(const Node& node) {
    return std::ranges::any_of(node.inputs, [&](const Binding& input) {
        return input.stream >= 0 && node.port(input).element == Element::kBoolean &&
               input.shape.size() > kSteps;
    });
}

std::string fix_of_padding(const Node& reader, const plugin::Global& ignored, const Node& writer) {
    const plugin::Global& padding = *ignored_target(writer, true);
    const auto named = writer.globals.find(padding.name);
    const bool is_named = named != writer.globals.end();
    const std::string name =
        is_named ? named->second : fmt::format("{}_{}", writer.name, padding.name);
    const std::string read =
        fmt::format("globals = {{ {} = \"{}\" }} in {}", toml_key(ignored.name), name, reader.path);
    return is_named ? "write " + read
                    : fmt::format("write globals = {{ {} = \"{}\" }} in {} and {}",
                                  toml_key(padding.name), name, writer.path, read);
}

}  // namespace

bool counts_all_steps(const Node& node) {
    const plugin::Global* const ignored = ignored_target(node, false);
    const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
    return node.component->kind == Kind::kLoss && ignored != nullptr && targets != nullptr &&
           targets->shape.size() > kSteps && !masks_steps(node) &&
           !node.globals.contains(ignored->name) && !node.constants.contains(ignored->name);
}

std::vector<CountedPadding> counted_padding(const Plan& plan) {
    std::vector<CountedPadding> all;
    for (const Node& reader : plan.nodes) {
        const plugin::Global* const ignored = ignored_target(reader, false);
        const Binding* const targets = reader.input_for(plugin::Purpose::kTargets);
        if (!reader.compares() || ignored == nullptr || targets == nullptr ||
            targets->shape.size() <= kSteps || masks_steps(reader)) {
            continue;
        }
        const auto [writer, output] = padder_of(plan, targets->stream);
        if (writer == nullptr) {
            continue;
        }
        const auto named = reader.globals.find(ignored->name);
        const bool is_named =
            named != reader.globals.end() || reader.constants.contains(ignored->name);
        const auto padding = writer->globals.find(ignored_target(*writer, true)->name);
        if (named != reader.globals.end() && padding != writer->globals.end() &&
            named->second == padding->second) {
            continue;
        }
        all.push_back({.reader = &reader,
                       .writer = writer,
                       .targets = targets->stream,
                       .is_certain = !is_named && output->shape.size() > kSteps &&
                                     !reads_windows(plan, *writer) &&
                                     size_of(plan, output->shape[kSteps]).has_value(),
                       .fix = fix_of_padding(reader, *ignored, *writer)});
    }
    return all;
}

std::string text_of_padding(const Plan& plan, const CountedPadding& one) {
    return fmt::format("counts the padding of '{}' by {} as right answers",
                       plan.stream(one.targets).name, node_text(*one.writer));
}

namespace {

// Returns the setting with which a dimension of a port would be a number; "" if there is none.
std::string length_setting(const Node& node, const Binding& binding, std::size_t dimension) {
    const Shape shape = shape_of(node.port(binding), checked_settings(node));
    return shape && shape->size() == binding.shape.size() ? std::string((*shape)[dimension].setting)
                                                          : "";
}

}  // namespace

bool is_free(const Node& node, const Binding& binding, std::size_t dimension) {
    const Dimension& one = binding.shape[dimension];
    const auto has_it = [&](const Binding& input) {
        return input.stream >= 0 && find_named(input.shape, one.name) != nullptr;
    };
    return one.symbol >= 0 && one.symbol != kBatchSymbol && !one.name.empty() &&
           std::ranges::none_of(node.inputs, has_it) &&
           find_named(node.component->globals, one.name) == nullptr &&
           std::ranges::find(node.derived, one.symbol, &DerivedSize::symbol) == node.derived.end();
}

namespace {

std::string path_of_setting(const Node& node, const std::string& setting) {
    return fmt::format("{}.{}", node.path, toml_key(setting));
}

// Warns of a statistic whose sentences end with words that the indexer of its targets does not
// write: a model never learns to end. The settings are known by their usual names.
void warn_of_ends_not_written(const Plan& plan, Diagnostics& problems) {
    std::set<const Node*> indexers;  // that are warned of
    for (const Node& node : plan.nodes) {
        const Value* const ends = checked_settings(node).find("end_words");
        const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
        const Node* const indexer = ends == nullptr || targets == nullptr || targets->stream < 0
                                        ? nullptr
                                        : padder_of(plan, targets->stream).node;
        const Value* const writes =
            indexer == nullptr ? nullptr : checked_settings(*indexer).find("eos_token");
        const bool is_missing = writes != nullptr && writes->is_bool() && !writes->as_bool() &&
                                std::ranges::any_of(ends->items(), [](const Value& word) {
                                    return word.is_string() && word.as_string() == "<EOS>";
                                });
        if (is_missing && indexers.insert(indexer).second) {
            warn(*indexer,
                 Explanation{fmt::format("ends no sentence with \"<EOS>\", which {} takes as the "
                                         "end: what is trained with these targets never ends one",
                                         node_text(node)),
                             fmt::format("set {} = true", path_of_setting(*indexer, "eos_token"))},
                 problems);
        }
    }
}

// Names who reads the stream with this number of steps: by its declaration, or beside another.
std::string reason_of_size(const Plan& plan, int stream, std::size_t dimension) {
    for (const Node& reader : plan.nodes) {
        for (const Binding& input : reader.inputs) {
            if (input.stream != stream || input.shape.size() <= dimension) {
                continue;
            }
            const Dimension& here = input.shape[dimension];
            if (here.size) {
                return fmt::format("{} reads '{}' as {}", node_text(reader),
                                   plan.stream(stream).name, shape_text(plan, input.shape));
            }
            for (const Binding& other : reader.inputs) {
                if (other.stream >= 0 && other.stream != stream &&
                    find_named(other.shape, here.name) != nullptr) {
                    return fmt::format("{} reads it beside '{}', {}", node_text(reader),
                                       plan.stream(other.stream).name,
                                       shape_text(plan, other.shape));
                }
            }
        }
    }
    return "";
}

std::string written_text(const Plan& plan, const OtherLength& of) {
    return fmt::format("{} writes [{}] to stream '{}'", node_text(of.node), join(of.actual, ", "),
                       plan.stream(of.binding.stream).name);
}

bool is_false(const Node& node, std::string_view setting) {
    const Value* const value = checked_settings(node).find(setting);
    return value != nullptr && value->is_bool() && !value->as_bool();
}

// Returns whether both read or publish a vocabulary of one name.
bool have_one_vocabulary(const Node& one, const Node& other) {
    const auto names_of = [](const Node& node) {
        std::set<std::string> names;
        for (const plugin::Global& global : node.component->globals) {
            const auto named = node.globals.find(global.name);
            if (global.purpose == plugin::Purpose::kVocabulary && named != node.globals.end()) {
                names.insert(named->second);
            }
        }
        return names;
    };
    const std::set<std::string> names = names_of(one);
    return std::ranges::any_of(names_of(other),
                               [&](const std::string& name) { return names.contains(name); });
}

// Warns of what compares or writes sentences whole, although the targets have a word that ends
// them: what follows it has no meaning. The settings are known by their usual names.
void warn_of_ends(const Plan& plan, const Node& node, Diagnostics& problems) {
    const auto ends_sentences = [](const Node* indexer) {
        return indexer != nullptr && is_set(checked_settings(*indexer).find("eos_token"));
    };
    const Value* const end_words = checked_settings(node).find("end_words");
    const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
    if (end_words != nullptr && end_words->items().empty() && targets != nullptr &&
        targets->stream >= 0) {
        if (const Node* const indexer = padder_of(plan, targets->stream).node;
            ends_sentences(indexer)) {
            warn(node,
                 Explanation{
                     fmt::format("counts what is predicted after the end of a sentence, "
                                 "which the targets by {} mark with eos_token = true",
                                 node_text(*indexer)),
                     fmt::format("set {} = [\"<EOS>\"]", path_of_setting(node, "end_words"))},
                 problems);
        }
    }
    const bool reads_padded = std::ranges::any_of(node.inputs, [&](const Binding& input) {
        return input.stream >= 0 && padder_of(plan, input.stream).node != nullptr;
    });
    const bool writes_words = std::ranges::any_of(node.outputs, [&](const Binding& output) {
        return output.stream >= 0 && node.port(output).element == Element::kTokens;
    });
    if (!is_false(node, "stop_at_end") || !writes_words || reads_padded) {
        return;
    }
    for (const Node& indexer : plan.nodes) {
        if (ends_sentences(&indexer) && have_one_vocabulary(node, indexer)) {
            warn(node,
                 Explanation{fmt::format("writes the words after the end of a sentence, too, which "
                                         "the sentences by {} mark with eos_token = true",
                                         node_text(indexer)),
                             fmt::format("set {} = true", path_of_setting(node, "stop_at_end"))},
                 problems);
            return;
        }
    }
}

}  // namespace

void warn_of_padding(const Plan& plan, Diagnostics& problems) {
    warn_of_ends_not_written(plan, problems);
    for (const CountedPadding& one : counted_padding(plan)) {
        if (one.is_certain) {
            warn(*one.reader, Explanation{text_of_padding(plan, one), one.fix}, problems);
        }
    }
    for (const Node& node : plan.nodes) {
        warn_of_ends(plan, node, problems);
        const bool has_any_lengths =
            !reads_windows(plan, node) &&
            std::ranges::any_of(node.inputs, [&](const Binding& input) {
                const Element element = node.port(input).element;
                return element == Element::kTokens || element == Element::kTensorList;
            });
        std::set<std::string> settings;  // that are warned of
        for (const Binding& output : node.outputs) {
            for (std::size_t i = 0; has_any_lengths && i < output.shape.size(); ++i) {
                const std::string setting = length_setting(node, output, i);
                const auto size = size_of(plan, output.shape[i]);
                if (output.stream < 0 || setting.empty() || !size || !is_free(node, output, i) ||
                    !settings.insert(setting).second) {
                    continue;
                }
                const std::string reason = reason_of_size(plan, output.stream, i);
                warn(node,
                     Explanation{
                         fmt::format("'{}' is as long as the longest sequence of its batch, and "
                                     "must be {} long in each{}{}: any other batch ends the run",
                                     plan.stream(output.stream).name, *size,
                                     reason.empty() ? "" : ", as ", reason),
                         fmt::format("set {} = {}", path_of_setting(node, setting), *size)},
                     problems);
            }
        }
    }
}

std::optional<Explanation> other_length(const Plan& plan, const OtherLength& of,
                                        std::int64_t batch_size) {
    const auto& [node, binding, actual] = of;
    if (!binding.has_shape || actual.size() != binding.shape.size()) {
        return std::nullopt;
    }
    std::optional<std::size_t> other;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const bool is_batch = binding.shape[i].symbol == kBatchSymbol;
        const auto size = is_batch ? std::optional(batch_size) : size_of(plan, binding.shape[i]);
        if (size && *size != actual[i]) {
            if (!is_free(node, binding, i)) {
                return std::nullopt;
            }
            other = other.value_or(i);
        }
    }
    if (!other) {
        return std::nullopt;
    }
    const std::int64_t size = *size_of(plan, binding.shape[*other]);
    const std::string& origin = plan.symbol(binding.shape[*other].symbol).origin;
    const std::string reason = reason_of_size(plan, binding.stream, *other);
    const std::string setting = length_setting(node, binding, *other);
    return Explanation{
        fmt::format("{}, where dimension {} must be {}{}{}", written_text(plan, of), *other, size,
                    origin.empty() ? "" : fmt::format(" ({})", origin),
                    reason.empty() ? "" : ": " + reason),
        setting.empty() ? "" : fmt::format("set {} = {}", path_of_setting(node, setting), size)};
}

std::optional<Explanation> other_length(const Plan& plan, const OtherLength& of,
                                        const LengthOfOther& other) {
    const auto& [node, binding, actual] = of;
    const int producer = plan.stream(other.stream).producer;
    const bool is_own = node.writes(other.stream);
    if (is_own || !is_free(node, binding, other.dimension)) {
        return std::nullopt;
    }
    const std::string reason = reason_of_size(plan, binding.stream, other.dimension);
    const std::string setting = length_setting(node, binding, other.dimension);
    std::string fix;
    if (producer >= 0 && !setting.empty()) {
        const Node& writer = plan.node(producer);
        const auto output = std::ranges::find(writer.outputs, other.stream, &Binding::stream);
        const int symbol = binding.shape[other.dimension].symbol;
        const auto place = std::ranges::find(output->shape, symbol, &Dimension::symbol);
        const auto at = static_cast<std::size_t>(place - output->shape.begin());
        const std::string second =
            place == output->shape.end() ? "" : length_setting(writer, *output, at);
        fix = second.empty()
                  ? ""
                  : fmt::format("set {} and {} to the same number, as long as the longest",
                                path_of_setting(writer, second), path_of_setting(node, setting));
    }
    return Explanation{fmt::format("{}, and stream '{}' is [{}]: dimension {} must be the same{}{}",
                                   written_text(plan, of), plan.stream(other.stream).name,
                                   join(other.actual, ", "), other.dimension,
                                   reason.empty() ? "" : ", as ", reason),
                       fix};
}

}  // namespace ptp::pipeline
