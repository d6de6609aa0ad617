#include "engine/component/picture.hpp"

#include "base/text.hpp"
#include "engine/component/host.hpp"

#include <ptp/ext/draft/pictures.h>

#include <ATen/ops/from_blob.h>
#include <fmt/core.h>

#include <array>
#include <utility>

namespace ptp::engine {

std::uint64_t checked_size(const ptp_picture& picture) {
    const bool has_pixels = picture.height > 0 && picture.width > 0;
    if (!has_pixels || (picture.channels != 1 && picture.channels != 3)) {
        throw ContractViolation(
            fmt::format("show: a picture of {} x {} pixels with {} channels: must have a "
                        "pixel or more, and 1 or 3 channels",
                        picture.height, picture.width, picture.channels));
    }
    if (picture.pixels == nullptr) {
        throw ContractViolation("show: the pixels are missing");
    }
    if (picture.tag != nullptr && !is_utf8(picture.tag)) {
        throw ContractViolation("show: the tag is not UTF-8");
    }
    const std::uint64_t pixels = std::uint64_t{picture.height} * picture.width;
    return pixels > kMaxPictureBytes ? pixels : pixels * picture.channels;
}

Picture copy_of(const ptp_picture& picture, const std::string& component, const ptp_step& step) {
    const std::array<std::int64_t, 3> sizes = {picture.height, picture.width, picture.channels};
    std::string tag = fmt::format("{}/{}", component, step.section);
    if (picture.tag != nullptr) {
        tag += fmt::format("/{}", picture.tag);
    }
    // libtorch has no tensor of read-only memory; this one is only read.
    auto* pixels = const_cast<std::uint8_t*>(picture.pixels);  // NOLINT
    return {step.episode, std::move(tag),
            at::from_blob(pixels, sizes, at::kByte).clone().permute({2, 0, 1})};
}

}  // namespace ptp::engine
