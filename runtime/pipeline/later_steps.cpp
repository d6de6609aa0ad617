// Follows the steps of sequences from integers to the losses that compare them with others.

#include "pipeline/later_steps.hpp"

#include "base/ranges.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Element;

constexpr std::size_t kStepPlace = 1;  // the dimension of the steps

// The settings that say whether steps depend on later ones, by their usual names, and the values
// with which they do not.
constexpr std::array kDirections = {std::pair{"bidirectional", false},
                                    std::pair{"is_causal", true}};

// Returns whether it reads a stream that it has only with this value of the setting, as attention
// to another sequence, whose steps are not later ones of the first.
bool reads_only_with(const Node& node, std::string_view setting) {
    return std::ranges::any_of(node.inputs, [&](const Binding& input) {
        const auto& terms = parse_condition(node.port(input).when).terms;
        return input.stream >= 0 &&
               std::ranges::find(terms, setting, &Term::setting) != terms.end();
    });
}

std::string fix_of_mixing(const Node& node) {
    for (const auto& [name, is_right] : kDirections) {
        const Value* const value = checked_settings(node).find(name);
        if (value != nullptr && value->is_bool() && value->as_bool() != is_right &&
            !reads_only_with(node, name)) {
            return fmt::format("set {}.{} = {}", node.path, name, is_right);
        }
    }
    return "";
}

// Returns how the steps come last, by a transform of the reader's plugin that is declared to
// exchange dimensions.
std::string fix_of_channels(const Node& reader) {
    for (const plugin::Component& one : reader.plugin->manifest.components) {
        for (const plugin::Port& port : one.ports) {
            if (one.kind == plugin::Kind::kTransform &&
                port.shape.find("], inputs[$") != std::string::npos) {
                return fmt::format(
                    "insert \"{}\" before {}, and another one behind it where [B, "
                    "length, size] is read again",
                    one.name, reader.path);
            }
        }
    }
    return "exchange these two dimensions before it";
}

// A stream may have the steps of the integers, and a component may have mixed them.
struct Steps {
    bool are_there = false;
    const Node* mixer = nullptr;
};

// Returns whether a model is made to read answers at this port of integers, as for teacher forcing:
// it is optional, or beside what the model computes its outputs from.
bool is_for_answers(const Node& node, const Binding& input) {
    const plugin::Port& port = node.port(input);
    const bool is_beside = &input != &node.inputs.front() && port.streams_setting.empty();
    return port.element == Element::kInteger && (port.is_optional || is_beside);
}

// Components or layers, and the streams between them. Where it is not of steps, all outputs of a
// component are from what it reads.
class Flow {
public:
    // Components and layers that take steps for channels.
    using Readers = std::vector<const Node*>;

    Flow(const Plan& plan, const std::vector<Stream>& streams, bool is_of_steps = true,
         Readers* of_channels = nullptr)
        : plan_(plan),
          streams_(streams),
          is_of_steps_(is_of_steps),
          of_channels_(of_channels),
          steps_(streams.size()) {}

    Steps& at(const Binding& binding) { return steps_[static_cast<std::size_t>(binding.stream)]; }
    Steps& at(int stream) { return steps_[static_cast<std::size_t>(stream)]; }

    void follow(const Node& node) {
        const Steps inner = steps_of_layers(node);
        for (const Binding& input : node.inputs) {
            if (input.stream < 0 || !at(input).are_there || is_for_answers(node, input)) {
                continue;
            }
            if (of_channels_ != nullptr && input.shape.size() > kStepPlace &&
                input.shape[kStepPlace].name.ends_with("channels")) {
                of_channels_->push_back(&node);
            }
            for (const Binding& output : node.outputs) {
                if (output.stream >= 0 &&
                    (node.layers.empty() ? keeps_steps(input, output) : inner.are_there)) {
                    const Node* const before = at(input).mixer;
                    Steps& made = at(output);
                    made.are_there = true;
                    made.mixer = made.mixer != nullptr ? made.mixer
                                 : before != nullptr   ? before
                                 : mixes_steps(node)   ? &node
                                                       : inner.mixer;
                }
            }
        }
    }

private:
    // Returns the dimensions of what a port carries, of one of any shape those of its stream.
    [[nodiscard]] const std::vector<Dimension>& shape_of(const Binding& binding) const {
        return binding.has_shape ? binding.shape
                                 : streams_[static_cast<std::size_t>(binding.stream)].shape;
    }

