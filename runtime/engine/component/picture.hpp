// Pictures that components show, on their way to the sinks.

#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/pictures.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace ptp::engine {

struct Picture {
    std::uint64_t episode = 0;  // of training; in another section, the last one before it
    std::string tag;            // "sheets/validation"; "sheets/validation/errors" if it has one
    at::Tensor pixels;          // bytes, [1 or 3, height, width]
};

// The limit of all pictures of an episode, or of a pass over a set, in bytes of pixels; further
// ones are dropped. They stay in memory until it is over, and are written to TensorBoard's file.
constexpr std::uint64_t kMaxPictureBytes = std::uint64_t{1} << 26;

// Returns its number of bytes of pixels. Throws ContractViolation if it is not a valid picture.
std::uint64_t checked_size(const ptp_picture& picture);

// Returns a copy of a valid picture.
Picture copy_of(const ptp_picture& picture, const std::string& component, const ptp_step& step);

}  // namespace ptp::engine
