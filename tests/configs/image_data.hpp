// Small data folders with images, for the experiments that need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ptp::test {

// A gray image of 20 x 20 pixels.
void write_picture(const std::filesystem::path& file, uint8_t value);

// A file of CIFAR with `count` images, and this number of labels before each.
void write_cifar(const std::filesystem::path& file, size_t label_count, size_t count);

// Images whose left half is black and of class 0, and the other white and of class 1, with a pixel
// that does not count, for the three sections.
void write_masked_images(const std::filesystem::path& folder);

// Tables with two questions about each of ten images, with tags of them, some of which have two,
// and with questions about pairs of them.
void write_image_tables(const std::filesystem::path& folder);

// Images that stand for three side by side, of two classes.
void write_triplets(const std::filesystem::path& folder);

}  // namespace ptp::test