    // Steps that are computed one by one may be as many, under another name.
    [[nodiscard]] bool keeps_steps(const Binding& input, const Binding& output) const {
        const auto& read = shape_of(input);
        const auto& written = shape_of(output);
        if (!is_of_steps_ || read.size() <= kStepPlace || written.size() <= kStepPlace) {
            return !is_of_steps_;
        }
        if (input.has_shape && output.has_shape) {
            return !read[kStepPlace].name.empty() &&
                   read[kStepPlace].name == written[kStepPlace].name;
        }
        const auto size = size_of(plan_, read[kStepPlace]);
        const auto has_size = [&](const Dimension& one) { return size_of(plan_, one) == size; };
        return (read[kStepPlace].symbol >= 0 &&
                read[kStepPlace].symbol == written[kStepPlace].symbol) ||
               (size && has_size(written[kStepPlace]) &&
                std::ranges::count_if(read, has_size) == 1);
    }

    // Returns what flows out of the component's own layers.
    Steps steps_of_layers(const Node& node) {
        Flow inner(plan_, node.inner_streams, is_of_steps_, of_channels_);
        for (std::size_t i = 0; i < std::min(node.inputs.size(), inner.steps_.size()); ++i) {
            if (node.inputs[i].stream >= 0) {
                inner.steps_[i] = at(node.inputs[i]);
            }
        }
        for (const Node& layer : node.layers) {
            inner.follow(layer);
        }
        Steps steps;
        for (const LayerList& list : node.lists) {
            const Steps one = list.result < 0 ? Steps() : inner.at(list.result);
            steps.are_there = steps.are_there || one.are_there;
            steps.mixer = steps.mixer == nullptr ? one.mixer : steps.mixer;
        }
        return steps;
    }

    const Plan& plan_;
    const std::vector<Stream>& streams_;
    bool is_of_steps_;
    Readers* of_channels_;
    std::vector<Steps> steps_;
};

}  // namespace

bool mixes_steps(const Node& node) {
    return !fix_of_mixing(node).empty();
}

void warn_of_steps_as_channels(const Plan& plan, Diagnostics& problems) {
    std::set<const Node*> warned;
    for (const Node& writer : plan.nodes) {
        for (const Binding& output : writer.outputs) {
            // A component that may write lengths writes sequences.
            if (output.stream < 0 || output.shape.size() != kStepPlace + 1 ||
                plan.stream(output.stream).element != Element::kInteger ||
                find_named(writer.component->ports, "lengths") == nullptr) {
                continue;
            }
            Flow::Readers readers;
            Flow flow(plan, plan.streams, true, &readers);
            flow.at(output).are_there = true;
            std::ranges::for_each(plan.nodes, [&](const Node& node) { flow.follow(node); });
            for (const Node* const reader : readers) {
                if (warned.insert(reader).second) {
                    warn(*reader,
                         Explanation{fmt::format("takes the steps of '{}' for channels, and moves "
                                                 "along the numbers of each step: it reads [B, "
                                                 "channels, length], and gets [B, length, size]",
                                                 plan.stream(output.stream).name),
                                     fix_of_channels(*reader)},
                         problems);
                }
            }
        }
    }
}

namespace {

// Returns the streams with the answers that a loss compares predictions with, where a model should
// not read them: its targets and, beside classes that a task writes, their names. Numbers are
// answers only where samples without targets lack them: others may be the inputs.
std::vector<int> streams_of_answers(const Plan& plan, const Binding& targets) {
    const bool is_integer = plan.stream(targets.stream).element == Element::kInteger;
    bool are_answers = is_integer;
    std::vector<int> streams = {targets.stream};
    for (const Node& task : plan.tasks) {
        const plugin::Setting* const unlabeled = unlabeled_setting(*task.component);
        for (const Binding& output : task.outputs) {
            const plugin::Port& port = task.port(output);
            const bool is_lacked = unlabeled != nullptr && is_gone(port.when, *unlabeled);
            if (output.stream == targets.stream) {
                const bool is_row = targets.shape.size() <= kStepPlace + 1;
                are_answers = are_answers ||
                              (is_row && (is_lacked || port.purpose == plugin::Purpose::kTargets));
            } else if (is_lacked && output.stream >= 0 && plugin::is_text(port.element) &&
                       task.writes(targets.stream)) {
                streams.push_back(output.stream);
            }
        }
    }
    return are_answers ? streams : std::vector<int>();
}

// Follows what is computed of the answers of a loss to what it compares with them.
class ReadAnswers {
public:
    ReadAnswers(const Plan& plan, const Node& loss, const Binding& targets)
        : plan_(plan),
          loss_(loss),
          targets_(targets),
          is_of_steps_(plan.stream(targets.stream).element == Element::kInteger &&
                       targets.shape.size() > kStepPlace),
          answers_(streams_of_answers(plan, targets)),
          flow_(plan, plan.streams, is_of_steps_) {
        for (const int stream : answers_) {
            flow_.at(stream).are_there = true;
        }
        std::ranges::for_each(plan.nodes, [&](const Node& node) { follow(node); });
    }

