// Finds what something is computed from: the streams of a prediction, the components before one.

#include "pipeline/prediction.hpp"
#include "pipeline/wiring.hpp"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace ptp::pipeline {

std::set<int> needed_streams(const Plan& plan, std::set<int> needed) {
    for (const Node& node : std::views::reverse(plan.nodes)) {
        const std::vector<int> written = node.written_streams();
        if (std::ranges::any_of(written, [&](int stream) { return needed.contains(stream); })) {
            const std::vector<int> read = node.read_streams();
            needed.insert(read.begin(), read.end());
        }
    }
    return needed;
}

std::set<int> needed_streams(const Plan& plan, const Prediction& prediction) {
    std::set<int> predicted;
    for (const PredictedStream& one : prediction.streams) {
        predicted.insert(one.stream);
    }
    return needed_streams(plan, std::move(predicted));
}

std::set<const Draft*> sources_of(const Assembly& assembly, const Draft& draft) {
    std::set<const Draft*> found;
    std::vector<const Draft*> waiting = {&draft};
    while (!waiting.empty()) {
        const Draft& next = *waiting.back();
        waiting.pop_back();
        for (const Binding& input : next.node.inputs) {
            if (input.stream < 0) {
                continue;
            }
            const WiredStream& stream = assembly.stream(input.stream);
            for (const Writer& writer : stream.writers) {
                const Draft& source = assembly.writer(stream, writer);
                if (!stream.is_of_tasks && found.insert(&source).second) {
                    waiting.push_back(&source);
                }
            }
        }
    }
    return found;
}

}  // namespace ptp::pipeline
