// The buffers of the components, such as the means of a batch normalization: what a forward pass
// changes besides streams.

#pragma once

#include "engine/component/components.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// [main] Looks the tensors up once.
class Buffers {
public:
    explicit Buffers(const Components& components);

    [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return buffers_; }
    [[nodiscard]] std::vector<at::Tensor> copies() const;

    // Sets the buffers to the values that copies() returned earlier.
    void restore(const std::vector<at::Tensor>& copies) const;

private:
    std::vector<at::Tensor> buffers_;
};

}  // namespace ptp::engine
