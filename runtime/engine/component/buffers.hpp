// The buffers of the components, such as the running means of a batch normalization: the state
// besides streams that a forward pass changes.

#pragma once

#include "engine/component/components.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// [main] Collects the buffers once, when it is constructed.
class Buffers {
public:
    explicit Buffers(const Components& components);

    [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return buffers_; }
    [[nodiscard]] std::vector<at::Tensor> copies() const;

    // Sets the buffers to values that copies() returned earlier.
    void restore(const std::vector<at::Tensor>& copies) const;

private:
    std::vector<at::Tensor> buffers_;
};

}  // namespace ptp::engine
