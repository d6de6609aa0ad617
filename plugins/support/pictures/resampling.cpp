// Rows and columns are resized four at a time, in vectors; each sum has the same terms in the same
// order as without vectors, so that no bit differs. Terms with the weight 0 do not change bits
// either: a sum that begins with +0 is never -0.

#include "resampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace {

constexpr int64_t kLanes = 4;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using Order = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

Lanes load(const float* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

void store(const Lanes& lanes, float* to) {
    std::memcpy(to, &lanes, sizeof lanes);
}

Lanes spread(float value) {
    return Lanes{value, value, value, value};
}

// Collects, for each column of up to four rows, the values of its pixels; missing rows repeat the
// last one.
void gather_rows(const BytePlane& from, int64_t count, const ByteValues& values,
                 std::span<Lanes> strip) {
    const uint8_t* const row0 = from.bytes;
    const uint8_t* const row1 = row0 + std::min<int64_t>(1, count - 1) * from.row_step;
    const uint8_t* const row2 = row0 + std::min<int64_t>(2, count - 1) * from.row_step;
    const uint8_t* const row3 = row0 + std::min<int64_t>(3, count - 1) * from.row_step;
    int64_t place = 0;
    for (Lanes& column : strip) {
        column = Lanes{values[row0[place]], values[row1[place]], values[row2[place]],
                       values[row3[place]]};
        place += from.pixel_step;
    }
}

// Collects the same of numbers that are row by row.
void gather_rows(const float* from, int64_t count, std::span<Lanes> strip) {
    const auto width = std::ssize(strip);
    for (int64_t column = 0; column < width; ++column) {
        Lanes& lanes = strip[static_cast<size_t>(column)];
        for (int64_t i = 0; i < kLanes; ++i) {
            lanes[i] = from[std::min(i, count - 1) * width + column];
        }
    }
}

// Transposes four columns of four rows to four rows of four columns.
void transpose(std::array<Lanes, kLanes>& block) {
    const Lanes low01 = __builtin_shuffle(block[0], block[1], Order{0, 4, 1, 5});
    const Lanes low23 = __builtin_shuffle(block[2], block[3], Order{0, 4, 1, 5});
    const Lanes high01 = __builtin_shuffle(block[0], block[1], Order{2, 6, 3, 7});
    const Lanes high23 = __builtin_shuffle(block[2], block[3], Order{2, 6, 3, 7});
    block[0] = __builtin_shuffle(low01, low23, Order{0, 1, 4, 5});
    block[1] = __builtin_shuffle(low01, low23, Order{2, 3, 6, 7});
    block[2] = __builtin_shuffle(high01, high23, Order{0, 1, 4, 5});
    block[3] = __builtin_shuffle(high01, high23, Order{2, 3, 6, 7});
}

}  // namespace

Resampling::Resampling(ImageSize from, ImageSize to)
    : from_(from), to_(to), rows_(from.height, to.height), columns_(from.width, to.width) {}

void Resampling::apply(const BytePlane& from, const ByteValues& values, float* to) const {
    resize(
        [&](int64_t row, int64_t count, std::span<Lanes> strip) {
            gather_rows({from.bytes + row * from.row_step, from.pixel_step, from.row_step}, count,
                        values, strip);
        },
        to);
}

void Resampling::apply(const float* from, float* to) const {
    resize([&](int64_t row, int64_t count,
               std::span<Lanes> strip) { gather_rows(from + row * from_.width, count, strip); },
           to);
}

template <class Gather>
void Resampling::resize(const Gather& gather, float* to) const {
    const auto narrow =
        std::make_unique_for_overwrite<float[]>(static_cast<size_t>(from_.height * to_.width));
    switch (columns_.count) {
        case 2:
            resize_rows<2>(gather, narrow.get());
            break;
        case 3:
            resize_rows<3>(gather, narrow.get());
            break;
        default:
            resize_rows<0>(gather, narrow.get());
    }
    switch (rows_.count) {
        case 2:
            resize_columns<2>(narrow.get(), to);
            break;
        case 3:
            resize_columns<3>(narrow.get(), to);
            break;
        default:
            resize_columns<0>(narrow.get(), to);
    }
}

