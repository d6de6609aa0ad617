// Finds losses and statistics that compare the targets with something else than what is trained:
// with the targets themselves, or with another number of scores than the losses do.

#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns the change with which the input reads what the input of a loss does.
std::string fix_of_scores(const Node& node, const Binding& input, const Binding& of_loss) {
    return fmt::format("{} in {}", stream_renaming_text(node, input, of_loss.wire.stream),
                       node.path);
}

// Finds the losses and statistics that compare targets with themselves.
void find_compared_with_itself(const Plan& plan, std::vector<OtherScores>& all) {
    for (const Node& node : plan.nodes) {
        const Binding* const targets = node.input_for(plugin::Purpose::kTargets);
        const auto same = std::ranges::find_if(node.inputs, [&](const Binding& input) {
            return targets != nullptr && &input != targets && input.stream == targets->stream;
        });
        if (!node.compares() || same == node.inputs.end()) {
            continue;
        }
        const Binding* read = nullptr;  // by a loss of the same targets
        for (const Node& loss : plan.nodes) {
            for (const Binding& input : loss.inputs) {
                const bool is_other = loss.component->kind == plugin::Kind::kLoss &&
                                      loss.reads(targets->stream) && input.stream >= 0 &&
                                      input.stream != targets->stream &&
                                      loss.port(input).element == node.port(*same).element;
                read = read == nullptr && is_other ? &input : read;
            }
        }
        if (read != nullptr || node.component->kind == plugin::Kind::kStatistic) {
            all.push_back({&node,
                           {fmt::format("compares '{}' with itself, so that what it computes says "
                                        "nothing of a model",
                                        targets->wire.stream),
                            read != nullptr ? fix_of_scores(node, *same, *read)
                                            : fmt::format("let '{}' read what a model predicts, in "
                                                          "{}",
                                                          same->name, node.path)}});
        }
    }
}

// Finds the statistics that get another number of scores than each loss over the same targets.
void find_other_counts(const Plan& plan, std::vector<OtherScores>& all) {
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
              fix_of_scores(statistic, *scores.input, *others.input)}});
    }
}

}  // namespace

std::vector<OtherScores> other_scores(const Plan& plan) {
    std::vector<OtherScores> all;
    find_compared_with_itself(plan, all);
    find_other_counts(plan, all);
    return all;
}

void warn_of_other_scores(const Plan& plan, Diagnostics& problems) {
    for (const auto& [node, explanation] : other_scores(plan)) {
        warn(*node, explanation, problems);
    }
}

}  // namespace ptp::pipeline
