// Evaluates the expressions of a declaration for the settings of an experiment.

#pragma once

#include "base/value.hpp"
#include "pipeline/expression.hpp"
#include "plugin/manifest.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// The checked settings of a component: one value for each declared setting, nullopt where absent.
struct Settings {
    const plugin::Component& component;
    const std::vector<std::optional<Value>>& values;

    // nullptr when the setting is absent, or not declared.
    [[nodiscard]] const Value* find(std::string_view name) const;
};

// A dimension with the settings worked in: a number, a name, or any size. What it is made from must
// outlive it.
struct PlainDimension {
    std::optional<std::int64_t> number = {};
    std::string name = {};
    bool is_from_setting = false;           // the number, or that any size will do
    std::string_view setting = {};          // the first that decides it, given or not; else empty
    std::optional<std::size_t> index = {};  // the element of that setting, if it is a list
    const Formula* formula = nullptr;       // that computes the number, once what it needs is known
    const Formula* slice = nullptr;         // dimensions of an input: as many as there are

    bool operator==(const PlainDimension&) const = default;
};

// "a", "!a", "mode = Dense|Last": the syntax of `when` in ptp/abi.h.
bool holds(const Condition& condition, const Settings& settings);

// Returns the change of one setting with which the condition holds, "set net.mode = "Last"", where
// `path` is the component's table; "" where several settings or values would have to be chosen.
std::string change_to_hold(const Condition& condition, const Settings& settings,
                           std::string_view path);

// nullopt for "...".
std::optional<std::vector<PlainDimension>> expand(const ShapeExpression& shape,
                                                  const Settings& settings);

// An alternative that is a list becomes several dimensions.
std::vector<PlainDimension> expand(const DimensionExpression& dimension, const Settings& settings);

// "with use_masking", "without x and with mode = Dense or Last": for messages about absent ports.
std::string condition_text(const Condition& condition);

}  // namespace ptp::pipeline
