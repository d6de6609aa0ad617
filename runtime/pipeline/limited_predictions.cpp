// Finds streams of probabilities, their logarithms and numbers from 0 on, losses that compare
// limited numbers with any, and those that take probabilities along another dimension.

#include "pipeline/meaning.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr const char* kProbabilities = "probabilities";
constexpr const char* kLogProbabilities = "log_probabilities";
constexpr std::size_t kTask = 0;  // of the training, or of what is processed

// Returns the only word of an output: a meaning, or the name of what passes through; "" otherwise.
std::string word_of(const Node& node, const Binding& output) {
    const std::vector<std::string> words = meanings_of(node.port(output), checked_settings(node));
    return words.size() == 1 ? words.front() : "";
}

// Returns the only wired input of a port of this name; nullptr if there are several, or none.
const Binding* only_input(const Node& node, const std::string& port) {
    const auto is_it = [&](const Binding& input) {
        return input.stream >= 0 && node.port(input).name == port;
    };
    const auto found = std::ranges::find_if(node.inputs, is_it);
    return std::ranges::count_if(node.inputs, is_it) == 1 ? &*found : nullptr;
}

// The component, or one of its layers, that limits the numbers of a stream, and their meaning.
struct Limit {
    const Node* writer = nullptr;  // nullptr: nothing does
    std::string word = {};
    bool is_reshaped = false;  // what it writes reaches the stream in other dimensions
};

bool is_limited(const std::string& word) {
    return word == kProbabilities || word == kLogProbabilities || word == kFromZero ||
           word == kWithinOne;
}

Limit passed(Limit limit, const Node& node, const Binding& input, const Binding& output) {
    limit.is_reshaped |= node.port(input).shape != node.port(output).shape;
    return limit;
}

// Returns the layer that limits the stream between layers, or whose numbers pass through to it.
Limit limiting_layer(const Node& owner, int stream) {
    for (const Node& layer : owner.layers) {
        for (const Binding& output : layer.outputs) {
            if (output.stream == stream) {
                const std::string word = word_of(layer, output);
                const Binding* const input = only_input(layer, word);
                return is_limited(word) ? Limit{&layer, word}
                       : input != nullptr
                           ? passed(limiting_layer(owner, input->stream), layer, *input, output)
                           : Limit{};
            }
        }
    }
    return {};
}

Limit limit_of(const Plan& plan, int stream) {
    const int producer = plan.stream(stream).producer;
    if (producer < 0) {
        return {};
    }
    const Node& node = plan.node(producer);
    if (node.passes_on(kTask)) {
        const auto passed = node.passed_ports();
        const auto found = std::ranges::find_if(
            passed, [&](const auto& ports) { return node.outputs[ports.second].stream == stream; });
        return found == passed.end() ? Limit{} : limit_of(plan, node.inputs[found->first].stream);
    }
    const auto output = std::ranges::find(node.outputs, stream, &Binding::stream);
    const std::string word = output == node.outputs.end() ? "" : word_of(node, *output);
    if (is_limited(word)) {
        return {&node, word};
    }
    if (const Binding* const input = only_input(node, word)) {
        return passed(limit_of(plan, input->stream), node, *input, *output);
    }
    for (const LayerList& list : node.lists) {
        if (node.component->settings[list.setting].name == word) {
            return limiting_layer(node, list.result);
        }
    }
    return {};
}

std::string fix_of_limit(const Plan& plan, const Node& loss, const Binding& predictions,
                         const Node& writer) {
    if (!writer.owner.empty()) {
        return fmt::format("leave out {}, \"{}\"", writer.path, writer.component->name);
    }
    const bool has_one_input =
        writer.component->kind == plugin::Kind::kTransform && writer.inputs.size() == 1;
    return has_one_input ? fmt::format("write streams.{} = \"{}\" in {}", predictions.name,
                                       plan.stream(writer.inputs.front().stream).name, loss.path)
                         : fmt::format("let {} read numbers without limits", node_text(loss));
}

}  // namespace

