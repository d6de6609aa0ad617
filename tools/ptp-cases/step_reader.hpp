// Reads the keys of a step; a case with one step contains these itself.
#pragma once

#include "ptp-cases/case_file.hpp"

#include <set>
#include <string>
#include <vector>

namespace ptp::cases {

// The table [numbers] of a file, and the used members.
struct Numbers {
    const Value* table = nullptr;
    std::set<std::string> used = {};
};

class StepReader {
public:
    explicit StepReader(Step& step) : step_(step) {}

    // Returns the fields of the table; their targets are in this object and in the step.
    std::vector<schema::Field> fields();

    // Checks, after reading, what the fields alone do not express.
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

// Reads sizes by name.
Map<Shape> read_shapes(const schema::Scope& scope, std::string_view name,
                       const Map<schema::Raw>& values);

// Reads tensors by name.
Map<TensorSpec> read_tensors(const schema::Scope& scope, std::string_view name,
                             const Map<schema::Raw>& values);

}  // namespace ptp::cases
