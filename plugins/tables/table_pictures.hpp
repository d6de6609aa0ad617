// The images and the masks of a table: files that its cells name, relative to its folder.
#pragma once

#include "column_codes.hpp"

#include <color_settings.hpp>
#include <picture_files.hpp>

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

// Returns the paths of a column's files. The files that cannot be used are added to `wrong`.
std::vector<std::filesystem::path> picture_paths(const TableFile& table, const std::string& setting,
                                                 const std::string& column,
                                                 std::span<const size_t> rows, WrongCells& wrong);

// The fix of a file of a row that is found to be broken when its sample is fetched.
inline constexpr const char* kFixOfFile = "\nfix: put the whole image there, or remove the row";

TableLines lines_of(const TableFile& table, std::span<const size_t> rows);

struct MaskFiles {
    std::span<const std::filesystem::path> files;
    const TableLines& lines;  // of the rows
};

// Reads the gray values of these files as the numbers of classes, in the size `shown` by the
// nearest pixel: [B, H, W]. Throws DataError. [any]
at::Tensor read_masks(const MaskFiles& from, std::span<const int64_t> numbers, ImageSize shown);
