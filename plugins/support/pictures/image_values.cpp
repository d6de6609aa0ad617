// Looks up the number of each byte in a table, and resizes where that is asked for.

#include "image_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace {

// Converts eight consecutive bytes at a time, with a single load.
float* write_values(const uint8_t* bytes, int64_t count, const ByteValues& values, float* to) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t eight = 0;
        std::memcpy(&eight, bytes + i, sizeof eight);
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            to[i + k] = values[eight >> 8 * k & 0xff];
        }
    }
    for (; i < count; ++i) {
        to[i] = values[bytes[i]];
    }
    return to + count;
}

void write_plane(const ByteImage& plane, const ByteValues& values, float* to) {
    const ImageSize size = plane.size;
    if (plane.pixel_step == 1 && plane.row_step == size.width) {
        write_values(plane.bytes, size.height * size.width, values, to);
        return;
    }
    for (int64_t row = 0; row < size.height; ++row) {
        const uint8_t* byte = plane.bytes + row * plane.row_step;
        if (plane.pixel_step == 1) {
            to = write_values(byte, size.width, values, to);
            continue;
        }
        for (int64_t column = 0; column < size.width; ++column) {
            *to++ = values[*byte];
            byte += plane.pixel_step;
        }
    }
}

// Writes the numbers of one channel with values of 16 bits.
void write_word_plane(const ByteImage& plane, double mean, double deviation, float* to) {
    for (int64_t row = 0; row < plane.size.height; ++row) {
        const uint8_t* place = plane.bytes + row * plane.row_step;
        for (int64_t column = 0; column < plane.size.width; ++column) {
            uint16_t word = 0;
            std::memcpy(&word, place, sizeof word);
            *to++ = static_cast<float>((static_cast<double>(word) / 65535.0 - mean) / deviation);
            place += plane.pixel_step;
        }
    }
}

bool has_three_colors(const ByteImage& image) {
    return image.pixel_step == 3 && image.channel_step == 1;
}

}  // namespace

ImageValues::ImageValues(Options options) : options_(std::move(options)) {
    for (int64_t channel = 0; channel < options_.channels; ++channel) {
        ByteValues& values = values_.emplace_back();
        for (size_t byte = 0; byte < values.size(); ++byte) {
            const double pixel = static_cast<double>(byte) / 255.0;
            values[byte] = static_cast<float>((pixel - mean(channel)) / deviation(channel));
        }
        lines_.push_back(color_line(values, mean(channel), deviation(channel)));
    }
}

void ImageValues::expect(ImageSize size) {
    expected_ = cut(ByteImage::planar(nullptr, size)).size;
    resampling_.reset();
    if (shown(expected_) != expected_) {
        resampling_.emplace(expected_, *options_.shown);
    }
}

ByteImage ImageValues::cut(ByteImage image) const {
    if (!options_.is_cut || !options_.shown) {
        return image;
    }
    const auto part = [](int64_t of, int64_t numerator, int64_t denominator) {
        const double exact = static_cast<double>(of) * static_cast<double>(numerator) /
                             static_cast<double>(denominator);
        return std::max<int64_t>(std::llround(exact), 1);
    };
    const ImageSize shown = *options_.shown;
    ImageSize kept = image.size;
    if (image.size.width * shown.height > image.size.height * shown.width) {
        kept.width = part(image.size.height, shown.width, shown.height);
    } else {
        kept.height = part(image.size.width, shown.height, shown.width);
    }
    const int64_t rows = (image.size.height - kept.height) / 2;
    const int64_t columns = (image.size.width - kept.width) / 2;
    image.bytes += rows * image.row_step + columns * image.pixel_step;
    image.size = kept;
    return image;
}

void ImageValues::write(const ByteImage& whole, float* to) const {
    ByteImage image = cut(whole);
    const ImageSize shown = this->shown(image.size);
    if (shown == image.size && has_three_colors(image) && values_.size() == 3 &&
        image.value_bytes == 1) {
        for (int64_t row = 0; row < shown.height; ++row) {
            write_row({image.bytes + row * image.row_step, static_cast<size_t>(3 * shown.width)},
                      row, shown, to);
        }
        return;
    }
    std::optional<Resampling> own;
    const Resampling* resampling = nullptr;
    if (shown != image.size) {
        const bool is_expected = resampling_ && image.size == expected_;
        resampling = is_expected ? &*resampling_ : &own.emplace(image.size, shown);
    }
    if (image.value_bytes == 2) {
        write_words(image, resampling, to);
        return;
    }
    for (const ByteValues& values : values_) {
        if (resampling != nullptr) {
            resampling->apply({image.bytes, image.pixel_step, image.row_step}, values, to);
        } else {
            write_plane(image, values, to);
        }
        image.bytes += image.channel_step;
        to += shown.height * shown.width;
    }
}

void ImageValues::write_words(ByteImage image, const Resampling* resampling, float* to) const {
    const ImageSize shown = this->shown(image.size);
    std::vector<float> plane;
    if (resampling != nullptr) {
        plane.resize(static_cast<size_t>(image.size.height * image.size.width));
    }
    for (int64_t channel = 0; channel < options_.channels; ++channel) {
        float* const numbers = resampling != nullptr ? plane.data() : to;
        write_word_plane(image, mean(channel), deviation(channel), numbers);
        if (resampling != nullptr) {
            resampling->apply(numbers, to);
        }
        image.bytes += image.channel_step;
        to += shown.height * shown.width;
    }
}

void ImageValues::write_row(std::span<const uint8_t> row, int64_t number, ImageSize size,
                            float* to) const {
    float* const begin = to + number * size.width;
    if (values_.size() == 1) {
        write_values(row.data(), size.width, values_[0], begin);
        return;
    }
    write_color_row(row, {std::span(values_).first<3>(), std::span(lines_).first<3>()}, begin,
                    size.height * size.width);
}
