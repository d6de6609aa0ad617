// Makes the histogram of a tensor, and encodes images as PNG files by libpng.

#include "engine/output/event.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"

#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/core.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ptp::engine {

namespace {

constexpr double kSmallest = 1e-12;
constexpr double kMax = 1e20;
constexpr double kGrowth = 1.1;

std::vector<double> make_limits() {
    std::vector<double> above;
    for (double limit = kSmallest; limit < kMax; limit *= kGrowth) {
        above.push_back(limit);
    }
    std::vector<double> limits = {-std::numeric_limits<double>::max()};
    for (auto limit = above.rbegin(); limit != above.rend(); ++limit) {
        limits.push_back(-*limit);
    }
    limits.push_back(0);
    limits.insert(limits.end(), above.begin(), above.end());
    limits.push_back(std::numeric_limits<double>::max());
    return limits;
}

void add_buckets(Histogram& histogram, const std::vector<double>& limits,
                 const std::vector<double>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0 && !histogram.counts.empty() && histogram.counts.back() == 0) {
            histogram.limits.back() = limits[i];
            continue;
        }
        histogram.limits.push_back(limits[i]);
        histogram.counts.push_back(counts[i]);
    }
}

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

}  // namespace

Histogram histogram_of(const at::Tensor& tensor) {
    static const std::vector<double> limits = make_limits();
    const at::Tensor numbers = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    const double* const begin = numbers.data_ptr<double>();
    Histogram histogram;
    std::vector<double> counts(limits.size());
    for (const double* number = begin; number != begin + numbers.numel(); ++number) {
        if (!std::isfinite(*number)) {
            continue;
        }
        histogram.minimum = histogram.count == 0 ? *number : std::min(histogram.minimum, *number);
        histogram.maximum = histogram.count == 0 ? *number : std::max(histogram.maximum, *number);
        histogram.count += 1;
        histogram.sum += *number;
        histogram.squares += *number * *number;
        const auto bucket = std::upper_bound(limits.begin(), limits.end() - 1, *number);
        counts[static_cast<std::size_t>(bucket - limits.begin())] += 1;
    }
    add_buckets(histogram, limits, counts);
    return histogram;
}

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

at::Tensor pixels_of_each(const at::Tensor& images) {
    at::Tensor pixels = images.detach().to(at::kCPU);
    if (pixels.scalar_type() != at::kByte) {
        pixels = pixels.to(at::kDouble);
        if (!pixels.isfinite().all().item<bool>()) {
            return at::stack(transformed(images.unbind(), pixels_of));
        }
        const at::Tensor smallest = pixels.amin({1, 2, 3}, true);  // [N, 1, 1, 1]
        const at::Tensor largest = pixels.amax({1, 2, 3}, true);
        const at::Tensor is_beyond = smallest.lt(0).logical_or(largest.gt(1));
        const at::Tensor scaled =
            pixels.sub(smallest).div(largest.sub(smallest).clamp_min(kMinSpan));
        pixels = at::where(is_beyond, scaled, pixels).mul(255).round().to(at::kByte);
    }
    return pixels.permute({0, 2, 3, 1}).contiguous();
}

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
