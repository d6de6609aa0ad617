// Finds what is needed to predict streams, and leaves the rest of a plan out.
#include "pipeline/prediction.hpp"

#include "base/suggest.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Kind;

// Values of PredictedStream::targets.
constexpr int kNoTargets = -1;
constexpr int kNumbersElsewhere = -2;

bool writes_globals(const Node& node) {
    for (std::size_t i = 0; i < node.has_global.size(); ++i) {
        if (node.has_global[i] &&
            node.component->globals[i].access == plugin::GlobalAccess::kWrite) {
            return true;
        }
    }
    return false;
}

constexpr std::size_t kDimensionsOfSentences = 3;  // samples, steps and words

bool reads_stream(const Node& node, int stream) {
    return std::ranges::find(node.inputs, stream, &Binding::stream) != node.inputs.end();
}

// Returns whether the task, or a component that runs, writes the stream.
bool writes_stream(const Plan& plan, int stream) {
    const int producer = plan.stream(stream).producer;
    if (producer >= 0) {
        return plan.node(producer).runs_on(0);  // the plan has one task
    }
    const Node& task = plan.tasks.front();
    return stream == task.indices_stream ||
           std::ranges::find(task.outputs, stream, &Binding::stream) != task.outputs.end();
}

// Adds the last texts that transforms make of a stream: sentences rather than their words.
void add_texts(const Plan& plan, int stream, std::vector<int>& texts) {
    for (const Node& node : plan.nodes) {
        if (node.component->kind != Kind::kTransform || !reads_stream(node, stream)) {
            continue;
        }
        for (const Binding& output : node.outputs) {
            const auto element = node.port(output).element;
            const bool has_text =
                element == plugin::Element::kString || element == plugin::Element::kTokens;
            if (output.stream < 0 || !has_text || !writes_stream(plan, output.stream)) {
                continue;
            }
            const std::size_t before = texts.size();
            add_texts(plan, output.stream, texts);
            if (texts.size() == before) {
                texts.push_back(output.stream);
            }
        }
    }
}

// Puts texts in place of streams of models that cannot be read: for scores of each word of a
// sentence what transforms make of them, or of the words that the model has chosen itself, if there
// is anything.
std::vector<int> with_texts(const Plan& plan, const std::vector<int>& streams) {
    std::vector<int> shown;
    for (const int number : streams) {
        const Stream& scores = plan.stream(number);
        std::vector<int> texts;
        if (scores.has_shape && scores.shape.size() == kDimensionsOfSentences) {
            add_texts(plan, number, texts);
            const bool has_own = !texts.empty();
            for (const Binding& output : plan.node(scores.producer).outputs) {
                if (!has_own && output.stream >= 0) {
                    add_texts(plan, output.stream, texts);
                }
            }
        }
        if (texts.empty()) {
            shown.push_back(number);
        }
        std::ranges::copy_if(texts, std::back_inserter(shown), [&](int text) {
            return std::ranges::find(shown, text) == shown.end();
        });
    }
    return shown;
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
        for (const int stream :
             names.empty() ? streams_by_default() : streams_named(names, problems)) {
            found.streams.push_back(described(stream));
            need(stream);
        }
        if (found.streams.empty() && names.empty()) {
            problems.error(plan_.tasks.front().place, "pipeline",
                           "has nothing to predict: no model or transform behind one runs on " +
                               plan_.tasks.front().section);
        }
        add_losses(found);
        found.files = files_stream();
        found.next_word = first_scores(names, found);
        keep_needed(found);
        return found;
    }

