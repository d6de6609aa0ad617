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

// Reads the gray values of these files as the numbers of classes, in the size `shown` by the
// nearest pixel: [B, H, W]. Throws DataError. [any]
at::Tensor read_masks(std::span<const std::filesystem::path> files,
                      std::span<const int64_t> numbers, ImageSize shown);
