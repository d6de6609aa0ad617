// Describes the streams that are fed and predicted, from a plan and its prediction.

#include "host/described_streams.hpp"

#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <algorithm>
#include <set>

namespace ptp::host {

// "float" and so on; "other" for what programs neither feed nor get.
static std::string element_name(plugin::Element element) {
    return element <= plugin::Element::kString ? std::string(plugin::to_string(element)) : "other";
}

std::vector<DescribedStream> described_streams(const pipeline::Plan& plan,
                                               const pipeline::Prediction& prediction) {
    const std::set<int> needed = pipeline::needed_streams(plan, prediction);
    std::vector<DescribedStream> described;
    const auto add = [&](const pipeline::Node& node, const pipeline::Binding& binding) {
        const pipeline::Stream& stream = plan.stream(binding.stream);
        described.push_back({.name = stream.name,
                             .element = element_name(stream.element),
                             .shape = stream.has_shape ? shape_text(plan, stream.shape) : "",
                             .help = node.port(binding).help});
        return &described.back();
    };
    const pipeline::Node& task = plan.tasks.front();
    for (const pipeline::Binding& output : task.outputs) {
        if (output.stream >= 0) {
            DescribedStream* const fed = add(task, output);
            fed->is_fed = true;
            fed->is_needed = needed.contains(output.stream);
        }
    }
    for (const pipeline::PredictedStream& predicted : prediction.streams) {
        for (const pipeline::Node& node : plan.nodes) {
            const auto output =
                std::ranges::find(node.outputs, predicted.stream, &pipeline::Binding::stream);
            if (output != node.outputs.end()) {
                add(node, *output)->is_predicted = true;
            }
        }
    }
    return described;
}

}  // namespace ptp::host
