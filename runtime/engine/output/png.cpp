#include "engine/output/png.hpp"

#include "base/error.hpp"

#include <ATen/ops/zeros_like.h>
#include <fmt/core.h>
#include <png.h>

#include <algorithm>
#include <string>

namespace ptp::engine {

namespace {

constexpr double kMinSpan = 1e-30;  // a blank image is black

// `pixels` is [H, W, C] of bytes.
std::string encoded(const Png& made, const at::Tensor& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.height = static_cast<png_uint_32>(made.height);
    image.width = static_cast<png_uint_32>(made.width);
    image.format = made.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    const auto fail = [&] {
        throw RunError(kTrainingError, fmt::format("cannot encode an image: {}", image.message));
    };
    png_alloc_size_t size = 0;
    if (png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data_ptr(), 0, nullptr) == 0) {
        fail();
    }
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data_ptr(), 0, nullptr) ==
        0) {
        fail();
    }
    bytes.resize(size);
    return bytes;
}

// Sets NaN to 0, infinities to the limits of the finite values: otherwise these would all look
// alike.
at::Tensor finite(const at::Tensor& pixels) {
    const at::Tensor known = pixels.masked_select(pixels.isfinite());
    if (known.numel() == 0) {
        return at::zeros_like(pixels);
    }
    return pixels.nan_to_num(0, known.max().item<double>(), known.min().item<double>());
}

// Converts [C, H, W] to bytes [H, W, C].
at::Tensor pixels_of(const at::Tensor& image) {
    at::Tensor pixels = image.detach().to(at::kCPU);
    if (pixels.scalar_type() != at::kByte) {
        pixels = finite(pixels.to(at::kDouble));
        const double smallest = pixels.min().item<double>();
        const double largest = pixels.max().item<double>();
        if (smallest < 0 || largest > 1) {
            pixels = pixels.sub(smallest).div(std::max(largest - smallest, kMinSpan));
        }
        pixels = pixels.mul(255).round().to(at::kByte);
    }
    return pixels.permute({1, 2, 0}).contiguous();
}

}  // namespace

Png png_of(const at::Tensor& image) {
    if (image.dim() != 3 || image.numel() == 0 || (image.size(0) != 1 && image.size(0) != 3)) {
        throw RunError(kDataError, fmt::format("an image is [1 or 3, height, width], not of {} "
                                               "dimensions and {} numbers",
                                               image.dim(), image.numel()));
    }
    Png made{
        .height = image.size(1), .width = image.size(2), .channels = image.size(0), .bytes = {}};
    made.bytes = encoded(made, pixels_of(image));
    return made;
}

}  // namespace ptp::engine
