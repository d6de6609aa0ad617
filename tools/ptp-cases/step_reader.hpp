// Reads the keys of a step, which a case with one step has itself.
#pragma once

#include "ptp-cases/case_file.hpp"

#include <set>
#include <string>
#include <vector>

namespace ptp::cases {

// The table [numbers] of a file, and which of its members have been used.
struct Numbers {
    const Value* table = nullptr;
    std::set<std::string> used = {};
};

class StepReader {
public:
    explicit StepReader(Step& step) : step_(step) {}

    // What to read the table with; the targets lie in this and in the step.
    std::vector<schema::Field> fields();

    // After reading: what a field alone does not express.
    void finish(const schema::Scope& scope, Numbers& numbers);

private:
    Step& step_;
    bool is_training_ = true;
    schema::Map<schema::Raw> inputs_;
    schema::Raw output_gradient_ = nullptr;
    schema::RawTable tolerance_;
    schema::Raw expect_ = nullptr;
    schema::RawTable refused_;
};

// Sizes by name.
Map<Shape> read_shapes(const schema::Scope& scope, std::string_view name,
                       const Map<schema::Raw>& values);

// Tensors by name.
Map<TensorSpec> read_tensors(const schema::Scope& scope, std::string_view name,
                             const Map<schema::Raw>& values);

}  // namespace ptp::cases
