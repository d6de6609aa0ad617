// Evaluates the expressions of a declaration (expression.hpp): shapes and conditions for the
// settings of an experiment, formulas and relations as far as the sizes in them are known.

#pragma once

#include "base/value.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/plan.hpp"
#include "plugin/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
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

inline Settings checked_settings(const Node& node) {
    return {*node.component, node.settings};
}

// A dimension after settings were replaced by their values: a number, a name, or any size. It
// refers to the expression and to the settings, which must outlive it.
struct PlainDimension {
    std::optional<std::int64_t> number = {};
    std::string name = {};
    bool is_from_setting = false;           // the number, or that any size will do
    std::string_view setting = {};          // the first that decides it, given or not; else empty
    std::optional<std::size_t> index = {};  // the element of that setting, if it is a list
    bool is_by_stream = false;  // the element of `setting` with the place of the port's stream
    const Formula* formula = nullptr;  // that computes the number, once what it needs is known
    const Formula* slice = nullptr;    // dimensions of an input: as many as there are

    bool operator==(const PlainDimension&) const = default;
};

using Shape = std::optional<std::vector<PlainDimension>>;  // nullopt: "..."

// Returns whether a setting is true, or given.
bool is_set(const Value* value);

// Returns whether a condition holds: "a", "!a" or "mode = Dense|Last", the syntax of `when` in
// ptp/declarations.h.
bool holds(const Condition& condition, const Settings& settings);

// Returns the change of one setting with which the condition holds, "set net.mode = "Last"", where
// `path` is the component's table; "" where several settings would have to be chosen, or a value
// among more than three. With several it ends with the others, "(or "First" or "All")".
std::string change_to_hold(const Condition& condition, const Settings& settings,
                           std::string_view path);

// Returns the setting that alone keeps the component from having this port: "" where it has the
// port, or cannot have it.
std::string switch_of(const Node& node, plugin::Direction direction, std::string_view name);

Shape expand(const ShapeExpression& shape, const Settings& settings);

// An alternative that is a list becomes several dimensions.
std::vector<PlainDimension> expand(const DimensionExpression& dimension, const Settings& settings);

// Returns the dimensions of a port; nullopt also for a port that takes anything.
Shape shape_of(const plugin::Port& port, const Settings& settings);

// Returns the same, of the stream with the place `stream` in the port's list.
Shape shape_of_stream(const plugin::Port& port, const Settings& settings, std::size_t stream);

// "with use_masking", "without x and with mode = Dense or Last": for messages about absent ports.
std::string condition_text(const Condition& condition);

// A number that is too large, or a division by zero; what() is a sentence without a subject.
class ComputationError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Number = std::optional<std::int64_t>;
using Numbers = std::vector<Number>;

// The numbers of a list, where some may not be known, or a single number; nullopt: not known.
using Computed = std::optional<Numbers>;

// The sizes of what flows into an input, outermost first.
struct InputSizes {
    bool is_list = false;                         // a port for as many streams as a setting names
    std::vector<std::optional<Numbers>> streams;  // of each stream; nullopt: not even their number
};

// The values of the names in a formula; nothing is known in a scope of this class itself.
class FormulaScope {
public:
    FormulaScope() = default;
    FormulaScope(const FormulaScope&) = delete;
    FormulaScope& operator=(const FormulaScope&) = delete;
    virtual ~FormulaScope() = default;

    // Returns the size of a dimension of the component's ports, or the global that it reads;
    // nullopt if it is not known.
    [[nodiscard]] virtual Number size(const std::string& /*name*/) const { return std::nullopt; }
    [[nodiscard]] virtual InputSizes input(const std::string& /*port*/) const { return {}; }
};

// The names in the formulas of a node: its sizes, the constants and the globals that it reads.
class NodeScope : public FormulaScope {
public:
    // `globals` are those of the pipeline that are sizes, with their symbols.
    NodeScope(const Node& node, const std::map<std::string, int>& globals)
        : node_(node), globals_(globals) {}

    [[nodiscard]] Number size(const std::string& name) const override;
    [[nodiscard]] InputSizes input(const std::string& port) const override;

private:
    [[nodiscard]] virtual Number number_of(const Dimension& dimension) const = 0;
    // Return the shape of a stream, or of one between its layers; nullptr if it is not known.
    [[nodiscard]] virtual const std::vector<Dimension>* shape_of(int stream) const = 0;
    [[nodiscard]] virtual const std::vector<Dimension>* inner_shape_of(int stream) const = 0;

    const Node& node_;
    const std::map<std::string, int>& globals_;
};

// Returns the sum of a list of real numbers, rounded up but for what their last digits leave: that
// of 0.7, 0.2 and 0.1 is 1; nullopt for other values, and for sums that doubles do not have.
Number sum_of_reals(const Value& list);

// Computes a formula as far as its names are known. Throws ComputationError.
Computed compute(const Formula& formula, const Settings& settings, const FormulaScope& scope);

// The number, or the only one of a list; nullopt if it is not known. Throws ComputationError.
Number compute_number(const Formula& formula, const Settings& settings, const FormulaScope& scope);

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

// In file_size.cpp: the size of a file of data, without reading the file.

// Returns the bytes of folder/name or, if there is none, of folder/name.gz when it is unpacked
// (below 4 GiB, and packed at once); nullopt if there is neither.
std::optional<std::int64_t> size_of_file(const std::filesystem::path& folder,
                                         const std::string& name);

}  // namespace ptp::pipeline
