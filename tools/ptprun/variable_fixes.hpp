// Fixes for values that several sections take from [vars]: they set the variable.

#pragma once

#include "host/prepare.hpp"
#include "pipeline/plan.hpp"

#include <memory>
#include <string>

namespace ptp::ptprun {

class VariableFixes {
public:
    // The request must outlive it.
    explicit VariableFixes(const host::Request& request);
    VariableFixes(const VariableFixes&) = delete;
    VariableFixes& operator=(const VariableFixes&) = delete;
    ~VariableFixes();

    // Returns a fix, "--set training.task.data_folder=x" or "write data_folder = x", as one of the
    // variable from which its key takes the value: "--set vars.data_folder=x". `key` is the one of
    // the problem. Returns any other fix as it is, also of a component of the pipeline.
    std::string with_variables(const std::string& fix, const std::string& key);

    // Returns the same for the fixes in an error of the engine; the plan has the component that
    // fails.
    std::string with_variables_in(const std::string& error, const pipeline::Plan& plan);

private:
    class Written;

    const host::Request& request_;
    std::unique_ptr<Written> written_;  // nullptr: no fix has needed it
};

}  // namespace ptp::ptprun
