// Compares an ONNX file in ONNX Runtime with what the components compute.

#pragma once

#include "base/temporary_path.hpp"
#include "engine/export_request.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace ptp::onnx {

class Verification {
public:
    explicit Verification(std::filesystem::path file) : file_(std::move(file)) {}

    // Keeps a sample in a file of its own.
    void add(const engine::ForwardSample& sample);

    // Throws RunError if the interpreter PTP_PYTHON, or python3, has no ONNX Runtime.
    static void require_runtime();

    // Runs ONNX Runtime of that interpreter on all samples. Returns a table of the largest
    // differences, or why nothing was compared.
    std::string run();

    // Returns whether an output differs by more than its tolerance, or nothing was compared.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
    std::filesystem::path file_;
    TemporaryPath folder_ = TemporaryPath::new_folder();
    std::size_t count_ = 0;
    bool has_failed_ = false;
};

}  // namespace ptp::onnx
