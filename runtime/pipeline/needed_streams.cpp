// Finds the streams that a prediction is computed from.

#include "pipeline/prediction.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

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

}  // namespace ptp::pipeline
