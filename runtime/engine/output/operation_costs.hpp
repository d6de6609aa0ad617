// The operations of libtorch within a component: their results, inputs and costs, seen from
// outside.

#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// An operation that no other one consists of, with a result of real numbers that is no view.
struct OperationCost {
    std::string name;                 // "conv2d"
    std::vector<std::int64_t> sizes;  // of the result
    std::vector<const void*> inputs;  // where the tensors that it read have their numbers
    std::int64_t multiply_adds = 0;   // of convolutions and products of matrices within it
    std::uint64_t bytes = 0;          // of the result
};

// While it exists, counts the operations of this thread; one at a time on a thread. Neither changes
// what is computed nor asks components to use other operations: loops of a plugin's own are unseen.
class OperationCosts {
public:
    OperationCosts();
    ~OperationCosts();
    OperationCosts(const OperationCosts&) = delete;
    OperationCosts& operator=(const OperationCosts&) = delete;

    [[nodiscard]] const std::vector<OperationCost>& operations() const { return operations_; }
    // Returns those of all operations, also of those that have no row.
    [[nodiscard]] std::int64_t multiply_adds() const { return multiply_adds_; }

private:
    static void begin_one(const at::RecordFunction& function);
    static void end_one(const at::RecordFunction& function);
    void begin(const at::RecordFunction& function);
    void add_input(const at::Tensor& tensor);
    void end(const at::RecordFunction& function);

    at::CallbackHandle handle_;
    std::uint64_t depth_ = 0;          // of the operation that runs
    std::uint64_t counted_depth_ = 0;  // of the operation whose products are counted; 0: none
    std::int64_t of_each_result_ = 0;  // multiply-adds for each number of its result
    std::int64_t own_ = 0;             // of the outermost operation that runs
    std::int64_t multiply_adds_ = 0;
    std::vector<const void*> inputs_;
    std::vector<OperationCost> operations_;
};

}  // namespace ptp::engine
