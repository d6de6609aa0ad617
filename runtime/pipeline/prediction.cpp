// Finds the streams to predict, and leaves the rest of a plan out.

#include "pipeline/prediction.hpp"

#include "base/suggest.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/predicted_targets.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Kind;

// Values of PredictedStream::targets.
constexpr int kNoTargets = -1;
constexpr int kNumbersElsewhere = -2;

constexpr std::size_t kDimensionsOfSentences = 3;  // samples, steps and words

bool writes_globals(const Node& node) {
    for (std::size_t i = 0; i < node.has_global.size(); ++i) {
        if (node.has_global[i] &&
            node.component->globals[i].access == plugin::GlobalAccess::kWrite) {
            return true;
        }
    }
    return false;
}

void add_new(int stream, std::vector<int>& streams) {
    if (!contains(streams, stream)) {
        streams.push_back(stream);
    }
}

class Finder {
public:
    explicit Finder(Plan& plan) : plan_(plan) {
        for (const Node& node : plan.nodes) {
            const bool is_behind = std::ranges::any_of(
                node.inputs, [&](const Binding& input) { return is_learned(input.stream); });
            for (const Binding& output : node.outputs) {
                if (output.stream >= 0 && (is_behind || node.component->kind == Kind::kModel)) {
                    learned_.insert(output.stream);
                }
            }
        }
    }

    Prediction run(const std::vector<std::string>& names, Diagnostics& problems) {
        Prediction found;
        const std::vector<int> streams =
            names.empty() ? streams_by_default() : streams_named(names, problems);
        for (const int stream : streams) {
            found.streams.push_back(described(stream));
            need(stream);
        }
        if (streams.empty() && names.empty()) {
            report_nothing(problems);
        }
        add_losses(streams, found);
        if (const Binding* const files = task().output_for(plugin::Purpose::kFiles)) {
            found.files = files->stream;
        }
        // Whatever is shown of them.
        for (const int stream : names.empty() ? streams_of_losses() : streams) {
            if (found.next_word.stream < 0 && described(stream).is_class_scores) {
                found.next_word = described(stream);
            }
        }
        keep_needed(found);
        return found;
    }

private:
    [[nodiscard]] const Node& task() const { return plan_.tasks.front(); }  // the plan has one

    // Returns whether the stream depends on a model.
    [[nodiscard]] bool is_learned(int stream) const { return learned_.contains(stream); }

    // Returns whether the task, or a component that runs, writes the stream.
    [[nodiscard]] bool is_written(int stream) const {
        const int producer = plan_.stream(stream).producer;
        return producer >= 0 ? plan_.node(producer).writes_on(0)
                             : stream == task().indices_stream || task().writes(stream);
    }

    // Reports that no model runs: for want of a stream of these samples, or in this phase.
    void report_nothing(Diagnostics& problems) const {
        for (const Node& node : plan_.nodes) {
            const std::vector<int> read = node.read_streams();
            const auto needed = needed_streams(plan_, std::set<int>(read.begin(), read.end()));
            const auto missing = std::ranges::find_if(needed, [&](int stream) {
                return plan_.stream(stream).producer < 0 && !is_written(stream);
            });
            if (node.component->kind == Kind::kModel && missing != needed.end()) {
                problems.error(
                    task().place, "pipeline",
                    Explanation{fmt::format("has nothing to predict: {} is computed from '{}', "
                                            "which these samples lack",
                                            node_text(node), plan_.stream(*missing).name),
                                "train a model that reads what new samples have, or predict a "
                                "section of the experiment"});
                return;
            }
        }
        problems.error(
            task().place, "pipeline",
            "has nothing to predict: no model or transform behind one runs on " + task().section);
    }

    [[nodiscard]] std::vector<int> streams_of_losses() const {
        std::vector<int> streams;
        for (const Node& node : plan_.nodes) {
            for (const Binding& input : node.inputs) {
                if (node.component->kind == Kind::kLoss && is_learned(input.stream) &&
                    is_written(input.stream)) {
                    add_new(input.stream, streams);
                }
            }
        }
        return streams;
    }

    [[nodiscard]] std::vector<int> streams_by_default() const {
        if (const std::vector<int> streams = streams_of_losses(); !streams.empty()) {
            return with_texts(streams);
        }
        const auto is_read = [&](int stream) {
            return std::ranges::any_of(plan_.nodes, [&](const Node& node) {
                const Kind kind = node.component->kind;
                return (kind == Kind::kModel || kind == Kind::kTransform) && node.reads(stream);
            });
        };
        std::vector<int> streams;
        for (const Node& node : plan_.nodes) {
            for (const Binding& output : node.outputs) {
                if (node.component->kind != Kind::kLoss && is_learned(output.stream) &&
                    is_written(output.stream) && !is_read(output.stream)) {
                    add_new(output.stream, streams);
                }
            }
        }
        return streams;
    }

