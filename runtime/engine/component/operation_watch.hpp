// Reports the result of each of libtorch's operations that a component computes with. The results
// come from libtorch's callbacks: the code of the component needs no change.

#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Returns "conv2d" for "aten::conv2d".
std::string_view plain_name(std::string_view name);

// Receives the results. [step] An operation ("conv2d") has returned `result`, a floating-point
// tensor through which a gradient will pass. Views and tensors that were reported before are left
// out. Does not throw.
using OperationReport = std::function<void(std::string_view operation, const at::Tensor& result)>;

// While it exists, operations on this thread are reported, those that others consist of are not.
// One at a time on a thread.
class OperationWatch {
public:
    explicit OperationWatch(OperationReport report);
    ~OperationWatch();
    OperationWatch(const OperationWatch&) = delete;
    OperationWatch& operator=(const OperationWatch&) = delete;

private:
    // A result in one of its versions. The pointer keeps the address from being used again.
    struct Reported {
        c10::weak_intrusive_ptr<c10::TensorImpl> result;
        std::int64_t version = 0;
    };

    static void end(const at::RecordFunction& function, at::ObserverContext*);
    void look_at(const at::RecordFunction& function);

    const OperationReport report_;
    at::CallbackHandle handle_;
    std::uint64_t depth_ = 0;  // of the operation that runs
    std::vector<Reported> reported_;
};

}  // namespace ptp::engine
