// Finds a component that measures a statistic of what the losses of an experiment compare.

#include "base/ranges.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/candidate.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Direction;
using plugin::Element;
using plugin::Kind;
using plugin::Port;

// Returns whether a component compares what this loss does: streams of the same elements and
// dimensions at inputs of the same name, and numbers or answers as well.
bool compares_as(const Assembly& assembly, const Node& loss, const Candidate& candidate) {
    const auto inputs = candidate.ports(Direction::kInput);
    bool is_floating = false;
    const bool fits = std::ranges::all_of(inputs, [&](const Port* input) {
        const auto* const same = find_named(loss.inputs, input->name);
        if (same == nullptr || same->stream < 0) {
            return true;
        }
        const WiredStream& stream = assembly.stream(same->stream);
        const Shape shape = expand(parse_shape(loss.port(*same).shape), checked_settings(loss));
        const bool is_known = shape && std::ranges::all_of(*shape, [](const PlainDimension& one) {
                                  return one.slice == nullptr;
                              });
        const std::size_t rank = is_known ? shape->size() : 0;
        is_floating = is_floating || (input->purpose == plugin::Purpose::kTargets &&
                                      stream.element == Element::kFloating);
        return input->element == stream.element &&
               (!is_known || candidate.carries(*input, {stream.element, rank}, rank));
    });
    const auto of_loss = Candidate(*loss.component).ports(Direction::kInput);
    // Statistics of numbers take no raw scores, and those of answers do.
    const bool takes_scores = std::ranges::any_of(inputs, [](const Port* input) {
        return std::ranges::any_of(parse_meaning(input->meaning), [](const MeaningClause& clause) {
            return contains(clause.words, "scores");
        });
    });
    return fits && (!is_floating || takes_scores != (compared(of_loss) == Compared::kNumbers));
}

// Returns the setting with which the component measures the statistic of what a loss compares, ""
// where it needs none; nullopt if it does not.
std::optional<std::string> setting_to_measure(const Assembly& assembly, const Component& component,
                                              const plugin::Statistic& statistic) {
    const auto measures = [&](const Candidate& candidate) {
        bool has_loss = false;
        for (const Draft& draft : assembly.components) {
            const bool is_loss = draft.node.component->kind == Kind::kLoss;
            if (is_loss && compares_as(assembly, draft.node, candidate)) {
                return candidate.has(statistic);
            }
            has_loss = has_loss || is_loss;
        }
        return !has_loss && candidate.has(statistic);
    };
    if (measures(Candidate(component))) {
        return "";
    }
    for (std::size_t i = 0; i < component.settings.size(); ++i) {
        std::vector<Value> values(component.settings[i].choices.begin(),
                                  component.settings[i].choices.end());
        if (component.settings[i].name == "num_targets_dims") {
            values = {Value(std::int64_t{2}), Value(std::int64_t{3})};
        }
        for (const Value& value : values) {
            Candidate candidate(component);
            candidate.set(i, value);
            if (measures(candidate)) {
                return fmt::format("{} = {}", component.settings[i].name, inline_toml(value));
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Measuring> component_that_measures(const Assembly& assembly,
                                                 const std::string& statistic) {
    const std::string other = statistic == "accuracy" ? "exact_match" : statistic + "_";
    for (const bool is_whole : {true, false}) {
        for (const Component* component : components_of(*assembly.catalog)) {
            for (const plugin::Statistic& one : component->statistics) {
                if (component->kind != Kind::kStatistic ||
                    !(is_whole ? one.name == statistic : one.name.starts_with(other))) {
                    continue;
                }
                if (const auto setting = setting_to_measure(assembly, *component, one)) {
                    return Measuring{component, &one, *setting};
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace ptp::pipeline
