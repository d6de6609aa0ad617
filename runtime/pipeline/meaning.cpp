// Follows the meanings of numbers along the streams of each section, and reports inputs that do not
// take them.

#include "pipeline/meaning.hpp"

#include "pipeline/clash.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/stages.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

namespace ptp::pipeline {

std::vector<std::string> meanings_of(const plugin::Port& port, const Settings& settings) {
    for (const MeaningClause& clause : parse_meaning(port.meaning)) {
        if (holds(clause.condition, settings)) {
            return clause.words;
        }
    }
    return {};
}

namespace {

using plugin::Port;
using Words = std::vector<std::string>;

// Along the streams ------------------------------------------------------------------------------

using Reported = std::set<const Binding*>;

// The meanings of a section's batches.
class Meanings {
public:
    Meanings(const Assembly& assembly, bool is_trained, std::size_t task, Reported& reported,
             Diagnostics& problems)
        : assembly_(assembly),
          is_trained_(is_trained),
          task_(task),
          reported_(reported),
          problems_(problems),
          streams_(assembly.streams.size()) {}

    // Returns the losses that are to be left out of a prediction.
    std::vector<int> run(const std::vector<int>& order) {
        std::vector<int> left_out;
        if (task_ < assembly_.tasks.size()) {
            write(assembly_.tasks[task_]);
        }
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            const bool is_read = draft.is_sound && !draft.is_replaced;
            if (is_read && draft.node.runs_on(task_) && !read(draft)) {
                left_out.push_back(number);
            }
            if (draft.node.passes_on(task_)) {
                pass(draft.node);
            } else if (draft.node.runs_on(task_)) {
                write(draft);
            }
        }
        return left_out;
    }

private:
    std::optional<Carried>& at(const Binding& binding) {
        return streams_[static_cast<std::size_t>(binding.stream)];
    }

    // Returns whether the component runs: a loss that does not take what it reads is left out where
    // new samples are predicted, because a softmax of the phase "predict" is right there. Any other
    // clash is an error.
    bool read(const Draft& draft) {
        const Settings settings = checked_settings(draft.node);
        const bool may_be_left_out =
            assembly_.is_predicted && draft.node.component->kind == plugin::Kind::kLoss;
        bool runs = true;
        for (const Binding& input : draft.node.inputs) {
            if (input.stream < 0 || !at(input)) {
                continue;
            }
            const Words taken = meanings_of(draft.port(input), settings);
            const std::string& word = at(input)->word;
            const bool is_limited = limits_scores(draft, taken, word);
            if (is_trained_ && scales_again(draft, *at(input)) && reported_.insert(&input).second) {
                warn_of_second_scale(
                    {*at(input), assembly_.stream(input.stream), draft, draft.port(input), taken},
                    problems_);
            }
            if ((!is_limited && (taken.empty() || takes_meaning(taken, word))) ||
                !reported_.insert(&input).second) {
                continue;
            }
            const Clash clash{*at(input), assembly_.stream(input.stream), draft, draft.port(input),
                              taken};
            if (is_limited) {
                // Weights that are trained fit the layers that they were trained with.
                if (is_trained_) {
                    warn_of_limit(clash, assembly_, problems_);
                }
            } else if (may_be_left_out) {
                runs = false;
                report_left_out(clash, problems_);
            } else {
                report_clash(clash, assembly_, *assembly_.catalog, problems_);
            }
        }
        return runs;
    }

    void pass(const Node& node) {
        for (const auto& [in, out] : node.passed_ports()) {
            at(node.outputs[out]) = at(node.inputs[in]);
        }
    }

    // Components that are tried in turn write one stream: it is known where they agree.
    void write(const Draft& draft) {
        for (const Binding& output : draft.node.outputs) {
            if (output.stream < 0) {
                continue;
            }
            auto carried = draft.is_sound ? meaning_of(draft, draft.port(output)) : std::nullopt;
            const auto [earlier, is_first] =
                written_.try_emplace(output.stream, carried ? carried->word : "");
            if (!is_first && earlier->second != (carried ? carried->word : "")) {
                earlier->second.clear();
                carried.reset();
            }
            at(output) = carried;
        }
    }

    std::optional<Carried> meaning_of(const Draft& draft, const Port& port) {
        const Words words = meanings_of(port, checked_settings(draft.node));
        if (words.size() != 1) {
            return std::nullopt;
        }
        if (find_named(kMeanings, words.front()) != nullptr) {
            const auto& inputs = draft.node.inputs;
            const bool is_fed = !inputs.empty() && inputs[0].stream >= 0 && at(inputs[0]);
            return Carried{words.front(), &draft, &port, is_fed ? at(inputs[0])->word : ""};
        }
        return passed_through(draft, words.front());
    }

    // Returns the meaning that all streams of the ports of this name share, or what flows out of
    // the layers in the setting of this name.
    std::optional<Carried> passed_through(const Draft& draft, const std::string& name) {
        std::vector<std::optional<Carried>> all;
        for (const Binding& binding : draft.node.inputs) {
            if (binding.stream >= 0 && draft.port(binding).name == name) {
                all.push_back(at(binding));
            }
        }
        if (draft.inner != nullptr) {
            add_layers(draft, name, all);
        }
        const bool is_common = std::ranges::all_of(
            all, [&](const auto& one) { return one && one->word == all.front()->word; });
        return is_common && !all.empty() ? all.front() : std::nullopt;
    }

    void add_layers(const Draft& draft, const std::string& name,
                    std::vector<std::optional<Carried>>& all) {
        Meanings inner(*draft.inner, is_trained_, task_, reported_, problems_);
        for (std::size_t i = 0; i < draft.node.inputs.size(); ++i) {
            const Binding& input = draft.node.inputs[i];
            inner.streams_[i] = input.stream < 0 ? std::nullopt : at(input);
        }
        for (const Draft& layer : draft.inner->components) {
            inner.read(layer);
            inner.write(layer);
        }
        for (const LayerList& list : draft.node.lists) {
            if (list.result >= 0 && draft.node.component->settings[list.setting].name == name) {
                all.push_back(inner.streams_[static_cast<std::size_t>(list.result)]);
            }
        }
    }

    const Assembly& assembly_;
    bool is_trained_;  // or only processed
    std::size_t task_;
    Reported& reported_;  // inputs whose clash is reported, of all sections
    Diagnostics& problems_;
    std::vector<std::optional<Carried>> streams_;
    std::map<int, std::string> written_;  // the word of the first writer of a stream
};

}  // namespace

void check_meanings(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems) {
    Reported reported;
    const bool is_trained = assembly.processed.empty();
    for (std::size_t task = 0; task < std::max<std::size_t>(assembly.tasks.size(), 1); ++task) {
        for (const int loss : Meanings(assembly, is_trained, task, reported, problems).run(order)) {
            assembly.components[static_cast<std::size_t>(loss)].node.runs_for[task] = false;
        }
    }
}

}  // namespace ptp::pipeline
