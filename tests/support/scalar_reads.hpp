// Counts how often this thread asks libtorch for a single number of a tensor. On a device each
// waits until all is computed that was enqueued before.

#pragma once

#include <ATen/record_function.h>

#include <memory>
#include <string_view>

namespace ptp::test {

class ScalarReads {
public:
    ScalarReads() : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&begin))) {
        counted = 0;
    }
    ~ScalarReads() { at::removeCallback(handle_); }
    ScalarReads(const ScalarReads&) = delete;
    ScalarReads& operator=(const ScalarReads&) = delete;

    [[nodiscard]] int count() const { return counted; }

private:
    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
        if (std::string_view(function.name()) == "aten::_local_scalar_dense") {
            ++counted;
        }
        return nullptr;
    }

    static inline thread_local int counted = 0;
    at::CallbackHandle handle_;
};

}  // namespace ptp::test