    // Puts texts in place of streams of models that cannot be read: for scores of each word of a
    // sentence what transforms make of them, or of the words that the model has chosen itself, if
    // there is anything.
    [[nodiscard]] std::vector<int> with_texts(const std::vector<int>& streams) const {
        std::vector<int> shown;
        for (const int number : streams) {
            const Stream& scores = plan_.stream(number);
            std::vector<int> texts;
            if (scores.has_shape && scores.shape.size() == kDimensionsOfSentences) {
                add_texts(number, texts);
                const bool has_own = !texts.empty();
                for (const Binding& output : plan_.node(scores.producer).outputs) {
                    if (!has_own && output.stream >= 0) {
                        add_texts(output.stream, texts);
                    }
                }
            }
            for (const int text : texts.empty() ? std::vector{number} : texts) {
                add_new(text, shown);
            }
        }
        return shown;
    }

    // Adds the last texts that transforms make of a stream: sentences rather than their words.
    void add_texts(int stream, std::vector<int>& texts) const {
        for (const Node& node : plan_.nodes) {
            if (node.component->kind != Kind::kTransform || !node.reads(stream)) {
                continue;
            }
            for (const Binding& output : node.outputs) {
                const bool has_text = plugin::is_text(node.port(output).element);
                if (output.stream < 0 || !has_text || !is_written(output.stream)) {
                    continue;
                }
                const std::size_t before = texts.size();
                add_texts(output.stream, texts);
                if (texts.size() == before) {
                    texts.push_back(output.stream);
                }
            }
        }
    }

    [[nodiscard]] std::vector<int> streams_named(const std::vector<std::string>& names,
                                                 Diagnostics& problems) const {
        std::vector<int> streams;
        std::vector<std::string> known;
        for (std::size_t i = 0; i < plan_.streams.size(); ++i) {
            if (is_written(static_cast<int>(i))) {
                known.push_back(plan_.streams[i].name);
            }
        }
        for (const std::string& name : names) {
            const SourceLocation place("--stream", 0, 0);
            if (!contains(known, name)) {
                problems.error(place, name, "unknown stream" + hint(name, known));
                continue;
            }
            const auto stream =
                static_cast<int>(find_named(plan_.streams, name) - plan_.streams.data());
            if (contains(streams, stream)) {
                problems.error(place, name, "is asked for more than once");
            } else {
                streams.push_back(stream);
            }
        }
        return streams;
    }

    // Returns the targets that a loss compares a stream with, whether these samples have them or
    // not; kNoTargets if there are none.
    [[nodiscard]] int declared_targets(int stream) const {
        for (const Node& node : plan_.nodes) {
            const auto targets = std::ranges::find_if(node.inputs, [&](const Binding& input) {
                return input.stream >= 0 &&
                       (node.port(input).purpose == plugin::Purpose::kTargets ||
                        task_targets(plan_, input.stream) != input.stream);
            });
            if (node.component->kind == Kind::kLoss && node.reads(stream) &&
                targets != node.inputs.end() && !is_learned(targets->stream)) {
                return task_targets(plan_, targets->stream);
            }
        }
        return kNoTargets;
    }

    [[nodiscard]] PredictedStream described(int stream) const {
        PredictedStream predicted{.stream = stream, .class_names = class_names_of(plan_)};
        predicted.are_probabilities = are_probabilities(plan_, stream);
        const int targets = declared_targets(stream);
        if (targets >= 0) {
            predicted.is_class_scores = plan_.stream(targets).element == plugin::Element::kInteger;
            predicted.targets = is_written(targets)         ? targets
                                : predicted.is_class_scores ? kNoTargets
                                                            : kNumbersElsewhere;
            predicted.are_logits = !predicted.are_probabilities && are_logits(plan_, stream);
            const plugin::Port* const port =
                predicted.is_class_scores ? nullptr : answers_of(task());
            predicted.has_several_classes = port != nullptr && !is_yes_or_no(*port);
            predicted.is_yes_or_no = port != nullptr && is_yes_or_no(*port) &&
                                     (predicted.are_logits || predicted.are_probabilities);
            predicted.value_scales = value_scales(task(), targets);
        }
        for (const Node& node : plan_.nodes) {
            if (!node.reads(stream) &&
                (targets < 0 || (!node.reads(targets) && !node.writes(targets)))) {
                continue;
            }
            for (const auto& [declared, used] : node.globals) {
                if (!contains(predicted.globals, used)) {
                    predicted.globals.push_back(used);
                }
            }
        }
        return predicted;
    }

