// The values of streams in a case file: numbers, a formula, strings.
#pragma once

#include "base/source_location.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::cases {

// Elements that are replaced last, in the same dtype.
struct Replacement {
    SourceLocation place;
    std::vector<std::int64_t> at;  // an index, or a prefix of one for all elements below it
    std::int64_t every = 0;        // or elements from, from + every, ... in row-major order
    std::int64_t from = 0;
    double value = 0;
};

enum class Literal { kNone, kBools, kIntegers, kReals };

struct TensorSpec {
    SourceLocation place = {};
    Literal literal = Literal::kNone;         // kNone: a formula
    std::vector<std::int64_t> integers = {};  // for kIntegers and kBools, in row-major order
    std::vector<double> reals = {};           // for kReals
    std::string formula = {};                 // see docs/testing-components.md
    std::optional<std::vector<std::int64_t>> shape = {};
    std::string dtype = {};  // PyTorch's name; "": from the literal or the formula
    double phase = 0;
    double step = 0.7;
    double scale = 1;
    double offset = 0;
    double value = 0;        // for "fill"
    std::int64_t count = 2;  // number of classes
    std::int64_t one_hot = 0;
    std::string then = {};                // "round", "softmax" or "log_softmax", after the offset
    std::vector<TensorSpec> plus = {};    // at most one, added after `then`
    std::vector<std::int64_t> rows = {};  // the kept rows: the first, and one past the last
    std::vector<Replacement> replaced = {};
    std::vector<std::int64_t> transposed = {};  // two dimensions, finally swapped without a copy
};

using Strings = std::vector<std::string>;
using Tokens = std::vector<std::vector<std::string>>;
using TensorList = std::vector<TensorSpec>;
using StreamSpec = std::variant<TensorSpec, Strings, Tokens, TensorList>;

// Reads a number, which may be nan or infinite; reports anything else.
double read_number(const schema::Scope& scope, std::string_view name, const Value& value);

// Read a value, and report errors in it under scope.key(name).
TensorSpec read_tensor(const schema::Scope& scope, std::string_view name, const Value& value);
StreamSpec read_stream(const schema::Scope& scope, std::string_view name, const Value& value);

}  // namespace ptp::cases
