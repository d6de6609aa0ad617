// Looks, before a training, whether its models will have their inputs when they predict: a
// transform of the training alone leaves them without, and so does one that reads the targets.

#include "base/text.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr std::string_view kPredict = "predict";

class PredictedInputs {
public:
    PredictedInputs(const Assembly& assembly, Diagnostics& problems)
        : assembly_(assembly), problems_(problems) {}

    void run(const std::vector<int>& order) {
        for (const int number : order) {
            find_missing(assembly_.components[static_cast<std::size_t>(number)]);
        }
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            if (draft.node.component->kind == plugin::Kind::kModel && !draft.skip_if_missing) {
                report_cause(draft, draft.node);
            }
        }
    }

private:
    static bool has_targets(const Draft& draft, const Binding& binding) {
        return draft.port(binding).purpose == plugin::Purpose::kTargets;
    }

    static bool writes(const Draft& draft) {
        return draft.runs_in(kPredict) || draft.node.passes_through;
    }

    // Returns whether the input has no stream when predicting. What tasks write is taken to be
    // there, but for targets.
    [[nodiscard]] bool lacks(const Draft& draft, const Binding& input) const {
        if (input.stream < 0 || draft.port(input).is_optional) {
            return false;
        }
        const WiredStream& stream = assembly_.stream(input.stream);
        return stream.is_of_tasks
                   ? std::ranges::all_of(
                         stream.writers,
                         [&](const Writer& writer) {
                             const Draft& task = assembly_.writer(stream, writer);
                             const auto output = static_cast<std::size_t>(writer.output);
                             return writer.output >= 0 &&
                                    is_with_targets(task.node, task.node.outputs[output]);
                         })
                   : missing_.contains(input.stream);
    }

    // Returns the outputs that the component does not write without the input; nullopt: all.
    static std::optional<std::vector<int>> outputs_of(const Draft& draft, const Binding& input) {
        if (const Binding* const listed = listed_output(draft.node, input)) {
            return std::vector{listed->stream};
        }
        if (!has_targets(draft, input) || !passes_without_targets(draft.node)) {
            return std::nullopt;
        }
        std::vector<int> targets;
        for (const Binding& output : draft.node.outputs) {
            if (has_targets(draft, output)) {
                targets.push_back(output.stream);
            }
        }
        return targets;
    }

    void find_missing(const Draft& draft) {
        const std::vector<int> all = draft.node.written_streams();
        if (!writes(draft)) {
            missing_.insert(all.begin(), all.end());
        }
        for (const Binding& input : draft.node.inputs) {
            if (lacks(draft, input)) {
                const std::vector<int> unwritten = outputs_of(draft, input).value_or(all);
                missing_.insert(unwritten.begin(), unwritten.end());
            }
        }
    }

    // Reports the inputs, of a component that is to run for a model and of those that lead to it,
    // whose writers are limited to other phases, or that are the targets.
    void report_cause(const Draft& draft, const Node& model) {
        if (!writes(draft) || !seen_.insert(&draft).second) {
            return;
        }
        for (const Binding& input : draft.node.inputs) {
            if (!lacks(draft, input) || outputs_of(draft, input)) {
                continue;
            }
            const WiredStream& stream = assembly_.stream(input.stream);
            const Draft& writer = assembly_.writer(stream, stream.writers.front());
            if (stream.is_of_tasks) {
                warn_of_targets(draft, input, model);
            } else if (writes(writer)) {
                report_cause(writer, model);
            } else {
                refuse(draft, input, writer);
            }
        }
    }

    // Names the models that are to run for new samples without all of their inputs, so that they
    // are limited to phases together: "[pipeline.embed], [pipeline.decoder]".
    [[nodiscard]] std::string starved_models() const {
        std::vector<std::string> paths;
        for (const Draft& draft : assembly_.components) {
            const bool is_starved = std::ranges::any_of(
                draft.node.inputs, [&](const Binding& input) { return lacks(draft, input); });
            if (is_starved && writes(draft) && !draft.skip_if_missing &&
                draft.node.component->kind == plugin::Kind::kModel) {
                paths.push_back(fmt::format("[{}]", draft.node.path));
            }
        }
        return join(paths, ", ");
    }

    void warn_of_targets(const Draft& draft, const Binding& input, const Node& model) {
        std::vector<std::string> phases;
        for (const Draft& task : assembly_.tasks) {
            const std::string phase(experiment::role_of(task.node.section));
            if (!contains(phases, phase)) {
                phases.push_back(phase);
            }
        }
        problems_.warning(
            input.wire.place, draft.node.path,
            Explanation{
                fmt::format("input '{}' reads '{}', which samples without targets lack: {}, which "
                            "is computed from it, predicts nothing there",
                            input.name, input.wire.stream, node_text(model)),
                fmt::format("let {} read what new samples have; or phases = [\"{}\"] in {}, if "
                            "nothing is to be predicted",
                            node_text(model), join(phases, "\", \""), starved_models())});
    }

    void refuse(const Draft& draft, const Binding& input, const Draft& writer) {
        const std::string phases = join(writer.phases, "\", \"");
        const bool is_starved = std::ranges::any_of(
            writer.node.inputs, [&](const Binding& read) { return lacks(writer, read); });
        const std::string fix =
            is_starved ? fmt::format("phases = [\"{}\"] in {}, too, if nothing is to be predicted",
                                     phases, starved_models())
                       : fmt::format(
                             "phases = [\"{}\", \"{}\"] in [{}]; {}or phases = [\"{}\"] here, too, "
                             "if nothing is to be predicted",
                             phases, kPredict, writer.node.path,
                             may_pass_through(writer)
                                 ? "pass_through = true there, if its input is to be read in its "
                                   "place; "
                                 : "",
                             phases);
        report(draft.node, input.wire.place,
               Explanation{fmt::format("input '{}' reads stream '{}', which {} does not write when "
                                       "new samples are predicted",
                                       input.name, input.wire.stream, node_text(writer.node)),
                           fix},
               problems_);
    }

    const Assembly& assembly_;
    Diagnostics& problems_;
    std::set<int> missing_;  // streams that are not written when predicting
    std::set<const Draft*> seen_;
};

}  // namespace

void check_predicted_inputs(const Assembly& assembly, const std::vector<int>& order,
                            Diagnostics& problems) {
    PredictedInputs(assembly, problems).run(order);
}

}  // namespace ptp::pipeline