    void need(int stream) {
        const int producer = plan_.stream(stream).producer;
        if (producer >= 0) {
            need_node(producer);
        }
    }

    void need_node(int number) {
        if (needed_.insert(number).second) {
            for (const int stream : plan_.node(number).read_streams()) {
                need(stream);
            }
            for (const std::string& name : plan_.node(number).tries) {
                need_node(static_cast<int>(std::ranges::find(plan_.nodes, name, &Node::name) -
                                           plan_.nodes.begin()));
            }
        }
    }

    // Adds a stream, and those that transforms make it of: the scores behind a text. Beside indices
    // that a model has chosen, such as those of the best words, these are its other outputs.
    void add_judged(int stream, std::set<int>& judged) const {
        const int producer = plan_.stream(stream).producer;
        if (!judged.insert(stream).second || producer < 0) {
            return;
        }
        const Node& node = plan_.node(producer);
        if (node.component->kind == Kind::kModel &&
            plan_.stream(stream).element == plugin::Element::kInteger) {
            const std::vector<int> written = node.written_streams();
            judged.insert(written.begin(), written.end());
        }
        for (const Binding& input : node.inputs) {
            if (node.component->kind == Kind::kTransform && is_learned(input.stream)) {
                add_judged(input.stream, judged);
            }
        }
    }

    // Adds the losses that judge what is predicted.
    void add_losses(const std::vector<int>& streams, Prediction& found) {
        std::set<int> judged;
        for (const int stream : streams) {
            add_judged(stream, judged);
        }
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            const bool judges = std::ranges::any_of(
                node.inputs, [&](const Binding& input) { return judged.contains(input.stream); });
            for (std::size_t k = 0; judges && node.runs_on(0) && k < node.outputs.size(); ++k) {
                const Binding& output = node.outputs[k];
                if (node.port(output).is_loss && output.stream >= 0) {
                    found.losses.push_back({static_cast<int>(i), static_cast<int>(k),
                                            plan_.stream(output.stream).name});
                    need_node(static_cast<int>(i));
                }
            }
        }
        for (const int stream : found.losses.empty() ? streams_of_losses() : std::vector<int>()) {
            const bool is_judged = std::ranges::any_of(plan_.nodes, [&](const Node& node) {
                return node.component->kind == Kind::kLoss && node.runs_on(0) && node.reads(stream);
            });
            if (is_judged) {
                found.judged_elsewhere.push_back(plan_.stream(stream).name);
            }
        }
    }

    // Leaves the other nodes out, and lists them.
    void keep_needed(Prediction& found) {
        std::vector<int> places(plan_.nodes.size(), -1);
        std::vector<Node> kept;
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            const bool is_needed = needed_.contains(static_cast<int>(i));
            const bool lends_weights = !is_needed && std::ranges::any_of(needed_, [&](int needed) {
                return plan_.node(needed).share == node.name;
            });
            const bool lacks_input = std::ranges::any_of(node.inputs, [&](const Binding& input) {
                return input.stream >= 0 && !is_written(input.stream);
            });
            if (!is_needed && !lends_weights && lacks_input) {
                found.without_targets.push_back(node.name);
            } else if (!is_needed && !lends_weights && !writes_globals(node)) {
                found.not_needed.push_back(node_text(node));
            }
            if (is_needed || lends_weights || writes_globals(node)) {
                places[i] = static_cast<int>(kept.size());
                kept.push_back(node);
            }
            if (lends_weights) {
                kept.back().runs_for.assign(plan_.tasks.size(), false);
                kept.back().passes_for = kept.back().runs_for;
            }
        }
        plan_.nodes = std::move(kept);
        for (Stream& stream : plan_.streams) {
            if (stream.producer >= 0) {
                stream.producer = places[static_cast<std::size_t>(stream.producer)];
            }
        }
        for (PredictionLoss& loss : found.losses) {
            loss.node = places[static_cast<std::size_t>(loss.node)];
        }
    }

    Plan& plan_;
    std::set<int> learned_;  // streams that depend on a model
    std::set<int> needed_;   // nodes
};

}  // namespace

Prediction find_prediction(Plan& plan, const std::vector<std::string>& names,
                           Diagnostics& problems) {
    Prediction found = Finder(plan).run(names, problems);
    Diagnostics unused;  // what is not needed may have held a component in its stage
    find_stages(plan, unused);
    return found;
}

}  // namespace ptp::pipeline