    // Returns the component that brings the answers to a model; nullptr where the loss does not
    // compare what that computes.
    [[nodiscard]] const Node* reader() const {
        const bool is_seen = std::ranges::any_of(loss_.inputs, [&](const Binding& input) {
            return &input != &targets_ && predicted_.contains(input.stream);
        });
        return is_seen ? reader_ : nullptr;
    }

    [[nodiscard]] Explanation explanation() const {
        const std::string& read = plan_.stream(read_->stream).name;
        const std::string& targets = plan_.stream(targets_.stream).name;
        const std::string& answers = plan_.stream(answers_.back()).name;
        const std::string& setting = reader_->port(*read_).streams_setting;
        return {
            fmt::format("reads '{}'{}, and what is computed of it is compared with the same "
                        "'{}' by {}: the model sees what it is to predict",
                        read,
                        contains(answers_, read_->stream)
                            ? ""
                            : fmt::format(", which is made of {}",
                                          answers == targets
                                              ? fmt::format("'{}'", targets)
                                              : fmt::format("'{}' or '{}'", targets, answers)),
                        targets, node_text(loss_)),
            setting.empty()
                ? fmt::format(
                      "read another stream in {}, such as the inputs{}", reader_->path,
                      is_of_steps_ ? ", or give the targets to a decoder with teacher forcing" : "")
                : fmt::format("leave \"{}\" out of {}.{}", read, reader_->path, setting)};
    }

private:
    // A transform that reads them beside others and writes both, such as MixUp, does not join them;
    // one of steps may make the inputs of teacher forcing.
    [[nodiscard]] bool is_followed(const Node& node) const {
        const bool reads_them = std::ranges::any_of(node.inputs, [&](const Binding& input) {
            return contains(answers_, input.stream) && !is_for_answers(node, input);
        });
        const auto written = std::ranges::count_if(
            node.outputs, [](const Binding& output) { return output.stream >= 0; });
        return !node.compares() && node.runs_on(0) &&
               (!reads_them || node.component->kind == plugin::Kind::kModel ||
                (!is_of_steps_ && written == 1));
    }

    void follow(const Node& node) {
        if (!is_followed(node)) {
            return;
        }
        flow_.follow(node);
        const bool is_model = node.component->kind == plugin::Kind::kModel;
        bool is_behind_model = is_model;
        for (const Binding& input : node.inputs) {
            const bool is_read =
                input.stream >= 0 && flow_.at(input).are_there && !is_for_answers(node, input);
            if (is_read && reader_ == nullptr && (is_model || node.inputs.size() > 1)) {
                reader_ = &node;
                read_ = &input;
            }
            is_behind_model = is_behind_model || predicted_.contains(input.stream);
        }
        for (const Binding& output : node.outputs) {
            if (is_behind_model && output.stream >= 0 && flow_.at(output).are_there) {
                predicted_.insert(output.stream);
            }
        }
    }

    const Plan& plan_;
    const Node& loss_;
    const Binding& targets_;
    bool is_of_steps_;
    std::vector<int> answers_;
    Flow flow_;
    const Node* reader_ = nullptr;   // the first that may let a model see them
    const Binding* read_ = nullptr;  // its input
    std::set<int> predicted_;        // streams that models compute of them
};

}  // namespace

void warn_of_read_targets(const Plan& plan, Diagnostics& problems) {
    std::set<const Node*> warned;
    for (const Node& loss : plan.nodes) {
        const Binding* const targets = loss.input_for(plugin::Purpose::kTargets);
        if (loss.component->kind == plugin::Kind::kLoss && targets != nullptr) {
            const ReadAnswers answers(plan, loss, *targets);
            if (answers.reader() != nullptr && warned.insert(answers.reader()).second) {
                warn(*answers.reader(), answers.explanation(), problems);
            }
        }
    }
}

std::vector<SeenAnswers> seen_answers(const Plan& plan) {
    std::vector<SeenAnswers> all;
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
        const Stream& inputs = plan.streams[i];
        if (inputs.element != Element::kInteger || inputs.shape.size() != kStepPlace + 1) {
            continue;
        }
        Flow flow(plan, plan.streams);
        flow.at(static_cast<int>(i)).are_there = true;
        for (const Node& node : plan.nodes) {
            flow.follow(node);
            const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
            if (node.component->kind != plugin::Kind::kLoss || targets == nullptr ||
                targets->stream == static_cast<int>(i) || targets->shape.size() != kStepPlace + 1) {
                continue;
            }
            for (const Binding& input : node.inputs) {
                if (input.stream >= 0 && &input != targets && flow.at(input).are_there) {
                    const Node* const mixer = flow.at(input).mixer;
                    all.push_back({static_cast<int>(i), targets->stream, &node, mixer,
                                   mixer != nullptr ? fix_of_mixing(*mixer) : ""});
                }
            }
        }
    }
    return all;
}

}  // namespace ptp::pipeline
