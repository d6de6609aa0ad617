// Looks, before a training, whether its models will have their inputs when they predict: a
// transform of the training alone leaves them without.

#include "base/text.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace ptp::pipeline {

namespace {

constexpr std::string_view kPredict = "predict";

class PredictedInputs {
public:
    PredictedInputs(const Assembly& assembly, Diagnostics& problems)
        : assembly_(assembly), problems_(problems) {}

    void run(const std::vector<int>& order) {
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            if ((!draft.runs_in(kPredict) && !draft.node.passes_through) || lacks_input(draft)) {
                missing_.insert(&draft);
            }
        }
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            if (draft.node.component->kind == plugin::Kind::kModel) {
                report_cause(draft);
            }
        }
    }

private:
    // Returns the component that should write the input's stream when predicting, and does not;
    // nullptr if the stream is there. What tasks write is taken to be there.
    [[nodiscard]] const Draft* missing_writer(const Draft& draft, const Binding& input) const {
        if (input.stream < 0 || draft.port(input).is_optional) {
            return nullptr;
        }
        const WiredStream& stream = assembly_.stream(input.stream);
        if (stream.is_of_tasks) {
            return nullptr;
        }
        const Draft& writer = assembly_.writer(stream, stream.writers.front());
        return missing_.contains(&writer) ? &writer : nullptr;
    }

    [[nodiscard]] bool lacks_input(const Draft& draft) const {
        return std::ranges::any_of(draft.node.inputs, [&](const Binding& input) {
            return missing_writer(draft, input) != nullptr;
        });
    }

    // Reports the inputs, of a component that is to run and of those that lead to it, whose
    // writers are limited to other phases.
    void report_cause(const Draft& draft) {
        if ((!draft.runs_in(kPredict) && !draft.node.passes_through) || draft.skip_if_missing ||
            !seen_.insert(&draft).second) {
            return;
        }
        for (const Binding& input : draft.node.inputs) {
            const Draft* const writer = missing_writer(draft, input);
            if (writer != nullptr && (writer->runs_in(kPredict) || writer->node.passes_through)) {
                report_cause(*writer);
            } else if (writer != nullptr) {
                refuse(draft, input, *writer);
            }
        }
    }

    void refuse(const Draft& draft, const Binding& input, const Draft& writer) {
        const std::string phases = join(writer.phases, "\", \"");
        report(draft.node, input.wire.place,
               Explanation{fmt::format("input '{}' reads stream '{}', which {} does not write when "
                                       "new samples are predicted",
                                       input.name, input.wire.stream, node_text(writer.node)),
                           fmt::format("phases = [\"{}\", \"{}\"] in [{}]; {}or phases = [\"{}\"] "
                                       "here, too, if nothing is to be predicted",
                                       phases, kPredict, writer.node.path,
                                       may_pass_through(writer)
                                           ? "pass_through = true there, if its input is to be "
                                             "read in its place; "
                                           : "",
                                       phases)},
               problems_);
    }

    const Assembly& assembly_;
    Diagnostics& problems_;
    std::set<const Draft*> missing_;  // those without outputs when predicting
    std::set<const Draft*> seen_;
};

}  // namespace

void check_predicted_inputs(const Assembly& assembly, const std::vector<int>& order,
                            Diagnostics& problems) {
    PredictedInputs(assembly, problems).run(order);
}

}  // namespace ptp::pipeline
