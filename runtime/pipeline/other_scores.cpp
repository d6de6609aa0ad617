// Finds statistics that compare the targets with something else than what is trained.

#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <vector>

namespace ptp::pipeline {

std::vector<OtherScores> other_scores(const Plan& plan) {
    std::vector<OtherScores> all;
    const auto count_of = [&](const Scores& scores) {
        return scores.dimension == nullptr ? std::nullopt : size_of(plan, *scores.dimension);
    };
    for (const Node& statistic : plan.nodes) {
        const Binding* const targets = statistic.input_for(plugin::Purpose::kTargets);
        if (statistic.component->kind != plugin::Kind::kStatistic || targets == nullptr) {
            continue;
        }
        const Scores scores = scores_of(statistic, targets->stream);
        const auto count = count_of(scores);
        const Node* loss = nullptr;
        bool is_as_many = !count;
        for (const Node& node : plan.nodes) {
            const bool is_loss = node.component->kind == plugin::Kind::kLoss;
            const auto wanted = is_loss ? count_of(scores_of(node, targets->stream)) : std::nullopt;
            loss = loss == nullptr && wanted ? &node : loss;
            is_as_many = is_as_many || wanted == count;
        }
        if (loss == nullptr || is_as_many) {
            continue;
        }
        const Scores others = scores_of(*loss, targets->stream);
        all.push_back(
            {&statistic,
             {fmt::format("gets {} scores from '{}' for '{}', and {} gets {} from '{}': what is "
                          "measured is not what is trained",
                          *count, scores.input->wire.stream, targets->wire.stream, node_text(*loss),
                          *count_of(others), others.input->wire.stream),
              fmt::format("{} in {}",
                          stream_renaming_text(statistic, *scores.input, others.input->wire.stream),
                          statistic.path)}});
    }
    return all;
}

void warn_of_other_scores(const Plan& plan, Diagnostics& problems) {
    for (const auto& [node, explanation] : other_scores(plan)) {
        warn(*node, explanation, problems);
    }
}

}  // namespace ptp::pipeline
