// Component tests as data: the cases of one component in a TOML file. The format is described in
// docs/testing-components.md. Free of libtorch.
#pragma once

#include "ptp-cases/tensor_spec.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::cases {

using schema::Map;
using Shape = std::vector<std::int64_t>;

// An output may differ from what is expected by absolute + relative * |expected|.
struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

struct Expectation {
    std::optional<Map<StreamSpec>> outputs;      // all of them
    Map<Shape> shapes;                           // of outputs
    std::optional<Map<double>> collected;        // all statistics of the last call
    std::optional<Map<double>> aggregated;       // all of the set
    std::optional<Map<TensorSpec>> gradients;    // of inputs and of all parameters
    std::vector<std::string> no_gradients;       // parameters and differentiated inputs
    std::vector<std::string> finite_gradients;   // of these inputs, and of all parameters
    std::optional<std::int64_t> size;            // of a task: its samples
    bool all_parameters_have_gradients = false;  // that are not all zeros
    std::optional<std::vector<std::string>> log;
    std::optional<Value> published;  // some of the globals
    Map<TensorSpec> parameters;      // some of them
    Map<TensorSpec> buffers;
    std::optional<Map<Shape>> parameter_shapes;  // all of them
    std::optional<Map<Shape>> buffer_shapes;
    std::string same_as;       // outputs, gradients, statistics: to the last bit
    std::string differs_from;  // outputs
    std::string state_of;      // the exported state
};

enum class Refusal { kConfig, kData, kInternal };

struct Refused {
    Refusal as = Refusal::kConfig;
    std::string text;
    bool is_part = false;  // the text is a part of the message, which libtorch wrote
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
    std::vector<std::int64_t> samples;  // of a task: the indices of those to fetch
    Map<StreamSpec> inputs;
    std::vector<std::string> differentiated;
    std::optional<TensorSpec> output_gradient;
    Tolerance tolerance;
    std::optional<Tolerance> cuda_tolerance;  // replaces the other one on a CUDA device
    bool has_expectation = false;
    Expectation expect;
    std::optional<Refused> refused;
};

struct Case {
    SourceLocation place;
    std::string name;
    std::string settings;  // as TOML text
    Map<std::int64_t> sizes;
    Value globals;
    Map<std::string> elements;
    std::vector<std::string> optional_inputs;
    std::string instance = "component";
    std::string section;
    std::int64_t seed = 1;
    Map<TensorSpec> parameters;  // "*": all
    Map<TensorSpec> buffers;
    bool has_counting = false;
    std::vector<Step> steps;
};

struct CaseFile {
    std::string source;     // where the expected numbers come from
    std::string component;  // "HuberLoss" or "losses/HuberLoss"
    SourceLocation component_place;
    std::vector<Case> cases;
};

// Reports all problems with the file, by line.
CaseFile read_case_file(const std::string& text, const std::string& name, Diagnostics& problems);

// Makes the tolerance of each step that of a CUDA device, where the file has one for it.
void use_cuda_tolerances(CaseFile& file);

}  // namespace ptp::cases
