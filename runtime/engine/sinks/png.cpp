#include "engine/sinks/png.hpp"

#include "base/error.hpp"

#include <ATen/ops/zeros_like.h>
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>

namespace ptp::engine {

namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr double kLeastSpan = 1e-30;  // a blank image is black

void add_number(std::string& bytes, std::uint64_t number) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        bytes += static_cast<char>(number >> shift & 0xFFU);
    }
}

void add_chunk(std::string& file, std::string_view type, const std::string& data) {
    const std::string checked = std::string(type) + data;
    add_number(file, data.size());
    file += checked;
    add_number(file, crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                           static_cast<uInt>(checked.size())));
}

std::string header(const Png& image) {
    std::string data;
    add_number(data, static_cast<std::uint64_t>(image.width));
    add_number(data, static_cast<std::uint64_t>(image.height));
    data += '\x08';                             // bits
    data += image.channels == 1 ? '\0' : '\2';  // grey or RGB
    data.append({'\0', '\0', '\0'});            // deflate, filters by line, not interlaced
    return data;
}

// Every line begins with the number of its filter, which is none.
std::string lines(const Png& image, const at::Tensor& pixels) {
    const auto width = static_cast<std::size_t>(image.width * image.channels);
    const auto* next = reinterpret_cast<const char*>(pixels.data_ptr<std::uint8_t>());
    std::string raw;
    for (std::int64_t line = 0; line < image.height; ++line, next += width) {
        raw += '\0';
        raw.append(next, width);
    }
    return raw;
}

std::string deflated(const std::string& raw) {
    uLongf size = compressBound(raw.size());
    std::string data(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(data.data()), &size,
                 reinterpret_cast<const Bytef*>(raw.data()), raw.size()) != Z_OK) {
        throw RunError(kTrainingError, "an image could not be compressed");
    }
    data.resize(size);
    return data;
}

// nan is black, infinities are as far as the other numbers go: else these would all look alike.
at::Tensor finite(const at::Tensor& pixels) {
    const at::Tensor known = pixels.masked_select(pixels.isfinite());
    if (known.numel() == 0) {
        return at::zeros_like(pixels);
    }
    return pixels.nan_to_num(0, known.max().item<double>(), known.min().item<double>());
}

// [C, H, W] -> bytes [H, W, C]
at::Tensor pixels_of(const at::Tensor& image) {
    at::Tensor pixels = image.detach().to(at::kCPU);
    if (pixels.scalar_type() != at::kByte) {
        pixels = finite(pixels.to(at::kDouble));
        const double smallest = pixels.min().item<double>();
        const double largest = pixels.max().item<double>();
        if (smallest < 0 || largest > 1) {
            pixels = pixels.sub(smallest).div(std::max(largest - smallest, kLeastSpan));
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
    Png made{.height = image.size(1),
             .width = image.size(2),
             .channels = image.size(0),
             .bytes = std::string(kSignature)};
    add_chunk(made.bytes, "IHDR", header(made));
    add_chunk(made.bytes, "IDAT", deflated(lines(made, pixels_of(image))));
    add_chunk(made.bytes, "IEND", "");
    return made;
}

}  // namespace ptp::engine