bool are_probabilities(const Plan& plan, int stream) {
    return limit_of(plan, stream).word == kProbabilities;
}

std::vector<LimitedPredictions> limited_predictions(const Plan& plan) {
    std::vector<LimitedPredictions> all;
    for (const Node& loss : plan.nodes) {
        const Binding* const targets = loss.input_for(plugin::Purpose::kTargets);
        const bool counts_all = std::ranges::none_of(loss.inputs, [&](const Binding& input) {
            return input.stream >= 0 && loss.port(input).element == plugin::Element::kBoolean;
        });
        if (loss.component->kind != plugin::Kind::kLoss || !loss.runs_on(kTask) ||
            targets == nullptr || !counts_all ||
            loss.port(*targets).element != plugin::Element::kFloating) {
            continue;
        }
        for (const Binding& input : loss.inputs) {
            const std::vector<std::string> taken =
                meanings_of(loss.port(input), checked_settings(loss));
            const Limit limit = input.stream >= 0 && contains(taken, "values")
                                    ? limit_of(plan, input.stream)
                                    : Limit{};
            if (limit.writer != nullptr && limit.word != kLogProbabilities && &input != targets) {
                all.push_back(
                    {.targets = targets->stream,
                     .lowest = limit.word == kWithinOne ? -1.0 : 0.0,
                     .highest =
                         limit.word == kFromZero ? std::numeric_limits<double>::infinity() : 1.0,
                     .are_standardized = !plan.tasks.empty() &&
                                         !value_scales(plan.tasks[kTask], targets->stream).empty(),
                     .loss = &loss,
                     .writer = node_text(*limit.writer),
                     .fix = fix_of_limit(plan, loss, input, *limit.writer)});
            }
        }
    }
    return all;
}

std::string text_of_limit(const LimitedPredictions& one) {
    return fmt::format("compares predictions of {}, which {}", one.writer,
                       std::isinf(one.highest)
                           ? "are never below 0"
                           : fmt::format("stay between {:g} and {:g}", one.lowest, one.highest));
}

void warn_of_limits(const Plan& plan, Diagnostics& problems) {
    for (const LimitedPredictions& one : limited_predictions(plan)) {
        if (one.are_standardized) {
            pipeline::warn(
                *one.loss,
                Explanation{fmt::format("{}, with standardized values: about {}, and are "
                                        "never reached",
                                        text_of_limit(one),
                                        std::isinf(one.highest) ? "half of these are negative"
                                        : one.lowest < 0        ? "a third of these lie beyond"
                                                                : "two thirds of these lie beyond"),
                            one.fix},
                problems);
        }
    }
}

namespace {

// Returns the setting with the dimension along which what a component writes adds up to 1: the one
// that it requires to be a dimension of its only input.
const plugin::Setting* normalized_dimension(const Node& writer) {
    if (writer.inputs.size() != 1) {
        return nullptr;
    }
    for (const plugin::Requirement& required : writer.component->requirements) {
        const auto is_it = [&](const plugin::Setting& setting) {
            return required.relation ==
                   fmt::format("${} < rank({})", setting.name, writer.inputs.front().name);
        };
        const auto found = std::ranges::find_if(writer.component->settings, is_it);
        if (found != writer.component->settings.end() &&
            holds(parse_condition(required.when), checked_settings(writer))) {
            return &*found;
        }
    }
    return nullptr;
}

// A dimension of a shape, of as many.
struct Place {
    std::int64_t dimension = 0;
    std::int64_t rank = 0;

