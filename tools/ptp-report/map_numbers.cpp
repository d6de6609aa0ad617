// Reads arrays of NumPy, and sums a map over parts of its image.

#include "ptp-report/map_numbers.hpp"

#include "ptp-report/checked_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kPreamble = 10;  // bytes before the header
constexpr std::size_t kMaxMapNumbers = std::size_t{1} << 24U;
constexpr std::size_t kParts = 4;  // of a side

// Returns the sizes in "'shape': (2, 3,)"; nullopt without them.
std::optional<std::vector<std::size_t>> shape_in(std::string_view header) {
    constexpr std::string_view kShape = "'shape': (";
    const std::size_t found = header.find(kShape);
    const std::size_t end = header.find(')', found);
    if (found == header.npos || end == header.npos) {
        return std::nullopt;
    }
    std::vector<std::size_t> shape;
    for (const char* at = header.data() + found + kShape.size(); at < header.data() + end;) {
        std::size_t size = 0;
        const auto read = std::from_chars(at, header.data() + end, size);
        if (read.ec != std::errc()) {
            return std::nullopt;
        }
        shape.push_back(size);
        for (at = read.ptr; at < header.data() + end && (*at == ',' || *at == ' ');) {
            ++at;
        }
    }
    return shape;
}

// Returns the first row of each part, and the end.
std::vector<std::size_t> bounds_of(std::size_t side) {
    const std::size_t parts = std::min(side, kParts);
    std::vector<std::size_t> bounds;
    for (std::size_t part = 0; part <= parts; ++part) {
        bounds.push_back(part * side / parts);
    }
    return bounds;
}

std::size_t part_of(const std::vector<std::size_t>& bounds, std::size_t place) {
    return static_cast<std::size_t>(std::ranges::upper_bound(bounds, place) - bounds.begin()) - 1;
}

double value_of(const NumbersOfFile& map, std::size_t pixel, PixelValue shown) {
    double sum = 0;
    double largest = 0;
    for (std::size_t at = pixel; at < map.numbers.size(); at += map.shape[1] * map.shape[2]) {
        sum += map.numbers[at];
        largest = std::max(largest, std::abs(static_cast<double>(map.numbers[at])));
    }
    return shown == PixelValue::kMaxMagnitude && std::isfinite(sum) ? largest : sum;
}

}  // namespace

std::optional<NumbersOfFile> read_npy(std::string_view bytes) {
    if (bytes.size() < kPreamble || !bytes.starts_with(std::string_view("\x93NUMPY\x01\x00", 8))) {
        return std::nullopt;
    }
    const std::size_t begin = kPreamble + static_cast<unsigned char>(bytes[8]) +
                              256U * static_cast<unsigned char>(bytes[9]);
    const std::string_view header = bytes.substr(0, begin);
    std::optional<std::vector<std::size_t>> shape = shape_in(header);
    if (!shape || header.find("'<f4'") == header.npos || begin > bytes.size()) {
        return std::nullopt;
    }
    std::size_t count = 1;
    for (const std::size_t size : *shape) {
        if (size > kMaxMapNumbers || count * size > kMaxMapNumbers) {
            return std::nullopt;
        }
        count *= size;
    }
    if (bytes.size() != begin + count * sizeof(float)) {
        return std::nullopt;
    }
    NumbersOfFile file{*std::move(shape), std::vector<float>(count)};
    if (count > 0) {
        std::memcpy(file.numbers.data(), bytes.data() + begin, count * sizeof(float));
    }
    return file;
}

Json grid_of(const NumbersOfFile& map, PixelValue shown) {
    if (map.shape.size() != 3 || map.numbers.empty()) {
        return nullptr;
    }
    const std::size_t height = map.shape[1];
    const std::size_t width = map.shape[2];
    const std::vector<std::size_t> rows = bounds_of(height);
    const std::vector<std::size_t> columns = bounds_of(width);
    std::vector<std::vector<double>> sums(rows.size() - 1, std::vector<double>(columns.size() - 1));
    double magnitude = 0;
    double strongest = -1;
    std::pair<std::size_t, std::size_t> peak;
    for (std::size_t pixel = 0; pixel < height * width; ++pixel) {
        const double value = value_of(map, pixel, shown);
        if (!std::isfinite(value)) {
            continue;
        }
        const auto [y, x] = std::pair(pixel / width, pixel % width);
        sums[part_of(rows, y)][part_of(columns, x)] += value;
        magnitude += std::abs(value);
        if (std::abs(value) > strongest) {
            strongest = std::abs(value);
            peak = {y, x};
        }
    }
    if (magnitude == 0) {
        return nullptr;
    }
    Json grid = Json::array();
    for (const std::vector<double>& row : sums) {
        Json cells = Json::array();
        for (const double sum : row) {
            cells.push_back(rounded(sum / magnitude));
        }
        grid.push_back(std::move(cells));
    }
    return {{"grid", std::move(grid)},
            {"rows", rows},
            {"columns", columns},
            {"peak", {peak.first, peak.second}}};
}

}  // namespace ptp::report
