#include "pipeline/prediction.hpp"

#include "base/suggest.hpp"
#include "pipeline/prediction_texts.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Kind;

// Values of PredictedStream::targets.
constexpr int kNoTargets = -1;
constexpr int kNumbersElsewhere = -2;

bool runs(const Node& node) {
    return node.runs_on(0);  // the plan has one task
}

bool writes_globals(const Node& node) {
    for (std::size_t i = 0; i < node.has_global.size(); ++i) {
        if (node.has_global[i] &&
            node.component->globals[i].access == plugin::GlobalAccess::kWrite) {
            return true;
        }
    }
    return false;
}

class Finder {
public:
    explicit Finder(Plan& plan)
        : plan_(plan), is_needed_(plan.nodes.size(), false), is_shared_(plan.nodes.size(), false) {
        find_learned();
    }

    Prediction run(const std::vector<std::string>& names, Diagnostics& problems) {
        Prediction found;
        for (const int stream :
             names.empty() ? streams_by_default() : streams_named(names, problems)) {
            found.streams.push_back({.stream = stream});
        }
        if (found.streams.empty() && names.empty()) {
            problems.error(plan_.tasks.front().place, "pipeline",
                           "has nothing to predict: no model or transform behind one runs on " +
                               plan_.tasks.front().section);
        }
        for (PredictedStream& stream : found.streams) {
            find_targets(stream);
            find_globals(stream);
            need(stream.stream);
        }
        add_losses(found);
        found.files = files_stream();
        found.next_word = first_scores(names, found);
        find_shared();
        list_inactive(found);
        keep_needed(found);
        return found;
    }

private:
    // Streams that depend on a model.
    void find_learned() {
        is_learned_.assign(plan_.streams.size(), false);
        for (const Node& node : plan_.nodes) {
            const bool is_learned =
                node.component->kind == Kind::kModel ||
                std::ranges::any_of(node.inputs, [&](const Binding& input) {
                    return input.stream >= 0 && is_learned_[static_cast<std::size_t>(input.stream)];
                });
            for (const Binding& output : node.outputs) {
                if (output.stream >= 0 && is_learned) {
                    is_learned_[static_cast<std::size_t>(output.stream)] = true;
                }
            }
        }
    }

    [[nodiscard]] bool is_learned(int stream) const {
        return stream >= 0 && is_learned_[static_cast<std::size_t>(stream)];
    }

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
            PredictedStream scores{.stream = stream};
            find_targets(scores);
            find_globals(scores);
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
            const bool computes =
                node.component->kind == Kind::kModel || node.component->kind == Kind::kTransform;
            return computes &&
                   std::ranges::find(node.inputs, stream, &Binding::stream) != node.inputs.end();
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

    // The targets that a loss compares a stream with; -1 if the node is not a loss that does so.
    [[nodiscard]] int targets_of(int stream, const Node& node) const {
        if (node.component->kind != Kind::kLoss ||
            std::ranges::find(node.inputs, stream, &Binding::stream) == node.inputs.end()) {
            return -1;
        }
        const auto found = std::ranges::find_if(node.inputs, [&](const Binding& input) {
            return input.name == "targets" && input.stream >= 0 && !is_learned(input.stream);
        });
        return found == node.inputs.end() ? -1 : found->stream;
    }

    void find_targets(PredictedStream& predicted) const {
        for (const Node& node : plan_.nodes) {
            const int stream = targets_of(predicted.stream, node);
            if (stream < 0) {
                continue;
            }
            const Stream& targets = plan_.streams[static_cast<std::size_t>(stream)];
            predicted.is_class_scores = targets.element == plugin::Element::kInteger;
            const int unwritten = predicted.is_class_scores ? kNoTargets : kNumbersElsewhere;
            predicted.targets = is_written(stream) ? stream : unwritten;
            return;
        }
    }

