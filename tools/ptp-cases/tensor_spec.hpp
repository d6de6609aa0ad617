// What a case file writes for the value of a stream: numbers, a formula, strings.
#pragma once

#include "base/source_location.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::cases {

// Elements that are replaced after all else, whose dtype stays.
struct Replacement {
    SourceLocation place;
    std::vector<std::int64_t> at;  // an index, or the first numbers of one: all elements below it
    std::int64_t every = 0;        // or elements from, from + every, ... in row-major order
    std::int64_t from = 0;
    double value = 0;
};

enum class Literal { kNone, kBools, kIntegers, kReals };

struct TensorSpec {
    SourceLocation place = {};
    Literal literal = Literal::kNone;         // kNone: the formula
    std::vector<std::int64_t> integers = {};  // of kIntegers and kBools, in row-major order
    std::vector<double> reals = {};           // of kReals
    std::string formula = {};                 // see docs/testing-components.md
    std::optional<std::vector<std::int64_t>> shape = {};
    std::string dtype = {};  // as PyTorch names it; "": by the literal or the formula
    double phase = 0;
    double step = 0.7;
    double scale = 1;
    double offset = 0;
    double value = 0;        // of "fill"
    std::int64_t count = 2;  // of classes
    std::int64_t one_hot = 0;
    std::string then = {};                // "round", "softmax" or "log_softmax", after the offset
    std::vector<TensorSpec> plus = {};    // at most one, which is added after that
    std::vector<std::int64_t> rows = {};  // the first and the one after the last that are kept
    std::vector<Replacement> replaced = {};
    std::vector<std::int64_t> transposed = {};  // two dimensions, swapped at the end without a copy
};

using Strings = std::vector<std::string>;
using Tokens = std::vector<std::vector<std::string>>;
using TensorList = std::vector<TensorSpec>;
using StreamSpec = std::variant<TensorSpec, Strings, Tokens, TensorList>;

// A number, which may be nan or infinite; reports what is not a number.
double read_number(const schema::Scope& scope, std::string_view name, const Value& value);

// Both report what is wrong with `value`, whose name in messages is scope.key(name).
TensorSpec read_tensor(const schema::Scope& scope, std::string_view name, const Value& value);
StreamSpec read_stream(const schema::Scope& scope, std::string_view name, const Value& value);

}  // namespace ptp::cases
