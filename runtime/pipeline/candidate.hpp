// A component that a message may suggest, with the settings that it would have. An internal header
// of the suggestions.

#pragma once

#include "pipeline/evaluate.hpp"
#include "pipeline/suggestions.hpp"
#include "plugin/setting_key.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::pipeline {

// A scope in which each input is one stream with `rank` dimensions of unknown sizes.
class RankScope : public FormulaScope {
public:
    explicit RankScope(std::size_t rank) : rank_(rank) {}

    [[nodiscard]] InputSizes input(const std::string& /*port*/) const override {
        return {.streams = {Numbers(rank_)}};
    }

private:
    std::size_t rank_;
};

// A component of the catalog with its default settings.
class Candidate {
public:
    explicit Candidate(const plugin::Component& component) : component_(component) {
        for (const plugin::Setting& setting : component.settings) {
            values_.push_back(plugin::key_of(setting).default_value);
        }
    }

    void set(std::size_t setting, Value value) { values_[setting] = std::move(value); }

    [[nodiscard]] bool has(const plugin::Statistic& statistic) const {
        return !statistic.is_hidden &&
               holds(parse_condition(statistic.when), {component_, values_});
    }

    // Returns the ports that exist; of the inputs those that must be wired.
    [[nodiscard]] std::vector<const plugin::Port*> ports(plugin::Direction direction) const {
        std::vector<const plugin::Port*> found;
        for (const plugin::Port& port : component_.ports) {
            if (port.direction == direction && !port.is_optional &&
                holds(parse_condition(port.when), {component_, values_})) {
                found.push_back(&port);
            }
        }
        return found;
    }

    // Returns whether no requirement is broken, where inputs have `input_rank` dimensions.
    [[nodiscard]] bool takes_rank(std::size_t input_rank) const {
        const Settings settings{component_, values_};
        return std::ranges::all_of(component_.requirements, [&](const plugin::Requirement& one) {
            return !holds(parse_condition(one.when), settings) ||
                   holds(parse_relation(one.relation), settings, RankScope(input_rank))
                       .value_or(true);
        });
    }

    // Returns whether the port carries this, where inputs have `input_rank` dimensions.
    [[nodiscard]] bool carries(const plugin::Port& port, const Form& form,
                               std::size_t input_rank) const {
        const Settings settings{component_, values_};
        const auto plain = expand(parse_shape(port.shape), settings);
        if (port.element != form.element || !plain) {
            return port.element == form.element && port.direction == plugin::Direction::kInput;
        }
        std::size_t rank = 0;
        for (const PlainDimension& one : *plain) {
            const auto bounds = one.slice == nullptr ? SliceBounds{0, 1}
                                                     : slice_bounds(*one.slice, input_rank,
                                                                    settings, RankScope(input_rank))
                                                           .value_or(SliceBounds{});
            rank += bounds.end - bounds.begin;
        }
        return rank == form.rank;
    }

private:
    const plugin::Component& component_;
    std::vector<std::optional<Value>> values_;
};

// The targets of a loss or a statistic.
enum class Compared { kClasses, kNumbers, kAnswers };

Compared compared(const std::vector<const plugin::Port*>& inputs);

}  // namespace ptp::pipeline