    // The targets of a stream, whether these samples have them or not; -1: there are none.
    [[nodiscard]] int declared_targets(int stream) const {
        for (const Node& node : plan_.nodes) {
            if (const int targets = targets_of(stream, node); targets >= 0) {
                return targets;
            }
        }
        return -1;
    }

    void find_globals(PredictedStream& predicted) const {
        const int targets = declared_targets(predicted.stream);
        for (const Node& node : plan_.nodes) {
            const bool touches = std::ranges::any_of(node.inputs, [&](const Binding& input) {
                return input.stream >= 0 &&
                       (input.stream == predicted.stream || input.stream == targets);
            });
            const bool makes_targets =
                targets >= 0 &&
                std::ranges::find(node.outputs, targets, &Binding::stream) != node.outputs.end();
            if (!touches && !makes_targets) {
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
        const int producer = plan_.streams[static_cast<std::size_t>(stream)].producer;
        if (producer < 0 || is_needed_[static_cast<std::size_t>(producer)]) {
            return;
        }
        is_needed_[static_cast<std::size_t>(producer)] = true;
        need_inputs(plan_.nodes[static_cast<std::size_t>(producer)]);
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
        const int producer = plan_.streams[static_cast<std::size_t>(stream)].producer;
        if (!judged.insert(stream).second || producer < 0) {
            return;
        }
        const Node& node = plan_.nodes[static_cast<std::size_t>(producer)];
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
            if (!runs(node) || !judges) {
                continue;
            }
            for (std::size_t k = 0; k < node.outputs.size(); ++k) {
                const Binding& output = node.outputs[k];
                const bool is_loss =
                    node.component->ports[static_cast<std::size_t>(output.port)].is_loss;
                if (!is_loss || output.stream < 0) {
                    continue;
                }
                found.losses.push_back(
                    {static_cast<int>(i), static_cast<int>(k),
                     plan_.streams[static_cast<std::size_t>(output.stream)].name});
                is_needed_[i] = true;
                need_inputs(node);
            }
        }
    }

    [[nodiscard]] int files_stream() const {
        const Node& task = plan_.tasks.front();
        for (const Binding& output : task.outputs) {
            const plugin::Port& port = task.component->ports[static_cast<std::size_t>(output.port)];
            if (port.name == "files" && port.element == plugin::Element::kString) {
                return output.stream;
            }
        }
        return -1;
    }

    // A needed node's weights may be in one that is not needed itself.
    void find_shared() {
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
                if (is_needed_[k] && plan_.nodes[k].share == plan_.nodes[i].name) {
                    is_shared_[i] = true;
                }
            }
        }
    }

    void list_inactive(Prediction& found) const {
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            if (is_needed_[i] || is_shared_[i]) {
                continue;
            }
            const bool lacks_input = std::ranges::any_of(node.inputs, [&](const Binding& input) {
                return input.stream >= 0 && !is_written(input.stream);
            });
            if (lacks_input) {
                found.without_targets.push_back(node.name);
            } else if (!writes_globals(node)) {
                found.not_needed.push_back(node_text(node));
            }
        }
    }

    void keep_needed(Prediction& found) {
        std::vector<int> places(plan_.nodes.size(), -1);
        std::vector<Node> kept;
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            if (!is_needed_[i] && !is_shared_[i] && !writes_globals(plan_.nodes[i])) {
                continue;
            }
            if (!is_needed_[i] && is_shared_[i]) {
                plan_.nodes[i].runs_for.assign(plan_.tasks.size(), false);
            }
            places[i] = static_cast<int>(kept.size());
            kept.push_back(std::move(plan_.nodes[i]));
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
    std::vector<bool> is_learned_;  // for each stream
    std::vector<bool> is_needed_;   // for each node
    std::vector<bool> is_shared_;   // for each node: its weights are needed
};

}  // namespace

Prediction find_prediction(Plan& plan, const std::vector<std::string>& names,
                           Diagnostics& problems) {
    return Finder(plan).run(names, problems);
}

}  // namespace ptp::pipeline