template <int kCount, class Gather>
void Resampling::resize_rows(const Gather& gather, float* narrow) const {
    const int64_t taps = kCount == 0 ? columns_.count : kCount;
    const auto memory = std::make_unique_for_overwrite<Lanes[]>(static_cast<size_t>(from_.width));
    const std::span<Lanes> strip(memory.get(), static_cast<size_t>(from_.width));
    for (int64_t row = 0; row < from_.height; row += kLanes) {
        const int64_t count = std::min(kLanes, from_.height - row);
        gather(row, count, strip);
        const auto resized = [&](int64_t column) {
            const Lanes* pixels = strip.data() + columns_.first[static_cast<size_t>(column)];
            const float* weight = columns_.weights.data() + column * taps;
            Lanes sum{};
            for (int64_t k = 0; k < taps; ++k) {
                sum += spread(weight[k]) * pixels[k];
            }
            return sum;
        };
        float* const to = narrow + row * to_.width;
        int64_t column = 0;
        for (; column + kLanes <= to_.width; column += kLanes) {
            std::array<Lanes, kLanes> block{resized(column), resized(column + 1),
                                            resized(column + 2), resized(column + 3)};
            transpose(block);
            for (int64_t i = 0; i < count; ++i) {
                store(block[static_cast<size_t>(i)], to + i * to_.width + column);
            }
        }
        for (; column < to_.width; ++column) {
            const Lanes pixels = resized(column);
            for (int64_t i = 0; i < count; ++i) {
                to[i * to_.width + column] = pixels[i];
            }
        }
    }
}

template <int kCount>
void Resampling::resize_columns(const float* narrow, float* to) const {
    const int64_t taps = kCount == 0 ? rows_.count : kCount;
    const float* weight = rows_.weights.data();
    for (const int64_t first : rows_.first) {
        const float* const pixels = narrow + first * to_.width;
        int64_t column = 0;
        for (; column + kLanes <= to_.width; column += kLanes) {
            Lanes sum{};
            for (int64_t k = 0; k < taps; ++k) {
                sum += spread(weight[k]) * load(pixels + k * to_.width + column);
            }
            store(sum, to + column);
        }
        for (; column < to_.width; ++column) {
            float sum = 0;
            for (int64_t k = 0; k < taps; ++k) {
                sum += weight[k] * pixels[k * to_.width + column];
            }
            to[column] = sum;
        }
        to += to_.width;
        weight += taps;
    }
}

Resampling::Taps::Taps(int64_t from, int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double reach = std::max(scale, 1.0);
    std::vector<int64_t> end;
    for (int64_t i = 0; i < to; ++i) {
        const double center = (static_cast<double>(i) + 0.5) * scale;
        first.push_back(std::max<int64_t>(std::llround(std::floor(center - reach + 0.5)), 0));
        end.push_back(std::min<int64_t>(std::llround(std::floor(center + reach + 0.5)), from));
        count = std::max(count, end.back() - first.back());
    }
    for (size_t i = 0; i < first.size(); ++i) {
        const int64_t before = first[i];
        first[i] = std::min(before, from - count);
        const double center = (static_cast<double>(i) + 0.5) * scale;
        std::vector<double> exact;
        double total = 0;
        for (int64_t pixel = first[i]; pixel < first[i] + count; ++pixel) {
            const bool is_far = pixel < before || pixel >= end[i];
            const double distance = std::abs(static_cast<double>(pixel) + 0.5 - center) / reach;
            exact.push_back(is_far ? 0.0 : std::max(1.0 - distance, 0.0));
            total += exact.back();
        }
        for (const double weight : exact) {
            weights.push_back(static_cast<float>(weight / total));
        }
    }
}
