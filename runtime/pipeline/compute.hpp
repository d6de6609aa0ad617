// The values of formulas and relations, as far as the sizes in them are known.

#pragma once

#include "pipeline/checked_arithmetic.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/formula.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::pipeline {

using Numbers = std::vector<std::optional<std::int64_t>>;

// Not known, a number, or a list, some of whose numbers may not be known.
using Computed = std::variant<std::monostate, std::int64_t, Numbers>;

// The sizes of what flows into an input, outermost first.
struct InputSizes {
    bool is_list = false;                         // a port for as many streams as a setting names
    std::vector<std::optional<Numbers>> streams;  // of each stream; nullopt: not even their number
};

// The values of the names in a formula.
class FormulaScope {
public:
    FormulaScope() = default;
    FormulaScope(const FormulaScope&) = delete;
    FormulaScope& operator=(const FormulaScope&) = delete;
    virtual ~FormulaScope() = default;

    // Returns the size of a dimension of the component's ports, or the global that it reads;
    // nullopt if it is not known.
    [[nodiscard]] virtual std::optional<std::int64_t> size(const std::string& name) const = 0;
    [[nodiscard]] virtual InputSizes input(const std::string& port) const = 0;
};

// Throws ComputationError.
Computed compute(const Formula& formula, const Settings& settings, const FormulaScope& scope);

// The number, or the only one of a list; nullopt if it is not known. Throws ComputationError.
std::optional<std::int64_t> compute_number(const Formula& formula, const Settings& settings,
                                           const FormulaScope& scope);

// Returns whether a relation holds; nullopt if it depends on what is not known. Throws
// ComputationError.
std::optional<bool> holds(const Formula& relation, const Settings& settings,
                          const FormulaScope& scope);

// The numbers of a slice within a list of `count`: [begin, end), empty if they cross.
struct SliceBounds {
    std::size_t begin = 0;
    std::size_t end = 0;
};
std::optional<SliceBounds> slice_bounds(const Formula& slice, std::size_t count,
                                        const Settings& settings, const FormulaScope& scope);

}  // namespace ptp::pipeline
