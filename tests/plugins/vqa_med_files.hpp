// A miniature of VQA-Med 2019.
#pragma once

#include <filesystem>

namespace test {

// All files of the data set: `images` images each of training, validation and test, with one
// question of each category about each of them. Every other question in C1 and C4 asks for yes or
// no.
void write_vqa_med(const std::filesystem::path& folder, int images);

}  // namespace test
