// NumPy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

// Returns the header of a file, version 1.0, with `rows` values shaped like the rows of this
// tensor. It has the same number of bytes for any number of rows, so that it can be replaced as the
// file grows.
std::string npy_header(const at::Tensor& rows_like, uint64_t rows);

// Returns the values as in the file: row-major, on the CPU, of a type that NumPy supports.
at::Tensor npy_values(const at::Tensor& tensor);
