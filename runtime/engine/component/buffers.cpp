#include "engine/component/buffers.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>

#include <memory>
#include <utility>

namespace ptp::engine {

Buffers::Buffers(const Components& components) {
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            if (named.role != PTP_PARAMETER) {
                buffers_.push_back(std::move(named.tensor));
            }
        }
    }
}

std::vector<at::Tensor> Buffers::copies() const {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& buffer : buffers_) {
        copies.push_back(buffer.detach().clone());
    }
    return copies;
}

void Buffers::restore(const std::vector<at::Tensor>& copies) const {
    const c10::AutoGradMode without_gradients(false);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        at::Tensor(buffers_[i]).copy_(copies[i]);
    }
}

}  // namespace ptp::engine
