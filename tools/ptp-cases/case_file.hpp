// Component tests as data: the cases of one component in a TOML file. The format is described in
// docs/testing-components.md. This header is free of libtorch.
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

// The tolerance of an output: it may differ from the expected value by absolute + relative *
// |expected|.
struct Tolerance {
    double relative = 0;
    double absolute = 0;
};

struct Expectation {
    std::optional<Map<StreamSpec>> outputs;      // all outputs
    Map<Shape> shapes;                           // shapes of outputs
    std::optional<Map<double>> collected;        // all statistics of the last call
    std::optional<Map<double>> aggregated;       // all statistics of the set
    std::optional<Map<TensorSpec>> gradients;    // gradients of inputs and of all parameters
    std::vector<std::string> no_gradients;       // parameters and differentiated inputs
    std::vector<std::string> finite_gradients;   // these inputs, besides all parameters
    std::optional<std::int64_t> size;            // number of samples of a task
    bool all_parameters_have_gradients = false;  // and these are not all zeros
    std::optional<std::vector<std::string>> log;
    std::optional<Value> published;  // some of the globals
    Map<TensorSpec> parameters;      // some of the parameters
    Map<TensorSpec> buffers;
    std::optional<Map<Shape>> parameter_shapes;  // shapes of all parameters
    std::optional<Map<Shape>> buffer_shapes;
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

}  // namespace ptp::cases
