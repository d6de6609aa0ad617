// Looks at the headers of all files before a training, and reads masks.

#include "table_pictures.hpp"

#include <ptp/error.hpp>

#include <ATen/ops/empty.h>

#include <cstring>

namespace fs = std::filesystem;

std::vector<fs::path> picture_paths(const TableFile& table, const std::string& setting,
                                    const std::string& column, std::span<const size_t> rows,
                                    WrongCells& wrong) {
    const size_t place = table.column(setting, column);
    const fs::path folder = table.path().parent_path();
    std::vector<fs::path> paths;
    std::vector<size_t> named;  // rows
    for (const size_t row : rows) {
        if (const auto cell = table.value(place, row)) {
            paths.push_back(folder / *cell);
            named.push_back(row);
        } else {
            wrong.add(place, row, "has no file",
                      "name an image file, remove the row, or set missing = \"drop\"");
        }
    }
    for (const BadFile& bad : find_bad_files(paths, FileCheck::kHeads, std::nullopt)) {
        wrong.add(place, named[bad.index], bad.problem,
                  "correct the name, or put an image file there");
    }
    return paths;
}

TableLines lines_of(const TableFile& table, std::span<const size_t> rows) {
    TableLines lines{.table = table.path()};
    for (const size_t row : rows) {
        lines.lines.push_back(table.line_of(row));
    }
    return lines;
}

namespace {

ptp::support::Image read_mask(const MaskFiles& from, size_t index) {
    try {
        return ptp::support::read_numbers(from.files[index]);
    } catch (const ptp::DataError& error) {
        throw ptp::DataError(from.lines.of(index), error.what(), kFixOfFile);
    }
}

}  // namespace

at::Tensor read_masks(const MaskFiles& from, std::span<const int64_t> numbers, ImageSize shown) {
    if (from.files.empty()) {
        return {};
    }
    at::Tensor masks =
        at::empty({static_cast<int64_t>(numbers.size()), shown.height, shown.width}, at::kLong);
    auto* to = masks.data_ptr<int64_t>();
    for (const int64_t number : numbers) {
        const ptp::support::Image image = read_mask(from, static_cast<size_t>(number));
        for (int64_t y = 0; y < shown.height; ++y) {
            const int64_t row = (2 * y + 1) * image.height / (2 * shown.height);
            for (int64_t x = 0; x < shown.width; ++x) {
                const int64_t column = (2 * x + 1) * image.width / (2 * shown.width);
                const auto index = static_cast<size_t>(row * image.width + column);
                uint16_t wide = 0;  // a number of two bytes
                if (image.channels == 2) {
                    std::memcpy(&wide, &image.pixels[2 * index], sizeof(wide));
                }
                *to++ = image.channels == 2 ? wide : image.pixels[index];
            }
        }
    }
    return masks;
}
