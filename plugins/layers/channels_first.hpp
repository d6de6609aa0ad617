// The channels of layers that read sequences channels first, as torch.nn's do.
#pragma once

#include <ptp/error.hpp>
#include <ptp/setup.hpp>

#include <cstdint>
#include <vector>

namespace layers {

// Returns the number of channels. It is not known where sequences of any length come channels last.
inline std::int64_t channels(const ptp::Setup& setup) {
    const std::vector<std::int64_t> shape =
        setup.inputs().front().shape.value_or(std::vector<std::int64_t>());
    if (shape.size() < 2 || shape[1] < 0) {
        throw ptp::ConfigError(
            "it reads [B, channels, length], and the number of channels is not known before the "
            "data flows: Embedding, recurrent layers and others write [B, length, size]\n"
            "fix: write \"Transpose\" before it in the list of layers, and another one behind it "
            "where [B, length, size] is read again");
    }
    return shape[1];
}

}  // namespace layers
