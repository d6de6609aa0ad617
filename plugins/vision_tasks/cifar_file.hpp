// The binary files of CIFAR, which repeat one or two bytes of labels and an image of 3 x 32 x 32
// bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

inline constexpr int64_t kCifarSide = 32;
inline constexpr int64_t kCifarImageBytes = 3 * kCifarSide * kCifarSide;

struct CifarRequest {
    std::filesystem::path folder;    // contains the files, or
    std::filesystem::path unpacked;  // a folder of this name with them, as in the archive
    std::vector<std::string> files;
    std::vector<int64_t> label_counts;  // number of classes of each label byte
    std::string remedy;                 // how to get the files, a sentence
};

struct CifarRecords {
    std::vector<std::vector<uint8_t>> labels;  // one list for each label byte
    std::vector<uint8_t> pixels;               // of all images
    int64_t count = 0;
};

// Returns all files, concatenated. Throws DataError with all errors if a file is missing or
// damaged.
CifarRecords read_cifar(const CifarRequest& request);
