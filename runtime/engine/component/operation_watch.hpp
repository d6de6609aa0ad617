// Sees the result of each of libtorch's operations that a component computes with, whatever its
// plugin is: no layer, loop or in-place change needs to take part.

#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Receives results. [step] No function throws.
class OperationListener {
public:
    OperationListener() = default;
    OperationListener(const OperationListener&) = delete;
    OperationListener& operator=(const OperationListener&) = delete;
    virtual ~OperationListener() = default;

    // An operation ("conv2d") has returned `result`, a floating-point tensor through which a
    // gradient will pass. Views and tensors that were reported before are left out.
    virtual void computed(std::string_view operation, const at::Tensor& result) noexcept = 0;
};

// While it exists, operations on this thread are reported, those that others consist of are not.
// One at a time on a thread. The listener must outlive it.
class OperationWatch {
public:
    explicit OperationWatch(OperationListener& listener);
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
    void report(const at::RecordFunction& function);

    OperationListener& listener_;
    at::CallbackHandle handle_;
    std::uint64_t depth_ = 0;  // of the operation that runs
    std::vector<Reported> reported_;
};

}  // namespace ptp::engine