private:
    // Returns whether the stream depends on a model.
    [[nodiscard]] bool is_learned(int stream) const { return learned_.contains(stream); }

    [[nodiscard]] bool is_written(int stream) const { return writes_stream(plan_, stream); }

    void add_learned(int stream, std::vector<int>& streams) const {
        if (is_learned(stream) && is_written(stream) &&
            std::ranges::find(streams, stream) == streams.end()) {
            streams.push_back(stream);
        }
    }

    // Whatever is shown of them.
    [[nodiscard]] PredictedStream first_scores(const std::vector<std::string>& names,
                                               const Prediction& found) const {
        std::vector<int> streams = streams_of_losses();
        if (!names.empty()) {
            streams.clear();
            for (const PredictedStream& stream : found.streams) {
                streams.push_back(stream.stream);
            }
        }
        for (const int stream : streams) {
            PredictedStream scores = described(stream);
            if (scores.is_class_scores) {
                return scores;
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<int> streams_of_losses() const {
        std::vector<int> streams;
        for (const Node& node : plan_.nodes) {
            for (const Binding& input : node.inputs) {
                if (node.component->kind == Kind::kLoss) {
                    add_learned(input.stream, streams);
                }
            }
        }
        return streams;
    }

    [[nodiscard]] std::vector<int> streams_by_default() const {
        std::vector<int> streams = streams_of_losses();
        if (!streams.empty()) {
            return with_texts(plan_, streams);
        }
        for (const Node& node : plan_.nodes) {
            for (const Binding& output : node.outputs) {
                if (node.component->kind != Kind::kLoss && !is_read(output.stream)) {
                    add_learned(output.stream, streams);
                }
            }
        }
        return streams;
    }

    [[nodiscard]] bool is_read(int stream) const {
        return std::ranges::any_of(plan_.nodes, [&](const Node& node) {
            const Kind kind = node.component->kind;
            return (kind == Kind::kModel || kind == Kind::kTransform) && reads_stream(node, stream);
        });
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
            const auto found = std::ranges::find(plan_.streams, name, &Stream::name);
            const auto stream = static_cast<int>(found - plan_.streams.begin());
            const SourceLocation place("--stream", 0, 0);
            if (found == plan_.streams.end() || !is_written(stream)) {
                problems.error(place, name, "unknown stream" + hint(name, known));
            } else if (std::ranges::find(streams, stream) != streams.end()) {
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
            const auto found = std::ranges::find_if(node.inputs, [&](const Binding& input) {
                return input.name == "targets" && input.stream >= 0 && !is_learned(input.stream);
            });
            if (node.component->kind == Kind::kLoss && reads_stream(node, stream) &&
                found != node.inputs.end()) {
                return found->stream;
            }
        }
        return kNoTargets;
    }

    [[nodiscard]] PredictedStream described(int stream) const {
        PredictedStream predicted{.stream = stream};
        const int targets = declared_targets(stream);
        if (targets >= 0) {
            predicted.is_class_scores = plan_.stream(targets).element == plugin::Element::kInteger;
            predicted.targets = is_written(targets)         ? targets
                                : predicted.is_class_scores ? kNoTargets
                                                            : kNumbersElsewhere;
        }
        find_globals(predicted, targets);
        return predicted;
    }

    void find_globals(PredictedStream& predicted, int targets) const {
        for (const Node& node : plan_.nodes) {
            const bool touches =
                reads_stream(node, predicted.stream) ||
                (targets >= 0 && (reads_stream(node, targets) ||
                                  std::ranges::find(node.outputs, targets, &Binding::stream) !=
                                      node.outputs.end()));
            if (!touches) {
                continue;
            }
            for (const auto& [declared, used] : node.globals) {
                if (std::ranges::find(predicted.globals, used) == predicted.globals.end()) {
                    predicted.globals.push_back(used);
                }
            }
        }
    }

    void need(int stream) {
        const int producer = plan_.stream(stream).producer;
        if (producer >= 0 && needed_.insert(producer).second) {
            need_inputs(plan_.node(producer));
        }
    }

    void need_inputs(const Node& node) {
        for (const Binding& input : node.inputs) {
            if (input.stream >= 0) {
                need(input.stream);
            }
        }
    }

    // A stream, and those that transforms make it of: the scores behind a text.
    void add_judged(int stream, std::set<int>& judged) const {
        const int producer = plan_.stream(stream).producer;
        if (!judged.insert(stream).second || producer < 0) {
            return;
        }
        const Node& node = plan_.node(producer);
        for (const Binding& input : node.inputs) {
            if (node.component->kind == Kind::kTransform && is_learned(input.stream)) {
                add_judged(input.stream, judged);
            }
        }
    }

    // Adds the losses that judge what is predicted.
    void add_losses(Prediction& found) {
        std::set<int> judged;
        for (const PredictedStream& stream : found.streams) {
            add_judged(stream.stream, judged);
        }
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            const bool judges = std::ranges::any_of(
                node.inputs, [&](const Binding& input) { return judged.contains(input.stream); });
            if (!node.runs_on(0) || !judges) {
                continue;
            }
            for (std::size_t k = 0; k < node.outputs.size(); ++k) {
                const Binding& output = node.outputs[k];
                if (!node.port(output).is_loss || output.stream < 0) {
                    continue;
                }
                found.losses.push_back(
                    {static_cast<int>(i), static_cast<int>(k), plan_.stream(output.stream).name});
                needed_.insert(static_cast<int>(i));
                need_inputs(node);
            }
        }
    }

    [[nodiscard]] int files_stream() const {
        const Node& task = plan_.tasks.front();
        for (const Binding& output : task.outputs) {
            const plugin::Port& port = task.port(output);
            if (port.name == "files" && port.element == plugin::Element::kString) {
                return output.stream;
            }
        }
        return -1;
    }

    // Returns whether a needed node's weights are in this one.
    [[nodiscard]] bool is_shared(const Node& node) const {
        return std::ranges::any_of(
            needed_, [&](int needed) { return plan_.node(needed).share == node.name; });
    }

    void list_inactive(const Node& node, Prediction& found) const {
        const bool lacks_input = std::ranges::any_of(node.inputs, [&](const Binding& input) {
            return input.stream >= 0 && !is_written(input.stream);
        });
        if (lacks_input) {
            found.without_targets.push_back(node.name);
        } else if (!writes_globals(node)) {
            found.not_needed.push_back(node_text(node));
        }
    }

    // Leaves the other nodes out, and lists them.
    void keep_needed(Prediction& found) {
        std::vector<int> places(plan_.nodes.size(), -1);
        std::vector<Node> kept;
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            const bool is_needed = needed_.contains(static_cast<int>(i));
            const bool lends_weights = !is_needed && is_shared(node);
            if (!is_needed && !lends_weights) {
                list_inactive(node, found);
            }
            if (is_needed || lends_weights || writes_globals(node)) {
                places[i] = static_cast<int>(kept.size());
                kept.push_back(node);
            }
            if (lends_weights) {
                kept.back().runs_for.assign(plan_.tasks.size(), false);
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
    return Finder(plan).run(names, problems);
}

}  // namespace ptp::pipeline