    bool operator==(const Place&) const = default;
};

// Returns the dimension of the input of this name that an integer input of the loss or statistic,
// the targets, lacks: that of the classes. nullopt if there is not one alone.
std::optional<Place> classes_in(const std::string& scores, const Settings& settings) {
    std::vector<Shape> all;
    std::vector<Shape> targets;
    for (const plugin::Port& port : settings.component.ports) {
        if (port.direction == plugin::Direction::kInput &&
            holds(parse_condition(port.when), settings)) {
            if (port.name == scores) {
                all.push_back(shape_of(port, settings));
            } else if (port.element == plugin::Element::kInteger) {
                targets.push_back(shape_of(port, settings));
            }
        }
    }
    for (const Shape& shape : targets) {
        std::vector<std::int64_t> others;
        for (std::size_t i = 0; shape && all.size() == 1 && all[0] && i < all[0]->size(); ++i) {
            if (find_named(*shape, (*all[0])[i].name) == nullptr) {
                others.push_back(static_cast<std::int64_t>(i));
            }
        }
        if (others.size() == 1) {
            return Place{others.front(), static_cast<std::int64_t>(all[0]->size())};
        }
    }
    return std::nullopt;
}

// Returns "set loss.classes_first = true" if it then takes this dimension as that of the classes.
std::string fix_of_normalized(const Node& reader, const std::string& scores, const Place& wanted) {
    for (std::size_t i = 0; i < reader.settings.size(); ++i) {
        auto values = reader.settings;
        const plugin::Setting& setting = reader.component->settings[i];
        const bool is_switch = values[i] && values[i]->is_bool();
        const bool switched = is_switch && !values[i]->as_bool();
        if (is_switch) {
            values[i].emplace(switched);
        }
        if (is_switch && classes_in(scores, {*reader.component, values}) == wanted) {
            return fmt::format("set {}.{} = {}", reader.path, toml_key(setting.name), switched);
        }
    }
    return "";
}

std::string fix_of_dimension(const Node& writer, const plugin::Setting& setting,
                             const Place& classes) {
    const auto range = schema::Range::parse(setting.range);
    const bool is_last = classes.dimension + 1 == classes.rank && range && range->contains(-1);
    const std::string dimension =
        fmt::format("{} = {}", toml_key(setting.name), is_last ? -1 : classes.dimension);
    const bool is_table = std::ranges::any_of(writer.settings, [](const auto& value) {
        return value && value->place() != SourceLocation();
    });
    const std::string& type = writer.component->name;
    return writer.owner.empty() || is_table
               ? fmt::format("set {}.{}", writer.path, dimension)
               : fmt::format("write {{ type = \"{0}\", {1} }} in place of \"{0}\" as {2}", type,
                             dimension, writer.path);
}

}  // namespace

void check_normalized(const Plan& plan, Diagnostics& problems) {
    std::set<const Node*> reported;
    for (const Node& reader : plan.nodes) {
        for (const Binding& input : reader.inputs) {
            const Limit limit =
                reader.compares() && input.stream >= 0 ? limit_of(plan, input.stream) : Limit{};
            const auto classes = limit.writer == nullptr || limit.is_reshaped
                                     ? std::nullopt
                                     : classes_in(input.name, checked_settings(reader));
            const auto* const setting = classes ? normalized_dimension(*limit.writer) : nullptr;
            const Value* const value =
                setting == nullptr ? nullptr : checked_settings(*limit.writer).find(setting->name);
            if (value == nullptr || !value->is_integer()) {
                continue;
            }
            const std::int64_t given = value->as_integer();
            const Place normalized{given < 0 ? given + classes->rank : given, classes->rank};
            if (normalized == *classes || !reported.insert(limit.writer).second) {
                continue;
            }
            const std::string other = fix_of_normalized(reader, input.name, normalized);
            const bool is_default = value->place() == SourceLocation();
            report(
                *limit.writer, is_default ? limit.writer->place : value->place(),
                Explanation{fmt::format("makes probabilities along dimension {} ({} = {}{}), and "
                                        "{} takes dimension {} of '{}', {}, as that of the classes",
                                        normalized.dimension, setting->name, given,
                                        is_default ? ", the default" : "", node_text(reader),
                                        classes->dimension, plan.stream(input.stream).name,
                                        shape_text(plan, plan.stream(input.stream).shape)),
                            fix_of_dimension(*limit.writer, *setting, *classes) +
                                (other.empty() ? ""
                                               : fmt::format(", or {} if dimension {} is theirs",
                                                             other, normalized.dimension))},
                problems);
        }
    }
}

}  // namespace ptp::pipeline
