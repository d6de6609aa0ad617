// Small data folders in the format of MNIST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace test {

using Bytes = std::vector<uint8_t>;

// An idx file of bytes: the magic number, the sizes, the data.
Bytes idx(const std::vector<uint32_t>& sizes, const Bytes& data);

void write_file(const std::filesystem::path& file, const Bytes& bytes);
void write_compressed(const std::filesystem::path& file, const Bytes& bytes);
Bytes read_file(const std::filesystem::path& file);

// `count` images of 28 x 28 in which every pixel of image i has the value 10 * i + 5.
Bytes images(uint32_t count);

// Writes images and labels (0, 1, 2, ...) of the training set, as they are.
void write_training_set(const std::filesystem::path& folder, uint32_t count);

}  // namespace test
