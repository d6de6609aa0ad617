// Component tests as data: the cases of one component in a TOML file, whose format is described in
// docs/testing-components.md. This header is free of libtorch.
#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::cases {

using schema::Map;
using Shape = std::vector<std::int64_t>;

// Elements that are replaced last, in the same dtype.
struct Replacement {
    SourceLocation place;
    std::vector<std::int64_t> at;  // an index, or a prefix of one for all elements below it
    std::int64_t every = 0;        // or elements from, from + every, ... in row-major order
    std::int64_t from = 0;
    double value = 0;
};

struct TensorSpec {
    SourceLocation place = {};
    std::vector<Value> numbers = {};  // all elements, in row-major order, unless there is a formula
    std::string formula = {};         // see docs/testing-components.md
    std::optional<Shape> shape = {};
    std::string dtype = {};  // PyTorch's name; "": from the numbers or the formula
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

// The tolerance of an output: it may differ from the expected value by absolute + relative *
// |expected|.
struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

// The results of a step, by the keys of the file; a key that is absent is not compared.
struct Expectation {
    std::map<std::string, Map<StreamSpec>> values;  // outputs, gradients, parameters, buffers
    std::map<std::string, Map<Shape>> shapes;       // shapes, parameter_shapes, buffer_shapes
    std::map<std::string, Map<double>> statistics;  // collected, aggregated
    std::vector<std::string> no_gradients;          // parameters and differentiated inputs
    std::vector<std::string> finite_gradients;      // these inputs, besides all parameters
    bool all_parameters_have_gradients = false;     // and these are not all zeros
    std::optional<std::int64_t> size;               // number of samples of a task
    std::optional<std::vector<std::string>> log;
    Value published;           // some of the globals
    std::string same_as;       // step with bitwise equal outputs, gradients, statistics
    std::string differs_from;  // step with different outputs
    std::string state_of;      // step with the same exported state
};

enum class Refusal { kConfig, kData, kInternal };

struct Refused {
    Refusal as = Refusal::kConfig;
    std::string text;
    bool is_part = false;  // the text is a part of libtorch's message
};

struct Step {
    SourceLocation place;
    std::string name;
    bool is_restored = false;  // the state moves to a new instance first
    bool is_reset = false;     // the set is reset first
    std::optional<std::int64_t> seed;
    std::optional<bool> is_training;
    std::int64_t set = 0;
    std::int64_t batch_size = 0;        // the inputs are split into batches; 0: one
    std::vector<std::int64_t> samples;  // for a task: the indices of those to fetch
    Map<StreamSpec> inputs;
    std::vector<std::string> differentiated;
    std::optional<TensorSpec> output_gradient;
    Tolerance tolerance;
    std::optional<Tolerance> cuda_tolerance;  // replaces `tolerance` on a CUDA device
    std::optional<Expectation> expect;
    std::optional<Refused> refused;
};

struct Case {
    SourceLocation place;
    std::string name;
    Value settings;
    Map<std::int64_t> sizes;
    Value globals;
    Map<std::string> elements;
    std::vector<std::string> optional_inputs;
    std::string instance = "component";
    std::string section;
    std::int64_t seed = 1;
    Map<TensorSpec> parameters;  // "*": all parameters
    Map<TensorSpec> buffers;
    bool has_counting = false;
    std::vector<Step> steps;
};

struct CaseFile {
    std::string source;     // source of the expected numbers
    std::string component;  // "HuberLoss" or "losses/HuberLoss"
    SourceLocation component_place;
    std::vector<Case> cases;
};

// Reads a file and reports all problems in it by line.
CaseFile read_case_file(const std::string& text, const std::string& name, Diagnostics& problems);

// Sets the tolerance of each step to that for a CUDA device, if the file has one.
void use_cuda_tolerances(CaseFile& file);

// The table [numbers] of a file, and the used members.
struct Numbers {
    const Value* table = nullptr;
    std::set<std::string> used = {};
};

// Reads a step, or a case that is its only step and has further keys, `more`.
Step read_step(const schema::Scope& scope, std::vector<schema::Field> more, Numbers& numbers);

// Read a value, and report errors in it under scope.key(name). Numbers may be nan or infinite.
double read_number(const schema::Scope& scope, std::string_view name, const Value& value);
std::int64_t read_integer(const schema::Scope& scope, std::string_view name, const Value& value);
Shape read_shape(const schema::Scope& scope, std::string_view name, const Value& value);
TensorSpec read_tensor(const schema::Scope& scope, std::string_view name, const Value& value);
StreamSpec read_stream(const schema::Scope& scope, std::string_view name, const Value& value);

// Reads each value of the table `name` with one of these functions.
template <class T>
Map<T> read_each(const schema::Scope& scope, std::string_view name, const Map<schema::Raw>& values,
                 T (*read)(const schema::Scope&, std::string_view, const Value&)) {
    Map<T> result;
    if (values.empty()) {
        return result;
    }
    const schema::Scope inner = scope.at(*scope.table.find(name), name);
    for (const auto& entry : values) {
        result.push_back({.key = entry.key,
                          .key_place = entry.key_place,
                          .value = read(inner, entry.key, *entry.value),
                          .place = entry.place});
    }
    return result;
}

}  // namespace ptp::cases
