#include "engine/distributed/text_bytes.hpp"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstring>

namespace ptp::engine {

at::Tensor text_bytes(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    if (!text.empty()) {
        std::memcpy(bytes.data_ptr(), text.data(), text.size());
    }
    return bytes;
}

std::string text_from(const at::Tensor& bytes) {
    return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

}  // namespace ptp::engine
